import { randomHex } from "../../lib/ids.ts";
import type { OpenDocument } from "../document.ts";
import type { RecordedAction } from "../history/read-state.ts";
import { mergeSummary, emptySummary, summarise, type ChangeSummary } from "./change-summary.ts";

/**
 * What changed lately in a document that somebody follows, kept in memory from the first question on, so that the
 * history need not be read and what formulas make of the time, which makes no state, is told as well. A document that
 * nobody asks about keeps nothing.
 */

/** One change, or several that were put together. */
export interface RecentChange {
  /** The state it led to. */
  readonly n: number;
  readonly h: string;
  /** How many states; 0 for what formulas made of the time. */
  readonly count: number;
  /** Milliseconds since the epoch, of the last. */
  readonly time: number;
  /** E-mail address of whoever did it; null when nobody or several did. */
  readonly user: string | null;
  readonly summary: ChangeSummary;
}

/** What the engine knows of a change when it is done. */
export interface NewChange {
  /** The state it led to; null when it made none. */
  readonly state: { readonly actionNum: number; readonly actionHash: string } | null;
  readonly done: readonly RecordedAction[];
  readonly user: string;
  readonly nowMs: number;
}

/** Beyond, the older half is put together. */
const MAX_ENTRIES = 64;
/** After so many changes without a question, nobody follows any more. */
const MAX_UNREAD_CHANGES = 1000;

export class RecentChanges {
  /** Tells this memory from one of the same document that was closed meanwhile. */
  readonly id = randomHex(4);
  #entries: { readonly serial: number; readonly change: RecentChange }[] = [];
  #serial = 0;
  #unreadChanges = 0;
  #newest: { n: number; h: string };

  constructor(newest: { n: number; h: string }) {
    this.#newest = newest;
  }

  /** Where it stands; to be given to `after` later. */
  get mark(): string {
    return `${this.id}.${this.#serial}`;
  }

  /** What changed since a mark, oldest first; null when the mark is of another memory. */
  after(mark: string): RecentChange[] | null {
    const [id, serial] = mark.split(".");
    if (id !== this.id) return null;
    return this.#entries.filter((entry) => entry.serial > Number(serial)).map(({ change }) => change);
  }

  /** Somebody asks. */
  markRead(): void {
    this.#unreadChanges = 0;
  }

  /** @returns false when nobody asked for so long that this is of no use */
  record({ state, done, user, nowMs }: NewChange): boolean {
    if (++this.#unreadChanges > MAX_UNREAD_CHANGES) return false;
    if (state) this.#newest = { n: state.actionNum, h: state.actionHash };
    const author = state ? { count: 1, user } : { count: 0, user: null };
    const change = { ...this.#newest, ...author, time: nowMs, summary: summarise(done) };
    this.#entries.push({ serial: ++this.#serial, change });
    if (this.#entries.length > MAX_ENTRIES) this.#compact();
    return true;
  }

  /** Whoever stands within what is put together is told some of it twice, which does no harm. */
  #compact(): void {
    const old = this.#entries.splice(0, MAX_ENTRIES / 2);
    const serial = old.at(-1)?.serial;
    if (serial === undefined) return;
    this.#entries.unshift({ serial, change: combineChanges(old.map(({ change }) => change)) });
  }
}

/** Several changes in a row as one. There must be one at least. */
export function combineChanges(changes: readonly RecentChange[]): RecentChange {
  const [first, ...more] = changes;
  const last = more.at(-1);
  if (!first) throw new Error("there is nothing to be put together");
  if (!last) return first;
  const summary = emptySummary();
  for (const change of changes) mergeSummary(summary, change.summary);
  const count = changes.reduce((sum, change) => sum + change.count, 0);
  const users = new Set(changes.map(({ user }) => user));
  return { ...last, count, user: users.size === 1 ? first.user : null, summary };
}

const recentChangesByDocument = new WeakMap<OpenDocument, RecentChanges>();

/** The memory of a document that is followed; made when there is none. */
export function recentChangesOf(document: OpenDocument, newest: { n: number; h: string }): RecentChanges {
  let recent = recentChangesByDocument.get(document);
  if (!recent) recentChangesByDocument.set(document, (recent = new RecentChanges(newest)));
  recent.markRead();
  return recent;
}

/** To be told of every change once it is done; costs nothing where nobody follows. */
export function recordChange(document: OpenDocument, change: () => NewChange): void {
  const recent = recentChangesByDocument.get(document);
  if (recent && !recent.record(change())) recentChangesByDocument.delete(document);
}
