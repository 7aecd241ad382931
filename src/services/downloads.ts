import type { DocumentGrant } from "../access.ts";
import { must } from "../lib/assert.ts";
import type { Context } from "./context.ts";

/**
 * What a file made of a document is called, without its ending: after the document and the table, or as asked.
 * @param table its id, when the file holds just that
 */
export function downloadName(
  { home }: Context,
  { documentId }: DocumentGrant,
  { title, table }: { title?: string | undefined; table?: string | undefined },
): string {
  if (title) return title;
  const { name } = must(home.documents.byId(documentId), "document");
  return table && table !== name ? `${name}-${table}` : name;
}
