import { randomHex } from "../../lib/ids.ts";
import type { OpenDocument } from "../document.ts";
import type { RecordedAction } from "../history/read-state.ts";
import { mergeSummary, emptySummary, summarise, type ChangeSummary } from "./change-summary.ts";

/**
 * A buffer of recent changes of a document that has subscribers, kept in memory from the first read on, so that the
 * history need not be read; also reports results of time-dependent formulas, which do not create states. A document
 * without subscribers has no buffer.
 */

/** One change, or several merged ones. */
export interface RecentChange {
  /** The resulting state. */
  readonly n: number;
  readonly h: string;
  /** How many states; 0 for time-dependent formulas. */
  readonly count: number;
  /** The time of the last change, in milliseconds since the epoch. */
  readonly time: number;
  /** The email address of the user; null for no or several users. */
  readonly user: string | null;
  readonly summary: ChangeSummary;
}

/** A completed change. */
export interface NewChange {
  /** The resulting state; null when it created none. */
  readonly state: { readonly actionNum: number; readonly actionHash: string } | null;
  readonly done: readonly RecordedAction[];
  readonly user: string;
  readonly nowMs: number;
}

/** When exceeded, the older half is merged. */
const MAX_ENTRIES = 64;
/** After this many unread changes, the buffer is considered abandoned. */
const MAX_UNREAD_CHANGES = 1000;

export class RecentChanges {
  /** Distinguishes this buffer from an earlier one of the same document. */
  readonly id = randomHex(4);
  #entries: { readonly serial: number; readonly change: RecentChange }[] = [];
  #serial = 0;
  #unreadChanges = 0;
  #newest: { n: number; h: string };

  constructor(newest: { n: number; h: string }) {
    this.#newest = newest;
  }

  /** The present position, to be passed to `after` later. */
  get mark(): string {
    return `${this.id}.${this.#serial}`;
  }

  /** Returns the changes since a mark, oldest first; null when the mark is of another buffer. */
  after(mark: string): RecentChange[] | null {
    const [id, serial] = mark.split(".");
    if (id !== this.id) return null;
    return this.#entries.filter((entry) => entry.serial > Number(serial)).map(({ change }) => change);
  }

  /** Records that a subscriber has read the buffer. */
  markRead(): void {
    this.#unreadChanges = 0;
  }

  /** @returns false when the buffer has been unread for too long and should be dropped */
  record({ state, done, user, nowMs }: NewChange): boolean {
    if (++this.#unreadChanges > MAX_UNREAD_CHANGES) return false;
    if (state) this.#newest = { n: state.actionNum, h: state.actionHash };
    const author = state ? { count: 1, user } : { count: 0, user: null };
    const change = { ...this.#newest, ...author, time: nowMs, summary: summarise(done) };
    this.#entries.push({ serial: ++this.#serial, change });
    if (this.#entries.length > MAX_ENTRIES) this.#compact();
    return true;
  }

  /** Merges the older half. A subscriber whose position is within it receives some changes twice, which is harmless. */
  #compact(): void {
    const old = this.#entries.splice(0, MAX_ENTRIES / 2);
    const serial = old.at(-1)?.serial;
    if (serial === undefined) return;
    this.#entries.unshift({ serial, change: combineChanges(old.map(({ change }) => change)) });
  }
}

/** Merges consecutive changes, of which at least one is required. */
export function combineChanges(changes: readonly RecentChange[]): RecentChange {
  const [first, ...more] = changes;
  const last = more.at(-1);
  if (!first) throw new Error("changes must not be empty");
  if (!last) return first;
  const summary = emptySummary();
  for (const change of changes) mergeSummary(summary, change.summary);
  const count = changes.reduce((sum, change) => sum + change.count, 0);
  const users = new Set(changes.map(({ user }) => user));
  return { ...last, count, user: users.size === 1 ? first.user : null, summary };
}

const recentChangesByDocument = new WeakMap<OpenDocument, RecentChanges>();

/** Returns the document's buffer; creates it on first use. */
export function recentChangesOf(document: OpenDocument, newest: { n: number; h: string }): RecentChanges {
  let recent = recentChangesByDocument.get(document);
  if (!recent) recentChangesByDocument.set(document, (recent = new RecentChanges(newest)));
  recent.markRead();
  return recent;
}

/** Call after every completed change; free of cost for documents without a buffer. */
export function recordChange(document: OpenDocument, change: () => NewChange): void {
  if (!recentChangesByDocument.has(document)) return;
  const record = (): void => {
    const recent = recentChangesByDocument.get(document);
    if (recent && !recent.record(change())) recentChangesByDocument.delete(document);
  };
  // A change within a transaction may still be rolled back.
  if (document.db.inTransaction) document.db.afterCommit(record);
  else record();
}
