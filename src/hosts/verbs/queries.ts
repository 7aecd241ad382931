import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import {
  addQuery,
  listQueries,
  modifyQuery,
  type QueryInput,
  removeQuery,
  type SavedQuery,
} from "../../doc/queries/saved-queries.ts";
import { userInfo } from "../../doc/user-info.ts";
import { verb } from "./verb.ts";

/** Verbs for saved queries. Their texts may name everything in the document, so they are for callers who may run SQL. */
export const queryVerbs = {
  "queries.list": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: (document, _grant, _args: null): readonly SavedQuery[] => listQueries(document),
  }),
  "queries.add": verb({ needs: "editors", changes: "metadata", underRules: "requiresFullAccess", run: add }),
  "queries.modify": verb({
    needs: "editors",
    changes: "metadata",
    underRules: "requiresFullAccess",
    run: (document, _grant, { id, change }: { readonly id: number; readonly change: Partial<QueryInput> }) =>
      modifyQuery(document, id, { change, nowMs: document.clock.now() }),
  }),
  "queries.remove": verb({
    needs: "editors",
    changes: "metadata",
    underRules: "requiresFullAccess",
    run(document, _grant, { id }: { readonly id: number }): null {
      removeQuery(document, id);
      return null;
    },
  }),
};

function add(document: OpenDocument, grant: DocumentGrant, query: QueryInput): SavedQuery {
  const { name, isLoggedIn } = userInfo(grant);
  return addQuery(document, query, { author: isLoggedIn ? name : null, nowMs: document.clock.now() });
}
