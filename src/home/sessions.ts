import { and, eq, lte, ne } from "drizzle-orm";
import type { HomeDatabase } from "./database.ts";
import { sessions } from "./schema.ts";

/** Sessions of people signed in on the pages, known by the SHA-256 of their token. */
export interface Sessions {
  add(session: { hash: string; userId: number; expiresAt: number }): void;
  /** Moves the end of a session; fine when it is gone. */
  extend(hash: string, expiresAt: number): void;
  remove(hash: string): void;
  /** Ends all sessions of a user, but for the one that is kept. */
  removeOf(userId: number, exceptHash?: string | null): void;
  /** Clears away what ended by itself. */
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
