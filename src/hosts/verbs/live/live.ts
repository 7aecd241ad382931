import type { DocumentGrant } from "../../../authorization.ts";
import type { OpenDocument } from "../../../doc/document.ts";
import { PresentQuery, type LiveQuery } from "../../../doc/live/live-query.ts";
import { type LiveRead, type LiveReadArgs, readLive } from "../../../doc/live/read-live.ts";
import { type OutputArgs, outputRequest } from "../output-args.ts";
import { verb } from "../verb.ts";

export type {
  LiveRead,
  LiveReadArgs,
  LiveReset,
  LiveState,
  Resumption,
  ResumedState,
} from "../../../doc/live/read-live.ts";

/** A live query as in the query string of a request. */
export interface LiveQueryArgs extends OutputArgs {
  readonly table: string;
  readonly filter?: string | undefined;
  readonly hidden: boolean;
}

/** What subscribers of a query share. */
export interface LiveKeys {
  /** Equal for queries with equal results for equal rights. */
  readonly query: string;
  /** Equal for callers who read the same in the same state of the document. */
  readonly rights: string;
}

type ReadArgs = Omit<LiveReadArgs, "query"> & { readonly query: LiveQueryArgs };

/** The verbs behind live queries. */
export const liveVerbs = {
  /** Checks a query, and returns by what its subscribers are grouped. */
  "live.describe": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (document: OpenDocument, grant: DocumentGrant, args: LiveQueryArgs): LiveKeys => {
      const query = queryOf(args);
      const present = new PresentQuery(document, grant, query);
      present.check();
      return { query: PresentQuery.keyOf(query), rights: present.rights };
    },
  }),
  "live.read": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (document: OpenDocument, grant: DocumentGrant, { query, ...args }: ReadArgs): LiveRead | null =>
      readLive(document, grant, { ...args, query: queryOf(query) }),
  }),
};

const queryOf = ({ table, filter, ...output }: LiveQueryArgs): LiveQuery => ({
  table,
  ...(filter !== undefined && { filter }),
  output: outputRequest(output),
});
