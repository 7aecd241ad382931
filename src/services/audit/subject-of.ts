import type { GrantTarget } from "../../home/grants.ts";
import type { AuditSubject } from "../../home/identity/audit-log.ts";

/** Returns the site, workspace or document of a role as entries of the audit log name it. */
export function subjectOf({ kind, id }: GrantTarget): AuditSubject {
  switch (kind) {
    case "site":
      return { orgId: id };
    case "workspace":
      return { workspaceId: id };
    case "document":
      return { documentId: id };
    default:
      return kind satisfies never;
  }
}
