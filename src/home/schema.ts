/**
 * The home database as drizzle tables, with those in `identity/tables.ts`. The SQL is in `migrations/`; a test compares
 * them.
 * Times are milliseconds since the epoch.
 */
import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Role, SiteRole } from "../authorization.ts";

/** Users, service accounts, and the two pseudo-users that represent all users and anonymous callers. */
export const users = sqliteTable("users", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  /** Normalized for lookups: trimmed, lower case. */
  email: text("email").notNull().unique(),
  /** In its original spelling, for display. */
  displayEmail: text("display_email").notNull(),
  /** Empty until an invited user signs in for the first time. */
  name: text("name").notNull().default(""),
  picture: text("picture"),
  /** Public reference; never changes. */
  ref: text("ref").notNull().unique(),
  locale: text("locale"),
  kind: text("kind", { enum: ["person", "service", "pseudo"] }).notNull(),
  isAdmin: integer("is_admin", { mode: "boolean" }).notNull().default(false),
  disabledAt: integer("disabled_at"),
  createdAt: integer("created_at").notNull(),
  /** The identifier of a client of SCIM. */
  externalId: text("external_id"),
});

export const passwords = sqliteTable("passwords", {
  userId: integer("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** argon2id in PHC format. */
  hash: text("hash").notNull(),
  changedAt: integer("changed_at").notNull(),
});

export const sessions = sqliteTable(
  "sessions",
  {
    /** SHA-256 of the cookie's token, hex. */
    hash: text("hash").primaryKey(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** Identifies it in the API: the hash stays secret. */
    publicId: text("public_id").notNull().default(""),
    /** The User-Agent header of the browser that signed in. */
    userAgent: text("user_agent").notNull().default(""),
    /** The network address that it signed in from. */
    address: text("address").notNull().default(""),
  },
  (table) => [index("sessions_by_user").on(table.userId), uniqueIndex("sessions_by_public_id").on(table.publicId)],
);

/**
 * One-time tokens: the first-run link, password reset links, links that sign a user in, and links of invitations, which were
 * sent or shown to an administrator, or shown to the user who invited.
 */
export const tokens = sqliteTable("tokens", {
  /** SHA-256 of the token, hex. */
  hash: text("hash").primaryKey(),
  purpose: text("purpose", {
    enum: ["first-run", "password-reset", "sign-in", "invitation", "invitation-by-user"],
  }).notNull(),
  userId: integer("user_id").references(() => users.id, { onDelete: "cascade" }),
  expiresAt: integer("expires_at").notNull(),
});

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** SHA-256 of the key, hex; the key itself is not stored. */
    hash: text("hash").notNull().unique(),
    /** Its first 6 characters, for recognition. */
    prefix: text("prefix").notNull(),
    /** Null for the profile key, of which a user has at most one. */
    label: text("label"),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    expiresAt: integer("expires_at"),
    /** Names of its scopes as JSON; null for a key without limits. */
    scopes: text("scopes"),
    /** The sites, workspaces, documents and tables that it is limited to, as JSON; null for all. */
    restrictions: text("restrictions"),
    /** The networks that it may be used from, as JSON; null for all. */
    networks: text("networks"),
    lastUsedAddress: text("last_used_address"),
    useCount: integer("use_count").notNull().default(0),
  },
  (table) => [
    index("api_keys_by_user").on(table.userId),
    uniqueIndex("api_keys_one_profile_key")
      .on(table.userId)
      .where(sql`label is null`),
  ],
);

export const serviceAccounts = sqliteTable(
  "service_accounts",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The user the account acts as. */
    userId: integer("user_id")
      .notNull()
      .unique()
      .references(() => users.id, { onDelete: "cascade" }),
    ownerId: integer("owner_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    label: text("label").notNull().default(""),
    description: text("description").notNull().default(""),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("service_accounts_by_owner").on(table.ownerId)],
);

/** Sites. A personal site has an owner and initially no domain: its address is `docs-<owner's id>`. */
export const orgs = sqliteTable("orgs", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  /** Lower case; null for personal sites without a domain. */
  domain: text("domain").unique(),
  ownerId: integer("owner_id")
    .unique()
    .references(() => users.id, { onDelete: "cascade" }),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  /** When the owner of a personal site was deleted and it was moved to the trash. */
  removedAt: integer("removed_at"),
  /** The address of the deleted owner. */
  formerOwner: text("former_owner"),
});

/** Preferences stored by clients: of a user (org 0), of a user on a site, and of a site (user 0). */
export const preferences = sqliteTable(
  "preferences",
  {
    userId: integer("user_id").notNull(),
    orgId: integer("org_id").notNull(),
    /** A JSON object. */
    prefs: text("prefs", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.orgId] })],
);

