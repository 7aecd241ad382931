import { and, eq, isNull } from "drizzle-orm";
import { must } from "../lib/assert.ts";
import type { HomeDatabase } from "./database.ts";
import { apiKeys } from "./schema.ts";

/** A stored API key; the key itself is not stored. */
export type ApiKey = Omit<typeof apiKeys.$inferSelect, "hash">;

export interface NewKey {
  userId: number;
  /** SHA-256 of the key. */
  hash: string;
  prefix: string;
  /** Null for the profile key. */
  label: string | null;
  expiresAt?: number | null;
  /** Names of its scopes as JSON; null or absent for all. */
  scopes?: string | null;
  /** As JSON; null or absent for none. */
  restrictions?: string | null;
  /** As JSON; null or absent for all. */
  networks?: string | null;
}

/** Uses of a key. Nodes of an earlier version send no address and no count. */
export type KeyUse = readonly [id: number, lastUsedAt: number, address?: string, count?: number];

export interface Keys {
  /** @throws SQLITE_CONSTRAINT_UNIQUE when the user has a profile key and this is one too */
  add(key: NewKey): ApiKey;
  /** Returns a user's keys, oldest first. */
  listOf(userId: number): ApiKey[];
  /** Returns the key without a label, of which a user has at most one. */
  profileKey(userId: number): ApiKey | null;
  remove(id: number): void;
  /** Records uses of keys; ignores deleted keys. */
  recordUses(uses: readonly KeyUse[]): void;
}

const COLUMNS = {
  id: apiKeys.id,
  userId: apiKeys.userId,
  prefix: apiKeys.prefix,
  label: apiKeys.label,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  expiresAt: apiKeys.expiresAt,
  scopes: apiKeys.scopes,
  restrictions: apiKeys.restrictions,
  networks: apiKeys.networks,
  lastUsedAddress: apiKeys.lastUsedAddress,
  useCount: apiKeys.useCount,
};

/** Nodes report in any order: the latest use wins. */
const RECORD_USES = `update api_keys set use_count = use_count + ?4,
  last_used_address = iif(coalesce(last_used_at, 0) <= ?2, coalesce(?3, last_used_address), last_used_address),
  last_used_at = max(coalesce(last_used_at, 0), ?2) where id = ?1`;

export function createKeys({ db, raw, clock, transaction }: HomeDatabase): Keys {
  return {
    add({ expiresAt = null, ...key }) {
      const row = { ...key, expiresAt, createdAt: clock.now() };
      return must(db.insert(apiKeys).values(row).returning(COLUMNS).get());
    },
    listOf: (userId) => db.select(COLUMNS).from(apiKeys).where(eq(apiKeys.userId, userId)).orderBy(apiKeys.id).all(),
    profileKey(userId) {
      const isProfileKey = and(eq(apiKeys.userId, userId), isNull(apiKeys.label));
      return db.select(COLUMNS).from(apiKeys).where(isProfileKey).get() ?? null;
    },
    remove(id) {
      db.delete(apiKeys).where(eq(apiKeys.id, id)).run();
    },
    recordUses(uses) {
      transaction(() => {
        for (const [id, time, address = null, count = 1] of uses) raw.run(RECORD_USES, id, time, address, count);
      });
    },
  };
}
