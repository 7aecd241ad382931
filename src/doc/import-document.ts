import { AppError } from "../errors.ts";
import { Database } from "../sqlite/database.ts";
import { isSqliteError } from "../sqlite/errors.ts";
import { quote } from "../sqlite/quote.ts";
import { copyDatabase, replaceFileDurably, removeDatabase } from "./file-copy.ts";
import { isOutdated, migrateDocument } from "./migrations/migrate.ts";
import { integer, MetadataRows, text } from "./migrations/metadata-rows.ts";
import { PENDING, userColumns } from "./migrations/storage.ts";
import { hasColumn, hasTable } from "./migrations/stored-tables.ts";
import { type FormulaLimits, OpenDocument } from "./document.ts";
import { SYSTEM_USER } from "./user-info.ts";
import { recalculateDocument } from "./actions/apply-user-actions.ts";
import { sanitizeDatabase, requireSqliteFile } from "./untrusted-file.ts";

export interface ImportedCounts {
  /** Summaries not counted. */
  readonly tables: number;
  /** In all of them together. */
  readonly rows: number;
}

/**
 * Takes in the document file `from`, which is not changed and may come from anybody: checks it, makes it safe, brings
 * it up to date, and puts it at `to` as one clean file. What is still in a write-ahead log beside it comes along.
 * @throws AppError `invalid` when it is no document or cannot be used, `notFound` when there is none, `storage` when
 *   the disk is full; nothing is left at `to` or beside it then.
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
    throw toAppError(error, (cause) => new AppError("file.invalid", "The file is damaged, or no document", { cause }));
  }
}

/**
 * Brings a document's file up to date before it is opened: on a copy that replaces it at the end, so that it stays
 * whole whatever happens. A file of today's version, or of a newer one, is left as it is, without a copy being made.
 * @returns true when it was changed.
 * @throws AppError `damaged` when that is not possible; the file is then as it was.
 */
export function upgradeDocumentFile(
  path: string,
  { formulas }: { formulas?: FormulaLimits | undefined } = {},
): boolean {
  try {
    {
      using db = new Database(path);
      if (!hasTable(db, "_grist_Tables")) throw new AppError("damaged", "The document's file is no document");
      if (!isOutdated(db)) return false;
      leaveWalMode(db);
    }
    replaceByCopy({ from: path, to: path, formulas }, (db) => ({
      needsVacuum: migrateDocument(db),
      recalculates: true,
      result: undefined,
    }));
    return true;
  } catch (error) {
    throw toAppError(
      error,
      (cause) =>
        new AppError("damaged", "The document is of an older version and cannot be brought up to date", { cause }),
    );
  }
}

/** What work on a copy came to. */
interface CopyOutcome<T> {
  /** True when so much was moved that the file is worth being packed. */
  readonly needsVacuum: boolean;
  /** True when cells that wait for their formulas are to be computed. */
  readonly recalculates: boolean;
  readonly result: T;
}

interface CopyJob {
  readonly from: string;
  readonly to: string;
  readonly formulas: FormulaLimits | undefined;
}

/** Does `work` on a copy of `from` in rollback journal mode, which is then put at `to`. */
function replaceByCopy<T>({ from, to, formulas }: CopyJob, work: (db: Database) => CopyOutcome<T>): T {
  const copy = `${to}.part`;
  removeDatabase(copy);
  try {
    copyDatabase(from, copy);
    const result = processCopy(copy, formulas, work);
    replaceFileDurably(copy, to);
    return result;
  } finally {
    removeDatabase(copy);
  }
}

function processCopy<T>(copy: string, formulas: FormulaLimits | undefined, work: (db: Database) => CopyOutcome<T>): T {
  const { pending, result } = migrateCopy(copy, work);
  if (pending.length > 0) {
    using document = new OpenDocument(copy, { durability: "normal", ...(formulas && { formulas }) });
    recalculateDocument(
      document,
      { user: SYSTEM_USER, nowMs: document.clock.now() },
      { columns: pending, persist: true },
    );
  }
  return result;
}

function migrateCopy<T>(copy: string, work: (db: Database) => CopyOutcome<T>): { pending: PendingColumn[]; result: T } {
  using db = new Database(copy);
  leaveWalMode(db);
  // The copy is worth nothing until it is complete, and written to the disk then.
  db.exec("pragma synchronous = off");
  const worked = work(db);
  if (worked.needsVacuum) db.exec("vacuum");
  return { pending: worked.recalculates ? findPending(db) : [], result: worked.result };
}

interface PendingColumn {
  readonly table: string;
  readonly column: string;
}

/** The columns with cells that wait for their formula. */
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

/** Moves everything into the file itself. A log left beside it would be taken for that of the file that replaces it. */
function leaveWalMode(db: Database): void {
  const { journal_mode: mode } = db.get<{ journal_mode: string }>("pragma journal_mode = delete") ?? {};
  if (mode !== "delete") throw new AppError("unavailable", "The document is in use elsewhere", { retryAfterS: 1 });
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

/** What went wrong as a refusal: a full disk stays one; what SQLite says about the file's contents is the file's fault. */
function toAppError(error: unknown, refuse: (cause: unknown) => AppError): unknown {
  if (error instanceof AppError) return error.code === "damaged" && error.cause ? refuse(error.cause) : error;
  return isSqliteError(error, "SQLITE") ? refuse(error) : error;
}
