import type { DocumentGrant } from "../../authorization.ts";
import { removeExpired } from "../attachments/attachment-cleanup.ts";
import type { Context } from "../context.ts";

/** What was written to the document survives a power cut when this ends. */
export async function flushDocument({ documents }: Context, grant: DocumentGrant): Promise<null> {
  await documents.flush(grant);
  return null;
}

/**
 * Reloads the document, without the attachments that have been in no cell for 7 days.
 * @throws AppError `damaged` when it cannot be opened
 */
export async function reloadDocument(ctx: Context, grant: DocumentGrant): Promise<null> {
  const { documents } = ctx;
  await removeExpired(ctx, grant.uuid);
  await documents.reload(grant);
  // Whoever asks wants to know whether it works.
  await documents.call(grant, "document.mayCopy", null);
  return null;
}
