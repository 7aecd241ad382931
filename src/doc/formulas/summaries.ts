import type { CellValue } from "../../values/cell.ts";
import type { Schema } from "../schema.ts";
import { cellKey, groupCell, joinKeys, type Key, type LookupKeyColumn, keyColumnsId } from "./lookups/lookup-keys.ts";
import type { LookupMap } from "./lookups/lookup-map.ts";
import type { ColumnNode, TableNode } from "./nodes.ts";

/** A summary: a table with a row for each combination of values in the group-by columns of its source. */
export interface SummaryDefinition {
  readonly table: TableNode;
  readonly source: TableNode;
  readonly groups: readonly { readonly own: ColumnNode; readonly source: ColumnNode }[];
  /** The key columns that group the rows of the source. */
  readonly columns: readonly LookupKeyColumn[];
}

/** Returns the summaries of a document by table. */
export function findSummaries(
  schema: Schema,
  tables: ReadonlyMap<string, TableNode>,
): Map<TableNode, SummaryDefinition> {
  const found = new Map<TableNode, SummaryDefinition>();
  for (const info of schema.tables) {
    const table = tables.get(info.id);
    const source = tables.get(schema.tableByRef.get(info.summarySourceTable)?.id ?? "");
    if (!table || !source) continue;
    const groups = info.columns.flatMap(({ id, summarySourceCol }) => {
      const own = table.columns.get(id);
      const column = source.columns.get(schema.columnByRef.get(summarySourceCol)?.id ?? "");
      return summarySourceCol > 0 && own && column ? [{ own, source: column }] : [];
    });
    found.set(table, { table, source, groups, columns: groups.map((group) => keyColumnOf(group.source)) });
  }
  return found;
}

/**
 * Returns the key column of a group-by column. A list belongs to the groups of its elements; empty lists have their own
 * group.
 */
function keyColumnOf(node: ColumnNode): LookupKeyColumn {
  switch (node.kind.base) {
    case "ChoiceList":
      return { node, by: "element", empty: cellKey("") };
    case "RefList":
    case "Attachments":
      return { node, by: "element", empty: 0 };
    default:
      return { node, by: "group" };
  }
}

/** Returns an identifier of a summary's grouping. */
export const summaryId = ({ source, columns }: SummaryDefinition): string => `${source.id} ${keyColumnsId(columns)}`;

/** Returns the key of a summary row's source rows. */
export function keyOfSummaryRow({ groups }: SummaryDefinition, row: number, cellOf: CellOf): Key {
  return joinKeys(groups.map(({ own }) => cellKey(cellOrDefault(own, row, cellOf))));
}

/** The rows to add to and remove from a summary. */
export interface SummaryChanges {
  /** The group-by cells of new rows, ordered by the first source row of each group, then by their values. */
  readonly added: readonly (readonly CellValue[])[];
  readonly removed: readonly number[];
}

/** Compares the rows of a summary with the groups of its source. */
export class SummaryUpdater {
  readonly summary: SummaryDefinition;
  /** True when the rows must be compared. */
  isStale = false;
  /** Undefined until the rows are read. */
  #rowsByKey: Map<Key, number> | undefined;
  #changed = new Set<Key>();
  #map: LookupMap | undefined;

  constructor(summary: SummaryDefinition) {
    this.summary = summary;
  }

  /** Invalidates the cached rows, when they were changed other than by applying `findChanges`. */
  reset(): void {
    this.#rowsByKey = undefined;
  }

