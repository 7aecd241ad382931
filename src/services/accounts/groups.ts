import { AppError, invalid } from "../../errors.ts";
import type { Home } from "../../home/home.ts";
import type { Group } from "../../home/identity/groups.ts";
import { type AuditActor, recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";

export interface GroupInput {
  readonly name: string;
  /** The provider whose groups claim sets the members; null if none does. */
  readonly managedBy: string | null;
  readonly externalId: string | null;
}

const MAX_NAME_LENGTH = 200;

/**
 * Creates a group. For commands.
 * @throws AppError `invalid` for an empty or long name, and for a provider that no setting can name; `conflict` if the
 * name is taken
 */
export function createGroup(
  ctx: Context,
  { managedBy, externalId, ...input }: GroupInput,
  actor: AuditActor = "command",
): Group {
  const { home } = ctx;
  const name = requireName(input.name);
  const provider = managedBy === null ? null : providerName(managedBy);
  return home.transaction(() => {
    requireFreeName(home, name, null);
    const group = home.groups.add({ name, managedBy: provider, externalId });
    recordGroup(ctx, { event: "group.created", actor, group });
    return group;
  });
}

/** Returns a name of a group without spaces around it. @throws AppError `invalid` */
export function requireName(text: string): string {
  const name = text.trim();
  if (name === "" || name.length > MAX_NAME_LENGTH)
    throw invalid(`The name must have 1 to ${MAX_NAME_LENGTH} characters`);
  return name;
}

/** @throws AppError `conflict` if another group has the name */
export function requireFreeName(home: Home, name: string, ownId: number | null): void {
  const found = home.groups.byName(name);
  if (found && found.id !== ownId) throw new AppError("conflict", `A group with the name ${name} already exists`);
}

/** Records a change of a group, in the transaction of the change. */
export function recordGroup(
  ctx: Context,
  {
    event,
    actor,
    group: { id, name },
  }: {
    readonly event: "group.created" | "group.changed" | "group.deleted";
    readonly actor: AuditActor;
    readonly group: Group;
  },
): void {
  recordAudit(ctx, { event, actor, target: { group: { id, name } } });
}

/** `MY_IDP` of `QUERN_OIDC_MY_IDP_ISSUER` is `my-idp`. */
function providerName(text: string): string {
  const name = text.trim().toLowerCase().replaceAll("_", "-");
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) throw invalid(`${JSON.stringify(text)} is not the name of a provider`);
  return name;
}
