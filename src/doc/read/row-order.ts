import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";
import { type RowComparator, SortColumn } from "./sort-comparator.ts";
import type { SqlCondition } from "./filter.ts";
import { type RowOrder, RowScan } from "./row-scan.ts";
import type { VisibleRows } from "./visible-rows.ts";
import type { SortKey } from "./parse-sort.ts";
import type { ReadField, ReadTable } from "./read-table.ts";

interface OrderQuery {
  readonly table: ReadTable;
  readonly where: SqlCondition;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  readonly visibleRows: VisibleRows | null;
}

/** Up to this limit SQLite finds the first rows faster; for sorting a large table completely it takes twice as long. */
const MAX_SQLITE_LIMIT = 10_000;
/** Up to this limit, only the first rows are kept sorted while scanning. */
const MAX_TOP_ROWS = 1000;
const BATCH_SIZE = 10_000;

/**
 * Finds the order of rows for a sort. Whole rows are never sorted: SQLite finds the first few by numbers, everything
 * else is sorted here as pairs of key and id. Ties are ordered by position, then by id.
 */
export function findOrder(document: OpenDocument, { table, where, sort, limit, visibleRows }: OrderQuery): RowOrder {
  const keys = effectiveKeys(sort);
  const [first] = keys;
  if (!first || !table.isStored) return { kind: "id", descending: false };
  if (first.field === null) return { kind: "id", descending: first.descending };
  const query = { table, where, sort: keys, limit, visibleRows };
  const isForSqlite =
    visibleRows === null &&
    limit <= MAX_SQLITE_LIMIT &&
    keys.every(({ field }) => field === null || isNumbersOnly(document, table, field));
  return { kind: "list", ids: isForSqlite ? sortInSqlite(document, query) : sortInMemory(document, query) };
}

/** Drops keys that are equal for all rows, repeated keys, and those after the id, which leaves no ties. */
function effectiveKeys(sort: readonly SortKey[]): SortKey[] {
  const keys = new Map<string, SortKey>();
  for (const key of sort) {
    if (key.field && key.field.absent !== undefined) continue;
    const name = key.field ? `${JSON.stringify(key.options)} ${key.field.id}` : "id";
    if (!keys.has(name)) keys.set(name, key);
    if (key.field === null) break;
  }
  return [...keys.values()];
}

const position = ({ fieldById }: ReadTable): ReadField | undefined => {
  const field = fieldById.get("manualSort");
  return field?.absent === undefined ? field : undefined;
};

/**
 * Types whose valid values SQLite orders in the same way. Bool is not among them: empty values sort between its values.
 */
const NUMBERS = new Set(["Int", "Numeric", "Ref", "Date", "DateTime", "ManualSortPos", "PositionNumber", "Id"]);

/** The result per column is valid until the next commit. */
const numericColumnCache = new WeakMap<OpenDocument, { version: string; columns: Map<string, boolean> }>();

/** True when a column contains only numbers and null. */
function isNumbersOnly(document: OpenDocument, table: ReadTable, field: ReadField): boolean {
  if (!NUMBERS.has(field.type.base)) return false;
  let cache = numericColumnCache.get(document);
  if (cache?.version !== document.version) {
    cache = { version: document.version, columns: new Map() };
    numericColumnCache.set(document, cache);
  }
  const name = `${table.from}.${quote(field.id)}`;
  let isNumeric = cache.columns.get(name);
  if (isNumeric === undefined) {
    // SQLite orders texts and blobs after all numbers.
    isNumeric = document.db.values(`select 1 from ${table.from} where +${quote(field.id)} >= '' limit 1`).length === 0;
    cache.columns.set(name, isNumeric);
  }
  return isNumeric;
}

/** Null sorts after the numbers, like an empty text in SQLite. */
function sortInSqlite(document: OpenDocument, { table, where, sort, limit }: OrderQuery): number[] {
  const terms = sort.map(({ field, descending, options }) => {
    const term = field === null ? "id" : `coalesce(${quote(field.id)}, '')`;
    const blank = field && options.blanksLast ? `${blankTerm(field)}, ` : "";
    return `${blank}${term} ${descending ? "desc" : "asc"}`;
  });
  if (position(table)) terms.push(quote("manualSort"));
  const condition = where.sql && `where ${where.sql}`;
  const sql = `select id from ${table.from} ${condition} order by ${terms.join(", ")}, id limit ?`;
  return document.db.values(sql, ...where.args, limit).map(([id]) => Number(id));
}

