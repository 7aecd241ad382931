import type { Database } from "../../sqlite/database.ts";
import type { Entry } from "./queue.ts";
import type { Outcome } from "./usage.ts";

/** How many tries of each webhook are kept. */
const KEPT = 50;

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

interface KeptAttempt {
  readonly attempt: Attempt;
  /** Kept as long as this is, so that it can be sent again. */
  readonly used: readonly Entry[];
}

/** The last tries of the webhooks of a document. */
export class Attempts {
  readonly #db: Database;
  readonly #kept = new Map<number, KeptAttempt[]>();
  #lastId = 0;

  /** @param entries those of the file, which tries speak of */
  constructor(db: Database, entries: ReadonlyMap<number, Entry>) {
    this.#db = db;
    for (const [id, hook, ids, told] of db.values("select id, hook, entries, told from _quern_attempts order by id")) {
      const attempt = {
        ...(JSON.parse(String(told)) as NewAttempt),
        id: Number(id),
        entries: String(ids).split(",").map(Number),
      };
      this.#lastId = attempt.id;
      this.#keep(
        Number(hook),
        attempt,
        attempt.entries.flatMap((entry) => entries.get(entry) ?? []),
      );
    }
  }

  /** Newest first. */
  of(hook: number): readonly Attempt[] {
    return (this.#kept.get(hook) ?? []).map(({ attempt }) => attempt).toReversed();
  }

  /**
   * Takes note of a try.
   * @returns what is to be done within a transaction; that gives the entries that are not needed any more
   */
  prepare(hook: number, entries: readonly Entry[], told: NewAttempt): () => Entry[] {
    const attempt = { ...told, id: ++this.#lastId, entries: entries.map(({ id }) => id) };
    this.#keep(hook, attempt, entries);
    return () => {
      this.#db.run(
        "insert into _quern_attempts (id, hook, entries, told) values (?, ?, ?, ?)",
        attempt.id,
        hook,
        attempt.entries.join(","),
        JSON.stringify(told),
      );
      const old = this.#kept.get(hook)?.splice(0, (this.#kept.get(hook)?.length ?? 0) - KEPT) ?? [];
      for (const { attempt: gone } of old) this.#db.run("delete from _quern_attempts where id = ?", gone.id);
      return old.flatMap(({ used }) => used);
    };
  }

  /** Forgets the tries of a webhook. @returns the entries that they spoke of */
  removeOf(hook: number): Entry[] {
    const old = this.#kept.get(hook) ?? [];
    this.#kept.delete(hook);
    this.#db.run("delete from _quern_attempts where hook = ?", hook);
    return old.flatMap(({ used }) => [...used]);
  }

  #keep(hook: number, attempt: Attempt, used: readonly Entry[]): void {
    for (const entry of used) entry.users++;
    const list = this.#kept.get(hook);
    if (list) list.push({ attempt, used });
    else this.#kept.set(hook, [{ attempt, used }]);
  }
}
