import type { SiteRole } from "../../authorization.ts";
import type { HomeDatabase } from "../database.ts";
import type { GrantTarget } from "../grants.ts";

/** A role on a site, workspace or document, with the names of the resource and its ancestors. */
export interface Membership {
  readonly kind: GrantTarget["kind"];
  readonly id: number;
  /** Of a document. */
  readonly uuid: string | null;
  readonly name: string;
  /** The site; its owner's name for personal sites. */
  readonly siteName: string;
  readonly workspaceName: string | null;
  readonly role: SiteRole;
  /** The group that the user has the role through; null for a role of their own. */
  readonly groupName: string | null;
}

export interface Memberships {
  /** Lists the roles of a user outside of the personal site, also those through groups: sites, workspaces, documents. */
  ofUser(userId: number): Membership[];
  /** Lists the roles of a group. */
  ofGroup(groupId: number): Membership[];
  /** Lists the groups of a user, by name. */
  groupsOf(userId: number): { readonly id: number; readonly name: string }[];
}

/** Selects roles from a table expression with the columns `org_id`, `workspace_id`, `document_id`, `role`, `group_name`. */
const select = (granted: string): string => `select
    case when g.org_id is not null then 'site' when g.workspace_id is not null then 'workspace' else 'document' end as kind,
    coalesce(g.org_id, g.workspace_id, g.document_id) as id, d.uuid as uuid,
    coalesce(d.name, w.name, o.name) as name, coalesce(owner.name, o.name) as siteName,
    case when d.id is null then null else w.name end as workspaceName, g.role, g.group_name as groupName
  from (${granted}) g
  left join documents d on d.id = g.document_id
  left join workspaces w on w.id = coalesce(g.workspace_id, d.workspace_id)
  join orgs o on o.id = coalesce(g.org_id, w.org_id)
  left join users owner on owner.id = o.owner_id
  where o.removed_at is null`;

const ORDER = "order by g.org_id is null, g.workspace_id is null, siteName, workspaceName, name, groupName, id";

const OF_USER = `${select(`
    select org_id, workspace_id, document_id, role, null as group_name from grants where user_id = ?1
    union all select gg.org_id, gg.workspace_id, gg.document_id, gg.role, groups.name from group_members m
      join group_grants gg on gg.group_id = m.group_id join groups on groups.id = gg.group_id where m.user_id = ?1`)}
  and o.owner_id is not ?1 ${ORDER}`;

const OF_GROUP = `${select("select org_id, workspace_id, document_id, role, null as group_name from group_grants where group_id = ?1")} ${ORDER}`;

export function createMemberships({ raw }: Pick<HomeDatabase, "raw">): Memberships {
  return {
    ofUser: (userId) => raw.all<Membership>(OF_USER, userId),
    ofGroup: (groupId) => raw.all<Membership>(OF_GROUP, groupId),
    groupsOf: (userId) =>
      raw.all<{ id: number; name: string }>(
        `select g.id, g.name from group_members m join groups g on g.id = m.group_id where m.user_id = ? order by g.name`,
        userId,
      ),
  };
}
