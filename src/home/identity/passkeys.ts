import { and, asc, eq } from "drizzle-orm";
import type { HomeDatabase } from "../database.ts";
import { passkeys } from "./tables.ts";

export interface NewPasskeyRow {
  /** The credential id, base64url. */
  readonly id: string;
  readonly userId: number;
  /** COSE key. */
  readonly publicKey: Buffer;
  /** The signature counter of the authenticator; 0 if it has none. */
  readonly counter: number;
  readonly transports: string[];
  readonly name: string;
}

export interface PasskeyRow extends NewPasskeyRow {
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** Passkeys of users, identified by their credential ids. */
export interface Passkeys {
  byId(id: string): PasskeyRow | null;
  /** Returns the passkeys of a user, oldest first. */
  list(userId: number): PasskeyRow[];
  add(passkey: NewPasskeyRow): void;
  /** Stores the signature counter of an authentication, and its time. */
  recordUse(id: string, counter: number): void;
  /** Renames a user's passkey; false if they have none with this id. */
  rename(userId: number, id: string, name: string): boolean;
  /** Removes a user's passkey; false if they have none with this id. */
  remove(userId: number, id: string): boolean;
}

export function createPasskeys({ db, clock }: HomeDatabase): Passkeys {
  const owned = (userId: number, id: string) => and(eq(passkeys.id, id), eq(passkeys.userId, userId));
  return {
    byId: (id) => db.select().from(passkeys).where(eq(passkeys.id, id)).get() ?? null,
    list: (userId) =>
      db
        .select()
        .from(passkeys)
        .where(eq(passkeys.userId, userId))
        .orderBy(asc(passkeys.createdAt), asc(passkeys.id))
        .all(),
    add(passkey) {
      db.insert(passkeys)
        .values({ ...passkey, createdAt: clock.now() })
        .run();
    },
    recordUse(id, counter) {
      db.update(passkeys).set({ counter, lastUsedAt: clock.now() }).where(eq(passkeys.id, id)).run();
    },
    rename: (userId, id, name) =>
      db.update(passkeys).set({ name }).where(owned(userId, id)).returning().all().length === 1,
    remove: (userId, id) => db.delete(passkeys).where(owned(userId, id)).returning().all().length === 1,
  };
}