/** Returns an SQL term that is 1 for empty cells of a numeric column, else 0. */
const blankTerm = ({ id, type }: ReadField): string =>
  type.base === "Ref" ? `coalesce(${quote(id)}, 0) = 0` : `${quote(id)} is null`;

function sortInMemory(document: OpenDocument, query: OrderQuery): ArrayLike<number> {
  const { limit } = query;
  const { ids, compare } = readKeys(document, query);
  const indexes = limit <= MAX_TOP_ROWS ? topIndexes(ids.length, limit, compare) : sortedIndexes(ids.length, compare);
  const count = Math.min(indexes.length, limit);
  const sorted = new Float64Array(count);
  for (let i = 0; i < count; i++) sorted[i] = ids[indexes[i] ?? 0] ?? 0;
  return sorted;
}

/** Reads the sort keys of all matching visible rows. */
function readKeys(
  document: OpenDocument,
  { table, where, sort, visibleRows }: OrderQuery,
): { ids: number[]; compare: RowComparator } {
  const fields = sort.flatMap((key) => (key.field === null ? [] : [{ field: key.field, key }]));
  const columns = fields.map(({ field, key }) => new SortColumn(field, key));
  const positionField = position(table);
  const positions: number[] = [];
  const names = [...fields.map(({ field }) => field.id), ...(positionField ? ["manualSort"] : [])];
  const selection = {
    where,
    order: { kind: "id", descending: false },
    limit: Number.POSITIVE_INFINITY,
    visibleRows,
  } as const;
  const scan = new RowScan({ db: document.db }, { table, columns: names, selection });
  const ids: number[] = [];
  for (let rows = scan.take(BATCH_SIZE); rows.length > 0; rows = scan.take(BATCH_SIZE)) {
    for (const row of rows) {
      ids.push(Number(row[0]));
      for (const [at, column] of columns.entries()) column.add(row[at + 1] ?? null);
      if (positionField) positions.push(positionOf(row[columns.length + 1]));
    }
  }
  const idKey = sort.find(({ field }) => field === null);
  const comparisons = columns.map((column) => column.comparison());
  return { ids, compare: chainComparators(comparisons, { positions, idDescending: idKey?.descending }) };
}

/** Rows with a censored position come last: their order must not reveal it. */
const positionOf = (cell: SqlValue | undefined): number => (typeof cell === "number" ? cell : Number.MAX_VALUE);

/** Chains comparators. Rows were read by id, so their indexes are in id order. */
function chainComparators(
  comparisons: readonly RowComparator[],
  { positions, idDescending }: { positions: readonly number[]; idDescending: boolean | undefined },
): RowComparator {
  const tieBreaker: RowComparator =
    idDescending === undefined
      ? (a, b) => (positions[a] ?? 0) - (positions[b] ?? 0) || a - b
      : (a, b) => (idDescending ? b - a : a - b);
  const [single] = comparisons;
  if (single && comparisons.length === 1) return (a, b) => single(a, b) || tieBreaker(a, b);
  return (a, b) => {
    for (const compare of comparisons) {
      const difference = compare(a, b);
      if (difference !== 0) return difference;
    }
    return tieBreaker(a, b);
  };
}

function sortedIndexes(count: number, compare: RowComparator): Uint32Array {
  return Uint32Array.from({ length: count }, (_, index) => index).sort(compare);
}

/** Returns the indexes of the first `limit` rows in order, of `count`. */
function topIndexes(count: number, limit: number, compare: RowComparator): number[] {
  const top: number[] = [];
  for (let index = 0; index < count; index++) {
    const worst = top[limit - 1];
    if (worst !== undefined && compare(worst, index) <= 0) continue;
    if (worst !== undefined) top.pop();
    let low = 0;
    let high = top.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(top[middle] ?? 0, index) <= 0) low = middle + 1;
      else high = middle;
    }
    top.splice(low, 0, index);
  }
  return top;
}
