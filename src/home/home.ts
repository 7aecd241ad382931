import { openHomeDatabase, type HomeDatabase, type HomeOptions } from "./database.ts";
import { createCallers } from "./callers.ts";
import { createDocuments } from "./documents.ts";
import { createGrants } from "./grants.ts";
import { createKeys } from "./api-keys.ts";
import { createOrgs } from "./orgs.ts";
import { createPasswords } from "./passwords.ts";
import { createPreferences } from "./preferences.ts";
import { createAccessLookups } from "./access-lookups.ts";
import { createServiceAccounts } from "./service-accounts.ts";
import { createSessions } from "./sessions.ts";
import { createTokens } from "./tokens.ts";
import { createUrlIds } from "./url-ids.ts";
import { createUsers } from "./users.ts";
import { createWebhooks } from "./webhooks.ts";
import { createWorkspaces } from "./workspaces.ts";

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
  passwords: createPasswords(database),
  sessions: createSessions(database),
  tokens: createTokens(database),
  keys: createKeys(database),
  callers: createCallers(database),
  serviceAccounts: createServiceAccounts(database),
  preferences: createPreferences(database),
  orgs: createOrgs(database),
  reach: createAccessLookups(database),
  workspaces: createWorkspaces(database),
  documents: createDocuments(database),
  urlIds: createUrlIds(database),
  grants: createGrants(database),
  webhooks: createWebhooks(database),
});

/**
 * Opens the home database of a data folder, making both when missing.
 * @throws AppError `unavailable` when the file was written by a newer version of the program
 */
export function openHome(folder: string, options: HomeOptions = {}): Home {
  const database = openHomeDatabase(folder, options);
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    checkpoint(database);
    database.raw.close();
  };
  return { ...database, ...createStores(database), close, [Symbol.dispose]: close };
}

/** Leaves everything in the one file; another process that reads just now may prevent it, and then will do it. */
function checkpoint({ raw }: HomeDatabase): void {
  try {
    raw.exec("pragma wal_checkpoint(truncate)");
  } catch {
    // Nothing is lost: what was committed is in the log beside the file.
  }
}
