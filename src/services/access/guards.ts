/**
 * The one place that finds what a request speaks of, decides between "no such thing" and "not allowed", and makes the
 * grants that verbs ask for. What exists but is closed to the caller is refused, not hidden: clients expect that.
 */
import {
  actorId,
  allows,
  anonymous,
  grantChecked,
  NO_REQUEST_INFO,
  type Actor,
  type AnyoneGrant,
  type DocumentAdminGrant,
  type DocumentGrant,
  type RequestInfo,
  type Role,
  type EffectiveRole,
  type SiteGrant,
  type UserGrant,
  type WorkspaceGrant,
} from "../../authorization.ts";
import { AppError, forbidden, invalid, notFound, frozenError, unauthenticated } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { DocumentAccess, SiteAccess, SiteRef } from "../../home/access-lookups.ts";
import type { Context } from "../context.ts";

/** Which site the address of a request speaks of. */
export type SiteScope = { readonly kind: "personal" } | { readonly kind: "team"; readonly domain: string };

/** How the trash counts: `no` = what is in it is not found; `only` = nothing else is; `any` = it makes no difference. */
export type TrashFilter = "no" | "only" | "any";

export interface WorkspaceGuardOptions {
  /** `no` unless said otherwise; with `only`, a workspace that holds removed documents is found as well. */
  readonly removed?: TrashFilter;
}

export interface DocumentGuardOptions {
  /** `no` unless said otherwise; a document is in the trash also when its workspace is. */
  readonly removed?: TrashFilter;
  /** With `any`, a disabled document is not refused. */
  readonly disabled?: "any";
  /** What the document's own rules may look at; nothing unless given. */
  readonly request?: RequestInfo;
}

/** For what is answered to all. */
export const guardAnyone = (actor: Actor): AnyoneGrant => grantChecked<AnyoneGrant>({ actor });

/** @throws AppError `unauthenticated` for callers without key or session */
export function guardSignedIn(actor: Actor): UserGrant {
  if (actor.kind !== "user") throw unauthenticated("Sign in, or send an API key", "auth.required");
  return grantChecked<UserGrant>({ actor });
}

/**
 * For what concerns the whole installation.
 * @param what the rest of the refusal, `list its users`
 * @throws AppError `forbidden` for all but its administrators
 */
export function guardAdmin({ actor }: UserGrant, what: string): void {
  if (!actor.isAdmin) throw forbidden(`Only administrators of the installation may ${what}`, "access.admin_required");
}

/**
 * Access to a site.
 * @param ref its number, its domain, `docs-<owner's id>`, or `current`
 * @param required the least role; null or `guests` = any access, also through something further down
 * @throws AppError `notFound`, `forbidden`
 */
export function guardSite(
  ctx: Context,
  actor: Actor,
  scope: SiteScope,
  ref: string,
  required: EffectiveRole | null,
): SiteGrant {
  const found = findSite(ctx, actor, scope, ref);
  if (!found) throw notFound("There is no such site", "site.not_found");
  const { orgId } = found;
  const role = found.role ?? (isGuest(actor, (id) => ctx.home.reach.isGuestOfSite(orgId, id)) ? "guests" : null);
  if (role === null || !allows(role, required ?? "guests")) throw forbidden();
  return grantChecked<SiteGrant>({ actor, orgId, role });
}

/**
 * Access to a workspace.
 * @param ref a number; what follows its digits does not count
 * @throws AppError `invalid` when it is no number, `notFound`, `forbidden`
 */
export function guardWorkspace(
  ctx: Context,
  actor: Actor,
  ref: string,
  required: Role | "guests",
  { removed = "no" }: WorkspaceGuardOptions = {},
): WorkspaceGrant {
  const id = Number.parseInt(ref, 10);
  if (Number.isNaN(id)) throw invalid("A workspace is addressed by its number");
  const { reach } = ctx.home;
  const found = id > 0 ? reach.workspace(id, actorId(actor)) : null;
  if (
    !found ||
    !(matchesTrashFilter(found.isRemoved, removed) || (removed === "only" && reach.hasRemovedDocuments(id)))
  ) {
    throw notFound("There is no such workspace", "workspace.not_found");
  }
  const { orgId, workspaceId } = found;
  const role = found.role ?? (isGuest(actor, (user) => reach.isGuestOfWorkspace(workspaceId, user)) ? "guests" : null);
  if (role === null || !allows(role, required)) throw forbidden();
  return grantChecked<WorkspaceGrant>({ actor, orgId, workspaceId, role });
}

