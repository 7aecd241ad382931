/**
 * Resolves the resource that a request addresses, decides between 404 and 403, and creates the grants that operations
 * require. Existing resources without access are refused rather than hidden: clients expect that.
 */
import {
  actorId,
  allows,
  anonymous,
  grantChecked,
  NO_REQUEST_INFO,
  type AccountActor,
  type Actor,
  type AnyoneGrant,
  type DocumentAdminGrant,
  type DocumentGrant,
  type EndUserActor,
  type RequestInfo,
  type Role,
  type EffectiveRole,
  type SiteGrant,
  type UserGrant,
  weakerRole,
  type WorkspaceGrant,
} from "../../authorization.ts";
import { AppError, forbidden, invalid, notFound, frozenError, unauthenticated } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { DocumentAccess, SiteAccess, SiteRef } from "../../home/access-lookups.ts";
import type { Context } from "../context.ts";
import {
  type DocumentPlace,
  isRestricted,
  reachedTables,
  type TableUse,
  reachesDocument,
  reachesSite,
  reachesWorkspace,
  seesSite,
  seesWorkspace,
} from "./key-limits.ts";

/** The site that the address of a request names. */
export type SiteScope = { readonly kind: "personal" } | { readonly kind: "team"; readonly domain: string };

/** Handling of the trash: `no` excludes its content, `only` excludes all other content, `any` includes both. */
export type TrashFilter = "no" | "only" | "any";

export interface WorkspaceGuardOptions {
  /** Default: `no`. With `only`, workspaces that contain removed documents are found as well. */
  readonly removed?: TrashFilter;
}

export interface DocumentGuardOptions {
  /** Default: `no`. A document is also in the trash when its workspace is. */
  readonly removed?: TrashFilter;
  /** With `any`, disabled documents are accepted. */
  readonly disabled?: "any";
  /** What callers may use whose API key is limited to tables of the document. Default: nothing. */
  readonly tables?: TableUse;
  /** Request properties for the document's own rules. Default: none. */
  readonly request?: RequestInfo;
}

/**
 * For operations outside of a single document: an end user's token is not valid there, whatever exists.
 * @throws AppError `unauthenticated` for end users
 */
export function guardAccount(actor: Actor): AccountActor {
  if (actor.kind === "endUser") throw outsideToken();
  return actor;
}

/** The refusal of everything that a token is not for. It is always the same, so that it reveals nothing. */
export const outsideToken = (): AppError =>
  unauthenticated("The token is not valid here: it is for one document", "auth.token_document");

/** For operations that are open to all callers. */
export const guardAnyone = (actor: Actor): AnyoneGrant => grantChecked<AnyoneGrant>({ actor: guardAccount(actor) });

/** @throws AppError `unauthenticated` for callers without a key or session */
export function guardSignedIn(caller: Actor): UserGrant {
  const actor = guardAccount(caller);
  if (actor.kind !== "user")
    throw unauthenticated("Authentication required: sign in, or send an API key", "auth.required");
  return grantChecked<UserGrant>({ actor });
}

/**
 * For what an API key must not do: it leaks more easily than a session.
 * @throws AppError `unauthenticated`; `forbidden` for callers with a key
 */
export function guardSession(actor: Actor): UserGrant {
  const grant = guardSignedIn(actor);
  if (grant.actor.via === "key" || grant.actor.isService) {
    throw forbidden("Sign in to do this: API keys are not accepted here", "access.session_required");
  }
  return grant;
}

/**
 * For operations on the whole installation.
 * @param action completes the message, for example `list users`
 * @throws AppError `forbidden` for callers other than its administrators
 */
export function guardAdmin({ actor }: UserGrant, action: string): void {
  if (!actor.isAdmin) throw forbidden(`Only administrators of the installation can ${action}`, "access.admin_required");
}

/**
 * Returns the grant for a site.
 * @param ref its id, its domain, `docs-<owner's id>`, or `current`
 * @param required the minimum role; null or `guests` = any access, also through a resource within the site
 * @throws AppError `notFound`, `forbidden`
 */
export function guardSite(
  ctx: Context,
  caller: Actor,
  scope: SiteScope,
  ref: string,
  required: EffectiveRole | null,
): SiteGrant {
  const actor = guardAccount(caller);
  const found = findSite(ctx, actor, scope, ref);
  if (!found) throw notFound("Site not found", "site.not_found");
  const { orgId } = found;
  const isReached = reachesSite(actor, orgId);
  if (!isReached && !seesSite(ctx.home, actor, orgId)) throw notFound("Site not found", "site.not_found");
  const direct = isReached ? found.role : "guests";
  const role = direct ?? (isGuest(actor, (id) => ctx.home.reach.isGuestOfSite(orgId, id)) ? "guests" : null);
  if (role === null || !allows(role, required ?? "guests")) throw forbidden();
  return grantChecked<SiteGrant>({ actor, orgId, role });
}

