import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";

/** Returns the size of the stored values of cells, in bytes. */
export function valueBytes(
  { db }: OpenDocument,
  { table, columns, ids }: { table: string; columns: readonly string[]; ids: readonly number[] },
): number {
  if (columns.length === 0) return 0;
  const length = columns.map((id) => `ifnull(length(cast(${quote(id)} as blob)), 0)`).join(" + ");
  const where = "where id in (select value from json_each(?))";
  const [row] = db.values(`select sum(${length}) from ${quote(table)} ${where}`, JSON.stringify(ids));
  return Number(row?.[0] ?? 0);
}
