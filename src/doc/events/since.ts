import { AppError } from "../../errors.ts";
import { hasClockFormulas } from "../formulas/clock.ts";
import type { OpenDocument } from "../document.ts";
import { newestState } from "../history.ts";
import { readChange } from "../history/read-state.ts";
import { makeEverything, noSummary, summarise } from "./summary.ts";
import { type Recent, type RecentChange, recentOf, together } from "./recent.ts";

/** How far somebody knows what happened to a document. */
export interface Place {
  /** The number of the newest state he knows of. */
  readonly n: number;
  /** What its hash begins with; null when he does not say. */
  readonly h: string | null;
  /** Where he stands in what is kept in memory; null for somebody from outside. */
  readonly mark: string | null;
}

/** What happened since then. */
export interface Since {
  /** Where he stands now. */
  readonly place: Place & { readonly h: string };
  /** Oldest first; null when it cannot be told any more: everything has to be read anew. */
  readonly changes: readonly RecentChange[] | null;
}

/** More changes than these are told as one. */
const MOST_APART = 20;
/** The most that is read of the history, in bytes of the file: longer absences are better made good by reading anew. */
const MOST_BYTES = 8 * 1024 ** 2;
/** How much of a hash goes with a place: enough to tell one past from another. */
const HASH_LENGTH = 8;

/** What happened since a place; nothing, when it is null: then this is where somebody begins. */
export function changesSince(document: OpenDocument, from: Place | null): Since {
  const newest = newestState(document.db);
  const now = { n: newest?.actionNum ?? 0, h: newest?.actionHash ?? "" };
  const recent = recentOf(document, now);
  const place = { ...now, h: shortened(now.h), mark: recent.mark };
  if (!from) return { place, changes: [] };
  const changes = find(document, from, { now, recent });
  return { place, changes: changes && changes.length > MOST_APART ? [together(changes)] : changes };
}

interface Now {
  readonly now: { readonly n: number; readonly h: string };
  readonly recent: Recent;
}

function find(document: OpenDocument, from: Place, { now, recent }: Now): RecentChange[] | null {
  const known = from.mark === null ? null : recent.after(from.mark);
  if (known) return known;
  const past = readPast(document, from, now);
  if (past && hasClockFormulas(document.schema)) past.push(clockChange(document, now));
  return past;
}

/** What the history tells of the time since a place; null when that is none of its states, or too long ago. */
function readPast({ db, clock }: OpenDocument, { n, h }: Place, now: Now["now"]): RecentChange[] | null {
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
  if (size > MOST_BYTES) return null;
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
function clockChange({ schema, clock }: OpenDocument, now: Now["now"]): RecentChange {
  const summary = noSummary();
  for (const { id, columns } of schema.tables) {
    if (columns.some(({ formula }) => formula !== "")) makeEverything(summary.tables.at(id));
  }
  return { ...now, count: 0, time: clock.now(), user: null, summary };
}

export const shortened = (hash: string): string => hash.slice(0, HASH_LENGTH);
