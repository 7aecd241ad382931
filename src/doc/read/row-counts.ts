import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";
import { keyOfCondition, type SqlCondition } from "../filters/sql-condition.ts";
import { untilCommit } from "../until-commit.ts";
import type { ReadTable } from "./read-table.ts";
import { MAX_ROW_ID } from "./row-scan.ts";

/** The matching rows from an id on, up to the first id of the next range. */
interface IdRange {
  readonly firstId: number;
  /** Number of matching rows with smaller ids. */
  readonly rowsBefore: number;
}

interface RowCount {
  readonly total: number;
  /** Ascending; the first one begins before all rows. */
  readonly ranges: readonly IdRange[];
}

const knownCounts = untilCommit<RowCount>();
const knownChecks = untilCommit<boolean>();

/** Counts per document; the oldest are removed first. */
const MAX_COUNTS = 100;
/** Rows of a table are counted in so many ranges of ids: skipping to one reads the rows of one range at most. */
const RANGES = 32;
/** A range of fewer ids is not worth a statement. */
const MIN_RANGE_IDS = 2000;

/** Begins before all rows. */
export const ALL_ROWS: IdRange = { firstId: -MAX_ROW_ID, rowsBefore: 0 };

/** Counts the rows that match a condition. Clients ask for the number with each page: it is counted once per state. */
export function countRows(document: OpenDocument, { from }: ReadTable, where: SqlCondition): number {
  const known = knownCounts(document).get(keyOf(from, where));
  if (known) return known.total;
  const { count } = countRanges(document, from, { where, conditions: [] });
  remember(document, keyOf(from, where), count);
  return count.total;
}

function remember(document: OpenDocument, key: string, count: RowCount): void {
  const counts = knownCounts(document);
  counts.set(key, count);
  const [oldest] = counts.keys();
  if (counts.size > MAX_COUNTS && oldest !== undefined) counts.delete(oldest);
}

/** Returns where to begin in order to skip the first matching rows in the order of ids. */
export function rangeAt(
  document: OpenDocument,
  { from }: ReadTable,
  { where, offset }: { where: SqlCondition; offset: number },
): IdRange {
  const counted = knownCounts(document).get(keyOf(from, where));
  return counted?.ranges.findLast(({ rowsBefore }) => rowsBefore <= offset) ?? ALL_ROWS;
}

/** Returns whether a table has rows that satisfy a condition. They are looked for once per state. */
export function hasRows(document: OpenDocument, { from }: ReadTable, condition: string): boolean {
  const checks = knownChecks(document);
  const key = checkOf(from, condition);
  const known = checks.get(key);
  if (known !== undefined) return known;
  const isFound = document.db.values(`select 1 from ${from} where ${condition} limit 1`).length > 0;
  checks.set(key, isFound);
  return isFound;
}

/**
 * Returns true if no cell of the columns is marshalled. Where the rows that match `counted` will be counted, reads all
 * rows once for both: the number is valid only if no cell is marshalled.
 */
export function isNative(
  document: OpenDocument,
  table: ReadTable,
  { columns, counted }: { columns: ReadonlySet<string>; counted: SqlCondition | null },
): boolean {
  const { from, isStored } = table;
  if (!isStored) return true;
  const checks = knownChecks(document);
  const conditions = [...columns].map((id) => `typeof(${quote(id)}) = 'blob'`);
  const unknown = conditions.filter((condition) => !checks.has(checkOf(from, condition)));
  if (counted !== null && unknown.length > 0) {
    const { count, found } = countRanges(document, from, { where: counted, conditions: unknown });
    unknown.forEach((condition, at) => checks.set(checkOf(from, condition), found[at] === true));
    if (!found.includes(true)) remember(document, keyOf(from, counted), count);
  }
  return !conditions.some((condition) => hasRows(document, table, condition));
}

const checkOf = (from: string, condition: string): string => `${from} ${condition}`;

const keyOf = (from: string, where: SqlCondition): string => JSON.stringify([from, keyOfCondition(where)]);

/** Counts the matching rows of each range of ids, and finds out which of the conditions any row satisfies. */
function countRanges(
  { db }: OpenDocument,
  from: string,
  { where, conditions }: { where: SqlCondition; conditions: readonly string[] },
): { count: RowCount; found: boolean[] } {
  // SQLite counts a whole table without reading its rows.
  const starts = where.sql === "" ? [] : rangeStarts(db.values(`select min(id), max(id) from ${from}`)[0]);
  const ranges: IdRange[] = [];
  const found = conditions.map(() => false);
  let total = 0;
  for (const [at, firstId] of (starts.length > 1 ? starts : [-MAX_ROW_ID]).entries()) {
    const bounds = starts.length > 1 ? [firstId, starts[at + 1] ?? MAX_ROW_ID] : [];
    const inRange = bounds.length > 0 ? "id >= ? and id < ?" : "";
    // Without conditions, SQLite leaves rows out before it counts.
    const [row = []] =
      conditions.length === 0
        ? db.values(`select count(*) from ${from} ${whereOf([inRange, where.sql])}`, ...bounds, ...where.args)
        : db.values(
            `select count(*) ${where.sql && `filter (where ${where.sql})`}, ${conditions.map((condition) => `max(${condition})`).join(", ")} from ${from} ${whereOf([inRange])}`,
            ...where.args,
            ...bounds,
          );
    ranges.push({ firstId, rowsBefore: total });
    total += Number(row[0] ?? 0);
    for (const of of conditions.keys()) if (row[of + 1] === 1) found[of] = true;
  }
  return { count: { total, ranges }, found };
}

const whereOf = (parts: readonly string[]): string => {
  const conditions = parts.filter((part) => part !== "");
  return conditions.length === 0 ? "" : `where ${conditions.map((each) => `(${each})`).join(" and ")}`;
};

/** Returns the first ids of ranges of equal width. */
function rangeStarts([min, max]: readonly SqlValue[] = []): number[] {
  const first = Number(min ?? 0);
  const ids = Number(max ?? 0) - first + 1;
  const width = Math.max(MIN_RANGE_IDS, Math.ceil(ids / RANGES));
  return Array.from({ length: Math.ceil(ids / width) }, (_, at) => (at === 0 ? -MAX_ROW_ID : first + at * width));
}
