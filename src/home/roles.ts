/** How direct roles add up from the site down to the document. Pure; the only place that knows the rule. */
import { stronger, weaker, type Role, type ShownRole } from "../access.ts";

const INHERITABLE_ROLES: ReadonlySet<string> = new Set<Role>(["owners", "editors", "viewers"]);

/** The part of a role that reaches what is below: members and guests hand nothing down. */
export const inheritableRole = (role: ShownRole | null): Role | null =>
  role !== null && INHERITABLE_ROLES.has(role) ? (role as Role) : null;

/**
 * The role somebody has on a thing.
 * @param direct what was given on the thing itself; never cut
 * @param parentRole the role on what it stands in
 * @param maxInheritedRole the thing's `maxInheritedRole`; null = nothing is inherited
 */
export function effectiveRole<R extends ShownRole>(
  direct: R | null,
  parentRole: ShownRole | null,
  maxInheritedRole: Role | null,
): R | Role | null {
  return stronger<R | Role>(direct, weaker(inheritableRole(parentRole), maxInheritedRole));
}
