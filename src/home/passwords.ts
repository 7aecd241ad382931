import { eq, sql } from "drizzle-orm";
import type { HomeDatabase } from "./database.ts";
import { passwords } from "./schema.ts";

export interface Passwords {
  /** Returns the argon2id hash in PHC format, or null for users without a password. */
  get(userId: number): string | null;
  set(userId: number, hash: string): void;
}

export function createPasswords({ db, clock }: HomeDatabase): Passwords {
  const byUser = db
    .select({ hash: passwords.hash })
    .from(passwords)
    .where(eq(passwords.userId, sql.placeholder("userId")))
    .prepare();
  return {
    get: (userId) => byUser.get({ userId })?.hash ?? null,
    set(userId, hash) {
      const row = { hash, changedAt: clock.now() };
      db.insert(passwords)
        .values({ ...row, userId })
        .onConflictDoUpdate({ target: passwords.userId, set: row })
        .run();
    },
  };
}
