import { AppError } from "../../errors.ts";
import { hasClockFormulas } from "../formulas/clock-formulas.ts";
import type { OpenDocument } from "../document.ts";
import { newestState } from "../history.ts";
import { readChange } from "../history/read-state.ts";
import { markAllRows, emptySummary, summarise } from "./change-summary.ts";
import { type RecentChanges, type RecentChange, recentChangesOf, combineChanges } from "./recent-changes.ts";

/** How far somebody knows what happened to a document. */
export interface HistoryPosition {
  /** The number of the newest state he knows of. */
  readonly n: number;
  /** What its hash begins with; null when he does not say. */
  readonly h: string | null;
  /** Where he stands in what is kept in memory; null for somebody from outside. */
  readonly mark: string | null;
}

/** What happened since then. */
export interface ChangesSince {
  /** Where he stands now. */
  readonly position: HistoryPosition & { readonly h: string };
  /** Oldest first; null when it cannot be told any more: everything has to be read anew. */
  readonly changes: readonly RecentChange[] | null;
}

/** More changes than these are told as one. */
const MAX_SEPARATE_CHANGES = 20;
/** The most that is read of the history, in bytes of the file: longer absences are better made good by reading anew. */
const MAX_HISTORY_BYTES = 8 * 1024 ** 2;
/** How much of a hash goes with a place: enough to tell one past from another. */
const HASH_LENGTH = 8;

/** What happened since a place; nothing, when it is null: then this is where somebody begins. */
export function changesSince(document: OpenDocument, from: HistoryPosition | null): ChangesSince {
  const newest = newestState(document.db);
  const current = { n: newest?.actionNum ?? 0, h: newest?.actionHash ?? "" };
  const recent = recentChangesOf(document, current);
  const position = { ...current, h: shortHash(current.h), mark: recent.mark };
  if (!from) return { position, changes: [] };
  const changes = findChanges(document, from, { current, recent });
  return { position, changes: changes && changes.length > MAX_SEPARATE_CHANGES ? [combineChanges(changes)] : changes };
}

interface CurrentState {
  readonly current: { readonly n: number; readonly h: string };
  readonly recent: RecentChanges;
}

function findChanges(
  document: OpenDocument,
  from: HistoryPosition,
  { current, recent }: CurrentState,
): RecentChange[] | null {
  const recentChanges = from.mark === null ? null : recent.after(from.mark);
  if (recentChanges) return recentChanges;
  const historyChanges = readHistoryChanges(document, from, current);
  if (historyChanges && hasClockFormulas(document.schema)) historyChanges.push(clockChange(document, current));
  return historyChanges;
}

/** What the history tells of the time since a place; null when that is none of its states, or too long ago. */
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
  // The states that followed must all be there still.
  if (later.length !== now.n - n) return null;
  const size = rows.reduce((sum, [number, , bytes]) => (Number(number) > n ? sum + Number(bytes) : sum), 0);
  if (size > MAX_HISTORY_BYTES) return null;
  try {
    return later.map((state) => {
      const { done, time, user } = readChange(db, state);
      return { ...state, count: 1, time: time ?? clock.now(), user, summary: summarise(done) };
    });
  } catch (error) {
    // A history of some other program that makes no sense.
    if (error instanceof AppError && error.code === "invalid") return null;
    throw error;
  }
}

/** Stands for what formulas may have made of the time meanwhile: any table with formulas may be another. */
function clockChange({ schema, clock }: OpenDocument, now: CurrentState["current"]): RecentChange {
  const summary = emptySummary();
  for (const { id, columns } of schema.tables) {
    if (columns.some(({ formula }) => formula !== "")) markAllRows(summary.tables.at(id));
  }
  return { ...now, count: 0, time: clock.now(), user: null, summary };
}

export const shortHash = (hash: string): string => hash.slice(0, HASH_LENGTH);
