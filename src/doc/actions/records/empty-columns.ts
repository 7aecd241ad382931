import { must } from "../../../lib/assert.ts";
import type { CellValue } from "../../../values/cell.ts";
import { guessColumn } from "../../../values/guess-column.ts";
import { asCell, parseSettings } from "../prepare-cells.ts";
import { type CatalogColumn, columnOf } from "../catalog.ts";
import type { Change } from "../change.ts";
import { updateMetadata } from "../metadata.ts";
import { allIds } from "../row-storage.ts";
import { propagateToSummaries } from "../summaries/propagate-to-summaries.ts";

/**
 * An empty column is a formula column without a formula. Its first values turn it into a data column. The type is
 * guessed from the values unless it was chosen.
 */

const isBlank = (value: unknown): boolean => value === null || value === undefined || value === "";

/**
 * Converts empty columns that get values to data columns. Returns the values, without blank lists for empty columns.
 */
export function fillEmptyColumns(
  change: Change,
  table: string,
  values: ReadonlyMap<string, readonly unknown[]>,
): ReadonlyMap<string, readonly unknown[]> {
  const filled = new Map(values);
  for (const [name, list] of values) {
    const column = columnOf(change.catalog.table(table), name);
    if (!column.isFormula || column.formula !== "") continue;
    if (column.type === "Any" && list.every(isBlank)) filled.delete(name);
    else filled.set(name, convertEmptyToData(change, table, column, list.map(asCell)));
  }
  return filled;
}

/** Converts an empty column to a text column. */
export function convertEmptyToText(change: Change, table: string, column: CatalogColumn): void {
  convertEmptyToType(change, { table, column, guess: { type: "Text" } });
}

function convertEmptyToData(
  change: Change,
  table: string,
  column: CatalogColumn,
  values: CellValue[],
): readonly CellValue[] {
  const plannedType = column.type === "Any" ? change.options.emptyColumns?.get(`${table}.${column.id}`) : undefined;
  if (plannedType) {
    convertEmptyToType(change, { table, column, guess: plannedType });
    return values;
  }
  const settings = parseSettings(change, { table, column });
  const guess = column.type === "Any" ? guessColumn(values, settings) : null;
  convertEmptyToType(change, { table, column, guess: guess ?? { type: column.type } });
  return guess?.values ?? values;
}

interface Guess {
  readonly type: string;
  readonly widgetOptions?: object | undefined;
}

function convertEmptyToType(
  change: Change,
  { table, column, guess }: { table: string; column: CatalogColumn; guess: Guess },
): void {
  const info = must(change.schema.tableById.get(table)?.columnById.get(column.id), "column");
  const options = guess.widgetOptions && { widgetOptions: JSON.stringify(guess.widgetOptions) };
  change.apply(["ModifyColumn", table, column.id, { type: guess.type, isFormula: false }]);
  updateMetadata(change, "_grist_Tables_column", info.ref, {
    type: guess.type,
    isFormula: false,
    ...options,
  });
  propagateToSummaries(change, info, { type: guess.type, ...options });
  const fallback = change.catalog.column(table, column.id).kind.defaultValue;
  const ids = allIds(change.db, table);
  change.apply(["BulkUpdateRecord", table, ids, { [column.id]: ids.map(() => fallback) }]);
}
