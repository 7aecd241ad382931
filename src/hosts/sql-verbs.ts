import type { DocumentGrant } from "../authorization.ts";
import type { OpenDocument } from "../doc/document.ts";
import { verb } from "./verbs/verb.ts";

interface SqlSource {
  /** The document's file, which stays open as long as it is used regularly. */
  readonly path: string;
}

/** Verbs for SQL queries, which run in separate processes. */
export const sqlVerbs = {
  /** Opens the document for the caller's SQL queries, which bypass access rules. */
  "sql.open": verb({ needs: "viewers", underRules: "copies", run: openForSql }),
};

function openForSql({ path }: OpenDocument, _grant: DocumentGrant, _args: object): SqlSource {
  return { path };
}
