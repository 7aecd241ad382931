import type { Actor, UserActor, UserGrant } from "../../authorization.ts";
import { AppError, forbidden, invalid, notFound } from "../../errors.ts";
import type { ApiKey } from "../../home/api-keys.ts";
import { must } from "../../lib/assert.ts";
import { isoTime } from "../../lib/time/clock.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import type { LabelledKeyCreation, ListedKeys, NewLabelledKey, OwnKey } from "../../wire/accounts/keys.ts";
import type { AuditTarget } from "../../home/identity/audit-log.ts";
import { type AuditActor, recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";
import { NO_LIMITS, readLimits, type StoredLimits } from "../keys/limits.ts";
import { isWithinOwnKey, limitsOfNewKey, type RequestedLimits } from "../keys/requested-limits.ts";

/** A key in a list, without its secret. */
export type ListedKey = ApiKey;

/** Number of characters of a key that are stored for recognition. */
const VISIBLE_PREFIX_LENGTH = 6;
const KEY_LENGTH = 40;

/** Describes the key of the request itself, which needs no scope: programs learn what they may do. */
export const describeOwnKey = ({ actor: { keyId, limits } }: UserGrant): OwnKey => ({
  id: keyId ?? null,
  scopes: limits?.scopes ? [...limits.scopes] : null,
  isRestricted: (limits?.restrictions ?? null) !== null,
});

interface KeyName {
  /** Null or absent for the profile key, of which each user has at most one. */
  label?: string | null;
  /** Replaces an existing profile key. */
  force?: boolean;
}

export interface NewKey extends KeyName {
  /** Milliseconds since the epoch. */
  expiresAt?: number | null;
  /** Default: none. */
  limits?: StoredLimits;
}

/**
 * Creates a key for the caller. Returns the key itself, which cannot be retrieved later.
 * @throws AppError `invalid` if there is a profile key and `force` is not set, or a key with this label, and for limits
 * that are not valid; `forbidden` if the caller's own key is narrower, or than a key that is replaced
 */
export function createKey(
  ctx: Context,
  { actor }: UserGrant,
  { label = null, force = false, ...requested }: KeyName & RequestedLimits,
): string {
  return ctx.home.transaction(() => {
    const limits = limitsOfNewKey(ctx, actor, requested);
    if (label === null && force) requireOwnReach(ctx, actor, ctx.home.keys.profileKey(actor.userId));
    return insertKey(ctx, actor.userId, { label, force, ...limits }, actor);
  });
}

/** @throws AppError `forbidden` for a limited key that would replace or remove a wider one */
function requireOwnReach(ctx: Context, actor: UserActor, key: ApiKey | null): void {
  if (key && !isWithinOwnKey(ctx, actor, key))
    throw forbidden("The existing key has wider limits than the key of the request", "key.too_strong");
}

/** Like `createKey`, for any user; for operations that have checked access. Must be called in a transaction. */
export function insertKey(
  ctx: Context,
  userId: number,
  { label = null, force = false, expiresAt, limits = NO_LIMITS }: NewKey,
  actor: AuditActor = "command",
): string {
  const { home } = ctx;
  if (label === null) {
    const existing = home.keys.profileKey(userId);
    if (existing && !force) throw invalid("An API key already exists; set force to replace it, or delete it first");
    if (existing) removeKey(ctx, existing, { userId, actor });
  } else {
    if (label.trim() === "") throw invalid("The label must not be empty");
    if (home.keys.listOf(userId).some((key) => key.label === label))
      throw new AppError("name.taken", `A key with the label ${label} already exists`);
  }
  const key = randomHex(KEY_LENGTH / 2);
  home.keys.add({
    userId,
    hash: sha256Hex(key),
    prefix: key.slice(0, VISIBLE_PREFIX_LENGTH),
    label,
    expiresAt: expiresAt ?? null,
    ...limits,
  });
  const created = home.keys.listOf(userId).find((each) => each.label === label);
  if (created) recordAudit(ctx, { ...auditedCreation(created), actor, userId });
  return key;
}

/** What the audit log tells about a new key: its scopes, and whether it is limited to sites and documents, or networks. */
function auditedCreation(key: ApiKey) {
  const { scopes, restrictions, networks } = readLimits(key);
  const details = { scopes, isRestricted: restrictions !== null, hasNetworks: networks !== null };
  return { event: "key.created", target: { key: auditedKey(key) }, details } as const;
}

/** Revokes a key. Must be called in a transaction. */
function removeKey(ctx: Context, key: ApiKey, { userId, actor }: { userId: number; actor: AuditActor }): void {
  ctx.home.keys.remove(key.id);
  recordAudit(ctx, { event: "key.deleted", actor, userId, target: { key: auditedKey(key) } });
}

/** The profile key has no label. */
const auditedKey = ({ id, label }: ApiKey): AuditTarget[string] => ({ id, name: label ?? "" });

/** More keys than a user can keep apart. */
const MAX_KEYS = 100;

/**
 * Creates an additional key for the caller, identified by its label.
 * @throws AppError `invalid` for a label that is empty or in use, or if there are too many keys
 */
export function createLabelledKey(
  ctx: Context,
  grant: UserGrant,
  { label, ...requested }: LabelledKeyCreation,
): NewLabelledKey {
  const { userId } = grant.actor;
  return ctx.home.transaction(() => {
    if (ctx.home.keys.listOf(userId).length >= MAX_KEYS)
      throw new AppError("limit.exceeded", `A user can have at most ${MAX_KEYS} keys`);
    const key = createKey(ctx, grant, { label, ...requested });
    const created = must(
      ctx.home.keys.listOf(userId).find((each) => each.label === label),
      "key",
    );
    return { id: created.id, label, key };
  });
}

/** Returns the caller's keys as shown to them, oldest first. */
export const describeKeys = (ctx: Context, grant: UserGrant): ListedKeys => presentKeys(listKeys(ctx, grant));

/** Returns keys as the API shows them. */
export function presentKeys(keys: readonly ListedKey[]): ListedKeys {
  const isoTimeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));
  return {
    keys: keys.map(({ id, label, prefix, createdAt, lastUsedAt, expiresAt, ...key }) => ({
      id,
      label,
      prefix,
      createdAt: isoTime(createdAt),
      lastUsedAt: isoTimeOrNull(lastUsedAt),
      lastUsedAddress: key.lastUsedAddress,
      useCount: key.useCount,
      expiresAt: isoTimeOrNull(expiresAt),
      ...describeLimits(key),
    })),
  };
}

