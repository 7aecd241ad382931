import { dirname } from "node:path";
import { AppError } from "../errors.ts";
import { Database } from "../sqlite/database.ts";
import { isSqliteError } from "../sqlite/errors.ts";
import { quote } from "../sqlite/quote.ts";
import { unmarshal } from "../values/marshal.ts";
import { findMissingContents } from "./check-attachments.ts";
import { findHistoryProblems } from "./check-history.ts";
import { findMetadataNotices, findMetadataProblems } from "./check-metadata.ts";
import { isOutdated, readVersions } from "./migrations/migrate.ts";
import { hasTable, isSystemTable, storedColumns, storedTables } from "./migrations/stored-tables.ts";
import { withReadablePath, withUpgradedCopy } from "./read-only-file.ts";
import { findIntegrityProblem, hasVirtualTables, requireSqliteFile } from "./untrusted-file.ts";

export interface CheckResult {
  readonly ok: boolean;
  /** Full sentences. */
  readonly problems: string[];
  /** Full sentences about settings that programs ignore: a document with them is valid. */
  readonly notices: string[];
}

/**
 * Verifies a document's file: SQLite's integrity check, metadata against the stored tables, references within the
 * metadata, the history, and the contents of attachments. The file may be in use: it is opened read-only, and no
 * companion files are created. A document of an older version is verified as it would be after the upgrade.
 * @throws AppError `notFound` when the file does not exist
 */
export function checkDocumentFile(path: string): CheckResult {
  try {
    requireSqliteFile(path);
    const findings = withReadablePath(path, (readable) => checkReadable(readable, dirname(path)));
    return { ok: findings.problems.length === 0, ...findings };
  } catch (error) {
    if (!isFaultOfFile(error)) throw error;
    const problem = error instanceof AppError ? `${error.message}.` : "The file cannot be read as a document.";
    return { ok: false, problems: [problem], notices: [] };
  }
}

type Findings = Pick<CheckResult, "problems" | "notices">;

/** @param folder the folder of the document, which differs from that of a copy */
function checkReadable(path: string, folder: string): Findings {
  using db = new Database(path, { readonly: true, busyTimeoutMs: 5000 });
  const problems = findForeignParts(db);
  if (problems.length > 0) return { problems, notices: [] };
  const described = db.get<{ rows: number }>("select count(*) as rows from _grist_DocInfo")?.rows;
  // Without the single row that holds the version, no other check is meaningful.
  if (described !== 1) {
    return { problems: [`_grist_DocInfo has ${described} rows instead of one.`], notices: [] };
  }
  const check = (current: Database): Findings => ({
    problems: findDocumentProblems(current, folder),
    notices: findMetadataNotices(current),
  });
  return isOutdated(readVersions(db)) ? withUpgradedCopy(path, check) : check(db);
}

/** Finds problems that prevent any other check. */
export function findForeignParts(db: Database): string[] {
  if (hasVirtualTables(db)) return ["The file has virtual tables, which documents do not support."];
  const found = findIntegrityProblem(db);
  if (found !== undefined) return [`The file is damaged: ${found}.`];
  const foreign = db.values("select type, name from sqlite_master where type in ('trigger', 'view')");
  const problems = foreign.map(
    ([kind, name]) => `The file has a ${String(kind)} ${String(name)}, which documents do not support.`,
  );
  for (const table of ["_grist_DocInfo", "_grist_Tables", "_grist_Tables_column"]) {
    if (!hasTable(db, table)) problems.push(`The file is not a document: it has no table ${table}.`);
  }
  return problems;
}

function findDocumentProblems(db: Database, folder: string): string[] {
  const problems = findMetadataProblems(db);
  return [
    ...problems,
    ...findHistoryProblems(db),
    ...findUnreadableCells(db),
    // Attachments can only be listed when the metadata are valid.
    ...(problems.length === 0 ? findMissingContents(db, folder) : []),
  ];
}

/** A blob in a cell must be a valid marshalled value. */
function findUnreadableCells(db: Database): string[] {
  const problems: string[] = [];
  for (const table of storedTables(db).filter((name) => !isSystemTable(name))) {
    for (const { id } of storedColumns(db, table)) {
      const name = quote(id);
      using cells = db.prepareUncached<{ cell: Uint8Array }>(
        `select ${name} as cell from ${quote(table)} where typeof(${name}) = 'blob'`,
      );
      let unreadable = 0;
      for (const { cell } of cells.iterate()) if (!canUnmarshal(cell)) unreadable++;
      if (unreadable > 0) problems.push(`Table ${table}, column ${id}: ${unreadable} cells cannot be read.`);
    }
  }
  return problems;
}

function canUnmarshal(bytes: Uint8Array): boolean {
  try {
    unmarshal(bytes);
    return true;
  } catch {
    return false;
  }
}

const isFaultOfFile = (error: unknown): boolean =>
  error instanceof AppError ? ["invalid", "damaged"].includes(error.code) : isSqliteError(error, "SQLITE");
