import type { DocumentGrant } from "../../authorization.ts";
import { removeExpired } from "../attachments/attachment-cleanup.ts";
import type { Context } from "../context.ts";

/** Flushes the document to disk: after this, all earlier writes survive a power failure. */
export async function flushDocument({ documents }: Context, grant: DocumentGrant): Promise<null> {
  await documents.flush(grant);
  return null;
}

/**
 * Reloads the document, without the attachments that have been unused for 7 days.
 * @throws AppError `damaged` if it cannot be opened
 */
export async function reloadDocument(ctx: Context, grant: DocumentGrant): Promise<null> {
  const { documents } = ctx;
  await removeExpired(ctx, grant.uuid);
  await documents.reload(grant);
  // Reports whether the document can be opened.
  await documents.call(grant, "document.mayCopy", null);
  return null;
}
