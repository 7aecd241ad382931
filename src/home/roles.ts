/** How direct roles add up from the site down to the document. Pure; the only place that knows the rule. */
import { strongerRole, weakerRole, type Role, type EffectiveRole } from "../authorization.ts";

const INHERITABLE_ROLES: ReadonlySet<string> = new Set<Role>(["owners", "editors", "viewers"]);

/** The part of a role that reaches what is below: members and guests hand nothing down. */
export const inheritableRole = (role: EffectiveRole | null): Role | null =>
  role !== null && INHERITABLE_ROLES.has(role) ? (role as Role) : null;

/**
 * The role somebody has on a thing.
 * @param direct what was given on the thing itself; never cut
 * @param parentRole the role on what it stands in
 * @param maxInheritedRole the thing's `maxInheritedRole`; null = nothing is inherited
 */
export function effectiveRole<R extends EffectiveRole>(
  direct: R | null,
  parentRole: EffectiveRole | null,
  maxInheritedRole: Role | null,
): R | Role | null {
  return strongerRole<R | Role>(direct, weakerRole(inheritableRole(parentRole), maxInheritedRole));
}
