import type { Actor, UserGrant } from "../../authorization.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import type { ApiKey } from "../../home/api-keys.ts";
import { must } from "../../lib/assert.ts";
import { isoTime } from "../../lib/time/clock.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import type { ListedKeys, NewLabelledKey } from "../../wire/accounts/profile.ts";
import type { Context } from "../context.ts";

/** A key as it is listed, without what would let one use it. */
export type ListedKey = ApiKey;

/** How many characters of a key are kept for recognition. */
const VISIBLE_PREFIX_LENGTH = 6;
const KEY_LENGTH = 40;

export interface NewKey {
  /** Null or missing for the profile key, of which there is one. */
  label?: string | null;
  /** Replaces the profile key there is. */
  force?: boolean;
  /** Milliseconds since the epoch. */
  expiresAt?: number | null;
}

/**
 * Makes a key for the caller. Answers the key itself, which cannot be seen again.
 * @throws AppError `invalid` when there is a profile key and `force` is not set, or a labelled key of that name
 */
export const createKey = (ctx: Context, grant: UserGrant, input: NewKey): string =>
  ctx.home.transaction(() => insertKey(ctx, grant.actor.userId, input));

/** As `createKey`, for any user; for verbs that have checked. To be called in a transaction. */
export function insertKey(
  { home }: Context,
  userId: number,
  { label = null, force = false, expiresAt }: NewKey,
): string {
  if (label === null) {
    const existing = home.keys.profileKey(userId);
    if (existing && !force)
      throw invalid("There is an API key already; it must be replaced by force, or removed first");
    if (existing) home.keys.remove(existing.id);
  } else {
    if (label.trim() === "") throw invalid("The label is empty");
    if (home.keys.listOf(userId).some((key) => key.label === label))
      throw new AppError("name.taken", `There is a key ${label} already`);
  }
  const key = randomHex(KEY_LENGTH / 2);
  home.keys.add({
    userId,
    hash: sha256Hex(key),
    prefix: key.slice(0, VISIBLE_PREFIX_LENGTH),
    label,
    expiresAt: expiresAt ?? null,
  });
  return key;
}

/** As many as anybody tells apart. */
const MAX_KEYS = 100;

/**
 * Makes one more key for the caller, told apart from his others by its label.
 * @throws AppError `invalid` for a label that is empty or taken, or when there are too many
 */
export function createLabelledKey(ctx: Context, grant: UserGrant, { label }: { label: string }): NewLabelledKey {
  const { userId } = grant.actor;
  return ctx.home.transaction(() => {
    if (ctx.home.keys.listOf(userId).length >= MAX_KEYS)
      throw new AppError("limit.exceeded", `One may have ${MAX_KEYS} keys`);
    const key = insertKey(ctx, userId, { label });
    const created = must(
      ctx.home.keys.listOf(userId).find((each) => each.label === label),
      "key",
    );
    return { id: created.id, label, key };
  });
}

/** The caller's keys as he sees them, oldest first. */
export function describeKeys(ctx: Context, grant: UserGrant): ListedKeys {
  const isoTimeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));
  return {
    keys: listKeys(ctx, grant).map(({ id, label, prefix, createdAt, lastUsedAt, expiresAt }) => ({
      id,
      label,
      prefix,
      createdAt: isoTime(createdAt),
      lastUsedAt: isoTimeOrNull(lastUsedAt),
      expiresAt: isoTimeOrNull(expiresAt),
    })),
  };
}

/** The caller's keys, without what would let one use them. */
export const listKeys = ({ home, identity }: Context, { actor }: UserGrant): ListedKey[] =>
  home.keys
    .listOf(actor.userId)
    .map((key) => Object.assign(key, { lastUsedAt: identity.lastUses.pendingUse(key.id) ?? key.lastUsedAt }));

/**
 * Removes one of the caller's keys: it is refused from the next request on.
 * @param which the key's id, or its label; null is the profile key
 * @throws AppError `notFound`
 */
export function revokeKey(
  { home }: Context,
  { actor }: UserGrant,
  which: { id: number } | { label: string | null },
): void {
  home.transaction(() => {
    const found = home.keys
      .listOf(actor.userId)
      .find((key) => ("id" in which ? key.id === which.id : key.label === which.label));
    if (!found) throw notFound("There is no such key", "key.not_found");
    home.keys.remove(found.id);
  });
}

/** The caller's profile key in masked form: its first characters, then stars; empty when there is none. */
export function profileKey({ home }: Context, actor: Actor): string {
  const key = actor.kind === "user" ? home.keys.profileKey(actor.userId) : null;
  return key ? maskedKey(key) : "";
}

/** Removes the caller's profile key; fine when there is none. */
export const removeProfileKey = ({ home }: Context, { actor }: UserGrant): void =>
  home.transaction(() => deleteProfileKey(home, actor.userId));

/** Removes a user's profile key, if there is one. To be called in a transaction. */
export function deleteProfileKey(home: Context["home"], userId: number): void {
  const key = home.keys.profileKey(userId);
  if (key) home.keys.remove(key.id);
}

/** How a key is shown after its creation. */
export const maskedKey = ({ prefix }: Pick<ApiKey, "prefix">): string => prefix.padEnd(KEY_LENGTH, "*");
