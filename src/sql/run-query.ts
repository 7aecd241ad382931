import type { DatabaseSync } from "node:sqlite";
import { AppError } from "../errors.ts";
import { bindings } from "./open-for-reading.ts";
import type { QueryJob } from "./query-job.ts";
import { CachedDocument } from "./cached-document.ts";
import { invalidStatement, refusalOf } from "./refusals.ts";
import { resultColumns, renderRows } from "./render-rows.ts";
import { parseStatement } from "./statement.ts";

export interface QueryOutput {
  /** Called when the document is open, before the statement is parsed. */
  begin(): void;
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
    // The state of the connection after a failed statement is unknown.
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
    throw invalidStatement(`The statement takes ${parameters.parameterCount} args, but ${args.length} were given`);
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
