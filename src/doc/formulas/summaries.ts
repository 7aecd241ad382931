import type { CellValue } from "../../values/cell.ts";
import type { Schema } from "../schema.ts";
import { cellKey, groupCell, joinKeys, type Key, type LookupKeyColumn, keyColumnsId } from "./lookup-keys.ts";
import type { LookupMap } from "./lookup-map.ts";
import type { ColumnNode, TableNode } from "./nodes.ts";

/** A table with a row for each combination of values that some columns of its source have. */
export interface SummaryDefinition {
  readonly table: TableNode;
  readonly source: TableNode;
  readonly groups: readonly { readonly own: ColumnNode; readonly source: ColumnNode }[];
  /** What the rows of the source are keyed by. */
  readonly columns: readonly LookupKeyColumn[];
}

/** The summaries of a document, by their tables. */
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

/** A record with a list belongs to the group of each element; empty lists are a group of their own. */
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

/** What tells whether a summary is grouped as it was before. */
export const summaryId = ({ source, columns }: SummaryDefinition): string => `${source.id} ${keyColumnsId(columns)}`;

/** The key that the source rows of a summary's row have. */
export function keyOfSummaryRow({ groups }: SummaryDefinition, row: number, cellOf: CellOf): Key {
  return joinKeys(groups.map(({ own }) => cellKey(cellOrDefault(own, row, cellOf))));
}

/** Which rows a summary lacks, and which it has too many. */
export interface SummaryChanges {
  /** The group-by cells of new rows: by the first row of the source in each group, then by what they hold. */
  readonly added: readonly (readonly CellValue[])[];
  readonly removed: readonly number[];
}

/** Holds the rows of a summary against the groups of its source. */
export class SummaryUpdater {
  readonly summary: SummaryDefinition;
  /** True when its rows have to be looked at. */
  isStale = false;
  /** Undefined until the rows are looked at. */
  #rowsByKey: Map<Key, number> | undefined;
  #changed = new Set<Key>();
  #map: LookupMap | undefined;

  constructor(summary: SummaryDefinition) {
    this.summary = summary;
  }

  /** To be told when rows of the summary changed otherwise than by what `changes` told. */
  reset(): void {
    this.#rowsByKey = undefined;
  }

  /** True when groups changed since. */
  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** What has to be done. `map` holds the source by its groups, up to date. */
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
      // Two rows for one group would count everything twice.
      if (rowsByKey.has(key)) removed.push(row);
      else rowsByKey.set(key, row);
    }
    return rowsByKey;
  }
}

/** A cell that is empty is another group than one that holds 0 or an empty text. */
function cellOrDefault(column: ColumnNode, row: number, cellOf: CellOf): CellValue {
  const cell = cellOf(column, row);
  return cell === undefined ? column.kind.defaultValue : cell;
}

type CellOf = (column: ColumnNode, row: number) => CellValue | undefined;

/** Tells the cells of a source row that make it belong to a group; of lists, the elements that do. */
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
    // Rows come one after the other, each with all the groups it is the first of.
    if (lastRow?.row !== row) lastRow = { row, byKey: combinations(choicesOf(row)) };
    return lastRow.byKey.get(key) ?? groups.map(({ own }) => own.kind.defaultValue);
  };
}

/** Every combination of cells, by the key it has. */
function combinations(choices: readonly (readonly CellValue[])[]): Map<Key, readonly CellValue[]> {
  let combined: CellValue[][] = [[]];
  for (const cells of choices) combined = combined.flatMap((head) => cells.map((cell) => [...head, cell]));
  return new Map(combined.toReversed().map((cells) => [joinKeys(cells.map(cellKey)), cells]));
}

/** Orders the groups that the lists of one row give. */
function compareGroups(a: readonly CellValue[], b: readonly CellValue[]): number {
  for (const [g, cell] of a.entries()) {
    const other = b[g] ?? null;
    if (cell === other) continue;
    if (typeof cell === "number" && typeof other === "number") return cell - other;
    if (typeof cell === "string" && typeof other === "string") return cell < other ? -1 : 1;
  }
  return 0;
}
