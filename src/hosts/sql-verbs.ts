import type { DocumentGrant } from "../authorization.ts";
import type { OpenDocument } from "../doc/document.ts";
import { verb } from "./verbs/verb.ts";

interface SqlSource {
  /** The document's file, which is open as long as it is used now and then. */
  readonly path: string;
}

/** The verbs about SQL, which is run elsewhere. */
export const sqlVerbs = {
  /** Opens the document for queries of its caller; they show everything there is. */
  "sql.open": verb({ needs: "viewers", underRules: "copies", run: openForSql }),
};

function openForSql({ path }: OpenDocument, _grant: DocumentGrant, _args: object): SqlSource {
  return { path };
}
