/** How direct roles add up from the site down to the document. Pure; the only place that knows the rule. */
import { stronger, weaker, type Role, type ShownRole } from "../access.ts";

const GIVEN_DOWN: ReadonlySet<string> = new Set<Role>(["owners", "editors", "viewers"]);

/** The part of a role that reaches what is below: members and guests hand nothing down. */
export const handedDown = (role: ShownRole | null): Role | null =>
  role !== null && GIVEN_DOWN.has(role) ? (role as Role) : null;

/**
 * The role somebody has on a thing.
 * @param direct what was given on the thing itself; never cut
 * @param above the role on what it stands in
 * @param most the thing's `maxInheritedRole`; null = nothing is inherited
 */
export function effectiveRole<R extends ShownRole>(
  direct: R | null,
  above: ShownRole | null,
  most: Role | null,
): R | Role | null {
  return stronger<R | Role>(direct, weaker(handedDown(above), most));
}
