import { and, eq, lte, ne } from "drizzle-orm";
import type { HomeDatabase } from "./database.ts";
import { sessions } from "./schema.ts";

/** Sessions of users signed in to the web pages, identified by the SHA-256 of their token. */
export interface Sessions {
  add(session: { hash: string; userId: number; expiresAt: number }): void;
  /** Extends a session; ignores deleted ones. */
  extend(hash: string, expiresAt: number): void;
  remove(hash: string): void;
  /** Ends all sessions of a user except the given one. */
  removeOf(userId: number, exceptHash?: string | null): void;
  /** Deletes expired sessions. */
  removeExpired(): void;
}

export function createSessions({ db, clock }: HomeDatabase): Sessions {
  return {
    add(session) {
      db.insert(sessions)
        .values({ ...session, createdAt: clock.now() })
        .run();
    },
    extend(hash, expiresAt) {
      db.update(sessions).set({ expiresAt }).where(eq(sessions.hash, hash)).run();
    },
    remove(hash) {
      db.delete(sessions).where(eq(sessions.hash, hash)).run();
    },
    removeOf(userId, keptHash) {
      const kept = keptHash ? ne(sessions.hash, keptHash) : undefined;
      db.delete(sessions)
        .where(and(eq(sessions.userId, userId), kept))
        .run();
    },
    removeExpired() {
      db.delete(sessions).where(lte(sessions.expiresAt, clock.now())).run();
    },
  };
}
