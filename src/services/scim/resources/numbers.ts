/**
 * The ids of groups and roles share one range of numbers: sixteen for each id of the home database, of which the first
 * is the group with that id, and the others are roles on the document, workspace and site with that id.
 */
import type { SiteRole } from "../../../authorization.ts";
import type { GrantTarget } from "../../../home/grants.ts";

/** The roles of a resource; guests are derived from roles on what is in it. */
export type RoleName = SiteRole | "guests";

const WIDTH = 16;

const ROLES: Readonly<Record<GrantTarget["kind"], readonly RoleName[]>> = {
  document: ["owners", "editors", "viewers", "guests"],
  workspace: ["owners", "editors", "viewers", "guests"],
  site: ["owners", "editors", "viewers", "guests", "members"],
};

const OFFSETS: Readonly<Record<GrantTarget["kind"], number>> = { document: 1, workspace: 5, site: 9 };

export const rolesOf = (kind: GrantTarget["kind"]): readonly RoleName[] => ROLES[kind];

export const groupNumber = (id: number): number => id * WIDTH;

/** Returns the id of a group; null for the number of a role. */
export const groupIdOf = (number: number): number | null =>
  number > 0 && number % WIDTH === 0 ? number / WIDTH : null;

export const roleNumber = ({ kind, id }: GrantTarget, role: RoleName): number =>
  id * WIDTH + OFFSETS[kind] + ROLES[kind].indexOf(role);

export interface RoleRef {
  readonly target: GrantTarget;
  readonly role: RoleName;
}

/** Returns the role of a number; null for the number of a group. */
export function roleOf(number: number): RoleRef | null {
  const id = Math.floor(number / WIDTH);
  const place = number % WIDTH;
  for (const kind of ["document", "workspace", "site"] as const) {
    const role = ROLES[kind][place - OFFSETS[kind]];
    if (role !== undefined && id > 0) return { target: { kind, id }, role };
  }
  return null;
}
