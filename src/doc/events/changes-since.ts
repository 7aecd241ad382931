import { AppError } from "../../errors.ts";
import { hasClockFormulas } from "../formulas/clock-formulas.ts";
import type { OpenDocument } from "../document.ts";
import { newestState } from "../history.ts";
import { readChange } from "../history/read-state.ts";
import { markAllRows, emptySummary, summarise } from "./change-summary.ts";
import { type RecentChanges, type RecentChange, recentChangesOf, combineChanges } from "./recent-changes.ts";

/** A position in a document's history. */
export interface HistoryPosition {
  /** The number of the newest known state. */
  readonly n: number;
  /** A prefix of its hash; null when the caller does not supply it. */
  readonly h: string | null;
  /** The position in the memory buffer; null for a caller that resumes without one. */
  readonly mark: string | null;
}

/** The changes since a position. */
export interface ChangesSince {
  /** The present position. */
  readonly position: HistoryPosition & { readonly h: string };
  /** Oldest first; null when they are no longer available and everything must be reloaded. */
  readonly changes: readonly RecentChange[] | null;
}

/** More changes than this are merged into one. */
const MAX_SEPARATE_CHANGES = 20;
/** How much of the history is read at most, in bytes of the file: after longer absences, reloading is cheaper. */
const MAX_HISTORY_BYTES = 8 * 1024 ** 2;
/** The length of the hash prefix in a position: enough to distinguish two histories. */
const HASH_LENGTH = 8;

/** Returns the changes since a position; for null, none and the present position to start from. */
export function changesSince(document: OpenDocument, from: HistoryPosition | null): ChangesSince {
  const newest = newestState(document.db);
  const current = { n: newest?.actionNum ?? 0, h: newest?.actionHash ?? "" };
  // Only the thread that changes the document has a buffer; others read the history.
  const recent = document.isReader ? null : recentChangesOf(document, current);
  const position = { ...current, h: shortHash(current.h), mark: recent?.mark ?? keptMark(document, from) };
  if (!from) return { position, changes: [] };
  const changes = findChanges(document, from, { current, recent });
  return { position, changes: changes && changes.length > MAX_SEPARATE_CHANGES ? [combineChanges(changes)] : changes };
}

interface CurrentState {
  readonly current: { readonly n: number; readonly h: string };
  readonly recent: RecentChanges | null;
}

function findChanges(
  document: OpenDocument,
  from: HistoryPosition,
  { current, recent }: CurrentState,
): RecentChange[] | null {
  const recentChanges = from.mark === null ? null : recent?.after(from.mark);
  if (recentChanges) return recentChanges;
  const historyChanges = readHistoryChanges(document, from, current);
  const isClockCovered = document.isReader && keptMark(document, from) !== null;
  if (historyChanges && !isClockCovered && hasClockFormulas(document.schema)) {
    historyChanges.push(clockChange(document, current));
  }
  return historyChanges;
}

/**
 * Returns the mark with which a subscriber that a reader answered continues: the former one where time-dependent
 * formulas may have changed, which only the buffer knows. The subscriber then receives some changes twice, which is
 * harmless.
 */
const keptMark = ({ schema }: OpenDocument, from: HistoryPosition | null): string | null =>
  hasClockFormulas(schema) ? (from?.mark ?? null) : null;

/** Reads the changes since a position from the history; null when the position is not in it or too far back. */
function readHistoryChanges(
  { db, clock }: OpenDocument,
  { n, h }: HistoryPosition,
  now: CurrentState["current"],
): RecentChange[] | null {
  if (n > now.n) return null;
  const rows = db.values(
    "select actionNum, actionHash, length(body) from _gristsys_ActionHistory where actionNum >= ? order by actionNum, id",
    n,
  );
  const states = rows.map(([number, hash]) => ({ n: Number(number), h: String(hash) }));
  const [first] = states;
  if (h !== null && !(first?.n === n && first.h.startsWith(h))) return null;
  const later = states.filter((state) => state.n > n);
  // All later states must still exist.
  if (later.length !== now.n - n) return null;
  const size = rows.reduce((sum, [number, , bytes]) => (Number(number) > n ? sum + Number(bytes) : sum), 0);
  if (size > MAX_HISTORY_BYTES) return null;
  try {
    return later.map((state) => {
      const { done, time, user } = readChange(db, state);
      return { ...state, count: 1, time: time ?? clock.now(), user, summary: summarise(done) };
    });
  } catch (error) {
    // A history of another program that cannot be parsed.
    if (error instanceof AppError && error.code === "invalid") return null;
    throw error;
  }
}

/** Represents changes of time-dependent formulas since then: any table with formulas may have changed. */
function clockChange({ schema, clock }: OpenDocument, now: CurrentState["current"]): RecentChange {
  const summary = emptySummary();
  for (const { id, columns } of schema.tables) {
    if (columns.some(({ formula }) => formula !== "")) markAllRows(summary.tables.at(id));
  }
  return { ...now, count: 0, time: clock.now(), user: null, summary };
}

export const shortHash = (hash: string): string => hash.slice(0, HASH_LENGTH);
