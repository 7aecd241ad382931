import { asc, count, desc, eq, isNotNull, lte, min } from "drizzle-orm";
import type { HomeDatabase } from "../database.ts";
import { emailLimits, emails } from "./tables.ts";

/** A message that waits to be sent. */
export type QueuedEmail = typeof emails.$inferSelect;

export interface NewEmail {
  /** The local part of its Message-ID. */
  readonly messageId: string;
  readonly recipient: string;
  readonly kind: string;
  /** The values of its text, as JSON. */
  readonly content: string;
  readonly expiresAt: number;
}

export interface FailedAttempt {
  readonly attempts: number;
  readonly nextAttemptAt: number;
  readonly error: string;
}

/** A limit on the number of messages that one cause may have within some time. */
export interface EmailLimit {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

/** The queue of messages, and limits on their number. */
export interface Emails {
  /** Queues a message; call it in the transaction of what causes it. */
  add(email: NewEmail): void;
  /** Returns how many messages of a kind wait. */
  countOf(kind: string): number;
  /** Returns messages whose next attempt is due, in order. */
  due(limit: number): QueuedEmail[];
  /** Returns the messages that wait, the oldest first. */
  list(limit: number): QueuedEmail[];
  /** Makes the next attempt of a message due now. Returns false if it does not wait any more. */
  retryNow(id: number): boolean;
  /** Returns when the next attempt is due; null with an empty queue. */
  nextAttemptAt(): number | null;
  recordFailure(id: number, failure: FailedAttempt): void;
  remove(id: number): void;
  /** Deletes waiting messages of a kind to an address, in its normalized form. */
  removeTo(recipient: string, kind: string): void;
  /** Deletes limits that no longer count; call it from time to time. */
  removeOldLimits(): void;
  /** Returns how many messages wait, and the last error of the one that failed most recently. */
  summary(): { readonly waiting: number; readonly lastError: string | null };
  /** Counts an event. Returns false, and counts nothing, when the limit is reached. */
  take(limit: EmailLimit): boolean;
}

/** The longest window of a limit. */
const LIMIT_RETENTION_MS = 8 * 24 * 3_600_000;

export function createEmails({ db, clock }: HomeDatabase): Emails {
  const size = () => db.select({ size: count() }).from(emails).get()?.size ?? 0;
  return {
    add(email) {
      const now = clock.now();
      db.insert(emails)
        .values({ ...email, createdAt: now, nextAttemptAt: now })
        .run();
    },
    countOf: (kind) => db.select({ size: count() }).from(emails).where(eq(emails.kind, kind)).get()?.size ?? 0,
    due: (limit) =>
      db
        .select()
        .from(emails)
        .where(lte(emails.nextAttemptAt, clock.now()))
        .orderBy(asc(emails.nextAttemptAt), asc(emails.id))
        .limit(limit)
        .all(),
    list: (limit) => db.select().from(emails).orderBy(asc(emails.id)).limit(limit).all(),
    retryNow: (id) =>
      db.update(emails).set({ nextAttemptAt: clock.now() }).where(eq(emails.id, id)).returning().all().length > 0,
    nextAttemptAt: () =>
      db
        .select({ at: min(emails.nextAttemptAt) })
        .from(emails)
        .get()?.at ?? null,
    recordFailure(id, { attempts, nextAttemptAt, error }) {
      db.update(emails).set({ attempts, nextAttemptAt, lastError: error }).where(eq(emails.id, id)).run();
    },
    remove(id) {
      db.delete(emails).where(eq(emails.id, id)).run();
    },
    removeTo(recipient, kind) {
      for (const email of db.select().from(emails).where(eq(emails.kind, kind)).all()) {
        if (email.recipient.toLowerCase() === recipient) db.delete(emails).where(eq(emails.id, email.id)).run();
      }
    },
    removeOldLimits() {
      db.delete(emailLimits)
        .where(lte(emailLimits.since, clock.now() - LIMIT_RETENTION_MS))
        .run();
    },
    summary() {
      const failed = db
        .select({ lastError: emails.lastError })
        .from(emails)
        .where(isNotNull(emails.lastError))
        .orderBy(desc(emails.nextAttemptAt))
        .limit(1)
        .get();
      return { waiting: size(), lastError: failed?.lastError ?? null };
    },
    take({ key, max, windowMs }) {
      const now = clock.now();
      const found = db.select().from(emailLimits).where(eq(emailLimits.key, key)).get();
      // Since a future time: the clock was set back.
      const counts = found && now >= found.since && now < found.since + windowMs ? found : { since: now, count: 0 };
      if (counts.count >= max) return false;
      const row = { since: counts.since, count: counts.count + 1 };
      db.insert(emailLimits)
        .values({ key, ...row })
        .onConflictDoUpdate({ target: emailLimits.key, set: row })
        .run();
      return true;
    },
  };
}
