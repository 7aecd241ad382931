/**
 * All events of the audit log with their descriptions: the source of the documentation and of the filter on the page. Each
 * needs a case in `test/services/audit/event-cases.ts`.
 */
export const AUDIT_EVENTS = {
  "audit.lost": "Entries could not be written in time and were counted only; `count` has their number.",
  "audit.pruned": "Old entries were deleted; the chain starts from a checkpoint.",
  "server.started": "The server started. `details.version` is its version.",
  "backup.restored":
    "A backup or the replicated log was restored into this data folder: what happened after it is missing.",

  "session.started":
    "A user signed in. `details.method` tells how (`password`, `passkey`, `link` or `provider`), `details.factor` the second factor (`code`, `recovery_code`, `passkey`, or `enrolment` if it was just added).",
  "session.ended": "A session ended by signing out, or was ended on the page of sessions.",
  "sessions.ended": "A user signed out all other sessions, or an administrator ended all sessions of a user.",
  "sign_in.failed":
    "Someone failed to sign in. `details.reason` is `credentials`, `code`, `passkey`, `limit` or, for the sum of failures of many accounts or networks, `many`. `target.user` is missing for unknown accounts.",
  "password.changed": "A user changed their password.",
  "password.change_failed": "The current password was wrong when a user tried to change it.",
  "password.reset": "A user set a new password with a reset link.",
  "password.reset_link_created": "A link to reset a password was created.",

  "second_factor.changed":
    "An authenticator app or a passkey was added or removed, recovery codes were replaced, or all were reset. `details.change` tells which.",

  "identity.connected": "An account at a single sign-on provider was connected to a user, who can sign in with it.",
  "identity.disconnected": "An account at a single sign-on provider was disconnected from a user.",

  "key.created":
    "An API key was created. `details.scopes` are its scopes, null for all; `details.isRestricted` tells whether it is limited to sites, workspaces, documents or tables, `details.hasNetworks` whether to networks.",
  "key.deleted": "An API key was revoked.",
  "token.created":
    "A token for an end user of a document was created. `details.expiresIn` is its lifetime in seconds, `details.scopes` the number of its scopes, null for all that the role allows.",
  "invitation.created": "A user was invited, or an invitation was renewed or sent again.",
  "invitation.revoked": "An invitation was revoked.",
  "invitation.accepted": "An invited user made their account.",
  "group.created": "A group was created.",
  "group.changed": "A group was renamed.",
  "group.deleted": "A group was deleted.",
  "service_account.created": "A service account was created.",
  "service_account.changed": "A service account was renamed or got another expiry.",
  "service_account.deleted": "A service account was deleted.",

  "user.created": "A user was added, by an administrator, an invitation or their first sign-in.",
  "user.changed": "The name of a user was changed.",
  "user.disabled": "A user was disabled: sessions ended, keys are refused.",
  "user.enabled": "A disabled user was enabled.",
  "user.deleted": "A user was deleted.",
  "user.administrator_changed": "A user became an administrator of the installation, or is one no more.",

  "access.changed":
    "The role of a user or group on a site, workspace or document was changed, or the membership of a user in a group. `details.before` and `details.after` are roles, or null.",
  "access.inheritance_changed": "The maximum role that a workspace or document inherits was changed.",

  "site.created": "A site was created.",
  "site.changed": "A site was renamed, or got another domain.",
  "site.deleted": "A site was deleted, with all its documents.",
  "site.restored": "The workspaces of the personal site of a deleted user were moved to that of `target.user`.",

  "workspace.created": "A workspace was created.",
  "workspace.changed": "A workspace was renamed.",
  "workspace.trashed": "A workspace was moved to the trash.",
  "workspace.restored": "A workspace was restored from the trash.",
  "workspace.deleted": "A workspace was deleted permanently.",
  "document.created": "A document was created or uploaded.",
  "document.changed": "A document was renamed, or its URL or options were changed. `details.fields` are their names.",
  "document.moved": "A document was moved to another workspace.",
  "document.copied": "A document was copied. `target.source` is the original.",
  "document.trashed": "A document was moved to the trash.",
  "document.restored": "A document was restored from the trash.",
  "document.deleted": "A document was deleted permanently.",
  "document.disabled": "An administrator disabled a document.",
  "document.enabled": "An administrator enabled a document.",
  "document.replaced":
    "The content of a document was replaced. `details.by` is `snapshot` or `document`; `target.source` is the other document.",
  "document.downloaded": "The file of a document was downloaded.",
  "document.exported":
    "Records were downloaded as a file: a table (`details.table`), the rows of a widget (`details.widget`), or all tables. `details.format` is `csv`, `tsv`, `dsv` or `xlsx`, `details.state` the past state.",
  "attachments.downloaded": "All attachments of a document were downloaded as an archive.",
  "document.snapshots_deleted": "Snapshots of a document were deleted; `count` has their number.",
  "document.history_retention_changed":
    "Owners changed how many states a document keeps. `details.states` is the number; null for as many as the server keeps.",
  "document.history_truncated": "Older changes were deleted from the history of a document.",
  "rules.changed":
    "Access rules of a document were changed. `count` is the number of changes; `details` has no conditions.",

  "job.cancelled":
    "An administrator cancelled a background job of another user. `details.kind` is `lines`, `import` or `email`.",

  "webhook.created": "A webhook was created. `details.host` is the host of its URL.",
  "webhook.changed": "A webhook was changed.",
  "webhook.deleted": "A webhook was deleted.",
} as const satisfies Record<string, string>;

export type AuditEventName = keyof typeof AUDIT_EVENTS;