/**
 * Access to a document.
 * @param scope a team's address finds only that site's documents
 * @param ref its UUID, the short form of it, its integer id, or a current or former urlId
 * @throws AppError `notFound`, `forbidden`; `invalid` for a urlId of several sites where the address names none
 */
export function guardDocument(
  ctx: Context,
  actor: Actor,
  scope: SiteScope,
  ref: string,
  required: Role,
  { removed = "no", disabled, request = NO_REQUEST_INFO }: DocumentGuardOptions = {},
): DocumentGrant {
  const { orgId, workspaceId, documentId, uuid, role, isDisabled } = findDocument(ctx, actor, { scope, ref, removed });
  if (role === null || !allows(role, required)) throw noDocumentAccess(role, required);
  if (isDisabled && disabled !== "any") throw forbidden("Document is disabled", "document.disabled");
  return grantChecked<DocumentGrant>({ actor, request, orgId, workspaceId, documentId, uuid, role });
}

/**
 * For what administrators of the installation do to a document, in the trash or not, whatever their role there.
 * @throws AppError as `guardDocument`; `forbidden` for everybody else
 */
export function guardDocumentAdmin(ctx: Context, actor: Actor, scope: SiteScope, ref: string): DocumentAdminGrant {
  const { documentId, uuid } = findDocument(ctx, actor, { scope, ref, removed: "any" });
  const user = guardSignedIn(actor);
  guardAdmin(user, "do this");
  return grantChecked<DocumentAdminGrant>({ actor: user.actor, documentId, uuid });
}

interface DocumentQuery {
  readonly scope: SiteScope;
  readonly ref: string;
  readonly removed: TrashFilter;
}

function findDocument(ctx: Context, actor: Actor, { scope, ref, removed }: DocumentQuery): DocumentAccess {
  const domain = scope.kind === "team" ? scope.domain : null;
  const found = ctx.home.reach.document(ref, { userId: actorId(actor), domain });
  if (!found || !matchesTrashFilter(found.isRemoved, removed)) throw frozenError(FROZEN.documentNotFound);
  if (!found.isAmbiguous) return found;
  throw new AppError(
    "document.ambiguous",
    "Several sites have a document with this urlId; name the site in the address, or use the document's id",
  );
}

/** For what the server does with a document unasked; null when the document is gone, in the trash or disabled. */
export function systemGrant({ reach }: Pick<Context["home"], "reach">, uuid: string): DocumentGrant | null {
  const found = reach.document(uuid, { userId: actorId(anonymous), domain: null });
  if (!found || found.isRemoved || found.isDisabled) return null;
  const { orgId, workspaceId, documentId } = found;
  const ids = { orgId, workspaceId, documentId, uuid: found.uuid };
  return grantChecked<DocumentGrant>({ actor: anonymous, request: NO_REQUEST_INFO, ...ids, role: "owners" });
}

/**
 * For verbs whose need depends on what is asked: holds the role of a grant against it.
 * @throws AppError `forbidden`
 */
export function requireRole({ role }: { readonly role: EffectiveRole }, required: EffectiveRole): void {
  if (!allows(role, required)) throw forbidden();
}

function noDocumentAccess(role: Role | null, required: Role): AppError {
  if (role === null || required === "viewers") return frozenError(FROZEN.noViewAccess);
  return frozenError(required === "editors" ? FROZEN.noWriteAccess : FROZEN.noOwnerAccess);
}

function findSite(ctx: Context, actor: Actor, scope: SiteScope, ref: string): SiteAccess | null {
  const find = (site: SiteRef) => ctx.home.reach.site(site, actorId(actor));
  if (ref !== "current") return find(parseSiteRef(ref));
  if (scope.kind === "team") return find(parseSiteRef(scope.domain));
  if (actor.kind !== "user") throw forbidden("Without a key there is no personal site");
  return find({ by: "owner", userId: actor.userId });
}

/** Digits alone are a number; a personal site is known by its owner's number, also when it was given a domain. */
function parseSiteRef(ref: string): SiteRef {
  if (/^\d+$/.test(ref)) return { by: "id", id: Number(ref) };
  const owner = /^docs-(\d+)$/.exec(ref)?.[1];
  return owner ? { by: "owner", userId: Number(owner) } : { by: "domain", domain: ref };
}

/** Nobody becomes a guest by what is open to everybody: sites and workspaces stay closed to the public. */
const isGuest = (actor: Actor, hasGuestAccess: (userId: number) => boolean): boolean =>
  actor.kind === "user" && hasGuestAccess(actor.userId);

function matchesTrashFilter(isRemoved: boolean, removed: TrashFilter): boolean {
  return removed === "any" || isRemoved === (removed === "only");
}
