import { and, desc, eq, gt, lte, ne } from "drizzle-orm";
import type { HomeDatabase } from "./database.ts";
import { sessions } from "./schema.ts";

export interface NewSessionRow {
  readonly hash: string;
  readonly userId: number;
  readonly expiresAt: number;
  readonly publicId: string;
  readonly userAgent: string;
  readonly address: string;
}

export interface SessionRow extends NewSessionRow {
  readonly createdAt: number;
}

/** Sessions of users signed in to the web pages, identified by the SHA-256 of their token. */
export interface Sessions {
  add(session: NewSessionRow): void;
  /** Returns the sessions of a user that have not expired, the one that was used last first. */
  list(userId: number): SessionRow[];
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
    list(userId) {
      return db
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, clock.now())))
        .orderBy(desc(sessions.expiresAt), desc(sessions.createdAt))
        .all();
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
