import { existsSync } from "node:fs";
import { Database } from "./database.ts";

/**
 * Opens a database for reading without changing anything in its folder: reading a closed database in WAL mode would
 * otherwise leave a log beside it. Also reads a database that another process has open. After a crash, SQLite rebuilds the
 * index of the log (`-shm`), which holds no data.
 */
export function openUnchanged(path: string): Database {
  const isOpenElsewhere = ["-wal", "-journal"].some((suffix) => existsSync(path + suffix));
  return new Database(path, { readonly: true, immutable: !isOpenElsewhere, busyTimeoutMs: 5000 });
}
