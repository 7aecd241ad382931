/** The cells that a search in the table finds. */
import type { RecordJson } from "../../../../base/table-data.ts";
import type { Column } from "../columns/columns.ts";

/** Returns true if a cell shows the text. */
export const hasHit = (row: RecordJson, column: Column, find: string): boolean =>
  find !== "" && column.text(row).toLowerCase().includes(find.trim().toLowerCase());
