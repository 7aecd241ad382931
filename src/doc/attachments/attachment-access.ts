import type { DocumentGrant } from "../../authorization.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { OpenDocument } from "../document.ts";
import { type CellLocation, canSeeAttachment } from "../rules/attachment-cells.ts";
import { hasUploaded } from "../rules/own-uploads.ts";
import { userInfo } from "../user-info.ts";

export interface AttachmentRef {
  readonly id: number;
  /** The cell that a caller who is bound by access rules sees it in; any cell when missing. */
  readonly cell?: CellLocation | undefined;
  /** It may be one that the caller uploaded only just now, and that stands in no cell yet. */
  readonly maybeNew?: boolean | undefined;
}

/**
 * Owners, and whoever is kept from nothing, see all attachments; others those that stand in cells they see.
 * @throws AppError `forbidden`, or `notFound` when it is not to be seen in the cell that is asked for
 */
export function checkAttachmentAccess(
  document: OpenDocument,
  grant: DocumentGrant,
  { id, cell, maybeNew = false }: AttachmentRef,
): void {
  if (grant.role === "owners" || !document.rules) return;
  const user = userInfo(grant);
  const rules = document.rules.forUser(user);
  if (rules.readsEverything || rules.mayCopyEverything || canSeeAttachment(document, rules, id, cell)) return;
  const { db, schema } = document;
  if (maybeNew && hasUploaded({ db, schema, options: { user, nowMs: document.clock.now() } }, id)) return;
  throw cell
    ? notFound("The cell does not hold the attachment", "attachment.not_found")
    : forbidden("Access rules keep the attachment from you", "access.rules");
}
