import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { type DocumentUsage, measureUsage } from "../../doc/usage/measure-usage.ts";
import { verb } from "./verb.ts";

/** The size of a document and of its parts. */
export const usageVerbs = {
  "document.usage": verb({
    // The route requires owners: the sizes of tables tell about rows that rules hide.
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: (document: OpenDocument, _grant: DocumentGrant, _args: null): DocumentUsage => measureUsage(document),
  }),
};
