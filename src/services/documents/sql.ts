import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Argument } from "../../sql/query-pool.ts";
import type { Context } from "../context.ts";

export interface SqlQuery {
  readonly statement: string;
  readonly args: readonly Argument[];
  /** 0 for the most that is allowed. */
  readonly timeoutMs: number;
  /** Aborted when the caller has left: the query is stopped then. */
  readonly signal?: AbortSignal | undefined;
}

/** A document may be closed, for want of room, between being opened and being read. */
const MAX_ATTEMPTS = 3;

/**
 * Runs a statement that reads on a document, and gives its answer as JSON.
 * @throws AppError `invalid` for what is wrong with the statement or takes too much; `forbidden` when rules keep
 *   something of the document from the caller; `tooMany`, `unavailable`
 */
export async function runSql({ documents, sql }: Context, grant: DocumentGrant, query: SqlQuery): Promise<Uint8Array> {
  for (let i = 0; i < MAX_ATTEMPTS; i++) {
    // Asked anew each time: the document is open then, and its file is the one that counts now.
    const { path } = await documents.call(grant, "sql.open", {});
    const answer = await sql.run({ ...query, path, document: grant.uuid });
    if (answer) return answer;
  }
  throw new AppError("document.unavailable", "The document was closed meanwhile, try again", { retryAfterS: 1 });
}
