import { AppError } from "../errors.ts";
import { bindings } from "./open-for-reading.ts";
import type { QueryJob } from "./query-job.ts";
import { CachedDocument, type PreparedQuery } from "./cached-document.ts";
import { refusalOf } from "./refusals.ts";
import { renderRows, type ResultColumn } from "./render-rows.ts";

export interface QueryOutput {
  /** Called when the document is open, before the statement is parsed, which is not necessary for repeated ones. */
  begin(statement: { readonly isRepeated: boolean }): void;
  /** Receives the answer as JSON, in chunks. */
  put(chunk: string): void;
}

/** SQLite's codes for a file that cannot be opened or is locked: both occur while the server opens or closes it. */
const NOT_OPEN_CODES = new Set([5, 14]);

/**
 * Runs one query, which sees a snapshot of the document.
 * @param cached reuses the connection of previous queries, and keeps it for later ones
 * @returns false, without output, when the server does not have the document open
 * @throws AppError for all errors of the statement, its args, or the file
 */
export function runQuery(job: QueryJob, progress: QueryOutput, cached?: CachedDocument): boolean {
  const documents = cached ?? new CachedDocument();
  let hasSucceeded = false;
  try {
    if (!documents.open(job)) return false;
    progress.begin({ isRepeated: documents.isPrepared(job) });
    streamResult(documents.prepare(job), job, progress);
    documents.endQuery();
    hasSucceeded = true;
    return true;
  } catch (error) {
    if (NOT_OPEN_CODES.has(codeOf(error))) return false;
    throw refusalOf(error);
  } finally {
    // The state of the connection after a failed statement is unknown.
    if (!hasSucceeded || !cached) documents.close();
  }
}

function streamResult(
  query: PreparedQuery,
  { statement: text, args, withColumns, ...limits }: QueryJob,
  { put }: QueryOutput,
): void {
  const rows = query.statement.iterate(...bindings(query, args));
  let prefix = `{"statement":${JSON.stringify(text)},"records":[`;
  for (const chunk of renderRows(rows, query.columns, limits)) {
    put(prefix + chunk);
    prefix = "";
  }
  put(`${prefix}]${withColumns ? `,"columns":${columnsJson(query.columns)}` : ""}}`);
}

/** The table and the column are null where the values are not cells of the document as they are. */
const columnsJson = (columns: readonly ResultColumn[]): string =>
  JSON.stringify(columns.map(({ name, table, column }) => ({ name, table, column })));

const codeOf = (error: unknown): number =>
  error instanceof AppError ? 0 : Number((error as { errcode?: unknown }).errcode ?? 0) & 0xff;
