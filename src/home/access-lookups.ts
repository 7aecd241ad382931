import { EVERYONE, strongerRole, type Role, type SiteRole } from "../authorization.ts";
import { uuidOfShortId } from "../lib/short-id.ts";
import type { HomeDatabase } from "./database.ts";
import { GenerationCache } from "./generation-cache.ts";
import { GRANTS_OF_USER, roleOfUserSql } from "./identity/roles-of-user.ts";
import { effectiveRole } from "./roles.ts";

/** The lookups behind access checks, a single query each. Document lookups are cached: every request needs one. */
export interface AccessLookups {
  /**
   * Finds a document by UUID, its short form, an integer id, or a current or former urlId. If several sites use the
   * same urlId, a document that the caller has access to takes precedence; several of those are ambiguous.
   */
  document(ref: string, caller: CallerQuery): DocumentAccess | null;
  /** Returns whether a document has this UUID or a short form of it, integer id, or current or former urlId. */
  isReferredTo(uuid: string, ref: string): boolean;
  workspace(id: number, userId: number): WorkspaceAccess | null;
  site(ref: SiteRef, userId: number): SiteAccess | null;
  /** Returns true if the user or a group of theirs has a grant on anything in the workspace that is not in the trash. */
  isGuestOfWorkspace(workspaceId: number, userId: number): boolean;
  /** Returns true if the user or a group of theirs has a grant on anything in the site that is not in the trash. */
  isGuestOfSite(orgId: number, userId: number): boolean;
  /** Returns true if the workspace contains documents that were moved to the trash individually. */
  hasRemovedDocuments(workspaceId: number): boolean;
}

export interface CallerQuery {
  readonly userId: number;
  /** Restricts the search to the site with this domain; null = all sites. */
  readonly domain: string | null;
  /** Documents that do not exist for the caller, whose API key is limited to others; default: none. */
  readonly isHidden?: (place: { orgId: number; workspaceId: number; uuid: string }) => boolean;
}

export type SiteRef =
  | { readonly by: "id"; readonly id: number }
  | { readonly by: "domain"; readonly domain: string }
  | { readonly by: "owner"; readonly userId: number };

export interface SiteAccess {
  readonly orgId: number;
  /** The role granted on the site itself; guests have none. */
  readonly role: SiteRole | null;
}

export interface WorkspaceAccess {
  readonly orgId: number;
  readonly workspaceId: number;
  readonly isRemoved: boolean;
  readonly role: Role | null;
}

export interface DocumentAccess {
  readonly orgId: number;
  readonly workspaceId: number;
  readonly documentId: number;
  readonly uuid: string;
  /** In the trash, either directly or with its workspace. */
  readonly isRemoved: boolean;
  /** Disabled by an administrator of the installation. */
  readonly isDisabled: boolean;
  readonly role: Role | null;
  /** The urlId matches documents in several sites that the caller has access to; this is the oldest one. */
  readonly isAmbiguous: boolean;
}

/** Roles from the site down: those of the caller, as granted to them or their groups, and those of all users. */
export interface WorkspaceRoles {
  onSite: SiteRole | null;
  onWorkspace: Role | null;
  everyoneOnWorkspace: Role | null;
  workspaceMaxRole: Role | null;
}

export interface DocumentRoles extends WorkspaceRoles {
  onDocument: Role | null;
  everyoneOnDocument: Role | null;
  documentMaxRole: Role | null;
}

interface WorkspaceRow extends WorkspaceRoles {
  orgId: number;
  workspaceId: number;
  isRemoved: number;
}

interface DocumentRow extends DocumentRoles {
  orgId: number;
  workspaceId: number;
  documentId: number;
  uuid: string;
  domain: string | null;
  ownerId: number | null;
  isRemoved: number;
  isDisabled: number;
  /** 1 for a former urlId of the document; missing when the lookup was not by urlId. */
  isFormer?: number;
}

