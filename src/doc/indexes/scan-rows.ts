import type { Database, SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";

/** Rows that are read in one step: about a millisecond. */
const BATCH_SIZE = 2000;

/** Yields all rows of a table in batches by id; each row consists of the id and the columns. Rows may change meanwhile. */
export function* scanRows(
  db: Database,
  { table, columns, batchSize = BATCH_SIZE }: { table: string; columns: readonly string[]; batchSize?: number },
): Generator<SqlValue[][]> {
  const sql = `select ${["id", ...columns.map(quote)].join(", ")} from ${quote(table)} where id > ? order by id limit ?`;
  let last = -Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = db.values(sql, last, batchSize);
    if (rows.length > 0) yield rows;
    if (rows.length < batchSize) return;
    last = Number(rows.at(-1)?.[0]);
  }
}
