/**
 * SQL for the roles of a user: granted directly, or through groups. The user is parameter `?1` in all of them.
 *
 * Parameters are written `+?1`: SQLite prepares a statement again for every execution if a parameter is compared with a
 * term that the planner might prove equal, which takes ten times as long as the lookup. A unary plus prevents that.
 */

/** The columns of grants by kind of resource. */
export type GrantColumn = "org_id" | "workspace_id" | "document_id";

/** Roles by strength, for `instr`. */
const ROLES = "'owners editors viewers members'";

/**
 * Builds an expression for the user's strongest role on a resource, granted to them or to one of their groups. Resources
 * without roles of groups, which are most, cost one more index lookup.
 * @param column of the tables of grants
 * @param id an expression for the id of the resource
 */
export const roleOfUserSql = (column: GrantColumn, id: string): string => `case
  when exists (select 1 from group_grants where ${column} = ${id}) then (
    select role from (
      select role, instr(${ROLES}, role) as rank from grants where ${column} = ${id} and user_id = +?1
      union all select gg.role, instr(${ROLES}, gg.role) from group_grants gg
        cross join group_members m on m.group_id = gg.group_id and m.user_id = +?1 where gg.${column} = ${id})
    order by rank limit 1)
  else (select role from grants where ${column} = ${id} and user_id = +?1) end`;

/** A table expression: what is granted to the user or to one of their groups. */
export const GRANTS_OF_USER = `(
  select org_id, workspace_id, document_id, role from grants where user_id = +?1
  union all select gg.org_id, gg.workspace_id, gg.document_id, gg.role
    from group_members m cross join group_grants gg on gg.group_id = m.group_id where m.user_id = +?1)`;

/**
 * Builds a condition that is true if an owner of a resource other than user `?1` can sign in: a person, or a group with
 * one.
 * @param kinds the kinds of users that count
 */
export const hasOtherOwnerSql = (column: GrantColumn, id: string, kinds: readonly string[]): string => {
  const counted = `u.kind in (${kinds.map((kind) => `'${kind}'`).join(", ")}) and u.id <> +?1`;
  return `(exists (select 1 from grants other join users u on u.id = other.user_id
      where other.${column} = ${id} and other.role = 'owners' and ${counted})
    or exists (select 1 from group_grants other join group_members m on m.group_id = other.group_id
      join users u on u.id = m.user_id
      where other.${column} = ${id} and other.role = 'owners' and ${counted}))`;
};