/**
 * Returns the grant for a workspace.
 * @param ref an id; characters after the digits are ignored
 * @throws AppError `invalid` if it is not a number, `notFound`, `forbidden`
 */
export function guardWorkspace(
  ctx: Context,
  caller: Actor,
  ref: string,
  required: Role | "guests",
  { removed = "no" }: WorkspaceGuardOptions = {},
): WorkspaceGrant {
  const actor = guardAccount(caller);
  const id = Number.parseInt(ref, 10);
  if (Number.isNaN(id)) throw invalid("The workspace id must be a number");
  const { reach } = ctx.home;
  const found = id > 0 ? reach.workspace(id, actorId(actor)) : null;
  if (
    !found ||
    !(matchesTrashFilter(found.isRemoved, removed) || (removed === "only" && reach.hasRemovedDocuments(id)))
  ) {
    throw notFound("Workspace not found", "workspace.not_found");
  }
  const { orgId, workspaceId } = found;
  const isReached = reachesWorkspace(actor, found);
  if (!isReached && !seesWorkspace(ctx.home, actor, workspaceId))
    throw notFound("Workspace not found", "workspace.not_found");
  const direct = isReached ? found.role : "guests";
  const role = direct ?? (isGuest(actor, (user) => reach.isGuestOfWorkspace(workspaceId, user)) ? "guests" : null);
  if (role === null || !allows(role, required)) throw forbidden();
  return grantChecked<WorkspaceGrant>({ actor, orgId, workspaceId, role });
}

/**
 * Returns the grant for a document.
 * @param scope the address of a team site finds only documents of that site
 * @param ref its UUID, the short form of it, its integer id, or a current or former urlId
 * @throws AppError `notFound`, `forbidden`; `invalid` for an ambiguous urlId if the address names no site
 */
export function guardDocument(
  ctx: Context,
  actor: Actor,
  scope: SiteScope,
  ref: string,
  required: Role,
  { removed = "no", disabled, tables = "refused", request = NO_REQUEST_INFO }: DocumentGuardOptions = {},
): DocumentGrant {
  const found = findDocument(ctx, actor, { scope, ref, removed });
  const { orgId, workspaceId, documentId, uuid, role, isDisabled } = found;
  if (role === null || !allows(role, required)) throw noDocumentAccess(role, required);
  if (isDisabled && disabled !== "any") throw forbidden("Document is disabled", "document.disabled");
  const limit = reachedTables(actor, found);
  if (limit && tables === "refused")
    throw forbidden("The API key is limited to tables of the document", "key.restricted");
  const ids = { orgId, workspaceId, documentId, uuid };
  return grantChecked<DocumentGrant>({ actor, request, ...ids, role, ...(limit && { tables: limit }) });
}

/**
 * Returns the grant for the published forms of a link. Its caller is anonymous for every request. The key is looked up
 * for each request, and the document decides what its share still publishes.
 * @throws AppError `form.not_found`, also for documents in the trash and disabled ones
 */
export function guardFormLink({ home }: Pick<Context, "home">, key: string): DocumentGrant {
  const link = home.shareKeys.find(key);
  const found = link && home.reach.document(link.uuid, { userId: actorId(anonymous), domain: null });
  if (!found || found.isRemoved || found.isDisabled) throw notFound("Form not found", "form.not_found");
  const { orgId, workspaceId, documentId, uuid } = found;
  const ids = { orgId, workspaceId, documentId, uuid };
  const caller = { actor: anonymous, request: NO_REQUEST_INFO };
  return grantChecked<DocumentGrant>({
    ...caller,
    ...ids,
    role: "editors",
    formLink: { linkId: link.linkId, generation: link.generation },
  });
}

/**
 * For operations on a table that callers name.
 * @throws AppError `notFound` if the caller's API key is limited to other tables, whether or not it exists
 */
export function requireReachedTable({ tables }: Pick<DocumentGrant, "tables">, name: string): void {
  if (tables && !tables.includes(name)) throw frozenError(FROZEN.tableNotFound, name);
}

/**
 * Returns the grant for administrators of the installation, for documents in the trash or not, whatever their role on
 * them.
 * @throws AppError as `guardDocument`; `forbidden` for other callers
 */
export function guardDocumentAdmin(ctx: Context, actor: Actor, scope: SiteScope, ref: string): DocumentAdminGrant {
  const { documentId, uuid } = findDocument(ctx, actor, { scope, ref, removed: "any" });
  const user = guardSignedIn(actor);
  guardAdmin(user, "perform this action");
  return grantChecked<DocumentAdminGrant>({ actor: user.actor, documentId, uuid });
}

