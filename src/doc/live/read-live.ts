import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../document.ts";
import type { ChangeFeedPosition } from "../events/change-feed.ts";
import type { ChangeSummary } from "../events/change-summary.ts";
import { changesSince } from "../events/changes-since.ts";
import { combineChanges, type RecentChange } from "../events/recent-changes.ts";
import { nextDay } from "./next-day.ts";
import { visibilityFor } from "../read/visibility-filter.ts";
import { type LiveQuery, PresentQuery, rightsOf } from "./live-query.ts";
import {
  compareRows,
  type ReadRows,
  renderChanges,
  renderRecords,
  replaceRows,
  type ResultRows,
  selectRows,
} from "./result-rows.ts";

/** Follows the result of a query: what changed in it since the last read, in one snapshot. */

/** Why a result is sent as a whole. */
export type LiveReset = "history" | "rules" | "schema" | "clock";

/** The state of a result that was read. */
export interface LiveState extends ResultRows {
  readonly position: ChangeFeedPosition & { readonly h: string };
  readonly isRestricted: boolean;
  /** As `QueryReads.schemaKey`. */
  readonly schemaKey: string;
  /** As `PresentQuery.day`. */
  readonly day: number | null;
}

/** A state that a client resumes from, in which it could read everything. */
export interface ResumedState {
  readonly n: number;
  readonly h: string;
}

export interface LiveReadArgs {
  readonly query: LiveQuery;
  /** The rights of all callers for whom the query is read, as `rightsOf`. */
  readonly rights: string;
  /** Of the hashes in `known`. */
  readonly seed: bigint;
  /** The result at the last read; null for the first one. */
  readonly known: LiveState | null;
  /** Whether all records are needed: always, or unless the result is that of `known`. */
  readonly whole: "no" | "ifChanged" | "yes";
  readonly resumed: readonly ResumedState[];
}

/** What happened since a state that a client resumes from: a `change`, nothing, or why the result must be sent. */
export type Resumption =
  | { readonly kind: "change"; readonly data: Uint8Array }
  | { readonly kind: "current" }
  | { readonly kind: "reset"; readonly reason: LiveReset };

export interface LiveRead {
  readonly state: LiveState;
  /** Why `known` cannot be continued; null if it can. */
  readonly reset: LiveReset | null;
  /** The data of the `change` event since `known`; null if nothing changed. */
  readonly change: Uint8Array | null;
  /**
   * All records, if they were requested, or are needed because of `reset` or a resumption. Null with `ifChanged` if
   * `reset` and `change` are null.
   */
  readonly records: Uint8Array | null;
  readonly resumptions: readonly Resumption[];
  /** When the result changes by the clock: the next midnight in the document's time zone, in ms since the epoch. */
  readonly expiresAtMs: number | null;
}

/**
 * Returns null if the caller's rights are others than `rights`: whatever they read or may not read is not that of the
 * other callers.
 * @throws AppError as reads of records, and `tooLarge`
 */
export function readLive(document: OpenDocument, grant: DocumentGrant, args: LiveReadArgs): LiveRead | null {
  const { known, seed } = args;
  if (rightsOf(visibilityFor(document, grant)) !== args.rights) return null;
  const query = new PresentQuery(document, grant, args.query);
  const since = changesSince(document, known?.position ?? null);
  const reset = known && resetReason(query, known, since.changes);
  const base = {
    position: { ...since.position, seesEverything: !query.isRestricted },
    isRestricted: query.isRestricted,
    schemaKey: query.reads.schemaKey,
    day: query.day,
  };
  const expiresAtMs = query.day === null ? null : nextDay(document);
  let readWhole: ReadRows | undefined;
  const readAll = (): ReadRows => (readWhole ??= query.readAll(seed));
  const affected = known && !reset ? affectedRows(query, summaryOf(since.changes ?? [])) : "any";
  const { change, rows } =
    known && affected !== "any" && args.whole !== "yes"
      ? readAffected(query, known, { affected, seed })
      : compareWhole(readAll(), reset ? null : known);
  const resumptions = args.resumed.map((state) => resume(query, state, readAll));
  const isKnown = args.whole === "ifChanged" && known !== null && !reset && !change;
  const needsRecords = args.whole !== "no" || reset !== null || resumptions.some(({ kind }) => kind === "reset");
  const records = needsRecords && !isKnown ? renderRecords(readAll()) : null;
  return { state: { ...base, ...rows }, reset, change, records, resumptions, expiresAtMs };
}

