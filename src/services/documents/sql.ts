import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Argument } from "../../sql/query-pool.ts";
import type { Context } from "../context.ts";

export interface SqlQuery {
  readonly statement: string;
  readonly args: readonly Argument[];
  /** 0 for the maximum. */
  readonly timeoutMs: number;
  /** Aborted when the caller disconnects: cancels the query. */
  readonly signal?: AbortSignal | undefined;
}

/** A document can be evicted between being opened and being read. */
const MAX_ATTEMPTS = 3;

/**
 * Runs a read-only statement on a document, and returns its result as JSON.
 * @throws AppError `invalid` for an invalid or too expensive statement; `forbidden` if rules hide anything of the
 * document from the caller; `tooMany`, `unavailable`
 */
export async function runSql({ documents, sql }: Context, grant: DocumentGrant, query: SqlQuery): Promise<Uint8Array> {
  for (let i = 0; i < MAX_ATTEMPTS; i++) {
    // Called for each attempt: it opens the document and returns its current file.
    const { path } = await documents.call(grant, "sql.open", {});
    const answer = await sql.run({ ...query, path, document: grant.uuid });
    if (!answer) continue;
    await documents.released(grant);
    return answer;
  }
  throw new AppError("document.unavailable", "The document was closed during the query; try again", { retryAfterS: 1 });
}