/** The columns of `WorkspaceRoles`, for queries over `orgs o`, `workspaces w` with the user as `?1`. */
export const WORKSPACE_ROLES = `
  ${roleOfUserSql("org_id", "o.id")} as onSite,
  ${roleOfUserSql("workspace_id", "w.id")} as onWorkspace,
  (select role from grants where workspace_id = w.id and user_id = ${EVERYONE.id}) as everyoneOnWorkspace,
  w.max_inherited_role as workspaceMaxRole`;

/** The columns of `DocumentRoles`, for queries over `orgs o`, `workspaces w`, `documents d` with the user as `?1`. */
export const DOCUMENT_ROLES = `${WORKSPACE_ROLES},
  ${roleOfUserSql("document_id", "d.id")} as onDocument,
  (select role from grants where document_id = d.id and user_id = ${EVERYONE.id}) as everyoneOnDocument,
  d.max_inherited_role as documentMaxRole`;

const DOCUMENT_COLUMNS = `o.id as orgId, w.id as workspaceId, d.id as documentId, d.uuid, o.domain,
  o.owner_id as ownerId, d.removed_at is not null or w.removed_at is not null as isRemoved,
  d.disabled_at is not null as isDisabled, ${DOCUMENT_ROLES}`;

const DOCUMENTS = "from documents d join workspaces w on w.id = d.workspace_id join orgs o on o.id = w.org_id";

const DOCUMENT = `select ${DOCUMENT_COLUMNS} ${DOCUMENTS}`;

const WORKSPACE = `select o.id as orgId, w.id as workspaceId, w.removed_at is not null as isRemoved, ${WORKSPACE_ROLES}
  from workspaces w join orgs o on o.id = w.org_id where w.id = +?2`;

const SITE = `select o.id as orgId, ${roleOfUserSql("org_id", "o.id")} as role from orgs o where`;

const SELECT_URL_ID = `select 1 from url_ids a join documents d on d.id = a.document_id
  where d.uuid = ? and a.url_id = ?`;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INTEGER = /^[1-9]\d{0,15}$/;

export function createAccessLookups({ raw, generation }: HomeDatabase): AccessLookups {
  const documentCache = new GenerationCache<DocumentAccess>(generation);
  const byUuid = `${DOCUMENT} where d.uuid = +?2`;
  const byId = `${DOCUMENT} where d.id = +?2`;
  // Documents outside the trash first, current urlIds before former ones, then the older document.
  const byUrlId = `select ${DOCUMENT_COLUMNS}, d.url_id is not a.url_id as isFormer
    ${DOCUMENTS} join url_ids a on a.document_id = d.id where a.url_id = +?2 order by isRemoved, isFormer, d.id`;
  const rowsOf = (ref: string, userId: number): DocumentRow[] => {
    if (UUID.test(ref)) return raw.all(byUuid, userId, ref);
    if (INTEGER.test(ref)) return raw.all(byId, userId, Number(ref));
    const uuid = uuidOfShortId(ref);
    const found = uuid === null ? [] : raw.all<DocumentRow>(byUuid, userId, uuid);
    // A urlId assigned by an earlier version may look like a short form.
    return found.length > 0 ? found : raw.all(byUrlId, userId, ref);
  };
  const find = (ref: string, { userId, domain, isHidden }: CallerQuery): DocumentAccess | null => {
    const rowsOfSite = rowsOf(ref, userId).filter(
      (row) => (domain === null || belongsToSite(row, domain)) && !isHidden?.(row),
    );
    // Documents that the caller cannot access do not count: using a urlId in one site must not break it for users of
    // other sites.
    const [first = rowsOfSite[0], second] = rowsOfSite.filter((row) => documentRole(row) !== null);
    if (!first) return null;
    const isAmbiguous = second?.isRemoved === first.isRemoved && second.isFormer === first.isFormer;
    return { ...toDocumentAccess(first), isAmbiguous };
  };
  return {
    document: (ref, caller) =>
      caller.isHidden
        ? find(ref, caller)
        : documentCache.get(`${caller.userId} ${caller.domain} ${ref}`, () => find(ref, caller)),
    isReferredTo(uuid, ref) {
      if (UUID.test(ref)) return ref === uuid;
      if (INTEGER.test(ref))
        return raw.get("select 1 from documents where uuid = ? and id = ?", uuid, Number(ref)) !== null;
      return uuidOfShortId(ref) === uuid || raw.get(SELECT_URL_ID, uuid, ref) !== null;
    },
    workspace(id, userId) {
      const row = raw.get<WorkspaceRow>(WORKSPACE, userId, id);
      if (!row) return null;
      const { orgId, workspaceId, isRemoved } = row;
      return { orgId, workspaceId, isRemoved: isRemoved === 1, role: workspaceRole(row) };
    },
    site(ref, userId) {
      switch (ref.by) {
        case "id":
          return raw.get<SiteAccess>(`${SITE} o.id = +?2`, userId, ref.id);
        case "domain":
          return raw.get<SiteAccess>(`${SITE} o.domain = +?2`, userId, ref.domain);
        case "owner":
          return raw.get<SiteAccess>(`${SITE} o.owner_id = +?2`, userId, ref.userId);
        default:
          return ref satisfies never;
      }
    },
    isGuestOfWorkspace: (workspaceId, userId) => raw.get(guestOfWorkspaceSql("+?2"), userId, workspaceId) !== null,
    isGuestOfSite: (orgId, userId) => raw.get(guestOfSiteSql("+?2"), userId, orgId) !== null,
    hasRemovedDocuments: (workspaceId) => raw.get(SELECT_REMOVED_DOCUMENT, workspaceId) !== null,
  };
}