/** A result, and the data of the `change` event that leads to it. */
interface NextRows {
  readonly change: Uint8Array | null;
  readonly rows: ResultRows;
}

function compareWhole(read: ReadRows, known: ResultRows | null): NextRows {
  const { texts: _, ...rows } = read;
  return { change: known ? renderChanges(read, compareRows(known, rows)) : null, rows };
}

type Affected = "any" | ReadonlySet<number>;

/** Reads the rows that may have changed. */
function readAffected(
  query: PresentQuery,
  known: LiveState,
  { affected, seed }: { affected: ReadonlySet<number>; seed: bigint },
): NextRows {
  const { ids, hashes } = known;
  if (affected.size === 0) return { change: null, rows: { ids, hashes } };
  const { texts, ...now } = query.readSome([...affected], seed);
  const change = renderChanges({ ...now, texts }, compareRows(selectRows(known, affected), now));
  return { change, rows: change ? replaceRows(known, now, affected) : { ids, hashes } };
}

/** Returns why a result cannot be continued from a state. */
function resetReason(query: PresentQuery, known: LiveState, changes: readonly RecentChange[] | null): LiveReset | null {
  if (!changes) return "history";
  if (known.isRestricted !== query.isRestricted) return "rules";
  if (haveRulesChanged(query, changes)) return "rules";
  if (known.schemaKey !== query.reads.schemaKey) return "schema";
  return known.day === query.day ? null : "clock";
}

/** True when the rules have changed, or a table that they look up users in. */
function haveRulesChanged({ document, isRestricted }: PresentQuery, changes: readonly RecentChange[]): boolean {
  if (changes.some(({ summary }) => summary.rules)) return true;
  const tables = isRestricted ? document.rules?.attributeTables : undefined;
  if (!tables || tables.size === 0) return false;
  return changes.some(({ summary }) =>
    [...summary.tables.all].some(
      ({ before, after }) => (before !== null && tables.has(before)) || (after !== null && tables.has(after)),
    ),
  );
}

const summaryOf = (changes: readonly RecentChange[]): ChangeSummary | null =>
  changes.length === 0 ? null : combineChanges(changes).summary;

/** Returns the rows whose part in the result may have changed. */
function affectedRows({ table, isMetadata, reads }: PresentQuery, summary: ChangeSummary | null): Affected {
  if (!summary) return new Set();
  if (isMetadata || summary.schema || reads.hasHiddenRows) return "any";
  const affected = new Set<number>();
  for (const { before, after, extent, ...lists } of summary.tables.all) {
    const names = [before, after].filter((name) => name !== null);
    if (names.some((name) => reads.joined.has(name))) return "any";
    if (!names.includes(table)) continue;
    if (extent !== "rows") return "any";
    for (const ids of [lists.added, lists.updated, lists.removed]) for (const id of ids) affected.add(id);
  }
  return affected;
}

/** Rows that do not belong to the result are reported as removed: the client could read them then, and can now. */
function resume(query: PresentQuery, state: ResumedState, readAll: () => ReadRows): Resumption {
  const { changes } = changesSince(query.document, { ...state, mark: null });
  if (!changes || query.isRestricted) return { kind: "reset", reason: "history" };
  const summary = summaryOf(changes);
  if (!summary) return { kind: "current" };
  if (summary.rules) return { kind: "reset", reason: "rules" };
  if (summary.schema) return { kind: "reset", reason: "schema" };
  const affected = affectedRows(query, summary);
  if (affected === "any") return { kind: "reset", reason: "history" };
  const now = readAll();
  const updated = [...now.ids.keys()].filter((at) => affected.has(now.ids[at] ?? 0));
  const present = new Set(updated.map((at) => now.ids[at]));
  const removed = [...affected].filter((id) => !present.has(id)).toSorted((a, b) => a - b);
  const data = renderChanges(now, { added: [], updated, removed });
  return data ? { kind: "change", data } : { kind: "current" };
}
