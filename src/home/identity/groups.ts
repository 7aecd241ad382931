import { eq } from "drizzle-orm";
import type { Role, SiteRole } from "../../authorization.ts";
import { must } from "../../lib/assert.ts";
import type { HomeDatabase } from "../database.ts";
import type { GrantTarget, GrantTargetIds } from "../grants.ts";
import { groups } from "./tables.ts";

/** A named set of users, who have rights through the roles of the group. */
export type Group = typeof groups.$inferSelect;

export interface NewGroup {
  readonly name: string;
  readonly externalId?: string | null;
  /** The OpenID Connect provider whose groups claim sets the members. */
  readonly managedBy?: string | null;
}

export interface GroupMember {
  readonly userId: number;
  readonly name: string;
  /** In its original spelling. */
  readonly email: string;
}

/** A group with a role on a resource. */
export interface GroupGrantee {
  readonly groupId: number;
  readonly name: string;
  readonly role: SiteRole;
}

/** A user's roles through groups, as granted. */
export interface RolesThroughGroups {
  readonly site: SiteRole | null;
  readonly workspace: Role | null;
  readonly document: Role | null;
}

export interface Groups {
  byId(id: number): Group | null;
  byName(name: string): Group | null;
  /** Lists all groups by id. */
  list(): Group[];
  /** @throws SQLITE_CONSTRAINT_UNIQUE when the name is taken */
  add(group: NewGroup): Group;
  /** @throws SQLITE_CONSTRAINT_UNIQUE when the name is taken */
  change(id: number, change: Partial<Pick<Group, "name" | "externalId" | "managedBy">>): void;
  /** Deletes the group with its memberships and roles. */
  remove(id: number): void;
  /** Lists the members by user id. */
  membersOf(id: number): GroupMember[];
  /** Replaces the members. */
  setMembers(id: number, userIds: readonly number[]): void;
  addMember(id: number, userId: number): void;
  removeMember(id: number, userId: number): void;
  /**
   * Makes the user a member of exactly those groups managed by a provider whose names are given. Unknown names, and
   * groups that the provider does not manage, are ignored. Returns true if anything changed.
   */
  setManagedMembership(provider: string, userId: number, names: readonly string[]): boolean;
  /** Sets the role of a group; null revokes it. */
  grant(target: GrantTarget, groupId: number, role: SiteRole | null): void;
  /** Lists the groups with a role on a resource, by group id. */
  granteesOf(target: GrantTarget): GroupGrantee[];
  /** Lists the workspaces and documents that the group owns. */
  ownedBy(groupId: number): GrantTarget[];
  /** Returns the user's roles on a resource and its ancestors through groups, the strongest of each. */
  rolesOf(userId: number, targets: GrantTargetIds): RolesThroughGroups;
}

const COLUMN = { site: "org_id", workspace: "workspace_id", document: "document_id" } as const;

const SELECT_MEMBERS = `select u.id as userId, u.name, u.display_email as email from group_members m
  join users u on u.id = m.user_id where m.group_id = ? order by u.id`;

const MANAGED = "select id from groups where managed_by = ?2";

const LEAVE_MANAGED = `delete from group_members where user_id = ?1
  and group_id in (${MANAGED} and name not in (select value from json_each(?3))) returning group_id`;

const JOIN_MANAGED = `insert or ignore into group_members (group_id, user_id)
  select id, ?1 from groups where managed_by = ?2 and name in (select value from json_each(?3)) returning group_id`;

const roleThroughGroups = (column: string, parameter: string) => `(select gg.role from group_grants gg
  cross join group_members m on m.group_id = gg.group_id and m.user_id = +?1 where gg.${column} = +${parameter}
  order by instr('owners editors viewers members', gg.role) limit 1)`;

const SELECT_OWNED = `select case when workspace_id is null then 'document' else 'workspace' end as kind,
  coalesce(workspace_id, document_id) as id from group_grants
  where group_id = ? and role = 'owners' and org_id is null`;

const SELECT_ROLES = `select ${roleThroughGroups("org_id", "?2")} as site,
  ${roleThroughGroups("workspace_id", "?3")} as workspace, ${roleThroughGroups("document_id", "?4")} as document`;

export function createGroups({ db, raw, clock, transaction }: HomeDatabase): Groups {
  const addMember = (id: number, userId: number) =>
    raw.run("insert or ignore into group_members (group_id, user_id) values (?, ?)", id, userId);
  return {
    byId: (id) => db.select().from(groups).where(eq(groups.id, id)).get() ?? null,
    byName: (name) => db.select().from(groups).where(eq(groups.name, name)).get() ?? null,
    list: () => db.select().from(groups).orderBy(groups.id).all(),
    add: ({ name, externalId = null, managedBy = null }) =>
      must(db.insert(groups).values({ name, externalId, managedBy, createdAt: clock.now() }).returning().get()),
    change(id, change) {
      if (Object.keys(change).length > 0) db.update(groups).set(change).where(eq(groups.id, id)).run();
    },
    remove(id) {
      db.delete(groups).where(eq(groups.id, id)).run();
    },
    membersOf: (id) => raw.all<GroupMember>(SELECT_MEMBERS, id),
    setMembers: (id, userIds) =>
      transaction(() => {
        raw.run(
          "delete from group_members where group_id = ? and user_id not in (select value from json_each(?))",
          id,
          JSON.stringify(userIds),
        );
        for (const userId of userIds) addMember(id, userId);
      }),
    addMember,
    removeMember: (id, userId) => raw.run("delete from group_members where group_id = ? and user_id = ?", id, userId),
    setManagedMembership: (provider, userId, names) =>
      transaction(() => {
        const changed = [LEAVE_MANAGED, JOIN_MANAGED].map((sql) =>
          raw.all(sql, userId, provider, JSON.stringify(names)),
        );
        return changed.some((rows) => rows.length > 0);
      }),
    grant({ kind, id }, groupId, role) {
      if (role === null) raw.run(`delete from group_grants where ${COLUMN[kind]} = ? and group_id = ?`, id, groupId);
      else {
        raw.run(
          `insert into group_grants (group_id, ${COLUMN[kind]}, role) values (?1, ?2, ?3)
           on conflict (${COLUMN[kind]}, group_id) do update set role = ?3`,
          groupId,
          id,
          role,
        );
      }
    },
    granteesOf: ({ kind, id }) =>
      raw.all<GroupGrantee>(
        `select g.id as groupId, g.name, gg.role from group_grants gg join groups g on g.id = gg.group_id
         where gg.${COLUMN[kind]} = ? order by g.id`,
        id,
      ),
    ownedBy: (groupId) => raw.all<GrantTarget>(SELECT_OWNED, groupId),
    rolesOf: (userId, { orgId, workspaceId = null, documentId = null }) =>
      must(raw.get<RolesThroughGroups>(SELECT_ROLES, userId, orgId, workspaceId, documentId)),
  };
}
