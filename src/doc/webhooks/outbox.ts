import type { Clock } from "../../lib/time/clock.ts";
import type { Database } from "../../sqlite/database.ts";
import type { DocAction } from "../actions/doc-action.ts";
import type { OpenDocument } from "../document.ts";
import type { UserInfo } from "../user-info.ts";
import { BATCH_ROWS, type EntryKind, createEntries, type NewEntry } from "./create-entries.ts";
import { type HookSettings, NO_SETTINGS } from "./hook-settings.ts";
import { type Hook, readHooks } from "./hooks.ts";
import { AttemptLog, type Attempt } from "./attempts.ts";
import { OUTBOX_SCHEMA } from "./outbox-tables.ts";
import { type OutboxEntry, HookQueue } from "./hook-queue.ts";
import {
  initialHookState,
  type HookState,
  type HookUsage,
  type Outcome,
  type Retry,
  effectiveRetryAt,
  hookStateAfter,
  usageOf,
} from "./delivery-stats.ts";

/**
 * The outbox of a document's webhooks: entries in an internal table, written in the transaction of the change that they
 * report. The queue of each webhook is also kept in memory, and rebuilt when the document is opened.
 */

/** A batch of events. */
export interface Batch {
  readonly hook: string;
  /** The same for every attempt. */
  readonly id: string;
  readonly kind: EntryKind;
  readonly size: number;
  /** Failed attempts. */
  readonly failures: number;
  /** The end of the first failed attempt since the last success, in milliseconds since the epoch. */
  readonly failingSince: number | null;
  /** A JSON list of rows. */
  readonly body: string;
}

/** The batches that are due, and the time of the next ones. */
export interface DueBatches {
  readonly batches: readonly Batch[];
  /** The time of the next retry, in milliseconds since the epoch; null when none is scheduled. */
  readonly nextAt: number | null;
  /** The number of pending events of all webhooks. */
  readonly waitingEvents: number;
}

const outboxes = new WeakMap<OpenDocument, Outbox>();
const eventListeners = new WeakMap<OpenDocument, () => void>();

/** Returns the outbox of a document; null if it never had webhooks. */
export function findOutbox(document: OpenDocument): Outbox | null {
  const known = outboxes.get(document);
  if (known) return known;
  if (!document.schema.stored.has("_quern_webhooks")) return null;
  const outbox = new Outbox(document);
  // A reader reads the queues once more for each snapshot: only the thread that writes them can keep them in memory.
  if (!document.isReader) outboxes.set(document, outbox);
  return outbox;
}

/** Returns the outbox of a document, creating it if necessary. Call within a transaction. */
export function ensureOutbox(document: OpenDocument): Outbox {
  document.db.exec(OUTBOX_SCHEMA);
  const outbox = outboxes.get(document) ?? new Outbox(document);
  outboxes.set(document, outbox);
  return outbox;
}

/** Call after the rollback of a transaction that touched webhooks: their state is read from the file again. */
export function invalidateOutbox(document: OpenDocument): void {
  outboxes.delete(document);
}

/** Calls `listener` after each commit that leaves events to be delivered. */
export function onEventsQueued(document: OpenDocument, listener: () => void): void {
  eventListeners.set(document, listener);
}

/** Returns a test for the tables whose changed rows are sent to webhooks. */
export function createWebhookTest(document: OpenDocument): (table: string) => boolean {
  let refs: ReadonlySet<number> | undefined;
  return (table) => {
    refs ??= new Set(activeHooks(document).map(({ tableRef }) => tableRef));
    const ref = document.schema.tableById.get(table)?.ref;
    return ref !== undefined && refs.has(ref);
  };
}

function activeHooks(document: OpenDocument): Hook[] {
  const outbox = findOutbox(document);
  return outbox ? readHooks(document).filter((hook) => hook.isEnabled && outbox.hasHook(hook)) : [];
}

/**
 * Writes the events of a change to the outbox, in the change's transaction.
 * @returns a function that adds them to the queues in memory, to be called once the change (which may be a savepoint)
 *   has succeeded; null when there are no events
 */
