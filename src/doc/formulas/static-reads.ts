import { columnType } from "../../values/column-type.ts";
import { type ColumnNode, mayReadAnyName, type TableNode } from "./nodes.ts";
import type { LookupMap } from "./lookups/lookup-map.ts";
import type { OwnPath, Path } from "./paths.ts";
import type { SummaryDefinition } from "./summaries.ts";

/**
 * Dependencies of formulas are recorded during evaluation. Because opening a document does not evaluate formulas,
 * static analysis provides them until a formula was computed for all rows.
 */

/** The parts of a calculation that static analysis uses. */
export interface FormulaIndex {
  readonly tables: ReadonlyMap<string, TableNode>;
  readonly summaries: ReadonlyMap<TableNode, SummaryDefinition>;
  table(id: string): TableNode;
  /** Tables created in this change, which no stored result can depend on. */
  readonly newTables: ReadonlySet<TableNode>;
  pathOf(column: ColumnNode): OwnPath;
  reverseMap(column: ColumnNode, target: string): LookupMap;
}

/**
 * Links a column with everything that its formula reads, if static analysis is complete: cells of its own row, and
 * chains of references from there. Returns whether it is.
 */
export function linkStatically(index: FormulaIndex, column: ColumnNode): boolean {
  const { formula, table } = column;
  if (!formula || formula.blank) return true;
  const { reads } = formula;
  if (reads.isDynamic || [...reads.globals].some((name) => index.tables.has(name))) return false;
  if ([...reads.attributes].some((name) => isColumnAnywhere(index, name))) return false;
  const found: [path: Path, column: ColumnNode][] = [];
  for (const chain of reads.chains) {
    const read = followChain(index, { column, table }, chain);
    if (!read) return false;
    found.push(...read);
  }
  for (const [path, read] of found) path.recordRead(read);
  return true;
}

/** Returns the reads of an attribute chain beyond the own row; undefined when types do not determine them. */
function followChain(
  index: FormulaIndex,
  { column, table }: { column: ColumnNode; table: TableNode },
  chain: readonly string[],
): [Path, ColumnNode][] | undefined {
  const found: [Path, ColumnNode][] = [];
  let path: Path = index.pathOf(column);
  let at = table.columns.get(chain[0] ?? "");
  for (const name of chain.slice(1)) {
    // A missing column is an error; adding it changes the schema and invalidates this analysis.
    if (!at) return found;
    if (at.kind.base === "Any" || name === "find" || name === "_find") return undefined;
    // Attributes of plain values are methods.
    if (at.kind.target === undefined) return found;
    const next = index.table(at.kind.target);
    // The id of a referenced row is part of the reference, so it adds no dependency.
    if (name === "id") return found;
    path = path.followReference(at.id, next.id);
    at = next.columns.get(name);
    if (at) found.push([path, at]);
  }
  return found;
}

function isColumnAnywhere({ tables }: FormulaIndex, name: string): boolean {
  for (const table of tables.values()) if (table.columns.has(name)) return true;
  return name === "find" || name === "_find";
}

/** Returns true when a formula with unresolved dependencies may read the column in other rows than its own. */
export function mayRead(index: FormulaIndex, reader: ColumnNode, column: ColumnNode): boolean {
  const { formula } = reader;
  if (!formula || index.newTables.has(column.table)) return false;
  const { reads } = formula;
  if (reads.isDynamic && reader.table === column.table) return true;
  if (reads.attributes.has(column.id) || reads.chains.some((chain) => chain.includes(column.id, 1))) return true;
  // Lookups mention columns of a table that the formula mentions too.
  const isNamed = reads.isDynamic || reads.globals.has(column.table.id);
  if (isNamed && (reads.mentions.has(column.id) || reads.orderColumns.has(column.id))) return true;
  const summary = index.summaries.get(reader.table);
  if (reads.isDynamic && summary?.groups.some(({ source }) => source === column)) return true;
  // Names computed at run time may refer to any column.
  return mayReadAnyName(formula);
}

/** Returns true when a formula with unresolved dependencies may depend on added or removed rows. */
export function mayReadTable(
  index: FormulaIndex,
  reader: ColumnNode,
  { table, rows }: { table: TableNode; rows: readonly number[] },
): boolean {
  const { formula } = reader;
  if (!formula || index.newTables.has(table)) return false;
  const { reads } = formula;
  if (reads.globals.has(table.id) || (reads.isDynamic && reader.table === table)) return true;
  if (index.summaries.get(reader.table)?.source === table && reads.isDynamic) return true;
  if (mayReadAnyName(formula)) return true;
  const names = new Set([...reads.attributes, ...reads.chains.flatMap((chain) => chain.slice(1))]);
  if (![...table.columns.keys()].some((name) => names.has(name))) return false;
  return isReferenced(index, table, rows);
}

/** Returns true when a cell refers to one of the added or removed rows. */
function isReferenced(index: FormulaIndex, target: TableNode, rows: readonly number[]): boolean {
  for (const table of index.tables.values()) {
    for (const column of table.columns.values()) {
      if (columnType(column.column.type).target !== target.id) continue;
      const map = index.reverseMap(column, target.id);
      if (rows.some((row) => map.rowsOf(row).length > 0)) return true;
    }
  }
  return false;
}
