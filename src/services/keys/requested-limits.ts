/** The limits of new keys: validates what was requested, and keeps limited keys from creating stronger ones. */
import {
  type KeyRestrictions,
  expandScopes,
  type KeyLimits,
  type Scope,
  SCOPE_NAMES,
  type UserActor,
} from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { containsNetwork, parseNetwork } from "../../lib/network/networks.ts";
import { guardDocument, guardSite, guardWorkspace, type SiteScope } from "../access/guards.ts";
import { reachedTables, reachesDocument, reachesSite, reachesWorkspace } from "../access/key-limits.ts";
import type { Context } from "../context.ts";
import { type GivenLimits, isScope, readLimits, storedLimits, type StoredLimits } from "./limits.ts";

/** The tables of a document that a key is limited to. */
export interface RequestedTables {
  /** The document's id or urlId. */
  readonly document: string;
  readonly tables: readonly string[];
}

export interface RequestedRestrictions {
  /** Ids or domains. */
  readonly sites?: readonly (number | string)[] | undefined;
  readonly workspaces?: readonly number[] | undefined;
  /** Ids or urlIds. */
  readonly documents?: readonly string[] | undefined;
  readonly tables?: readonly RequestedTables[] | undefined;
}

/** The limits of a new key. Absent and null fields do not limit it, or, for a limited creator, limit it as its own key. */
export interface RequestedLimits {
  readonly scopes?: readonly string[] | null | undefined;
  readonly restrictions?: RequestedRestrictions | null | undefined;
  readonly networks?: readonly string[] | null | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | null | undefined;
}

export interface NewKeyLimits {
  readonly limits: StoredLimits;
  readonly expiresAt: number | null;
}

const ANY_SITE: SiteScope = { kind: "personal" };

/**
 * Returns the limits of a new key of the caller.
 * @throws AppError `invalid` for a scope, network or time that is not valid; `forbidden` if the caller's own key is
 * narrower; as the guards for sites, workspaces and documents without access
 */
export function limitsOfNewKey(ctx: Context, actor: UserActor, requested: RequestedLimits): NewKeyLimits {
  const own = actor.limits;
  const given: GivenLimits = {
    scopes: scopesOf(requested.scopes ?? null, own),
    restrictions: requested.restrictions ? resolve(ctx, actor, requested.restrictions) : (own?.restrictions ?? null),
    networks: networksOf(requested.networks ?? null, own),
  };
  return { limits: storedLimits(given), expiresAt: expiryOf(ctx, actor, requested.expiresAt ?? null) };
}

/** True if a key is as limited as the caller's own key, or more. Keys without limits and sessions are wider than all. */
export function isWithinOwnKey(
  ctx: Context,
  actor: UserActor,
  key: StoredLimits & { readonly expiresAt: number | null },
): boolean {
  const own = actor.limits;
  if (!own) return true;
  const { scopes, restrictions, networks } = readLimits(key);
  const ownExpiry = ownExpiryOf(ctx, actor);
  return (
    (own.scopes === null || (scopes !== null && [...expandScopes(scopes)].every((scope) => own.scopes?.has(scope)))) &&
    (own.restrictions === null || (restrictions !== null && isWithin(ctx, actor, restrictions))) &&
    (own.networks === null || (networks !== null && areWithin(networks, own.networks))) &&
    (ownExpiry === null || (key.expiresAt !== null && key.expiresAt <= ownExpiry))
  );
}

function scopesOf(requested: readonly string[] | null, own: KeyLimits | undefined): readonly Scope[] | null {
  if (requested === null) return own?.scopes ? [...own.scopes] : null;
  if (requested.length === 0) throw invalidKey("A key needs at least one scope; leave them out for all");
  const unknown = requested.find((name) => !isScope(name));
  if (unknown !== undefined)
    throw invalidKey(`There is no scope ${JSON.stringify(unknown)}; the scopes are ${SCOPE_NAMES.join(", ")}`);
  const scopes = [...new Set(requested.filter(isScope))];
  if (own?.scopes && scopes.some((scope) => !own.scopes?.has(scope))) throw tooStrong("scopes");
  return scopes;
}

