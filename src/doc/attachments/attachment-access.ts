import type { DocumentGrant } from "../../authorization.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { OpenDocument } from "../document.ts";
import { type CellLocation, canSeeAttachment } from "../rules/attachment-cells.ts";
import { hasUploaded } from "../rules/own-uploads.ts";
import { userInfo } from "../user-info.ts";

export interface AttachmentRef {
  readonly id: number;
  /** The cell where a caller restricted by access rules sees the attachment; any cell when missing. */
  readonly cell?: CellLocation | undefined;
  /** It may be a recent upload of the caller that no cell contains yet. */
  readonly maybeNew?: boolean | undefined;
}

/**
 * For a key that is limited to tables, only the cells of these count. Owners and unrestricted callers see all attachments; other callers those in cells that they can read.
 * @throws AppError `forbidden`, or `notFound` when the requested cell does not show it
 */
export function checkAttachmentAccess(
  document: OpenDocument,
  grant: DocumentGrant,
  { id, cell, maybeNew = false }: AttachmentRef,
): void {
  if (grant.role === "owners" && !grant.tables) return;
  const user = userInfo(grant);
  const rules = document.accessOf(user);
  if (!rules || rules.readsEverything || rules.mayCopyEverything || canSeeAttachment(document, rules, id, cell)) return;
  const { db, schema } = document;
  if (maybeNew && !grant.tables && hasUploaded({ db, schema, options: { user, nowMs: document.clock.now() } }, id))
    return;
  throw cell
    ? notFound("The cell does not hold the attachment", "attachment.not_found")
    : forbidden("Access rules hide the attachment from you", "access.rules");
}
