import type { DocumentGrant } from "../../authorization.ts";
import type { Context } from "../context.ts";
import type { AuditEventName } from "./audit-events.ts";
import { recordAuditSoon } from "./record-audit.ts";

export interface AuditedDownload {
  readonly event: Extract<AuditEventName, "document.downloaded" | "document.exported" | "attachments.downloaded">;
  readonly format?: string;
  /** Id of the exported table. */
  readonly table?: string | undefined;
  /** Id of the exported widget. */
  readonly widget?: string | undefined;
  /** The past state that was exported. */
  readonly state?: string | undefined;
}

/** Records that a caller received a file with content of a document. */
export function recordDownload(
  ctx: Context,
  { actor, documentId }: DocumentGrant,
  { event, ...options }: AuditedDownload,
): void {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const details = Object.fromEntries(given) as Record<string, string>;
  recordAuditSoon(ctx, { event, actor, documentId, details });
}