  /** True when groups changed since the last comparison. */
  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** Returns the necessary changes. `map` is the refreshed map of the source rows by group. */
  findChanges(
    map: LookupMap,
    { allRows, cellOf }: { allRows: () => readonly number[]; cellOf: CellOf },
  ): SummaryChanges {
    if (this.#map !== map) {
      this.#map = map;
      this.#rowsByKey = undefined;
      map.watchers.push((keys) => {
        for (const key of keys) this.#changed.add(key);
      });
    }
    const removed: number[] = [];
    let keys: Iterable<Key> = this.#changed;
    if (!this.#rowsByKey) {
      this.#rowsByKey = this.#read(allRows(), { cellOf, removed });
      keys = new Set([...map.keys(), ...this.#rowsByKey.keys()]);
    }
    this.#changed = new Set();
    const added: { key: Key; first: number }[] = [];
    for (const key of keys) {
      const row = this.#rowsByKey.get(key);
      const [first] = map.rowsOf(key);
      if (row === undefined && first !== undefined) added.push({ key, first });
      if (row === undefined || first !== undefined) continue;
      removed.push(row);
      this.#rowsByKey.delete(key);
    }
    const cellsOf = groupReader(this.summary, cellOf);
    const groups = added.map(({ key, first }) => ({ first, cells: cellsOf(key, first) }));
    groups.sort((a, b) => a.first - b.first || compareGroups(a.cells, b.cells));
    return { added: groups.map(({ cells }) => cells), removed };
  }

  #read(rows: readonly number[], { cellOf, removed }: { cellOf: CellOf; removed: number[] }): Map<Key, number> {
    const rowsByKey = new Map<Key, number>();
    for (const row of rows) {
      const key = keyOfSummaryRow(this.summary, row, cellOf);
      // A second row for a group would count its records twice.
      if (rowsByKey.has(key)) removed.push(row);
      else rowsByKey.set(key, row);
    }
    return rowsByKey;
  }
}

/** Returns the cell, or the default for missing rows. Null is kept: it is another group than 0 or an empty text. */
function cellOrDefault(column: ColumnNode, row: number, cellOf: CellOf): CellValue {
  const cell = cellOf(column, row);
  return cell === undefined ? column.kind.defaultValue : cell;
}

type CellOf = (column: ColumnNode, row: number) => CellValue | undefined;

/** Returns a function that finds the cells of a source row for a group; for lists, the matching elements. */
function groupReader(
  { columns, groups }: SummaryDefinition,
  cellOf: CellOf,
): (key: Key, row: number) => readonly CellValue[] {
  let lastRow: { row: number; byKey: ReadonlyMap<Key, readonly CellValue[]> } | undefined;
  const choicesOf = (row: number) =>
    groups.map(({ source, own }, g): readonly CellValue[] => {
      const cell = cellOrDefault(source, row, cellOf);
      if (columns[g]?.by !== "element") {
        const grouped = groupCell(cell, source);
        return grouped === undefined ? [] : [grouped];
      }
      const items = Array.isArray(cell) && cell[0] === "L" ? (cell.slice(1) as CellValue[]) : [];
      return items.length > 0 ? items : [own.kind.base === "Ref" ? 0 : ""];
    });
  return (key, row) => {
    // Calls for the same row are consecutive, so caching the last row suffices.
    if (lastRow?.row !== row) lastRow = { row, byKey: combinations(choicesOf(row)) };
    return lastRow.byKey.get(key) ?? groups.map(({ own }) => own.kind.defaultValue);
  };
}

/** Returns all combinations of cells by key. */
function combinations(choices: readonly (readonly CellValue[])[]): Map<Key, readonly CellValue[]> {
  let combined: CellValue[][] = [[]];
  for (const cells of choices) combined = combined.flatMap((head) => cells.map((cell) => [...head, cell]));
  return new Map(combined.toReversed().map((cells) => [joinKeys(cells.map(cellKey)), cells]));
}

/** Compares groups that come from lists in the same source row. */
function compareGroups(a: readonly CellValue[], b: readonly CellValue[]): number {
  for (const [g, cell] of a.entries()) {
    const other = b[g] ?? null;
    if (cell === other) continue;
    if (typeof cell === "number" && typeof other === "number") return cell - other;
    if (typeof cell === "string" && typeof other === "string") return cell < other ? -1 : 1;
  }
  return 0;
}
