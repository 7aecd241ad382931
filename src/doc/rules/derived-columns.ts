import { columnType } from "../../values/column-type.ts";
import { groupingColumns, isGroupColumn } from "../actions/summaries/summary-columns.ts";
import type { Schema, TableInfo } from "../schema.ts";

/**
 * Columns that the server itself fills from other tables: reading them requires access to their sources. User-written
 * formulas do not.
 */

/** A hidden column that repeats a reference, or displays it by a column of the referenced table. */
export interface DisplayHelper {
  readonly id: string;
  /** The reference column, in the same table. */
  readonly reference: string;
  /** The displayed column; null when it is not a column of a user table. */
  readonly shown: { readonly table: string; readonly column: string } | null;
}

export const isHelper = (id: string): boolean => id.startsWith("gristHelper_");

/**
 * Returns the helpers of a table whose formulas have the form `$Person.Name`, and those of conditional styles, which
 * belong to the column that they format.
 */
export function displayHelpers({ columns, columnById }: TableInfo, schema: Schema): DisplayHelper[] {
  const styles = columns.flatMap(({ id: reference, rules }) =>
    (rules ?? []).flatMap((ref) => {
      const helper = schema.columnByRef.get(ref);
      return helper && isHelper(helper.id) ? [{ id: helper.id, reference, shown: null }] : [];
    }),
  );
  const displays = columns.flatMap(({ id, formula }) => {
    const [, reference, column] = (isHelper(id) && /^\$(\w+)\.(\w+)$/.exec(formula.trim())) || [];
    if (reference === undefined || column === undefined) return [];
    const table = columnType(columnById.get(reference)?.type ?? "Any").target;
    const isShown = table !== undefined && schema.tableById.has(table);
    return [{ id, reference, shown: isShown ? { table, column } : null }];
  });
  return [...displays, ...styles];
}

/** The columns of a summary table and their sources. */
export interface SummaryColumns {
  readonly source: string;
  /** The column that lists the source rows of each group; null in files that lack it. */
  readonly group: string | null;
  /** The group-by columns, each with its column in the source table. */
  readonly groupBy: readonly { readonly id: string; readonly source: string }[];
  /** The built-in aggregates, each with the aggregated source column; null for none. */
  readonly aggregates: ReadonlyMap<string, string | null>;
}

/** Returns the columns of a summary table; null for any other table. */
export function summaryColumns(table: TableInfo, { tableByRef, columnByRef }: Schema): SummaryColumns | null {
  const source = table.summarySourceTable === 0 ? undefined : tableByRef.get(table.summarySourceTable);
  if (!source) return null;
  const group = table.columns.find(isGroupColumn)?.id ?? null;
  const aggregates = table.columns.flatMap(({ id, isFormula, formula }): [string, string | null][] => {
    if (!isFormula || group === null) return [];
    const text = formula.trim();
    if (id === group || text === `len($${group})`) return [[id, null]];
    const [, by, summed] = /^SUM\(\$(\w+)\.(\w+)\)$/.exec(text) ?? [];
    return by === group && summed !== undefined ? [[id, summed]] : [];
  });
  return {
    source: source.id,
    group,
    groupBy: groupingColumns(table).map(({ id, summarySourceCol }) => ({
      id,
      source: columnByRef.get(summarySourceCol)?.id ?? "",
    })),
    aggregates: new Map(aggregates),
  };
}