/**
 * Builds a query that returns a row if user `?1` or a group of theirs has a grant on a document of the workspace that is
 * not in the trash.
 */
export const guestOfWorkspaceSql = (workspaceId: string): string => `select 1
  from ${GRANTS_OF_USER} g join documents d on d.id = g.document_id
  where d.workspace_id = ${workspaceId} and d.removed_at is null limit 1`;

/**
 * Builds a query that returns a row if user `?1` or a group of theirs has a grant in the site on anything that is not in
 * the trash.
 */
export const guestOfSiteSql = (orgId: string): string => `select 1
  from ${GRANTS_OF_USER} g left join documents d on d.id = g.document_id
  join workspaces w on w.id = coalesce(g.workspace_id, d.workspace_id)
  where w.org_id = ${orgId} and w.removed_at is null and d.removed_at is null limit 1`;

const SELECT_REMOVED_DOCUMENT = "select 1 from documents where workspace_id = ? and removed_at is not null limit 1";

/** Returns the caller's role on a workspace, including grants to all users. */
export const workspaceRole = (row: WorkspaceRoles): Role | null =>
  effectiveRole(strongerRole(row.onWorkspace, row.everyoneOnWorkspace), row.onSite, row.workspaceMaxRole);

/** Returns the caller's role on a document, including grants to all users. */
export const documentRole = (row: DocumentRoles): Role | null =>
  effectiveRole(strongerRole(row.onDocument, row.everyoneOnDocument), workspaceRole(row), row.documentMaxRole);

/**
 * As `documentRole`, without grants to all users on the document itself: public documents do not appear in listings.
 */
export const listedRole = (row: DocumentRoles): Role | null =>
  effectiveRole(row.onDocument, workspaceRole(row), row.documentMaxRole);

/** Returns true if all users can open the document. */
export const isPublic = (
  row: Pick<DocumentRoles, "everyoneOnDocument" | "everyoneOnWorkspace" | "documentMaxRole">,
): boolean => effectiveRole(row.everyoneOnDocument, row.everyoneOnWorkspace, row.documentMaxRole) !== null;

const belongsToSite = ({ domain, ownerId }: DocumentRow, siteDomain: string): boolean =>
  domain === siteDomain || (ownerId !== null && siteDomain === `docs-${ownerId}`);

const toDocumentAccess = (row: DocumentRow): Omit<DocumentAccess, "isAmbiguous"> => ({
  orgId: row.orgId,
  workspaceId: row.workspaceId,
  documentId: row.documentId,
  uuid: row.uuid,
  isRemoved: row.isRemoved === 1,
  isDisabled: row.isDisabled === 1,
  role: documentRole(row),
});
