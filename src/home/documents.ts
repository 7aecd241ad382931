import { eq } from "drizzle-orm";
import type { Role, SiteRole } from "../authorization.ts";
import { must } from "../lib/assert.ts";
import type { HomeDatabase } from "./database.ts";
import { GenerationCache } from "./generation-cache.ts";
import { SITE_COLUMNS, siteOf, type Site, type SiteRow } from "./orgs.ts";
import {
  DOCUMENT_ROLES,
  documentRole,
  guestOfSiteSql,
  guestOfWorkspaceSql,
  isPublic,
  listedRole,
  workspaceRole,
  type DocumentRoles,
} from "./access-lookups.ts";
import { documents } from "./schema.ts";

export type DocumentOptions = Record<string, unknown>;
export type DocumentType = "template" | "tutorial";

/** Metadata of a document. */
export interface DocumentInfo {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly isPinned: boolean;
  readonly urlId: string | null;
  readonly type: DocumentType | null;
  readonly options: DocumentOptions | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly removedAt: number | null;
  readonly disabledAt: number | null;
}

export interface DocumentListing extends DocumentInfo {
  readonly workspaceId: number;
  /** The caller's role, without grants to all users on the document itself. */
  readonly role: Role | null;
  /** True if the caller or a group of theirs has a grant on the document itself. */
  readonly isDirectGrant: boolean;
}

/** A document of any site, with the names of its workspace and site; it is in the trash together with its workspace. */
export interface LocatedDocumentListing extends DocumentListing {
  readonly workspaceName: string;
  readonly siteName: string;
}

export interface DocumentDetails extends DocumentInfo {
  readonly role: Role | null;
  readonly isPublic: boolean;
  /** Current and former urlIds within the site. */
  readonly aliases: readonly string[];
  readonly workspace: {
    readonly id: number;
    readonly name: string;
    readonly createdAt: number;
    readonly updatedAt: number;
    readonly removedAt: number | null;
    /** Null for guests and for users without access. */
    readonly role: Role | null;
    /** The user or a group of theirs has a grant on something in it that is not in the trash. */
    readonly isGuest: boolean;
  };
  readonly site: Site;
  /** The role granted on the site itself; null for guests and for users without access. */
  readonly siteRole: SiteRole | null;
  readonly isGuestOfSite: boolean;
}

export interface NewDocument {
  uuid: string;
  workspaceId: number;
  name: string;
  isPinned?: boolean;
  urlId?: string | null;
  type?: DocumentType | null;
  options?: DocumentOptions | null;
}

export type DocumentChange = Partial<
  Pick<
    typeof documents.$inferSelect,
    | "name"
    | "isPinned"
    | "urlId"
    | "type"
    | "options"
    | "workspaceId"
    | "maxInheritedRole"
    | "updatedAt"
    | "removedAt"
    | "disabledAt"
  >
>;

/** All documents of a site or of a workspace. */
export type DocumentContainer = { readonly orgId: number } | { readonly workspaceId: number };

export interface DocumentStore {
  /** Inserts a document with full inheritance and without grants. Returns its integer id. */
  add(document: NewDocument): number;
  byId(id: number): typeof documents.$inferSelect | null;
  /** Returns the document's details for the user, in one query. */
  describe(id: number, userId: number): DocumentDetails | null;
  /** Lists documents including those in the trash, oldest first. */
  listOf(within: DocumentContainer, userId: number): DocumentListing[];
  /** Lists the documents of all sites including those in the trash, with the user's role. */
  listAll(userId: number): LocatedDocumentListing[];
  change(id: number, change: DocumentChange): void;
  /** Records when a document's content changed; keeps a later time. */
  recordChange(uuid: string, time: number): void;
  remove(id: number): void;
  uuidsOf(within: DocumentContainer): string[];
  /** Returns the UUIDs of all documents, including removed ones. */
  allUuids(): string[];
  /** Returns true if a document has this UUID. */
  isUuid(text: string): boolean;
  /** Lists the documents moved to the trash individually before `time`. */
  removedBefore(time: number): { id: number; uuid: string }[];
}

interface InfoRow {
  id: number;
  uuid: string;
  name: string;
  isPinned: number;
  urlId: string | null;
  type: DocumentType | null;
  options: string | null;
  createdAt: number;
  updatedAt: number;
  removedAt: number | null;
  disabledAt: number | null;
}

interface DetailsRow extends InfoRow, DocumentRoles, SiteRow {
  aliases: string | null;
  isGuest: number;
  isGuestOfSite: number;
  workspaceId: number;
  workspaceName: string;
  workspaceCreatedAt: number;
  workspaceUpdatedAt: number;
  workspaceRemovedAt: number | null;
}

type ListingRow = InfoRow & DocumentRoles & { workspaceId: number };
type LocatedListingRow = ListingRow & { workspaceName: string; workspaceRemovedAt: number | null; siteName: string };

const INFO_COLUMNS = `d.id, d.uuid, d.name, d.is_pinned as isPinned, d.url_id as urlId, d.type, d.options,
  d.created_at as createdAt, d.updated_at as updatedAt, d.removed_at as removedAt,
  d.disabled_at as disabledAt, w.id as workspaceId`;

