/** What a limited API key, or a token of an end user, permits in addition to the role of the user. */
import {
  actorId,
  hasScope,
  type AccountActor,
  type Actor,
  type KeyLimits,
  type KeyRestrictions,
  type Scope,
} from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Home } from "../../home/home.ts";

/** Returns the limits of the caller's key or token; undefined if it has none, and for callers without a key. */
export const limitsOfActor = (actor: Actor): KeyLimits | undefined =>
  actor.kind === "anonymous" ? undefined : actor.limits;

/**
 * Checks that the caller's key has a scope.
 * @throws AppError `forbidden` with `details.missingScope`
 */
export function requireScope(actor: Actor, scope: Scope): void {
  if (hasScope(actor, scope)) return;
  const credential = actor.kind === "endUser" ? "token" : "API key";
  throw new AppError("scope.missing", `The ${credential} lacks the scope ${scope}`, {
    details: { missingScope: scope },
  });
}

/**
 * What a key that is limited to tables of a document may use of an operation on it: the table that the request names, if
 * it is one of them; the part of the answer that is about them; or nothing.
 */
export type TableUse = "table" | "part" | "refused";

/** Where a document is. */
export interface DocumentPlace {
  readonly orgId: number;
  readonly workspaceId: number;
  readonly uuid: string;
}

const restrictionsOf = (actor: Actor): KeyRestrictions | null => limitsOfActor(actor)?.restrictions ?? null;

/** Tells whether the caller's key is limited to sites, workspaces, documents or tables. */
export const isRestricted = (actor: Actor): boolean => restrictionsOf(actor) !== null;

/** Tells whether the caller's key reaches a document, or some of its tables. */
export function reachesDocument(actor: Actor, { uuid, ...place }: DocumentPlace): boolean {
  const restrictions = restrictionsOf(actor);
  if (!restrictions || reachesWorkspace(actor, place)) return true;
  return restrictions.documents.includes(uuid) || Object.hasOwn(restrictions.tables, uuid);
}

/** Tells whether the caller's key reaches all of a workspace. */
export function reachesWorkspace(actor: Actor, { orgId, workspaceId }: Omit<DocumentPlace, "uuid">): boolean {
  const restrictions = restrictionsOf(actor);
  return !restrictions || restrictions.sites.includes(orgId) || restrictions.workspaces.includes(workspaceId);
}

/** Tells whether the caller's key reaches all of a site. */
export const reachesSite = (actor: Actor, orgId: number): boolean =>
  restrictionsOf(actor)?.sites.includes(orgId) ?? true;

/**
 * Tells whether the caller's key reaches a document in a workspace that it does not reach as a whole. As for guests, the
 * workspace is visible then.
 */
export const seesWorkspace = (home: Home, actor: AccountActor, workspaceId: number): boolean =>
  reachedDocuments(home, actor).some((found) => found.workspaceId === workspaceId);

/** Tells whether the caller's key reaches anything in a site that it does not reach as a whole. */
export function seesSite(home: Home, actor: AccountActor, orgId: number): boolean {
  if (reachedDocuments(home, actor).some((found) => found.orgId === orgId)) return true;
  return (restrictionsOf(actor)?.workspaces ?? []).some((id) => {
    const found = home.reach.workspace(id, actorId(actor));
    return found?.orgId === orgId && !found.isRemoved && found.role !== null;
  });
}

/** Returns the documents that the key names, if the user has access to them and they are not in the trash. */
function reachedDocuments({ reach }: Home, actor: AccountActor) {
  const { documents = [], tables = {} } = restrictionsOf(actor) ?? {};
  return [...documents, ...Object.keys(tables)].flatMap((uuid) => {
    const found = reach.document(uuid, { userId: actorId(actor), domain: null });
    return found && !found.isRemoved && found.role !== null ? [found] : [];
  });
}

/**
 * Returns the tables of a document that the caller's key is limited to; null if it reaches all of the document, or is not
 * restricted.
 */
export function reachedTables(actor: Actor, { uuid, ...place }: DocumentPlace): readonly string[] | null {
  const restrictions = restrictionsOf(actor);
  if (!restrictions || reachesWorkspace(actor, place) || restrictions.documents.includes(uuid)) return null;
  return Object.hasOwn(restrictions.tables, uuid) ? (restrictions.tables[uuid] ?? []) : [];
}
