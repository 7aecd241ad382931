import { AppError } from "../../errors.ts";
import { Database } from "../database.ts";
import { openUnchanged } from "../open-unchanged.ts";

/**
 * Identifies one committed content of a database with a change counter. `seq` rises with each commit, and `epoch` is a
 * random text that changes with the first commit after each opening: the same pair never names two contents, even after
 * an older file was restored.
 */
export interface ChangeCount {
  readonly epoch: string;
  readonly seq: number;
}

/** The table of the change counter, with one row. */
export const COUNTER_TABLE = "_quern_commit";

/**
 * Reads the change counter of a database that may have been closed, or left by a crash: then with all commits in its
 * write-ahead log, which is left as it is. Null when it has none, or when a document was changed since by a version
 * without the counter, or outside of log mode by a process that crashed.
 * @throws AppError `damaged` when the file cannot be read
 */
export function readCommitCount(path: string): ChangeCount | null {
  using db = openUnchanged(path);
  return readCount(db);
}

/**
 * Moves the commits in the write-ahead log of a closed or crashed database into its file, which is the database alone
 * then, and returns as `readCommitCount`. For files that nothing has open.
 * @throws AppError `damaged` when the file cannot be read, `unavailable` when something has it open
 */
export function recoverFile(path: string): ChangeCount | null {
  using db = new Database(path);
  const count = readCount(db);
  if (!db.checkpoint("truncate")) throw new AppError("unavailable", "The database is in use", { retryAfterS: 1 });
  return count;
}

function readCount(db: Database): ChangeCount | null {
  if (!hasTable(db, COUNTER_TABLE)) return null;
  const row = db.get<ChangeCount>(`select epoch, seq from ${COUNTER_TABLE} where id = 1`);
  if (!row || !isNewestState(db)) return null;
  return { epoch: row.epoch, seq: row.seq };
}

/** Other versions and modes add states to a document's history without writing the counter. */
function isNewestState(db: Database): boolean {
  if (!hasTable(db, "_gristsys_ActionHistory")) return true;
  const newest = "(select id from _gristsys_ActionHistory order by id desc limit 1)";
  return db.get(`select 1 from ${COUNTER_TABLE} where history_id is ${newest}`) !== null;
}

const hasTable = (db: Database, table: string): boolean =>
  db.get("select 1 from sqlite_master where type = 'table' and name = ?", table) !== null;