export function writeEvents(document: OpenDocument, undo: readonly DocAction[], user: UserInfo): (() => void) | null {
  if (undo.length === 0) return null;
  const outbox = findOutbox(document);
  if (!outbox) return null;
  const hooks = activeHooks(document);
  if (hooks.length === 0) return null;
  const settingsOf = (hook: Hook) => outbox.settingsOf(hook);
  const written = outbox.write(createEntries(document, { hooks, settingsOf, user }, undo));
  if (!written) return null;
  const listener = eventListeners.get(document);
  if (listener) document.db.afterCommit(listener);
  return written;
}

export class Outbox {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #queueEvents: number;
  readonly #queues = new Map<number, HookQueue>();
  readonly #attempts: AttemptLog;
  readonly #settings = new Map<number, HookSettings>();
  #lastId = 0;
  /** Unreferenced entries, deleted with the next write. */
  readonly #unused: number[] = [];

  constructor({ db, clock, queueEvents, schema }: OpenDocument) {
    this.#db = db;
    this.#clock = clock;
    this.#queueEvents = queueEvents;
    for (const [hook, id, state] of db.values("select hook, id, state from _quern_webhooks order by hook")) {
      this.#queues.set(Number(hook), new HookQueue(String(id), JSON.parse(String(state)) as HookState));
    }
    const settings = schema.stored.has("_quern_webhook_settings")
      ? db.values("select hook, settings from _quern_webhook_settings")
      : [];
    for (const [hook, text] of settings) this.#settings.set(Number(hook), JSON.parse(String(text)) as HookSettings);
    const entries = this.#readEntries();
    this.#attempts = new AttemptLog(db, entries);
    for (const entry of entries.values()) if (entry.referenceCount === 0) this.#unused.push(entry.id);
    for (const queue of this.#queues.values()) this.#trim(queue);
  }

  /** True when the webhook was created in this document, and not in the one that it was copied from. */
  hasHook({ ref, id }: Hook): boolean {
    return this.#queues.get(ref)?.id === id;
  }

  /** Writes entries. They take effect when the returned function is called; null when there are none. */
  write(entries: Iterable<NewEntry>): (() => void) | null {
    const insert = this.#db.prepare(
      "insert into _quern_outbox (id, hooks, kind, row_count, body) values (?, ?, ?, ?, ?)",
    );
    let id = this.#lastId;
    const newEntries: [OutboxEntry, readonly number[]][] = [];
    for (const { kind, hooks, rowCount, body } of entries) {
      insert.run(++id, hooks.join(","), kind, rowCount, body);
      newEntries.push([{ id, kind, rowCount, referenceCount: 0 }, hooks]);
    }
    if (newEntries.length === 0) return null;
    const now = this.#clock.now();
    const unusedQueues = this.#unusedQueues(newEntries.flatMap(([, hooks]) => hooks));
    for (const [ref, { state }] of unusedQueues) this.#write(ref, { ...state, updatedTime: now });
    return () => {
      this.#lastId = id;
      for (const queue of unusedQueues.values())
        queue.state = { ...queue.state, updatedTime: queue.state.updatedTime ?? now };
      const overfullQueues = new Set<HookQueue>();
      for (const [entry, hooks] of newEntries) {
        for (const hook of hooks) {
          const queue = this.#queues.get(hook);
          queue?.push(entry);
          if (queue && queue.waiting > this.#queueEvents) overfullQueues.add(queue);
        }
      }
      for (const queue of overfullQueues) this.#trim(queue);
    };
  }

  /** Starts a webhook, effective from the next change. Call within a transaction. */
  add(ref: number, id: string): void {
    const state = initialHookState(this.#lastId);
    this.#db.run(
      "insert into _quern_webhooks (hook, id, state) values (?, ?, ?) on conflict (hook) do update set id = excluded.id, state = excluded.state",
      ref,
      id,
      JSON.stringify(state),
    );
    this.#queues.set(ref, new HookQueue(id, state));
  }

  settingsOf({ ref }: Pick<Hook, "ref">): HookSettings {
    return this.#settings.get(ref) ?? NO_SETTINGS;
  }

  /** Changes the settings of a webhook. Call within a transaction. */
  changeSettings(ref: number, settings: HookSettings): void {
    this.#settings.set(ref, settings);
    this.#db.run(
      "insert or replace into _quern_webhook_settings (hook, settings) values (?, ?)",
      ref,
      JSON.stringify(settings),
    );
  }

