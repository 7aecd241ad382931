/**
 * How direct roles combine from the site down to the document. Pure functions; the only implementation of this rule.
 */
import { strongerRole, weakerRole, type Role, type EffectiveRole } from "../authorization.ts";

const INHERITABLE_ROLES: ReadonlySet<string> = new Set<Role>(["owners", "editors", "viewers"]);

/** Returns the part of a role that is inherited by children: members and guests pass nothing on. */
export const inheritableRole = (role: EffectiveRole | null): Role | null =>
  role !== null && INHERITABLE_ROLES.has(role) ? (role as Role) : null;

/**
 * Returns a user's effective role on a resource.
 * @param direct the direct role; never limited
 * @param parentRole the role on the parent
 * @param maxInheritedRole the resource's `maxInheritedRole`; null = nothing is inherited
 */
export function effectiveRole<R extends EffectiveRole>(
  direct: R | null,
  parentRole: EffectiveRole | null,
  maxInheritedRole: Role | null,
): R | Role | null {
  return strongerRole<R | Role>(direct, weakerRole(inheritableRole(parentRole), maxInheritedRole));
}
