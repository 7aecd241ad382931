import type { Context } from "../../context.ts";
import { isObject, type Json, type Resource } from "../protocol/attributes.ts";
import { scimError } from "../protocol/errors.ts";
import { BASE_PATH } from "../protocol/urns.ts";
import { groupIdOf, groupNumber } from "./numbers.ts";
import { notFoundError, parseId } from "./scim-context.ts";

/** The members of a resource, by their ids. */
export interface Members {
  readonly users: ReadonlySet<number>;
  readonly groups: ReadonlySet<number>;
}

const MAX_MEMBERS = 100_000;

/**
 * Reads members that a client sends: those without a type are users, and roles are passed over.
 * @throws AppError `invalid` for ids that are no numbers
 */
export function readMembers(resource: Resource): Members {
  const list = resource["members"] ?? [];
  const users = new Set<number>();
  const groups = new Set<number>();
  const members = Array.isArray(list) ? (list as readonly Json[]) : [];
  if (members.length > MAX_MEMBERS) throw scimError("invalidValue", `members must have at most ${MAX_MEMBERS} members`);
  for (const member of members) {
    if (!isObject(member)) continue;
    const { type = "User", value } = member;
    if (type === "Role") continue;
    const id = parseId(typeof value === "string" ? value : "");
    if (type === "User") users.add(id);
    else groups.add(requireGroup(id));
  }
  return { users, groups };
}

/** @throws AppError `notFound` */
function requireGroup(number: number): number {
  const id = groupIdOf(number);
  if (id === null) throw notFoundError("Group", number);
  return id;
}

type Kinds = readonly ("person" | "service" | "pseudo")[];

/** @throws AppError `notFound` for users that do not exist, or are of another kind */
export function requireUsers({ home }: Context, ids: Iterable<number>, kinds: Kinds): void {
  for (const id of ids) {
    const user = home.users.byId(id);
    if (!user || !kinds.includes(user.kind)) throw notFoundError("User", id);
  }
}

/** @throws AppError `notFound` */
export function requireGroups({ home }: Context, ids: Iterable<number>): void {
  for (const id of ids) if (!home.groups.byId(id)) throw notFoundError("Group", groupNumber(id));
}

export const userMember = (id: number, name: string): Resource => member("User", id, name);

export const groupMember = (id: number, name: string): Resource => member("Group", groupNumber(id), name);

export const roleMember = (number: number, name: string): Resource => member("Role", number, name);

const member = (type: "User" | "Group" | "Role", number: number, display: string): Resource => ({
  value: String(number),
  display,
  $ref: `${BASE_PATH}/${type}s/${number}`,
  type,
});
