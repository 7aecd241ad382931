import type { DocumentGrant } from "../../authorization.ts";
import { isMetadataTable } from "../actions/doc-action.ts";
import type { OpenDocument } from "../document.ts";
import { visibilityFor, seesEverything } from "../read/visibility-filter.ts";
import type { CallerAccess } from "../rules/access-types.ts";
import { type RecentChange, combineChanges } from "./recent-changes.ts";
import { changesSince, type HistoryPosition, shortHash } from "./changes-since.ts";
import type { ChangeSummary, TableChangeSummary } from "./change-summary.ts";

/** The changes of a document as visible to a caller under its access rules. */

/** How far a caller has read the change feed. */
export interface ChangeFeedPosition extends HistoryPosition {
  /** Whether the caller saw everything then; null when that is not known. */
  readonly seesEverything: boolean | null;
}

export interface ChangeFeedBatch {
  readonly position: ChangeFeedPosition & { readonly h: string };
  /** True when all readers of the document receive the same entries. */
  readonly isUnrestricted: boolean;
  /**
   * Why the caller must reload everything: the requested history is no longer available, or what they may see has
   * changed.
   */
  readonly reset: "history" | "rules" | null;
  /** Oldest first. */
  readonly changes: readonly ChangeFeedEntry[];
}

export interface ChangeFeedEntry {
  /** The resulting state, with a prefix of its hash. */
  readonly n: number;
  readonly h: string;
  /** How many states the entry covers; 0 for time-dependent formulas. */
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The email address of the user; null for no or several users, and for callers who do not see everything. */
  readonly user: string | null;
  readonly schema: boolean;
  readonly tables: readonly TableChangeEntry[];
}

/** Changes of a table: lists of rows, or `all` where any row may have changed. */
export interface TableChangeEntry {
  readonly table: string;
  /** The previous name. */
  readonly renamedFrom?: string;
  readonly isNew?: true;
  readonly isGone?: true;
  readonly all?: true;
  readonly added?: readonly number[];
  readonly updated?: readonly number[];
  readonly removed?: readonly number[];
  /** When present, rows changed in these columns only; with `all`, no rows were added or removed. */
  readonly columns?: readonly string[];
}

/** The maximum number of rows that one entry lists, over all tables. */
const MAX_ROWS = 500;

/** Returns the changes since a caller's last read; when `from` is null, only the present position. */
export function readChangeFeed(
  document: OpenDocument,
  grant: DocumentGrant,
  from: ChangeFeedPosition | null,
): ChangeFeedBatch {
  const { rules } = visibilityFor(document, grant);
  const isUnrestrictedCaller = seesEverything(rules);
  const since = changesSince(document, from);
  const batch = {
    position: { ...since.position, seesEverything: isUnrestrictedCaller },
    isUnrestricted: rules === null,
  };
  // By submitting arbitrary state numbers, callers could find out how many states exist.
  if (from?.seesEverything === null && !isUnrestrictedCaller) return { ...batch, reset: "history", changes: [] };
  const changes = since.changes ?? [];
  if (!since.changes) return { ...batch, reset: "history", changes: [] };
  if (hasVisibilityChanged(document, changes, { from, seesEverything: isUnrestrictedCaller })) {
    return { ...batch, reset: "rules", changes: [] };
  }
  if (rules && !isUnrestrictedCaller)
    return { ...batch, reset: null, changes: restrictedEntries(document, rules, changes) };
  return { ...batch, reset: null, changes: changes.map(fullEntry) };
}

/** True when the rules have changed, or a user attribute that they look up about the caller. */
function hasVisibilityChanged(
  document: OpenDocument,
  changes: readonly RecentChange[],
  { from, seesEverything }: { from: ChangeFeedPosition | null; seesEverything: boolean },
): boolean {
  if (from && from.seesEverything !== null && from.seesEverything !== seesEverything) return true;
  if (changes.some(({ summary }) => summary.rules)) return true;
  const attributeTables = seesEverything ? undefined : document.rules?.attributeTables;
  if (!attributeTables || attributeTables.size === 0) return false;
  return changes.some(({ summary }) =>
    [...summary.tables.all].some(({ after }) => after !== null && attributeTables.has(after)),
  );
}

