/** Tables of the home database about identity; see `../schema.ts`. */
import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { SiteRole } from "../../authorization.ts";
import { documents, orgs, users, workspaces } from "../schema.ts";

/** Accounts at OpenID Connect providers: the issuer and subject identify them, never the email address. */
export const identities = sqliteTable(
  "identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The name of the provider in the settings. */
    provider: text("provider").notNull(),
    /** As the provider sent it at the first sign-in, for display. */
    email: text("email").notNull().default(""),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [primaryKey({ columns: [table.issuer, table.subject] }), index("identities_by_user").on(table.userId)],
);

/** Hashes of challenges, states and codes that were used and must not be used again. */
export const usedChallenges = sqliteTable(
  "used_challenges",
  {
    hash: text("hash").primaryKey(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("used_challenges_by_expiry").on(table.expiresAt)],
);

/** Secrets of authenticator apps. */
export const totpSecrets = sqliteTable("totp_secrets", {
  userId: integer("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  secret: blob("secret", { mode: "buffer" }).notNull(),
  /** The period of the last accepted code: neither it nor an earlier one is accepted again. */
  lastStep: integer("last_step").notNull().default(0),
  createdAt: integer("created_at").notNull(),
});

export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    /** SHA-256 of the code, hex. */
    hash: text("hash").primaryKey(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("recovery_codes_by_user").on(table.userId)],
);

export const passkeys = sqliteTable(
  "passkeys",
  {
    /** The credential id, base64url. */
    id: text("id").primaryKey(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** COSE key. */
    publicKey: blob("public_key", { mode: "buffer" }).notNull(),
    counter: integer("counter").notNull(),
    transports: text("transports", { mode: "json" }).$type<string[]>().notNull().default([]),
    name: text("name").notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [index("passkeys_by_user").on(table.userId)],
);

/** Users who were added, or with whom something was shared, and who have not signed in yet. The links are in `tokens`. */
export const invitations = sqliteTable("invitations", {
  userId: integer("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  invitedBy: integer("invited_by").references(() => users.id, { onDelete: "set null" }),
  /** True when another user than the inviter has shared something with the user as well. */
  isShared: integer("is_shared", { mode: "boolean" }).notNull().default(false),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

/** Messages that wait to be sent. */
export const emails = sqliteTable(
  "emails",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    messageId: text("message_id").notNull().unique(),
    recipient: text("recipient").notNull(),
    kind: text("kind").notNull(),
    /** The values of its text, as JSON. */
    content: text("content").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: integer("next_attempt_at").notNull(),
    lastError: text("last_error"),
  },
  (table) => [index("emails_by_next_attempt").on(table.nextAttemptAt)],
);

/** When an event, or a user, last caused messages, for limits on their number. */
export const emailLimits = sqliteTable("email_limits", {
  key: text("key").primaryKey(),
  since: integer("since").notNull(),
  count: integer("count").notNull(),
});

/** Named sets of users, which have rights as members of roles. */
export const groups = sqliteTable("groups", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull().unique(),
  /** The identifier of a client of SCIM. */
  externalId: text("external_id"),
  /** The OpenID Connect provider whose groups claim sets its members; null if only SCIM does. */
  managedBy: text("managed_by"),
  createdAt: integer("created_at").notNull(),
});

export const groupMembers = sqliteTable(
  "group_members",
  {
    groupId: integer("group_id")
      .notNull()
      .references(() => groups.id, { onDelete: "cascade" }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
  },
  (table) => [primaryKey({ columns: [table.groupId, table.userId] }), index("group_members_by_user").on(table.userId)],
);

/** Roles of groups: exactly one of the three ids is set. */
export const groupGrants = sqliteTable(
  "group_grants",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    groupId: integer("group_id")
      .notNull()
      .references(() => groups.id, { onDelete: "cascade" }),
    orgId: integer("org_id").references(() => orgs.id, { onDelete: "cascade" }),
    workspaceId: integer("workspace_id").references(() => workspaces.id, { onDelete: "cascade" }),
    documentId: integer("document_id").references(() => documents.id, { onDelete: "cascade" }),
    role: text("role").$type<SiteRole>().notNull(),
  },
  (table) => [
    uniqueIndex("group_grants_on_org").on(table.orgId, table.groupId),
    uniqueIndex("group_grants_on_workspace").on(table.workspaceId, table.groupId),
    uniqueIndex("group_grants_on_document").on(table.documentId, table.groupId),
    index("group_grants_by_group").on(table.groupId),
  ],
);

/** The audit log, a hash chain. */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    number: integer("number").primaryKey(),
    time: integer("time").notNull(),
    event: text("event").notNull(),
    actorId: integer("actor_id"),
    /** Name of the actor at the time. */
    actor: text("actor"),
    keyId: integer("key_id"),
    /** Deleted after some time, with its salt; the chain covers its digest. */
    address: text("address"),
    addressSalt: text("address_salt"),
    addressDigest: text("address_digest"),
    /** Ids and names, as JSON. */
    target: text("target").notNull().default("{}"),
    details: text("details").notNull().default("{}"),
    /** Number of coalesced events. */
    count: integer("count").notNull().default(1),
    hash: text("hash").notNull(),
  },
  (table) => [
    index("audit_entries_by_time").on(table.time),
    index("audit_entries_with_address")
      .on(table.time)
      .where(sql`address is not null`),
  ],
);

/** The ends of deleted parts of the audit log: the chain starts from the last one's hash. */
export const auditCheckpoints = sqliteTable("audit_checkpoints", {
  number: integer("number").primaryKey(),
  time: integer("time").notNull(),
  hash: text("hash").notNull(),
});
