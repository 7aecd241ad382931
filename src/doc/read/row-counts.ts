import type { OpenDocument } from "../document.ts";
import { keyOfCondition, type SqlCondition } from "../filters/sql-condition.ts";
import { untilCommit } from "../until-commit.ts";
import type { ReadTable } from "./read-table.ts";

const knownCounts = untilCommit<number>();

/** Counts per document; the oldest are removed first. */
const MAX_COUNTS = 100;

/** Counts the rows that match a condition. Clients ask for the number with each page: it is counted once per state. */
export function countRows(document: OpenDocument, { from }: ReadTable, where: SqlCondition): number {
  const counts = knownCounts(document);
  const key = JSON.stringify([from, keyOfCondition(where)]);
  const known = counts.get(key);
  if (known !== undefined) return known;
  const condition = where.sql && `where ${where.sql}`;
  const [row] = document.db.values(`select count(*) from ${from} ${condition}`, ...where.args);
  const count = Number(row?.[0] ?? 0);
  counts.set(key, count);
  const [oldest] = counts.keys();
  if (counts.size > MAX_COUNTS && oldest !== undefined) counts.delete(oldest);
  return count;
}
