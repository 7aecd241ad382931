import type { DatabaseSync } from "node:sqlite";
import { AppError } from "../errors.ts";
import { bindings } from "./open-for-reading.ts";
import type { QueryJob } from "./query-job.ts";
import { CachedDocument } from "./cached-document.ts";
import { invalidStatement, refusalOf } from "./refusals.ts";
import { resultColumns, renderRows } from "./render-rows.ts";
import { parseStatement } from "./statement.ts";

export interface QueryOutput {
  /** Called when the document is open, and the statement is about to be looked at. */
  begin(): void;
  /** Takes the answer as JSON, piece by piece. */
  put(chunk: string): void;
}

/** SQLite's codes for a file that cannot be opened or is locked: both happen while the server opens or closes it. */
const NOT_OPEN_CODES = new Set([5, 14]);

/**
 * Runs one query, which sees the document as it is when it begins.
 * @param cached the connection of queries before, where there is one, which is left for those after it
 * @returns false, and nothing put, when the server does not have the document open just now
 * @throws AppError for everything that is wrong with the statement, its args, or the file
 */
export function runQuery(job: QueryJob, progress: QueryOutput, cached?: CachedDocument): boolean {
  const documents = cached ?? new CachedDocument();
  let hasSucceeded = false;
  try {
    const document = documents.open(job);
    if (!document) return false;
    const { db, prelude } = document;
    streamResult(db, prelude, { job, progress });
    documents.endQuery();
    hasSucceeded = true;
    return true;
  } catch (error) {
    if (NOT_OPEN_CODES.has(codeOf(error))) return false;
    throw refusalOf(error);
  } finally {
    // What a statement that failed leaves behind is not worth finding out.
    if (!hasSucceeded || !cached) documents.close();
  }
}

function streamResult(
  db: DatabaseSync,
  prelude: string,
  { job, progress }: { job: QueryJob; progress: QueryOutput },
): void {
  const { statement: text, args, ...limits } = job;
  const { begin, put } = progress;
  begin();
  const { wrapped, ...parameters } = parseStatement(text, prelude);
  if (args.length > parameters.parameterCount) {
    throw invalidStatement(`The statement takes ${parameters.parameterCount} args, ${args.length} were given`);
  }
  const statement = db.prepare(wrapped);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const rows = statement.iterate(...bindings(parameters, args));
  let prefix = `{"statement":${JSON.stringify(text)},"records":[`;
  for (const chunk of renderRows(rows, resultColumns(statement), limits)) {
    put(prefix + chunk);
    prefix = "";
  }
  put(`${prefix}]}`);
}

const codeOf = (error: unknown): number =>
  error instanceof AppError ? 0 : Number((error as { errcode?: unknown }).errcode ?? 0) & 0xff;