interface DocumentQuery {
  readonly scope: SiteScope;
  readonly ref: string;
  readonly removed: TrashFilter;
}

/**
 * Returns whether a token's document has this id or urlId. Documents of the same urlId in other sites do not count, and
 * neither does the site in the address: an answer that depends on them would reveal them.
 */
export function isDocumentOfToken({ home }: Context, { documentUuid }: EndUserActor, ref: string): boolean {
  return home.reach.isReferredTo(documentUuid, ref);
}

function findDocument(ctx: Context, actor: Actor, { scope, ref, removed }: DocumentQuery): DocumentAccess {
  if (actor.kind === "endUser") return findDocumentOfToken(ctx, actor, ref);
  const domain = scope.kind === "team" ? scope.domain : null;
  const isHidden = isRestricted(actor) ? (place: DocumentPlace) => !reachesDocument(actor, place) : undefined;
  const found = ctx.home.reach.document(ref, { userId: actorId(actor), domain, ...(isHidden && { isHidden }) });
  if (!found || !matchesTrashFilter(found.isRemoved, removed)) throw frozenError(FROZEN.documentNotFound);
  if (!found.isAmbiguous) return found;
  throw new AppError(
    "document.ambiguous",
    "Several sites have a document with this urlId; name the site in the URL, or use the document's id",
  );
}

/** Returns a token's document, with the role of the token: sharing of the document does not add to it. */
function findDocumentOfToken(ctx: Context, actor: EndUserActor, ref: string): DocumentAccess {
  const found = isDocumentOfToken(ctx, actor, ref)
    ? ctx.home.reach.document(actor.documentUuid, { userId: actor.issuerId, domain: null })
    : null;
  if (!found || found.isRemoved || found.isDisabled) throw outsideToken();
  return { ...found, role: weakerRole(found.role, actor.role) };
}

/**
 * Returns the grant for the server's own work on a document; null if the document is deleted, in the trash or disabled.
 */
export function systemGrant({ reach }: Pick<Context["home"], "reach">, uuid: string): DocumentGrant | null {
  const found = reach.document(uuid, { userId: actorId(anonymous), domain: null });
  if (!found || found.isRemoved || found.isDisabled) return null;
  const { orgId, workspaceId, documentId } = found;
  const ids = { orgId, workspaceId, documentId, uuid: found.uuid };
  return grantChecked<DocumentGrant>({ actor: anonymous, request: NO_REQUEST_INFO, ...ids, role: "owners" });
}

/** A grant on a temporary document that home does not know, so that no request can name it. */
export const temporaryGrant = (uuid: string): DocumentGrant =>
  grantChecked<DocumentGrant>({
    actor: anonymous,
    request: NO_REQUEST_INFO,
    orgId: 0,
    workspaceId: 0,
    documentId: 0,
    uuid,
    role: "owners",
  });

/**
 * For operations whose required role depends on their arguments: checks the role of a grant.
 * @throws AppError `forbidden`
 */
export function requireRole({ role }: { readonly role: EffectiveRole }, required: EffectiveRole): void {
  if (!allows(role, required)) throw forbidden();
}

function noDocumentAccess(role: Role | null, required: Role): AppError {
  if (role === null || required === "viewers") return frozenError(FROZEN.noViewAccess);
  return frozenError(required === "editors" ? FROZEN.noWriteAccess : FROZEN.noOwnerAccess);
}

function findSite(ctx: Context, actor: AccountActor, scope: SiteScope, ref: string): SiteAccess | null {
  const find = (site: SiteRef) => ctx.home.reach.site(site, actorId(actor));
  if (ref !== "current") return find(parseSiteRef(ref));
  if (scope.kind === "team") return find(parseSiteRef(scope.domain));
  if (actor.kind !== "user") throw forbidden("Callers without a key have no personal site");
  return find({ by: "owner", userId: actor.userId });
}

/** Digits are an id. A personal site is addressed by its owner's id, even if it has a domain. */
function parseSiteRef(ref: string): SiteRef {
  if (/^\d+$/.test(ref)) return { by: "id", id: Number(ref) };
  const owner = /^docs-(\d+)$/.exec(ref)?.[1];
  return owner ? { by: "owner", userId: Number(owner) } : { by: "domain", domain: ref };
}

/** Public sharing makes no guests: sites and workspaces stay closed to the public. */
const isGuest = (actor: AccountActor, hasGuestAccess: (userId: number) => boolean): boolean =>
  actor.kind === "user" && hasGuestAccess(actor.userId);

function matchesTrashFilter(isRemoved: boolean, removed: TrashFilter): boolean {
  return removed === "any" || isRemoved === (removed === "only");
}
