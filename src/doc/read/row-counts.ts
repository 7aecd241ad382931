import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";
import { keyOfCondition, type SqlCondition } from "../filters/sql-condition.ts";
import { untilCommit } from "../until-commit.ts";
import type { ReadTable } from "./read-table.ts";

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
const knownMarshalled = untilCommit<boolean>();

/** Counts per document; the oldest are removed first. */
const MAX_COUNTS = 100;
/** Rows of a table are counted in so many ranges of ids: skipping to one reads the rows of one range at most. */
const RANGES = 32;
/** Greater than any row id in absolute value. */
const ID_BOUND = 2 ** 53;
/** A range of fewer ids is not worth a statement. */
const MIN_RANGE_IDS = 2000;

/** Counts the rows that match a condition. Clients ask for the number with each page: it is counted once per state. */
export function countRows(document: OpenDocument, { from }: ReadTable, where: SqlCondition): number {
  const known = knownCounts(document).get(keyOf(from, where));
  if (known) return known.total;
  const { count } = countRanges(document, from, { where, columns: [] });
  remember(document, keyOf(from, where), count);
  return count.total;
}

function remember(document: OpenDocument, key: string, count: RowCount): void {
  const counts = knownCounts(document);
  counts.set(key, count);
  const [oldest] = counts.keys();
  if (counts.size > MAX_COUNTS && oldest !== undefined) counts.delete(oldest);
}

/** Returns where to begin in order to skip the first matching rows in the order of ids; null when they were not counted. */
export function rangeAt(
  document: OpenDocument,
  { from }: ReadTable,
  { where, offset }: { where: SqlCondition; offset: number },
): IdRange | null {
  return (
    knownCounts(document)
      .get(keyOf(from, where))
      ?.ranges.findLast(({ rowsBefore }) => rowsBefore <= offset) ?? null
  );
}

/**
 * Returns true if no cell of the columns is marshalled. Where the rows that match `counted` will be counted, reads all
 * rows once for both: the number is valid only if no cell is marshalled.
 */
export function isNative(
  document: OpenDocument,
  { from, isStored }: ReadTable,
  { columns, counted }: { columns: ReadonlySet<string>; counted: SqlCondition | null },
): boolean {
  if (!isStored) return true;
  const known = knownMarshalled(document);
  const nameOf = (id: string): string => `${from}.${quote(id)}`;
  const unknown = [...columns].filter((id) => !known.has(nameOf(id)));
  if (counted !== null && unknown.length > 0) {
    const { count, marshalled } = countRanges(document, from, { where: counted, columns: unknown });
    unknown.forEach((id, at) => known.set(nameOf(id), marshalled[at] === true));
    if (!marshalled.includes(true)) remember(document, keyOf(from, counted), count);
  }
  for (const id of unknown.filter((each) => !known.has(nameOf(each)))) {
    const found = document.db.values(`select 1 from ${from} where ${isMarshalled(id)} limit 1`);
    known.set(nameOf(id), found.length > 0);
  }
  return [...columns].every((id) => known.get(nameOf(id)) === false);
}

const isMarshalled = (id: string): string => `typeof(${quote(id)}) = 'blob'`;

const keyOf = (from: string, where: SqlCondition): string => JSON.stringify([from, keyOfCondition(where)]);

/** Counts the matching rows of each range of ids, and reads which columns have marshalled cells. */
function countRanges(
  { db }: OpenDocument,
  from: string,
  { where, columns }: { where: SqlCondition; columns: readonly string[] },
): { count: RowCount; marshalled: boolean[] } {
  const starts = where.sql === "" ? [-ID_BOUND] : rangeStarts(db.values(`select min(id), max(id) from ${from}`)[0]);
  const marshalled = columns.map(() => false);
  let total = 0;
  const ranges = starts.map((firstId, at): IdRange => {
    const read = columns.filter((_, column) => !marshalled[column]);
    const rowsBefore = total;
    const isOnly = starts.length === 1;
    const inRange = isOnly ? "" : `id >= ? and id < ?`;
    const bounds = isOnly ? [] : [firstId, starts[at + 1] ?? ID_BOUND];
    // Without columns, SQLite leaves rows out before it counts.
    const [row = []] =
      read.length === 0
        ? db.values(`select count(*) from ${from} ${conditionOf([inRange, where.sql])}`, ...bounds, ...where.args)
        : db.values(
            `select count(*) ${where.sql && `filter (where ${where.sql})`}, ${read.map((id) => `max(${isMarshalled(id)})`).join(", ")} from ${from} ${conditionOf([inRange])}`,
            ...where.args,
            ...bounds,
          );
    total += Number(row[0] ?? 0);
    read.forEach((id, of) => {
      if (row[of + 1] === 1) marshalled[columns.indexOf(id)] = true;
    });
    return { firstId, rowsBefore };
  });
  return { count: { total, ranges }, marshalled };
}

const conditionOf = (parts: readonly string[]): string => {
  const conditions = parts.filter((part) => part !== "");
  return conditions.length === 0 ? "" : `where ${conditions.map((each) => `(${each})`).join(" and ")}`;
};

/** Returns the first ids of ranges of equal width. */
function rangeStarts([min, max]: readonly SqlValue[] = []): number[] {
  const first = Number(min ?? 0);
  const width = Math.max(MIN_RANGE_IDS, Math.ceil((Number(max ?? 0) - first + 1) / RANGES));
  const count = Math.max(1, Math.ceil((Number(max ?? 0) - first + 1) / width));
  return Array.from({ length: count }, (_, at) => (at === 0 ? -ID_BOUND : first + at * width));
}
