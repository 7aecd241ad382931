import { and, eq } from "drizzle-orm";
import { ANONYMOUS, EVERYONE, type Role, type SiteRole } from "../authorization.ts";
import type { HomeDatabase } from "./database.ts";
import { grants } from "./schema.ts";

/** What a role is granted on. */
export type GrantTarget =
  | { readonly kind: "site"; readonly id: number }
  | { readonly kind: "workspace"; readonly id: number }
  | { readonly kind: "document"; readonly id: number };

/** The site, a workspace with its site, or a document with both. */
export interface GrantTargetIds {
  readonly orgId: number;
  readonly workspaceId?: number | null;
  readonly documentId?: number | null;
}

/** A user with a role on a resource or its ancestors, all roles as granted. */
export interface Grantee {
  readonly userId: number;
  /** In its original spelling. */
  readonly email: string;
  readonly name: string;
  readonly picture: string | null;
  readonly ref: string;
  readonly disabledAt: number | null;
  readonly site: SiteRole | null;
  readonly workspace: Role | null;
  readonly document: Role | null;
  /** Has a grant on something in the site (in the workspace) that is not in the trash. */
  readonly isGuestOfSite: boolean;
  readonly isGuestOfWorkspace: boolean;
}

/** Direct roles. */
export interface Grants {
  /** Returns a user's direct role. */
  roleOf(target: GrantTarget, userId: number): SiteRole | null;
  /** Sets a user's role; null revokes it. */
  set(target: GrantTarget, userId: number, role: SiteRole | null): void;
  /** Lists all users with a role on the resource or its ancestors, including guests, by user id. */
  grantees(targets: GrantTargetIds): Grantee[];
  /**
   * Revokes a user's direct roles in a site. Ownerships are transferred to `newOwnerId`; without one the user keeps
   * them.
   */
  removeFromSite(orgId: number, userId: number, newOwnerId: number | null): void;
}

type GranteeRow = Omit<Grantee, "isGuestOfSite" | "isGuestOfWorkspace"> & {
  isGuestOfSite: number;
  isGuestOfWorkspace: number | null;
};

/** A grant to all users makes no one a guest: pseudo-users are excluded. */
const NOT_PSEUDO_USER = `g.user_id not in (${EVERYONE.id}, ${ANONYMOUS.id})`;

const SELECT_GRANTEES = `with held as (
    select user_id, role as site, null as workspace, null as document, 0 as ofSite, 0 as ofWorkspace
      from grants where org_id = ?1
    union all select user_id, null, role, null, 0, 0 from grants where workspace_id = ?2
    union all select user_id, null, null, role, 0, 0 from grants where document_id = ?3
    union all select g.user_id, null, null, null, 1, 0 from workspaces w join grants g on g.workspace_id = w.id
      where w.org_id = ?1 and w.removed_at is null and ${NOT_PSEUDO_USER}
    union all select g.user_id, null, null, null, w.removed_at is null, w.id = ?2
      from workspaces w join documents d on d.workspace_id = w.id join grants g on g.document_id = d.id
      where w.org_id = ?1 and d.removed_at is null and (w.removed_at is null or w.id = ?2) and ${NOT_PSEUDO_USER})
  select u.id as userId, u.display_email as email, u.name, u.picture, u.ref, u.disabled_at as disabledAt,
    max(site) as site, max(workspace) as workspace, max(document) as document,
    max(ofSite) as isGuestOfSite, max(ofWorkspace) as isGuestOfWorkspace
  from held join users u on u.id = held.user_id group by u.id order by u.id`;

const TRANSFER_OWNERSHIP = (
  kind: "workspace" | "document",
  ids: string,
) => `insert into grants (user_id, ${kind}_id, role)
  select ?3, ${kind}_id, 'owners' from grants where user_id = ?2 and role = 'owners' and ${kind}_id in (${ids})
  on conflict (${kind}_id, user_id) do update set role = 'owners'`;

const WORKSPACES = "select id from workspaces where org_id = ?1";
const DOCUMENTS = "select d.id from documents d join workspaces w on w.id = d.workspace_id where w.org_id = ?1";

const DELETE_SITE_GRANTS = `delete from grants where user_id = ?2 and (org_id = ?1
  or (workspace_id in (${WORKSPACES}) or document_id in (${DOCUMENTS})) and (?3 is not null or role <> 'owners'))`;

export function createGrants({ db, raw, transaction }: HomeDatabase): Grants {
  const column = { site: grants.orgId, workspace: grants.workspaceId, document: grants.documentId };
  const key = { site: "orgId", workspace: "workspaceId", document: "documentId" } as const;
  return {
    roleOf: ({ kind, id }, userId) =>
      db
        .select({ role: grants.role })
        .from(grants)
        .where(and(eq(column[kind], id), eq(grants.userId, userId)))
        .get()?.role ?? null,
    set({ kind, id }, userId, role) {
      if (role === null) {
        db.delete(grants)
          .where(and(eq(column[kind], id), eq(grants.userId, userId)))
          .run();
        return;
      }
      db.insert(grants)
        .values({ userId, [key[kind]]: id, role })
        .onConflictDoUpdate({ target: [column[kind], grants.userId], set: { role } })
        .run();
    },
    grantees: ({ orgId, workspaceId = null, documentId = null }) =>
      raw.all<GranteeRow>(SELECT_GRANTEES, orgId, workspaceId, documentId).map((row) => ({
        ...row,
        isGuestOfSite: row.isGuestOfSite === 1,
        isGuestOfWorkspace: row.isGuestOfWorkspace === 1,
      })),
    removeFromSite(orgId, userId, heirId) {
      transaction(() => {
        if (heirId !== null) {
          raw.run(TRANSFER_OWNERSHIP("workspace", WORKSPACES), orgId, userId, heirId);
          raw.run(TRANSFER_OWNERSHIP("document", DOCUMENTS), orgId, userId, heirId);
        }
        raw.run(DELETE_SITE_GRANTS, orgId, userId, heirId);
      });
    },
  };
}
