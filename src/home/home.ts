import { openHomeDatabase, type HomeDatabase, type HomeOptions } from "./database.ts";
import { createUsers } from "./users.ts";

export type { HomeOptions } from "./database.ts";

/**
 * Everything about people, sites and access: one SQLite file, one store a noun. Synchronous. Stores check nothing
 * about who may; that is the services' part.
 */
export interface Home extends HomeDatabase, Stores, Disposable {
  /** Closes the file; closing twice is fine. */
  close(): void;
}

type Stores = ReturnType<typeof createStores>;

/** All stores, by the noun they keep. */
const createStores = (database: HomeDatabase) => ({
  users: createUsers(database),
});

/**
 * Opens the home database of a data folder, making both when missing.
 * @throws AppError `unavailable` when the file was written by a newer version of the program
 */
export function openHome(folder: string, options: HomeOptions = {}): Home {
  const database = openHomeDatabase(folder, options);
  const close = () => database.raw.close();
  return { ...database, ...createStores(database), close, [Symbol.dispose]: close };
}
