import { columnType } from "../../values/column-type.ts";
import { groupingColumns, isGroupColumn } from "../actions/summaries/summary-columns.ts";
import type { Schema, TableInfo } from "../schema.ts";

/**
 * Columns that the program itself fills from other tables: a reader must be able to read what they are made
 * of. Formulas that somebody wrote are not among them.
 */

/** A hidden column that repeats a reference, or shows it by a column of the table that it refers to. */
export interface DisplayHelper {
  readonly id: string;
  /** The reference, a column of the same table. */
  readonly reference: string;
  /** What it shows; null where that is no column of a user table. */
  readonly shown: { readonly table: string; readonly column: string } | null;
}

export const isHelper = (id: string): boolean => id.startsWith("gristHelper_");

/** The helpers of a table whose formulas are of the form `$Person.Name`. */
export function displayHelpers({ columns, columnById }: TableInfo, schema: Schema): DisplayHelper[] {
  return columns.flatMap(({ id, formula }) => {
    const [, reference, column] = (isHelper(id) && /^\$(\w+)\.(\w+)$/.exec(formula.trim())) || [];
    if (reference === undefined || column === undefined) return [];
    const table = columnType(columnById.get(reference)?.type ?? "Any").target;
    const isShown = table !== undefined && schema.tableById.has(table);
    return [{ id, reference, shown: isShown ? { table, column } : null }];
  });
}

/** What a summary is made of. */
export interface SummaryColumns {
  readonly source: string;
  /** The column that lists the source rows of each group; null in files that lack it. */
  readonly group: string | null;
  /** The columns that group, each with the one of the source that it follows. */
  readonly groupBy: readonly { readonly id: string; readonly source: string }[];
  /** The aggregates that the summary itself makes, each with the column of the source that it sums up; null for none. */
  readonly aggregates: ReadonlyMap<string, string | null>;
}

/** Null for a table that is no summary. */
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
