import { must } from "../lib/assert.ts";
import type { CellValue } from "../values/cell.ts";
import { columnType } from "../values/column-type.ts";
import type { UserAction } from "./actions/apply-user-actions.ts";
import type { Change } from "./actions/change.ts";
import { readRows, sameCell } from "./actions/row-storage.ts";

/** The values of a file for a column of a table, by row of the file. */
export interface MergeColumn {
  readonly id: string;
  /** True for a new column without values. */
  readonly isEmpty: boolean;
  readonly values: readonly CellValue[];
  /** As they will be stored. */
  readonly prepared: readonly CellValue[];
  /** The type of a column that is empty so far, and gets its first values; null for columns with data. */
  readonly fillsType: string | null;
}

/** A row of the table that differs from its row of the file. */
export interface Difference {
  readonly id: number;
  /** In the file. */
  readonly row: number;
  /** Positions of the columns that differ, ascending. */
  readonly columns: readonly number[];
  /** The present values of these columns. */
  readonly before: readonly CellValue[];
}

interface Matches {
  readonly columns: readonly MergeColumn[];
  /** Ids of rows of the table by rows of the file. */
  readonly matches: ReadonlyMap<number, number>;
}

/** Returns the rows of a table with cells that differ from those of the file, by id. */
export function findDifferences(change: Change, table: string, { columns, matches }: Matches): Difference[] {
  const rowById = new Map([...matches].map(([row, id]) => [id, row]));
  const compared = [...columns.keys()].filter((c) => !columns[c]?.isEmpty);
  const stored = compared.filter((c) => columns[c]?.fillsType === null);
  const catalog = stored.map((c) => change.catalog.column(table, columns[c]?.id ?? ""));
  const { ids, cells } = readRows(change.db, table, catalog, [...rowById.keys()]);
  const cellsOf = new Map(stored.map((c, at) => [c, must(cells[at], "cells")]));
  return ids.flatMap((id, r): Difference[] => {
    const row = rowById.get(id) ?? 0;
    const differing = compared.filter((c) => {
      const { prepared, fillsType } = must(columns[c], "column");
      const value = prepared[row] ?? null;
      return fillsType === null
        ? !sameCell(cellsOf.get(c)?.[r] ?? null, value)
        : !isBlankFor(columnType(fillsType).defaultValue, value);
    });
    if (differing.length === 0) return [];
    return [{ id, row, columns: differing, before: differing.map((c) => cellsOf.get(c)?.[r] ?? null) }];
  });
}

/** True for a value that the cells of a column have before its first values are written. */
const isBlankFor = (defaultValue: CellValue, value: CellValue): boolean =>
  value === null || value === "" || sameCell(defaultValue, value);

/** More sets of columns are written column by column. */
const MAX_SETS = 256;

/**
 * Returns the actions that write the cells that differ, and no others: trigger formulas and access rules depend on the
 * columns that are written. Rows that differ in the same columns are updated together.
 */
export function updateActions(
  table: string,
  columns: readonly MergeColumn[],
  differences: readonly Difference[],
): UserAction[] {
  const sets = Map.groupBy(differences, (one) => one.columns.join(" "));
  if (sets.size <= MAX_SETS)
    return [...sets.values()].map((rows) => updateAction(table, columns, rows, rows[0]?.columns ?? []));
  return [...columns.keys()].flatMap((c) => {
    const rows = differences.filter((one) => one.columns.includes(c));
    return rows.length === 0 ? [] : [updateAction(table, columns, rows, [c])];
  });
}

function updateAction(
  table: string,
  columns: readonly MergeColumn[],
  rows: readonly Difference[],
  written: readonly number[],
): UserAction {
  const values = written.map((c) => {
    const { id, values: cells } = must(columns[c], "column");
    return [id, rows.map(({ row }) => cells[row] ?? null)] as const;
  });
  return ["BulkUpdateRecord", table, rows.map(({ id }) => id), Object.fromEntries(values)];
}
