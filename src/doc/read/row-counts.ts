import type { OpenDocument } from "../document.ts";
import type { SqlCondition } from "../filters/sql-condition.ts";
import type { ReadTable } from "./read-table.ts";

/** Counts are valid until the next commit. */
const countCache = new WeakMap<OpenDocument, { version: string; counts: Map<string, number> }>();

/** Counts per document; the oldest are removed first. */
const MAX_COUNTS = 100;

/** Counts the rows that match a condition. Clients ask for the number with each page: it is counted once per state. */
export function countRows(document: OpenDocument, { from }: ReadTable, where: SqlCondition): number {
  let cache = countCache.get(document);
  if (cache?.version !== document.version) {
    cache = { version: document.version, counts: new Map() };
    countCache.set(document, cache);
  }
  const key = JSON.stringify([from, where.sql, where.args.map(String)]);
  const known = cache.counts.get(key);
  if (known !== undefined) return known;
  const condition = where.sql && `where ${where.sql}`;
  const [row] = document.db.values(`select count(*) from ${from} ${condition}`, ...where.args);
  const count = Number(row?.[0] ?? 0);
  cache.counts.set(key, count);
  const [oldest] = cache.counts.keys();
  if (cache.counts.size > MAX_COUNTS && oldest !== undefined) cache.counts.delete(oldest);
  return count;
}
