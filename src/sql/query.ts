import type { DatabaseSync } from "node:sqlite";
import { AppError } from "../errors.ts";
import { bindings } from "./document.ts";
import type { Job } from "./job.ts";
import { KeptDocument } from "./kept-document.ts";
import { invalidStatement, refusalOf } from "./refusals.ts";
import { answerColumns, renderRows } from "./render.ts";
import { readStatement } from "./statement.ts";

export interface Progress {
  /** Called when the document is open, and the statement is about to be looked at. */
  begin(): void;
  /** Takes the answer as JSON, piece by piece. */
  put(piece: string): void;
}

/** SQLite's codes for a file that cannot be opened or is locked: both happen while the server opens or closes it. */
const NOT_NOW = new Set([5, 14]);

/**
 * Runs one query, which sees the document as it is when it begins.
 * @param kept the connection of queries before, where there is one, which is left for those after it
 * @returns false, and nothing put, when the server does not have the document open just now
 * @throws AppError for everything that is wrong with the statement, its args, or the file
 */
export function runQuery(job: Job, progress: Progress, kept?: KeptDocument): boolean {
  const documents = kept ?? new KeptDocument();
  let isGood = false;
  try {
    const document = documents.open(job);
    if (!document) return false;
    const { db, prelude } = document;
    answer(db, prelude, { job, progress });
    documents.finish();
    isGood = true;
    return true;
  } catch (error) {
    if (NOT_NOW.has(codeOf(error))) return false;
    throw refusalOf(error);
  } finally {
    // What a statement that failed leaves behind is not worth finding out.
    if (!isGood || !kept) documents.close();
  }
}

function answer(db: DatabaseSync, prelude: string, { job, progress }: { job: Job; progress: Progress }): void {
  const { statement: text, args, ...limits } = job;
  const { begin, put } = progress;
  begin();
  const { wrapped, ...parameters } = readStatement(text, prelude);
  if (args.length > parameters.parameterCount) {
    throw invalidStatement(`The statement takes ${parameters.parameterCount} args, ${args.length} were given`);
  }
  const statement = db.prepare(wrapped);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const rows = statement.iterate(...bindings(parameters, args));
  let opening = `{"statement":${JSON.stringify(text)},"records":[`;
  for (const piece of renderRows(rows, answerColumns(statement), limits)) {
    put(opening + piece);
    opening = "";
  }
  put(`${opening}]}`);
}

const codeOf = (error: unknown): number =>
  error instanceof AppError ? 0 : Number((error as { errcode?: unknown }).errcode ?? 0) & 0xff;
