import type { DocumentGrant } from "../access.ts";
import type { Context } from "./context.ts";

/** What was written to the document survives a power cut when this ends. */
export async function flushDocument({ documents }: Context, grant: DocumentGrant): Promise<null> {
  await documents.flush(grant);
  return null;
}

/**
 * Closes the document and opens it anew.
 * @throws AppError `damaged` when it cannot be opened
 */
export async function reloadDocument({ documents }: Context, grant: DocumentGrant): Promise<null> {
  await documents.reload(grant);
  // Whoever asks wants to know whether it works.
  await documents.call(grant, "document.mayCopy", null);
  return null;
}
