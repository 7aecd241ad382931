import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Argument } from "../../sql/query-pool.ts";
import type { Context } from "../context.ts";

export interface SqlQuery {
  readonly statement: string;
  readonly args: readonly Argument[];
  /** The answer describes the columns. */
  readonly withColumns?: boolean | undefined;
  /** A past state; empty for the present. */
  readonly at: string | undefined;
  /** 0 for the maximum. */
  readonly timeoutMs: number;
  /** Aborted when the caller disconnects: cancels the query. */
  readonly signal?: AbortSignal | undefined;
}

/** A document can be evicted between being opened and being read. */
const MAX_ATTEMPTS = 3;

export interface SqlAnswer {
  readonly bytes: Uint8Array;
  /** The number of the past state that it is from. */
  readonly state?: number;
}

/**
 * Runs a read-only statement on a document, or a past state of it, and returns its result as JSON.
 * @throws AppError `invalid` for an invalid or too expensive statement; `forbidden` if rules hide anything of the
 * document from the caller; `tooMany`, `unavailable`
 */
export async function runSql(
  { documents, sql }: Context,
  grant: DocumentGrant,
  { at, ...query }: SqlQuery,
): Promise<SqlAnswer> {
  const document = grant.uuid;
  if (at) {
    const run = (path: string) => sql.run({ ...query, path, isUnchanging: true, document });
    const { state, result } = await documents.withFileAt(grant, at, run);
    if (result) return { bytes: result, state };
    throw documentClosed();
  }
  for (let i = 0; i < MAX_ATTEMPTS; i++) {
    // Called for each attempt: it opens the document and returns its current file.
    const { path } = await documents.call(grant, "sql.open", {});
    const bytes = await sql.run({ ...query, path, document });
    if (!bytes) continue;
    await documents.released(grant);
    return { bytes };
  }
  throw documentClosed();
}

const documentClosed = (): AppError =>
  new AppError("document.unavailable", "The document was closed during the query; try again", { retryAfterS: 1 });
