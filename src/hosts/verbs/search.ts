import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { searchChunks } from "../../doc/search/search-rows.ts";
import { visibilityFor } from "../../doc/read/visibility-filter.ts";
import { type ConditionalArgs, renderFile, type Rendered } from "./render.ts";
import { verb } from "./verb.ts";

interface SearchArgs extends ConditionalArgs {
  readonly query: string;
  readonly limit: number;
}

/** Verbs that search all tables. */
export const searchVerbs = {
  "document.search": verb({ needs: "viewers", reads: "snapshot", underRules: "enforced", run: searchDocument }),
};

function searchDocument(document: OpenDocument, grant: DocumentGrant, args: SearchArgs): Rendered {
  return renderFile(document, grant, args, (source) =>
    searchChunks(visibilityFor(document, grant), source, { query: args.query, limit: args.limit }),
  );
}