function networksOf(requested: readonly string[] | null, own: KeyLimits | undefined): readonly string[] | null {
  if (requested === null) return own?.networks ?? null;
  if (requested.length === 0) throw invalidKey("A key needs at least one network; leave them out for all");
  for (const text of requested) {
    try {
      parseNetwork(text);
    } catch (error) {
      throw invalidKey(`Networks ${error instanceof Error ? error.message : "are not valid"}`);
    }
  }
  if (own?.networks && !areWithin(requested, own.networks)) throw tooStrong("networks");
  return requested;
}

const areWithin = (networks: readonly string[], own: readonly string[]): boolean =>
  networks.every((network) => own.some((outer) => containsNetwork(outer, network)));

function expiryOf(ctx: Context, actor: UserActor, requested: number | null): number | null {
  if (requested !== null && requested <= ctx.clock.now()) throw invalidKey("expiresAt must be in the future");
  const own = ownExpiryOf(ctx, actor);
  if (own === null || requested === null) return requested ?? own;
  if (requested > own) throw tooStrong("expiresAt");
  return requested;
}

/** The expiry of the caller's key, if it is limited. */
function ownExpiryOf({ home }: Context, { limits, userId, keyId }: UserActor): number | null {
  if (!limits || keyId === undefined) return null;
  return home.callers.byId(userId, keyId)?.expiresAt ?? null;
}

/** Resolves the ids of restrictions, and requires access to each. */
function resolve(ctx: Context, actor: UserActor, requested: RequestedRestrictions): KeyRestrictions {
  const { sites = [], workspaces = [], documents = [], tables = [] } = requested;
  const documentOf = (ref: string) =>
    guardDocument(ctx, actor, ANY_SITE, ref, "viewers", { tables: "part", disabled: "any" }).uuid;
  const named = documents.map(documentOf);
  const limited = tables.map(({ document, tables: ids }) => [documentOf(document), [...new Set(ids)]] as const);
  if (sites.length + workspaces.length + named.length + limited.length === 0)
    throw invalidKey("Restrictions must name a site, workspace, document or table; leave them out for none");
  if (limited.some(([, ids]) => ids.length === 0)) throw invalidKey("Name the tables of the document");
  if (new Set([...named, ...limited.map(([uuid]) => uuid)]).size < named.length + limited.length)
    throw invalidKey("Each document can be named once, as a whole or with its tables");
  const restrictions: KeyRestrictions = {
    sites: sites.map((ref) => guardSite(ctx, actor, ANY_SITE, String(ref), "guests").orgId),
    workspaces: workspaces.map((id) => guardWorkspace(ctx, actor, String(id), "guests").workspaceId),
    documents: named,
    tables: Object.fromEntries(limited),
  };
  if (!isWithin(ctx, actor, restrictions)) throw tooStrong("restrictions");
  return restrictions;
}

/** True if the caller's key reaches everything that restrictions name. */
function isWithin(
  { home }: Context,
  actor: UserActor,
  { sites, workspaces, documents, tables }: KeyRestrictions,
): boolean {
  if (!actor.limits?.restrictions) return true;
  const placeOf = (uuid: string) => home.reach.document(uuid, { userId: actor.userId, domain: null });
  return (
    sites.every((id) => reachesSite(actor, id)) &&
    workspaces.every((id) => {
      const found = home.reach.workspace(id, actor.userId);
      return found !== null && reachesWorkspace(actor, found);
    }) &&
    documents.every((uuid) => {
      const place = placeOf(uuid);
      return place !== null && reachesDocument(actor, place) && reachedTables(actor, place) === null;
    }) &&
    Object.entries(tables).every(([uuid, ids]) => {
      const place = placeOf(uuid);
      if (place === null || !reachesDocument(actor, place)) return false;
      const own = reachedTables(actor, place);
      return own === null || ids.every((id) => own.includes(id));
    })
  );
}

const invalidKey = (message: string): AppError => new AppError("key.invalid", message);

const tooStrong = (field: string): AppError =>
  new AppError("key.too_strong", `The new key would have wider ${field} than the key of the request`);
