import { and, count, eq, lt } from "drizzle-orm";
import type { HomeDatabase } from "../database.ts";
import { passkeys, recoveryCodes, totpSecrets } from "./tables.ts";

/** The secret of a user's authenticator app. */
export interface TotpRow {
  readonly secret: Buffer;
  readonly lastStep: number;
  readonly createdAt: number;
}

/** Authenticator apps and recovery codes. */
export interface SecondFactors {
  totp(userId: number): TotpRow | null;
  /** Stores a secret, and the period of the code that confirmed it. The user must have none. */
  addTotp(userId: number, secret: Buffer, lastStep: number): void;
  /** Marks a period as used; false if it, or a later one, already was. */
  useStep(userId: number, step: number): boolean;
  removeTotp(userId: number): void;
  /** Replaces a user's recovery codes. */
  setRecoveryCodes(userId: number, hashes: readonly string[]): void;
  /** Removes a recovery code; false if it does not exist. */
  useRecoveryCode(userId: number, hash: string): boolean;
  countRecoveryCodes(userId: number): number;
  /** True if a user has an authenticator app or a passkey. */
  has(userId: number): boolean;
  /** Removes the authenticator app, the passkeys and the recovery codes of a user. */
  removeAll(userId: number): void;
}

export function createSecondFactors({ db, clock }: HomeDatabase): SecondFactors {
  const ofUser = (userId: number) => eq(totpSecrets.userId, userId);
  return {
    totp: (userId) => db.select().from(totpSecrets).where(ofUser(userId)).get() ?? null,
    addTotp(userId, secret, lastStep) {
      db.insert(totpSecrets).values({ userId, secret, lastStep, createdAt: clock.now() }).run();
    },
    useStep(userId, step) {
      const isNew = and(ofUser(userId), lt(totpSecrets.lastStep, step));
      return db.update(totpSecrets).set({ lastStep: step }).where(isNew).returning().all().length === 1;
    },
    removeTotp(userId) {
      db.delete(totpSecrets).where(ofUser(userId)).run();
    },
    setRecoveryCodes(userId, hashes) {
      db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)).run();
      const createdAt = clock.now();
      if (hashes.length > 0)
        db.insert(recoveryCodes)
          .values(hashes.map((hash) => ({ hash, userId, createdAt })))
          .run();
    },
    useRecoveryCode(userId, hash) {
      const found = and(eq(recoveryCodes.hash, hash), eq(recoveryCodes.userId, userId));
      return db.delete(recoveryCodes).where(found).returning().all().length === 1;
    },
    countRecoveryCodes(userId) {
      return db.select({ n: count() }).from(recoveryCodes).where(eq(recoveryCodes.userId, userId)).get()?.n ?? 0;
    },
    has(userId) {
      const hasApp = db.select({ id: totpSecrets.userId }).from(totpSecrets).where(ofUser(userId)).get() !== undefined;
      return (
        hasApp || db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, userId)).get() !== undefined
      );
    },
    removeAll(userId) {
      db.delete(totpSecrets).where(ofUser(userId)).run();
      db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)).run();
      db.delete(passkeys).where(eq(passkeys.userId, userId)).run();
    },
  };
}