function fullEntry({ summary, h, ...change }: RecentChange): ChangeFeedEntry {
  let rows = 0;
  const tables: TableChangeEntry[] = [];
  for (const table of summary.tables.all) {
    rows += table.added.size + table.updated.size + table.removed.size;
    const entry = tableEntry(rows > MAX_ROWS ? { ...table, extent: "everything" } : table);
    if (entry) tables.push(entry);
  }
  return { ...change, h: shortHash(h), schema: summary.schema, tables };
}

/** Null for a table that was added and removed within the change, which needs no entry. */
function tableEntry({ before, after, extent, ...lists }: TableChangeSummary): TableChangeEntry | null {
  const table = after ?? before;
  if (table === null) return null;
  if (after === null) return { table, isGone: true };
  const named = {
    table,
    ...(before === null && { isNew: true as const }),
    ...(before !== null && before !== after && { renamedFrom: before }),
  };
  const columns = lists.columns.size > 0 && { columns: [...lists.columns] };
  if (extent === "everything") return { ...named, all: true };
  if (extent === "cells") return { ...named, all: true, ...columns };
  const { added, updated, removed } = lists;
  if (added.size + updated.size + removed.size === 0) return null;
  return {
    ...named,
    ...(added.size > 0 && { added: sorted(added) }),
    ...(updated.size > 0 && { updated: sorted(updated), ...columns }),
    ...(removed.size > 0 && { removed: sorted(removed) }),
  };
}

const sorted = (ids: ReadonlySet<number>): number[] => [...ids].toSorted((a, b) => a - b);

/**
 * Entries for a restricted caller: the tables that they may read now, without rows, columns and users. All changes are
 * merged, so that tables have the names that the rules use.
 */
function restrictedEntries(
  document: OpenDocument,
  rules: CallerAccess,
  changes: readonly RecentChange[],
): ChangeFeedEntry[] {
  const relevant = changes.filter(({ summary }) => isRelevant(document, rules, summary));
  const last = relevant.at(-1);
  if (!last) return [];
  const { summary, h, ...change } = combineChanges(changes);
  const tables = [...summary.tables.all].flatMap((table): TableChangeEntry[] => {
    const name = table.after;
    return name !== null && isVisibleTableChange(document, rules, { ...table, name })
      ? [{ table: name, all: true }]
      : [];
  });
  const schema = summary.schema && mayKnowOfSchema(rules, summary);
  const { time } = last;
  return tables.length > 0 || schema ? [{ ...change, time, user: null, h: shortHash(h), schema, tables }] : [];
}

/** True when a change has anything to report. A table renamed since then is reported with the rename. */
const isRelevant = (document: OpenDocument, rules: CallerAccess, summary: ChangeSummary): boolean =>
  mayKnowOfSchema(rules, summary) ||
  [...summary.tables.all].some(
    (table) => table.after !== null && isVisibleTableChange(document, rules, { ...table, name: table.after }),
  );

const mayKnowOfSchema = (rules: CallerAccess, { schema }: ChangeSummary): boolean => schema && rules.mayReadMetadata;

/** True when the caller may see any part of a table's change. */
function isVisibleTableChange(
  document: OpenDocument,
  rules: CallerAccess,
  { name, extent, columns, added, removed }: TableChangeSummary & { readonly name: string },
): boolean {
  if (isMetadataTable(name) || !document.schema.tableById.has(name)) return false;
  const access = rules.table(name);
  if (access.read === "deny") return false;
  if (extent === "everything" || added.size + removed.size > 0) return true;
  return [...columns].some((column) => access.column(column).read !== "deny");
}
