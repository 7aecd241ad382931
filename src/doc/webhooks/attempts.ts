import type { Database } from "../../sqlite/database.ts";
import type { OutboxEntry } from "./hook-queue.ts";
import type { Outcome } from "./delivery-stats.ts";

/** How many tries of each webhook are kept. */
const MAX_ATTEMPTS_PER_HOOK = 50;

/** One try to send something. */
export interface Attempt {
  /** Rising with every try of the document. */
  readonly id: number;
  /** The id that the batch has for the receiver. */
  readonly batch: string;
  /** How many events were sent. */
  readonly size: number;
  /** 1 for the first try of a batch. */
  readonly number: number;
  readonly outcome: Outcome;
  /** The entries that were sent. */
  readonly entries: readonly number[];
}

type NewAttempt = Omit<Attempt, "id" | "entries">;

interface StoredAttempt {
  readonly attempt: Attempt;
  /** Kept as long as this is, so that it can be sent again. */
  readonly used: readonly OutboxEntry[];
}

/** The last tries of the webhooks of a document. */
export class AttemptLog {
  readonly #db: Database;
  readonly #attempts = new Map<number, StoredAttempt[]>();
  #lastId = 0;

  /** @param entries those of the file, which tries speak of */
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

  /** Newest first. */
  of(hook: number): readonly Attempt[] {
    return (this.#attempts.get(hook) ?? []).map(({ attempt }) => attempt).toReversed();
  }

  /**
   * Takes note of a try.
   * @returns what is to be done within a transaction; that gives the entries that are not needed any more
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

  /** Forgets the tries of a webhook. @returns the entries that they spoke of */
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
