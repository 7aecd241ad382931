import type { DocumentGrant } from "../../authorization.ts";
import { isMetadataTable } from "../actions/doc-action.ts";
import type { OpenDocument } from "../document.ts";
import { visibilityFor, seesEverything } from "../read/visibility-filter.ts";
import type { CallerAccess } from "../rules/access-types.ts";
import { type RecentChange, combineChanges } from "./recent-changes.ts";
import { changesSince, type HistoryPosition, shortHash } from "./changes-since.ts";
import type { ChangeSummary, TableChangeSummary } from "./change-summary.ts";

/** What somebody is told about the changes of a document, by what its access rules let him see. */

/** How far somebody was told. */
export interface ChangeFeedPosition extends HistoryPosition {
  /** Whether he saw everything then; null when that is not known. */
  readonly seesEverything: boolean | null;
}

export interface ChangeFeedBatch {
  readonly position: ChangeFeedPosition & { readonly h: string };
  /** True when everybody who may read the document is told the same. */
  readonly isUnrestricted: boolean;
  /** Why he has to read everything anew: the past is not known any more, or he may see something else than before. */
  readonly reset: "history" | "rules" | null;
  /** Oldest first. */
  readonly changes: readonly ChangeFeedEntry[];
}

export interface ChangeFeedEntry {
  /** The state it led to, with the beginning of its hash. */
  readonly n: number;
  readonly h: string;
  /** How many states it tells of; 0 for what formulas made of the time. */
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** E-mail address of whoever did it; null when nobody or several did, and for who does not see everything. */
  readonly user: string | null;
  readonly schema: boolean;
  readonly tables: readonly TableChangeEntry[];
}

/** What happened to a table: lists of rows, or `all` where any row may be another. */
export interface TableChangeEntry {
  readonly table: string;
  /** What it was called before. */
  readonly renamedFrom?: string;
  readonly isNew?: true;
  readonly isGone?: true;
  readonly all?: true;
  readonly added?: readonly number[];
  readonly updated?: readonly number[];
  readonly removed?: readonly number[];
  /** Where it says so, rows changed in the cells of these columns alone; with `all`, none came or went. */
  readonly columns?: readonly string[];
}

/** The most rows that one change lists, of all tables together. */
const MAX_ROWS = 500;

/** Tells somebody what happened since he was told last; from now on, when `from` is null. */
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
  // With numbers of states of their own choice they would find out how many there are.
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

/** True when the rules are others, or something that they look up about who asks. */
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

/** Null when nothing is to be told: the table came and went. */
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
 * For whom something is hidden: the tables he may read at this moment, and nothing about rows, columns and people. All
 * changes are put together, so that tables are known by the names that the rules know them by.
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

/** True when he may see something of what happened to a table. */
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