  /** Removes a webhook and its queue. Call within a transaction. */
  remove(ref: number): void {
    this.#settings.delete(ref);
    this.#db.run("delete from _quern_webhook_settings where hook = ?", ref);
    this.#release(this.#queues.get(ref)?.clear() ?? []);
    this.#release(this.#attempts.removeOf(ref));
    this.#queues.delete(ref);
    this.#db.run("delete from _quern_webhooks where hook = ?", ref);
    this.#deleteUnused();
  }

  /** Clears the queue and statistics of a webhook. Call within a transaction. */
  clear(ref: number): void {
    const queue = this.#queues.get(ref);
    if (!queue) return;
    this.#release(queue.clear());
    queue.state = initialHookState(this.#lastId);
    this.#save([ref]);
  }

  /** Clears the queues of webhooks that were removed indirectly, such as with their table. */
  clearRemovedHooks(hooks: readonly Hook[]): void {
    const refs = new Set(hooks.map(({ ref }) => ref));
    const removed = [...this.#queues].filter(([ref, { waiting }]) => waiting > 0 && !refs.has(ref));
    if (removed.length > 0) this.#db.transaction(() => removed.forEach(([ref]) => this.clear(ref)));
  }

  /** Resets the statistics of a webhook. */
  resetUsage(ref: number): void {
    const queue = this.#queues.get(ref);
    if (!queue) return;
    const { doneTo, batchTo, droppedTo } = queue.state;
    queue.state = { ...initialHookState(doneTo), batchTo, droppedTo };
    this.#save([ref]);
  }

  usage(ref: number): HookUsage | null {
    const queue = this.#queues.get(ref);
    return queue ? usageOf(queue.state, queue.waiting) : null;
  }

  /** Returns the due batches of webhooks that are not `busy`. */
  dueBatches(hooks: readonly Hook[], { nowMs, busy }: { nowMs: number; busy: ReadonlySet<string> }): DueBatches {
    const batches: Batch[] = [];
    let nextAt: number | null = null;
    let waitingEvents = 0;
    for (const hook of hooks) {
      const queue = this.hasHook(hook) && hook.isEnabled ? this.#queues.get(hook.ref) : undefined;
      if (!queue || queue.waiting === 0) continue;
      waitingEvents += queue.waiting;
      if (busy.has(hook.id)) continue;
      const { failures, failingSince = null } = queue.state;
      const retryAt = effectiveRetryAt(queue.state, nowMs);
      if (retryAt !== null && retryAt > nowMs) nextAt = Math.min(nextAt ?? retryAt, retryAt);
      else {
        const entries = queue.nextBatch(BATCH_ROWS);
        const { kind, size, id } = describeBatch(hook.id, entries);
        batches.push({
          hook: hook.id,
          id,
          kind,
          size,
          failures,
          failingSince,
          body: this.#bodyOf(entries.map((entry) => entry.id)),
        });
      }
    }
    return { batches, nextAt, waitingEvents };
  }

  /**
   * Records the result of sending a batch. Ignored when the queue was cleared meanwhile.
   * @returns whether it was recorded
   */
  recordOutcome(
    hook: Hook,
    { batch, outcome, retry }: { batch: string; outcome: Outcome; retry: Retry | null },
  ): boolean {
    const queue = this.hasHook(hook) ? this.#queues.get(hook.ref) : undefined;
    const entries = queue && queue.waiting > 0 ? queue.nextBatch(BATCH_ROWS) : [];
    const batchTo = entries.at(-1)?.id;
    if (!queue || batchTo === undefined || describeBatch(hook.id, entries).id !== batch) return false;
    const size = sizeOf(entries);
    const attempt = this.#attempts.record(hook.ref, entries, {
      batch,
      size,
      outcome,
      number: queue.state.failures + 1,
    });
    queue.state = hookStateAfter(queue.state, outcome, { batchTo, size, retry });
    if (outcome.isSuccess) this.#release(queue.removeSent());
    // Without a sync: after a power failure the batch is sent again, which receivers must expect anyway, and writers
    // need not wait for the disk.
    this.#db.transactionWithoutSync(() => {
      this.#release(attempt());
      this.#save([hook.ref]);
    });
    return true;
  }

  /** Returns the last attempts of a webhook, newest first. */
  attemptsOf(ref: number): readonly Attempt[] {
    return this.#attempts.of(ref);
  }

  /** Returns the content that an attempt sent. */
  contentOf({ entries }: Attempt): { kind: EntryKind; body: string } {
    const kind = this.#db.values("select kind from _quern_outbox where id = ?", entries[0] ?? 0)[0]?.[0];
    return { kind: kind === "removed" ? "removed" : "rows", body: this.#bodyOf(entries) };
  }

  #bodyOf(ids: readonly number[]): string {
    const rows = this.#db.values(
      "select body from _quern_outbox where id in (select value from json_each(?)) order by id",
      JSON.stringify(ids),
    );
    return `[${rows.map(([body]) => String(body)).join(",")}]`;
  }

  /** Reads the stored entries into their queues. */
  #readEntries(): Map<number, OutboxEntry> {
    const entries = new Map<number, OutboxEntry>();
    for (const { state } of this.#queues.values()) {
      this.#lastId = Math.max(this.#lastId, state.doneTo, state.droppedTo, state.batchTo ?? 0);
    }
    const rows = this.#db.values("select id, hooks, kind, row_count from _quern_outbox order by id");
    for (const [id, hooks, kind, rowCount] of rows) {
      const entry: OutboxEntry = {
        id: Number(id),
        kind: kind as EntryKind,
        rowCount: Number(rowCount),
        referenceCount: 0,
      };
      entries.set(entry.id, entry);
      this.#lastId = Math.max(this.#lastId, entry.id);
      for (const hook of String(hooks).split(",")) this.#queues.get(Number(hook))?.restore(entry);
    }
    return entries;
  }

  /** Drops the oldest events of a full queue, except for those being sent. */
  #trim(queue: HookQueue): void {
    this.#release(queue.dropOldest(this.#queueEvents));
  }

  #release(entries: readonly OutboxEntry[]): void {
    for (const entry of entries) if (--entry.referenceCount === 0) this.#unused.push(entry.id);
  }

  /** Returns the queues of webhooks without statistics, which begin with the first event. */
  #unusedQueues(hooks: readonly number[]): Map<number, HookQueue> {
    const found = new Map<number, HookQueue>();
    for (const ref of hooks) {
      const queue = this.#queues.get(ref);
      if (queue?.state.updatedTime === null) found.set(ref, queue);
    }
    return found;
  }

  #save(hooks: readonly number[]): void {
    for (const ref of hooks) {
      const state = this.#queues.get(ref)?.state;
      if (state) this.#write(ref, state);
    }
    this.#deleteUnused();
  }

  #write(ref: number, state: HookState): void {
    this.#db.run("update _quern_webhooks set state = ? where hook = ?", JSON.stringify(state), ref);
  }

  #deleteUnused(): void {
    if (this.#unused.length === 0) return;
    const ids = JSON.stringify(this.#unused);
    this.#db.run("delete from _quern_outbox where id in (select value from json_each(?))", ids);
    this.#unused.length = 0;
  }
}

const sizeOf = (entries: readonly OutboxEntry[]): number => entries.reduce((sum, { rowCount }) => sum + rowCount, 0);

function describeBatch(hook: string, entries: readonly OutboxEntry[]): { id: string; kind: EntryKind; size: number } {
  const [first] = entries;
  const id = `msg_${hook.replaceAll("-", "")}_${first?.id ?? 0}_${entries.at(-1)?.id ?? 0}`;
  return { id, kind: first?.kind ?? "rows", size: sizeOf(entries) };
}
