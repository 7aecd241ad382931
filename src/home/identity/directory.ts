import { sql } from "drizzle-orm";
import type { Role, SiteRole } from "../../authorization.ts";
import type { HomeDatabase } from "../database.ts";
import type { GrantTarget } from "../grants.ts";
import { users } from "../schema.ts";
import type { User } from "../users.ts";

/** A site, workspace or document, as far as its roles are concerned. */
export interface RoleScope {
  readonly kind: GrantTarget["kind"];
  readonly id: number;
  /** Of a document. */
  readonly uuid: string | null;
  /** The workspace of a document, the site of a workspace. */
  readonly parentId: number | null;
  readonly maxInheritedRole: Role | null;
}

/** A user with a role on the resource itself. */
export interface RoleHolder {
  readonly userId: number;
  readonly name: string;
  readonly email: string;
  readonly role: SiteRole;
}

/** What provisioning reads of users and their roles. */
export interface Directory {
  /** Lists persons and pseudo-users by id. */
  people(): User[];
  /** Lists everything that has roles, including what is in the trash, by id and kind. */
  scopes(): RoleScope[];
  scope(target: GrantTarget): RoleScope | null;
  /** Lists the users with roles on the resource itself, by user id. */
  holdersOf(target: GrantTarget): RoleHolder[];
  /** Returns true if a person, or a group with one, owns the resource itself. */
  hasOwner(target: GrantTarget): boolean;
  /** Has a workspace or document without an owner of its own inherit in full again, so that it can be accessed. */
  restoreInheritance(target: GrantTarget): void;
}

const COLUMN = { site: "org_id", workspace: "workspace_id", document: "document_id" } as const;

const SCOPES = {
  document: `select 'document' as kind, id, uuid, workspace_id as parentId, max_inherited_role as maxInheritedRole
    from documents`,
  workspace: `select 'workspace' as kind, id, null as uuid, org_id as parentId, max_inherited_role as maxInheritedRole
    from workspaces`,
  site: "select 'site' as kind, id, null as uuid, null as parentId, null as maxInheritedRole from orgs",
} as const;

const SELECT_SCOPES = `${SCOPES.document} union all ${SCOPES.workspace} union all ${SCOPES.site}
  order by id, kind`;

const ownerSql = (kind: GrantTarget["kind"], kinds: string): string => `select 1 where exists (
    select 1 from grants g join users u on u.id = g.user_id
    where g.${COLUMN[kind]} = +?1 and g.role = 'owners' and u.kind in (${kinds}))
  or exists (select 1 from group_grants g join group_members m on m.group_id = g.group_id
    join users u on u.id = m.user_id where g.${COLUMN[kind]} = +?1 and g.role = 'owners' and u.kind in (${kinds}))`;

export function createDirectory({ db, raw }: HomeDatabase): Directory {
  return {
    people: () =>
      db
        .select()
        .from(users)
        .where(sql`${users.kind} <> 'service'`)
        .orderBy(users.id)
        .all(),
    scopes: () => raw.all<RoleScope>(SELECT_SCOPES),
    scope: ({ kind, id }) => raw.get<RoleScope>(`${SCOPES[kind]} where id = ?`, id),
    holdersOf: ({ kind, id }) =>
      raw.all<RoleHolder>(
        `select u.id as userId, u.name, u.display_email as email, g.role from grants g join users u on u.id = g.user_id
         where g.${COLUMN[kind]} = ? order by u.id`,
        id,
      ),
    hasOwner: ({ kind, id }) => raw.get(ownerSql(kind, "'person'"), id) !== null,
    restoreInheritance({ kind, id }) {
      if (kind === "site" || raw.get(ownerSql(kind, "'person', 'service'"), id) !== null) return;
      raw.run(`update ${kind}s set max_inherited_role = 'owners' where id = ?`, id);
    },
  };
}
