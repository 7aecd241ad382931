import type { TypedColumn, TypedTable } from "./infer-tables.ts";
import { ConversionCounter, type ConversionCounts } from "./detect/conversion-counter.ts";
import { cellConverter } from "./detect/convert-cell.ts";
import { stagedRows } from "./staging.ts";

/** Returns a counter that converts the values of a new table's column and counts the results. */
export const conversionCounter = ({ reading, type }: TypedColumn): ConversionCounter =>
  new ConversionCounter(cellConverter(reading, type), { isText: reading.kind === "text" });

/** Counts how the values of each column of a table would be converted. */
export function countConversions(table: TypedTable): ConversionCounts[] {
  const columns = table.columns.map((column) => ({ at: column.at, counter: conversionCounter(column) }));
  for (const rows of stagedRows(table)) {
    for (const row of rows) for (const { at, counter } of columns) counter.read(row[at] ?? null);
  }
  return columns.map(({ counter }) => counter.counts);
}
