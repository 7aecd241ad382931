import type { Database } from "../../sqlite/database.ts";
import type { OutboxEntry } from "./hook-queue.ts";
import type { Outcome } from "./delivery-stats.ts";

/** How many attempts are kept per webhook. */
const MAX_ATTEMPTS_PER_HOOK = 50;

/** A delivery attempt. */
export interface Attempt {
  /** Increases with every attempt of the document. */
  readonly id: number;
  /** The batch id sent to the receiver. */
  readonly batch: string;
  /** How many events were sent. */
  readonly size: number;
  /** 1 for the first attempt of a batch. */
  readonly number: number;
  readonly outcome: Outcome;
  /** The ids of the entries that were sent. */
  readonly entries: readonly number[];
}

type NewAttempt = Omit<Attempt, "id" | "entries">;

interface StoredAttempt {
  readonly attempt: Attempt;
  /** Entries retained as long as the attempt, so that it can be sent again. */
  readonly used: readonly OutboxEntry[];
}

/** The most recent attempts of a document's webhooks. */
export class AttemptLog {
  readonly #db: Database;
  readonly #attempts = new Map<number, StoredAttempt[]>();
  #lastId = 0;

  /** @param entries the stored entries, which attempts refer to */
  constructor(db: Database, entries: ReadonlyMap<number, OutboxEntry>) {
    this.#db = db;
    for (const [id, hook, ids, details] of db.values(
      "select id, hook, entries, told from _quern_attempts order by id",
    )) {
      const attempt = {
        ...(JSON.parse(String(details)) as NewAttempt),
        id: Number(id),
        entries: String(ids).split(",").map(Number),
      };
      this.#lastId = attempt.id;
      this.#track(
        Number(hook),
        attempt,
        attempt.entries.flatMap((entry) => entries.get(entry) ?? []),
      );
    }
  }

  /** Returns the attempts of a webhook, newest first. */
  of(hook: number): readonly Attempt[] {
    return (this.#attempts.get(hook) ?? []).map(({ attempt }) => attempt).toReversed();
  }

  /**
   * Records an attempt.
   * @returns a function to call within a transaction, which returns the entries that are no longer needed
   */
  record(hook: number, entries: readonly OutboxEntry[], details: NewAttempt): () => OutboxEntry[] {
    const attempt = { ...details, id: ++this.#lastId, entries: entries.map(({ id }) => id) };
    this.#track(hook, attempt, entries);
    return () => {
      this.#db.run(
        "insert into _quern_attempts (id, hook, entries, told) values (?, ?, ?, ?)",
        attempt.id,
        hook,
        attempt.entries.join(","),
        JSON.stringify(details),
      );
      const old =
        this.#attempts.get(hook)?.splice(0, (this.#attempts.get(hook)?.length ?? 0) - MAX_ATTEMPTS_PER_HOOK) ?? [];
      for (const { attempt: removed } of old) this.#db.run("delete from _quern_attempts where id = ?", removed.id);
      return old.flatMap(({ used }) => used);
    };
  }

  /** Removes the attempts of a webhook. @returns the entries that they referred to */
  removeOf(hook: number): OutboxEntry[] {
    const old = this.#attempts.get(hook) ?? [];
    this.#attempts.delete(hook);
    this.#db.run("delete from _quern_attempts where hook = ?", hook);
    return old.flatMap(({ used }) => [...used]);
  }

  #track(hook: number, attempt: Attempt, used: readonly OutboxEntry[]): void {
    for (const entry of used) entry.referenceCount++;
    const list = this.#attempts.get(hook);
    if (list) list.push({ attempt, used });
    else this.#attempts.set(hook, [{ attempt, used }]);
  }
}
