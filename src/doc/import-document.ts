import { AppError } from "../errors.ts";
import { Database } from "../sqlite/database.ts";
import { isSqliteError } from "../sqlite/errors.ts";
import { quote } from "../sqlite/quote.ts";
import { copyDatabase, createDatabaseAt, formerFile, keepUnderSecondName } from "./file-copy.ts";
import { renewCounter } from "./change-counter.ts";
import { isOutdated, migrateDocument, readVersions } from "./migrations/migrate.ts";
import { integer, MetadataRows, text } from "./migrations/metadata-rows.ts";
import { PENDING, userColumns } from "./migrations/storage.ts";
import { hasColumn, hasTable } from "./migrations/stored-tables.ts";
import { type FormulaLimits, OpenDocument } from "./document.ts";
import { SYSTEM_USER } from "./user-info.ts";
import { recalculateDocument } from "./actions/apply-user-actions.ts";
import { sanitizeDatabase, requireSqliteFile } from "./untrusted-file.ts";

export interface ImportedCounts {
  /** The number of tables without summaries. */
  readonly tables: number;
  /** The number of rows of all tables. */
  readonly rows: number;
}

/**
 * Imports the document file `from`, which stays unchanged and is untrusted: validates and sanitizes it, upgrades it,
 * and writes it to `to` as a single file. A write-ahead log beside it is included.
 * @throws AppError `invalid` when the file is not a document or cannot be used, `notFound` when it does not exist,
 *   `storage` when the disk is full; then nothing remains at `to` or beside it
 */
export function importDocumentFile(
  from: string,
  to: string,
  { recalculates = true, formulas }: { recalculates?: boolean; formulas?: FormulaLimits | undefined } = {},
): ImportedCounts {
  requireSqliteFile(from);
  try {
    return replaceByCopy({ from, to, formulas }, (db) => {
      sanitizeDatabase(db);
      return { needsVacuum: migrateDocument(db), recalculates, result: countContents(db) };
    });
  } catch (error) {
    throw toAppError(
      error,
      (cause) => new AppError("file.invalid", "The file is damaged or not a document", { cause }),
    );
  }
}

/**
 * Upgrades a document's file before it is opened, on a copy that replaces it at the end, so that the original stays
 * intact on any failure. The former file is kept beside it. Files of the current version or a newer one are left
 * unchanged and not copied.
 * @param options.prepare is called with the complete copy before it replaces the file
 * @returns true when it was changed
 * @throws AppError `damaged` when the upgrade fails; the file is then unchanged
 */
export function upgradeDocumentFile(
  path: string,
  { formulas, prepare }: { formulas?: FormulaLimits | undefined; prepare?: (copy: string) => void } = {},
): boolean {
  try {
    {
      using db = new Database(path);
      if (!hasTable(db, "_grist_Tables")) throw new AppError("damaged", "The file is not a document");
      if (!isOutdated(readVersions(db))) return false;
      leaveWalMode(db);
    }
    const beforeReplace = (copy: string) => {
      prepare?.(copy);
      keepUnderSecondName(path, formerFile(path));
    };
    replaceByCopy({ from: path, to: path, formulas, beforeReplace }, (db) => {
      const needsVacuum = migrateDocument(db);
      renewCounter(db);
      return { needsVacuum, recalculates: true, result: undefined };
    });
    return true;
  } catch (error) {
    throw toAppError(
      error,
      (cause) => new AppError("damaged", "The document is of an older version and could not be upgraded", { cause }),
    );
  }
}

/** The result of work on a copy. */
interface CopyOutcome<T> {
  /** True when so many rows were moved that the file should be vacuumed. */
  readonly needsVacuum: boolean;
  /** True when pending formula cells must be evaluated. */
  readonly recalculates: boolean;
  readonly result: T;
}

interface CopyJob {
  readonly from: string;
  readonly to: string;
  readonly formulas: FormulaLimits | undefined;
  /** Called when the copy is complete. */
  readonly beforeReplace?: (copy: string) => void;
}

/** Runs `work` on a copy of `from` in rollback journal mode, then moves the copy to `to`. */
const replaceByCopy = <T>({ from, to, formulas, beforeReplace }: CopyJob, work: (db: Database) => CopyOutcome<T>): T =>
  createDatabaseAt(to, (copy) => {
    copyDatabase(from, copy);
    const result = processCopy(copy, formulas, work);
    beforeReplace?.(copy);
    return result;
  });

function processCopy<T>(copy: string, formulas: FormulaLimits | undefined, work: (db: Database) => CopyOutcome<T>): T {
  const { pending, result } = migrateCopy(copy, work);
  if (pending.length > 0) {
    using document = new OpenDocument(copy, { durability: "normal", ...(formulas && { formulas }) });
    recalculateDocument(
      document,
      { user: SYSTEM_USER, nowMs: document.clock.now() },
      { columns: pending, persist: true, lists: false },
    );
  }
  return result;
}

function migrateCopy<T>(copy: string, work: (db: Database) => CopyOutcome<T>): { pending: PendingColumn[]; result: T } {
  using db = new Database(copy);
  leaveWalMode(db);
  // An incomplete copy is discarded, so it is only synced once it is complete.
  db.exec("pragma synchronous = off");
  const worked = work(db);
  if (worked.needsVacuum) db.exec("vacuum");
  return { pending: worked.recalculates ? findPending(db) : [], result: worked.result };
}

interface PendingColumn {
  readonly table: string;
  readonly column: string;
}

/** Returns the columns with pending cells. */
function findPending(db: Database): PendingColumn[] {
  const found: PendingColumn[] = [];
  for (const [table, columns] of userColumns(db)) {
    for (const { id: column, isFormula } of columns.values()) {
      if (!isFormula || !hasColumn(db, table, column)) continue;
      const isPending = db.get(`select 1 from ${quote(table)} where ${quote(column)} = ? limit 1`, PENDING) !== null;
      if (isPending) found.push({ table, column });
    }
  }
  return found;
}

/** Checkpoints the log into the file. A leftover log would be applied to the file that replaces it. */
function leaveWalMode(db: Database): void {
  const { journal_mode: mode } = db.get<{ journal_mode: string }>("pragma journal_mode = delete") ?? {};
  if (mode !== "delete")
    throw new AppError("unavailable", "The document is in use by another process", { retryAfterS: 1 });
}

function countContents(db: Database): ImportedCounts {
  const tables = new MetadataRows(db)
    .all("_grist_Tables")
    .filter((table) => text(table["tableId"]) !== "" && integer(table["summarySourceTable"]) === 0);
  let rows = 0;
  for (const table of tables) {
    const id = quote(text(table["tableId"]));
    rows += db.get<{ rows: number }>(`select count(*) as rows from ${id}`)?.rows ?? 0;
  }
  return { tables: tables.length, rows };
}

/**
 * Converts an error to a refusal: a full disk is reported as such; other SQLite errors are attributed to the file's
 * contents.
 */
function toAppError(error: unknown, refuse: (cause: unknown) => AppError): unknown {
  if (error instanceof AppError) return error.code === "damaged" && error.cause ? refuse(error.cause) : error;
  return isSqliteError(error, "SQLITE") ? refuse(error) : error;
}