/** Returns the limits of a key as the API shows them. */
export function describeLimits(
  stored: StoredLimits,
): Pick<ListedKeys["keys"][number], "scopes" | "restrictions" | "networks"> {
  const { scopes, restrictions, networks } = readLimits(stored);
  return {
    scopes: scopes && [...scopes],
    restrictions: restrictions && {
      sites: [...restrictions.sites],
      workspaces: [...restrictions.workspaces],
      documents: [...restrictions.documents],
      tables: Object.entries(restrictions.tables).map(([document, tables]) => ({ document, tables: [...tables] })),
    },
    networks: networks && [...networks],
  };
}

/** Returns the caller's keys, without secrets; for a limited key, the keys that are as limited or more. */
export const listKeys = (ctx: Context, { actor }: UserGrant): ListedKey[] =>
  listKeysOf(ctx, actor.userId).filter((key) => isWithinOwnKey(ctx, actor, key));

/** Returns all keys of a user, without secrets; for operations that have checked access. */
export const listKeysOf = (ctx: Context, userId: number): ListedKey[] =>
  ctx.home.keys.listOf(userId).map((key) => {
    const pending = ctx.identity.lastUses.pendingUses(key.id);
    if (!pending) return key;
    const { lastUsedAt, address, count } = pending;
    return { ...key, lastUsedAt, lastUsedAddress: address, useCount: key.useCount + count };
  });

/**
 * Revokes one of the caller's keys, effective from the next request.
 * @param which the key's id, or its label; null is the profile key
 * @throws AppError `notFound`
 */
export function revokeKey(ctx: Context, { actor }: UserGrant, which: { id: number } | { label: string | null }): void {
  ctx.home.transaction(() => {
    const found = ctx.home.keys
      .listOf(actor.userId)
      .filter((key) => isWithinOwnKey(ctx, actor, key))
      .find((key) => ("id" in which ? key.id === which.id : key.label === which.label));
    if (!found) throw notFound("API key not found", "key.not_found");
    removeKey(ctx, found, { userId: actor.userId, actor });
  });
}

/** Returns the caller's profile key in masked form: its first characters, then asterisks; empty if there is none. */
export function profileKey({ home }: Context, actor: Actor): string {
  const key = actor.kind === "user" ? home.keys.profileKey(actor.userId) : null;
  return key ? maskedKey(key) : "";
}

/** Removes the caller's profile key. Idempotent. */
export const removeProfileKey = (ctx: Context, { actor }: UserGrant): void =>
  ctx.home.transaction(() => {
    requireOwnReach(ctx, actor, ctx.home.keys.profileKey(actor.userId));
    deleteProfileKey(ctx, actor.userId, actor);
  });

/** Removes a user's profile key, if there is one. Must be called in a transaction. */
export function deleteProfileKey(ctx: Context, userId: number, actor: AuditActor): void {
  const key = ctx.home.keys.profileKey(userId);
  if (key) removeKey(ctx, key, { userId, actor });
}

/** Returns the masked form of a key. */
export const maskedKey = ({ prefix }: Pick<ApiKey, "prefix">): string => prefix.padEnd(KEY_LENGTH, "*");
