import { vacuumInto } from "../../sqlite/vacuum.ts";
import { OpenDocument, type OpenDocumentOptions } from "../document.ts";
import { removeDatabase } from "../file-copy.ts";

/**
 * Runs `work` on a copy of a document's file, which may be open. The copy has everything of the document, also its
 * webhooks; nothing remains at `to` or beside it.
 */
export function onCopy<T>(
  { from, to, options }: { from: string; to: string; options: OpenDocumentOptions },
  work: (document: OpenDocument) => T,
): T {
  removeDatabase(to);
  try {
    vacuumInto(from, to);
    using document = new OpenDocument(to, options);
    return work(document);
  } finally {
    removeDatabase(to);
  }
}