const JOINED = "from documents d join workspaces w on w.id = d.workspace_id join orgs o on o.id = w.org_id";

const SELECT_DETAILS = `select ${INFO_COLUMNS}, ${SITE_COLUMNS}, ${DOCUMENT_ROLES}, w.name as workspaceName,
  w.created_at as workspaceCreatedAt, w.updated_at as workspaceUpdatedAt, w.removed_at as workspaceRemovedAt,
  (select group_concat(url_id) from url_ids where document_id = d.id) as aliases,
  exists (${guestOfWorkspaceSql("w.id")}) as isGuest, exists (${guestOfSiteSql("o.id")}) as isGuestOfSite
  ${JOINED} left join users u on u.id = o.owner_id where d.id = +?2`;

const SELECT_LISTING = `select ${INFO_COLUMNS}, ${DOCUMENT_ROLES} ${JOINED}`;

const SELECT_LOCATED = `select ${INFO_COLUMNS}, ${DOCUMENT_ROLES}, w.name as workspaceName, w.removed_at as workspaceRemovedAt,
  coalesce(u.name || ' – ', '') || o.name as siteName ${JOINED} left join users u on u.id = o.owner_id`;

export function createDocuments({ db, raw, clock, generation }: HomeDatabase): DocumentStore {
  const detailsCache = new GenerationCache<DocumentDetails>(generation, 1000);
  const containerCondition = (container: DocumentContainer): [where: string, id: number] =>
    "orgId" in container ? ["w.org_id", container.orgId] : ["d.workspace_id", container.workspaceId];
  return {
    add(document) {
      const times = { createdAt: clock.now(), updatedAt: clock.now() };
      const row = { ...document, maxInheritedRole: "owners" as const, ...times };
      return must(db.insert(documents).values(row).returning({ id: documents.id }).get()).id;
    },
    byId: (id) => db.select().from(documents).where(eq(documents.id, id)).get() ?? null,
    describe(id, userId) {
      return detailsCache.get(`${userId} ${id}`, () => {
        const row = raw.get<DetailsRow>(SELECT_DETAILS, userId, id);
        return row && toDetails(row);
      });
    },
    listOf(place, userId) {
      const [where, id] = containerCondition(place);
      return raw
        .all<ListingRow>(`${SELECT_LISTING} where ${where} = +?2 order by d.created_at, d.id`, userId, id)
        .map(toListing);
    },
    listAll: (userId) => raw.all<LocatedListingRow>(SELECT_LOCATED, userId).map(toLocatedListing),
    change(id, change) {
      if (Object.keys(change).length > 0) db.update(documents).set(change).where(eq(documents.id, id)).run();
    },
    recordChange(uuid, time) {
      raw.run("update documents set updated_at = max(updated_at, ?2) where uuid = ?1", uuid, time);
    },
    remove(id) {
      db.delete(documents).where(eq(documents.id, id)).run();
    },
    uuidsOf(place) {
      const [where, id] = containerCondition(place);
      return raw.all<{ uuid: string }>(`select d.uuid ${JOINED} where ${where} = ?`, id).map(({ uuid }) => uuid);
    },
    allUuids: () => raw.all<{ uuid: string }>("select uuid from documents").map(({ uuid }) => uuid),
    isUuid: (text) => raw.get("select 1 from documents where uuid = ?", text) !== null,
    removedBefore: (time) => raw.all("select id, uuid from documents where removed_at < ?", time),
  };
}

const toInfo = (row: InfoRow): DocumentInfo => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  isPinned: row.isPinned === 1,
  urlId: row.urlId,
  type: row.type,
  options: row.options === null ? null : (JSON.parse(row.options) as DocumentOptions | null),
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  removedAt: row.removedAt,
  disabledAt: row.disabledAt,
});

const toListing = (row: ListingRow): DocumentListing => ({
  ...toInfo(row),
  workspaceId: row.workspaceId,
  role: listedRole(row),
  isDirectGrant: row.onDocument !== null,
});

const toLocatedListing = (row: LocatedListingRow): LocatedDocumentListing => ({
  ...toListing(row),
  removedAt: row.removedAt ?? row.workspaceRemovedAt,
  workspaceName: row.workspaceName,
  siteName: row.siteName,
});

const toDetails = (row: DetailsRow): DocumentDetails => ({
  ...toInfo(row),
  role: documentRole(row),
  isPublic: isPublic(row),
  // A urlId contains only letters, digits and dashes.
  aliases: row.aliases === null ? [] : row.aliases.split(","),
  workspace: {
    id: row.workspaceId,
    name: row.workspaceName,
    createdAt: row.workspaceCreatedAt,
    updatedAt: row.workspaceUpdatedAt,
    removedAt: row.workspaceRemovedAt,
    role: workspaceRole(row),
    isGuest: row.isGuest === 1,
  },
  site: siteOf(row),
  siteRole: row.onSite,
  isGuestOfSite: row.isGuestOfSite === 1,
});
