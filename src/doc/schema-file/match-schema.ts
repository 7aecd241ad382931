import type { ColumnInfo, Schema, TableInfo } from "../schema.ts";
import { groupingColumns, isGroupColumn, summariesOf } from "../actions/summaries/summary-columns.ts";
import { GROUP_ID, listedColumns } from "./describe-schema.ts";
import type { SchemaKeys } from "./schema-keys.ts";
import { groupColumnOf, type WantedColumn, type WantedTable } from "./wanted-schema.ts";

/** Which tables and columns of a document those of a file are. The others are new, or are removed. */
export interface SchemaMatch {
  /** Refs of existing tables. */
  readonly tables: Map<WantedTable, number>;
  /** Refs of existing columns. */
  readonly columns: Map<WantedColumn, number>;
  readonly removedTables: readonly TableInfo[];
  /** Of tables that stay. */
  readonly removedColumns: readonly ColumnInfo[];
}

/** Matches by key, then tables and columns without a recorded key by id. */
export function matchSchema(schema: Schema, wanted: readonly WantedTable[], keys: SchemaKeys): SchemaMatch {
  const match = { tables: new Map<WantedTable, number>(), columns: new Map<WantedColumn, number>() };
  const plain = schema.tables.filter(({ summarySourceTable }) => !summarySourceTable);
  const removedTables: TableInfo[] = [];
  const removedColumns: ColumnInfo[] = [];
  const matchColumns = (table: WantedTable, info: TableInfo) => {
    match.tables.set(table, info.ref);
    const group = table.summaryOf ? info.columns.find(isGroupColumn) : undefined;
    const wantedGroup = group && groupColumnOf(table);
    if (wantedGroup) match.columns.set(wantedGroup, group.ref);
    const wantedColumns = [...table.columns.values()].filter((column) => column !== wantedGroup);
    // Without one in the file, it stays, with its usual id unless that is another column's.
    const isRest = !wantedGroup && wantedColumns.some(({ file }) => file.id === GROUP_ID);
    const existing = listedColumns(info).filter((column) => isRest || column !== group);
    const found = pair(wantedColumns, existing, {
      keyOf: ({ ref }) => keys.ofColumn(ref),
      idOf: ({ file }) => file.id,
      hasRecordedKey: ({ ref }) => keys.recorded("column", ref) !== undefined,
    });
    for (const [column, { ref }] of found.pairs) match.columns.set(column, ref);
    removedColumns.push(...found.rest);
  };
  const found = pair(
    wanted.filter(({ summaryOf }) => !summaryOf),
    plain,
    {
      keyOf: ({ ref }) => keys.ofTable(ref),
      idOf: ({ id }) => id,
      hasRecordedKey: ({ ref }) => keys.recorded("table", ref) !== undefined,
    },
  );
  removedTables.push(...found.rest);
  for (const [table, info] of found.pairs) matchColumns(table, info);
  for (const [source, { ref }] of found.pairs) {
    const existing = summariesOf(schema, ref);
    const known = new Map(existing.map((summary) => [groupsOf(summary), summary]));
    for (const table of wanted) {
      if (table.summaryOf?.source !== source) continue;
      const refs = table.summaryOf.groupBy.map((key) => {
        const column = source.columns.get(key);
        return column && match.columns.get(column);
      });
      const groups = setOf(refs);
      const summary = refs.includes(undefined) ? undefined : known.get(groups);
      if (summary) matchColumns(table, summary);
      known.delete(groups);
    }
    const matched = new Set(match.tables.values());
    removedTables.push(...existing.filter((summary) => !matched.has(summary.ref)));
  }
  return { ...match, removedTables, removedColumns };
}

const groupsOf = (summary: TableInfo): string =>
  setOf(groupingColumns(summary).map(({ summarySourceCol }) => summarySourceCol));

/** Returns a text that is the same for the same refs in another order. */
const setOf = (refs: readonly (number | undefined)[]): string =>
  refs
    .map(Number)
    .toSorted((a, b) => a - b)
    .join();

/** Pairs items of the file with existing ones: by key, then those without a recorded key by id. */
function pair<W extends { readonly key: string }, E extends { readonly id: string }>(
  wanted: readonly W[],
  existing: readonly E[],
  {
    keyOf,
    idOf,
    hasRecordedKey,
  }: { keyOf: (item: E) => string; idOf: (item: W) => string; hasRecordedKey: (item: E) => boolean },
): { pairs: Map<W, E>; rest: E[] } {
  const pairs = new Map<W, E>();
  const rest = new Set(existing);
  const take = (item: W, found: E | undefined) => {
    if (!found || !rest.has(found)) return;
    rest.delete(found);
    pairs.set(item, found);
  };
  const byKey = new Map(existing.map((item) => [keyOf(item), item]));
  for (const item of wanted) take(item, byKey.get(item.key));
  const byId = new Map(existing.filter((item) => !hasRecordedKey(item)).map((item) => [item.id.toLowerCase(), item]));
  for (const item of wanted) if (!pairs.has(item)) take(item, byId.get(idOf(item).toLowerCase()));
  return { pairs, rest: [...rest] };
}
