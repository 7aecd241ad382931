import { and, eq, gt, lte } from "drizzle-orm";
import type { HomeDatabase } from "./database.ts";
import { tokens } from "./schema.ts";

export type TokenPurpose = typeof tokens.$inferSelect.purpose;

/** One-time tokens, identified by their SHA-256. */
export interface Tokens {
  add(token: { hash: string; purpose: TokenPurpose; userId?: number | null; expiresAt: number }): void;
  /** Returns true if the token is valid. */
  isValid(hash: string, purpose: TokenPurpose): boolean;
  /** Returns the user of a valid token; null for an invalid one, or one without a user. */
  userOf(hash: string, purpose: TokenPurpose): number | null;
  /** Revokes one token. */
  remove(hash: string): void;
  /** Revokes a user's tokens of a purpose. */
  removeOf(userId: number, purpose: TokenPurpose): void;
  /** Revokes all tokens of a purpose, and deletes expired ones. */
  removeAll(purpose: TokenPurpose): void;
}

export function createTokens({ db, clock }: HomeDatabase): Tokens {
  const find = (hash: string, purpose: TokenPurpose) => {
    const good = and(eq(tokens.hash, hash), eq(tokens.purpose, purpose), gt(tokens.expiresAt, clock.now()));
    return db.select({ userId: tokens.userId }).from(tokens).where(good).get();
  };
  return {
    add({ userId = null, ...token }) {
      db.insert(tokens)
        .values({ ...token, userId })
        .run();
    },
    isValid: (hash, purpose) => find(hash, purpose) !== undefined,
    userOf: (hash, purpose) => find(hash, purpose)?.userId ?? null,
    remove(hash) {
      db.delete(tokens).where(eq(tokens.hash, hash)).run();
    },
    removeOf(userId, purpose) {
      db.delete(tokens)
        .where(and(eq(tokens.userId, userId), eq(tokens.purpose, purpose)))
        .run();
    },
    removeAll(purpose) {
      db.delete(tokens).where(eq(tokens.purpose, purpose)).run();
      db.delete(tokens).where(lte(tokens.expiresAt, clock.now())).run();
    },
  };
}