export const workspaces = sqliteTable(
  "workspaces",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    orgId: integer("org_id")
      .notNull()
      .references(() => orgs.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** Limit for roles inherited from the site; null = nothing is inherited. */
    maxInheritedRole: text("max_inherited_role").$type<Role>(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** When it was moved to the trash. */
    removedAt: integer("removed_at"),
  },
  (table) => [index("workspaces_by_org").on(table.orgId)],
);

export const documents = sqliteTable(
  "documents",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    uuid: text("uuid").notNull().unique(),
    workspaceId: integer("workspace_id")
      .notNull()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    isPinned: integer("is_pinned", { mode: "boolean" }).notNull().default(false),
    /** The current urlId; former ones are in `url_ids` too. */
    urlId: text("url_id"),
    type: text("type", { enum: ["template", "tutorial"] }),
    options: text("options", { mode: "json" }).$type<Record<string, unknown>>(),
    maxInheritedRole: text("max_inherited_role").$type<Role>(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    removedAt: integer("removed_at"),
    /** When an administrator of the installation disabled it. */
    disabledAt: integer("disabled_at"),
  },
  (table) => [index("documents_by_workspace").on(table.workspaceId), index("documents_by_url_id").on(table.urlId)],
);

/** When users last opened documents in the pages: the most recent ones of each user. */
export const documentVisits = sqliteTable(
  "document_visits",
  {
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    documentId: integer("document_id")
      .notNull()
      .references(() => documents.id, { onDelete: "cascade" }),
    openedAt: integer("opened_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.documentId] }),
    index("document_visits_by_document").on(table.documentId),
  ],
);

/** All current and former urlIds of a site's documents; a former urlId that is reused belongs to the new document. */
export const urlIds = sqliteTable(
  "url_ids",
  {
    orgId: integer("org_id")
      .notNull()
      .references(() => orgs.id, { onDelete: "cascade" }),
    urlId: text("url_id").notNull(),
    documentId: integer("document_id")
      .notNull()
      .references(() => documents.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.urlId] }),
    index("url_ids_by_document").on(table.documentId),
    index("url_ids_by_url_id").on(table.urlId),
  ],
);

/** Direct roles: exactly one of the three ids is set. Guests are derived from these, never stored. */
export const grants = sqliteTable(
  "grants",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    orgId: integer("org_id").references(() => orgs.id, { onDelete: "cascade" }),
    workspaceId: integer("workspace_id").references(() => workspaces.id, { onDelete: "cascade" }),
    documentId: integer("document_id").references(() => documents.id, { onDelete: "cascade" }),
    role: text("role").$type<SiteRole>().notNull(),
  },
  (table) => [
    uniqueIndex("grants_on_org").on(table.orgId, table.userId),
    uniqueIndex("grants_on_workspace").on(table.workspaceId, table.userId),
    uniqueIndex("grants_on_document").on(table.documentId, table.userId),
    index("grants_by_user").on(table.userId),
  ],
);

/** The parts of a webhook that must not be stored in a document file. */
export const webhookSecrets = sqliteTable(
  "webhook_secrets",
  {
    documentId: integer("document_id")
      .notNull()
      .references(() => documents.id, { onDelete: "cascade" }),
    webhookId: text("webhook_id").notNull(),
    url: text("url").notNull(),
    authorization: text("authorization"),
    headers: text("headers", { mode: "json" }).$type<Record<string, string>>(),
    unsubscribeKey: text("unsubscribe_key").notNull(),
    signingSecret: blob("signing_secret", { mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.documentId, table.webhookId] })],
);

/** How users want to see sections of documents; see `personal-views.ts`. */
export const personalViews = sqliteTable(
  "personal_views",
  {
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    documentId: integer("document_id")
      .notNull()
      .references(() => documents.id, { onDelete: "cascade" }),
    section: integer("section").notNull(),
    /** JSON as text. */
    view: text("view").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.documentId, table.section] }),
    index("personal_views_by_document").on(table.documentId),
  ],
);

/** Keys of the links of published forms; see `share-keys.ts`. */
export const shareKeys = sqliteTable(
  "share_keys",
  {
    key: text("key").primaryKey(),
    documentId: integer("document_id")
      .notNull()
      .references(() => documents.id, { onDelete: "cascade" }),
    linkId: text("link_id").notNull(),
    generation: text("generation").notNull(),
  },
  (table) => [uniqueIndex("share_keys_by_link").on(table.documentId, table.linkId)],
);

/** Documents with pending webhook events. */
export const webhookDeliveries = sqliteTable("webhook_deliveries", {
  documentId: integer("document_id")
    .primaryKey()
    .references(() => documents.id, { onDelete: "cascade" }),
  since: integer("since").notNull(),
});

/** The change counter of a replicated log; see `home-counter.ts`. */
export const commitCount = sqliteTable("_quern_commit", {
  id: integer("id").primaryKey(),
  epoch: text("epoch").notNull(),
  seq: integer("seq").notNull(),
});

/** Secrets that the nodes of a cluster share, by their purpose. */
export const installationSecrets = sqliteTable("installation_secrets", {
  name: text("name").primaryKey(),
  value: blob("value", { mode: "buffer" }).notNull(),
});

/** Answers to requests with an `Idempotency-Key`; see `sqlite/kept-answers.ts`. */
export const idempotencyAnswers = sqliteTable(
  "idempotency_answers",
  {
    scope: text("scope").primaryKey(),
    owner: integer("owner")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    seq: integer("seq").notNull(),
    createdAt: integer("created_at").notNull(),
    bodyHash: text("body_hash").notNull(),
    verb: text("verb"),
    form: text("form").notNull(),
    status: integer("status").notNull(),
    content: text("content").notNull(),
    endBytes: integer("end_bytes").notNull(),
  },
  (table) => [
    uniqueIndex("idempotency_answers_by_owner").on(table.owner, table.seq),
    index("idempotency_answers_by_age").on(table.createdAt),
  ],
);
