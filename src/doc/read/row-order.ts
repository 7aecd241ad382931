import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";
import { columnsOf, type OrderSpec } from "./row-ordering.ts";
import { positionOf, rowComparator, SortColumn } from "./sort-comparator.ts";
import { TopRows } from "./top-rows.ts";
import type { SqlCondition } from "../filters/sql-condition.ts";
import { type Row, type RowOrder, RowScan } from "./row-scan.ts";
import type { VisibleRows } from "./visible-rows.ts";
import type { SortKey } from "./parse-sort.ts";
import type { ReadField, ReadTable } from "./read-table.ts";
import { untilCommit } from "../until-commit.ts";

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
    keys.every(({ field, options }) => field === null || (!options.period && isNumbersOnly(document, table, field)));
  return { kind: "list", ids: isForSqlite ? sortInSqlite(document, query) : sortInMemory(document, query) };
}

/** Drops keys that are equal for all rows, repeated keys, and those after the id, which leaves no ties. */
export function effectiveKeys(sort: readonly SortKey[]): SortKey[] {
  const keys = new Map<string, SortKey>();
  for (const key of sort) {
    if (key.field && key.field.absent !== undefined) continue;
    const name = key.field ? `${JSON.stringify(key.options)} ${key.field.id}` : "id";
    if (!keys.has(name)) keys.set(name, key);
    if (key.field === null) break;
  }
  return [...keys.values()];
}

/** Returns how a sort orders the rows of a table. */
export function orderSpec(table: ReadTable, sort: readonly SortKey[]): OrderSpec {
  const sortKeys = effectiveKeys(sort);
  const idKey = sortKeys.find(({ field }) => field === null);
  const keys = sortKeys.flatMap((key) => (key.field === null ? [] : [{ field: key.field, key }]));
  const isById = keys.length === 0 || idKey !== undefined;
  const position = isById ? null : (positionField(table)?.id ?? null);
  return { table: table.id, keys, position, idDescending: idKey?.descending ?? false };
}

/** Returns the column of manual positions, if the table has one. */
const positionField = ({ fieldById }: ReadTable): ReadField | undefined => {
  const field = fieldById.get("manualSort");
  return field?.absent === undefined ? field : undefined;
};

/**
 * Types whose valid values SQLite orders in the same way. Bool is not among them: empty values sort between its values.
 */
const NUMBERS = new Set(["Int", "Numeric", "Ref", "Date", "DateTime", "ManualSortPos", "PositionNumber", "Id"]);

const knownColumns = untilCommit<boolean>();

/** True when a column contains only numbers and null. */
function isNumbersOnly(document: OpenDocument, table: ReadTable, field: ReadField): boolean {
  if (!NUMBERS.has(field.type.base)) return false;
  const columns = knownColumns(document);
  const name = `${table.from}.${quote(field.id)}`;
  let isNumeric = columns.get(name);
  if (isNumeric === undefined) {
    // SQLite orders texts and blobs after all numbers.
    isNumeric = document.db.values(`select 1 from ${table.from} where +${quote(field.id)} >= '' limit 1`).length === 0;
    columns.set(name, isNumeric);
  }
  return isNumeric;
}

/** Null sorts after the numbers, like an empty text in SQLite. */
function sortInSqlite(document: OpenDocument, { table, where, sort, limit }: OrderQuery): number[] {
  const terms = sort.map(({ field, descending, options }) => {
    const term = field === null ? "id" : `coalesce(${options.grouped ? nonBlankTerm(field) : quote(field.id)}, '')`;
    const blank = field && (options.blanksLast || options.grouped) ? `${blankTerm(field)}, ` : "";
    return `${blank}${term} ${descending ? "desc" : "asc"}`;
  });
  if (positionField(table)) terms.push(quote("manualSort"));
  const condition = where.sql && `where ${where.sql}`;
  const sql = `select id from ${table.from} ${condition} order by ${terms.join(", ")}, id limit ?`;
  return document.db.values(sql, ...where.args, limit).map(([id]) => Number(id));
}

/** Returns an SQL term that is 1 for empty cells of a numeric column, else 0. */
const blankTerm = ({ id, type }: ReadField): string =>
  type.base === "Ref" ? `coalesce(${quote(id)}, 0) = 0` : `${quote(id)} is null`;

/** Returns an SQL term that is null for empty cells of a numeric column. */
const nonBlankTerm = ({ id, type }: ReadField): string => (type.base === "Ref" ? `nullif(${quote(id)}, 0)` : quote(id));

function sortInMemory(document: OpenDocument, query: OrderQuery): ArrayLike<number> {
  const { table, sort, limit } = query;
  const spec = orderSpec(table, sort);
  if (limit > MAX_TOP_ROWS) return sortAll(spec, scanKeys(document, query, spec)).subarray(0, limit);
  const top = new TopRows(spec, limit);
  // Rules may hide cells: then the order must not depend on the stored ones.
  const batches = query.visibleRows
    ? scanKeys(document, query, spec)
    : scanRelevantKeys(document, query, { spec, top });
  for (const rows of batches) top.add(rows);
  return top.ids;
}

/** Yields the sort keys of all matching rows by id, in batches, without most rows that come after those in `top`. */
function* scanRelevantKeys(
  { db }: OpenDocument,
  { table, where }: OrderQuery,
  { spec, top }: { spec: OrderSpec; top: TopRows },
): Generator<Row[]> {
  const columns = ["id", ...columnsOf(spec).map(quote)].join(", ");
  for (let last = -Number.MAX_SAFE_INTEGER; ;) {
    const { sql: irrelevant, args } = top.irrelevantRows;
    const conditions = [where.sql && `(${where.sql})`, irrelevant && `(${irrelevant}) is not true`, "id > ?"];
    const condition = conditions.filter((sql) => sql !== "").join(" and ");
    const sql = `select ${columns} from ${table.from} where ${condition} order by id limit ?`;
    const rows = db.values(sql, ...where.args, ...args, last, BATCH_SIZE);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH_SIZE) return;
    last = Number(rows.at(-1)?.[0]);
  }
}

/** Yields the sort keys of all matching visible rows by id, in batches. */
function* scanKeys(
  document: OpenDocument,
  { table, where, visibleRows }: OrderQuery,
  spec: OrderSpec,
): Generator<Row[]> {
  const order = { kind: "id", descending: false } as const;
  const selection = { where, order, limit: Number.POSITIVE_INFINITY, visibleRows };
  const scan = new RowScan({ db: document.db }, { table, columns: columnsOf(spec), selection });
  for (let rows = scan.take(BATCH_SIZE); rows.length > 0; rows = scan.take(BATCH_SIZE)) yield rows;
}

/** Returns the ids of all rows in order. */
function sortAll({ keys, position, idDescending }: OrderSpec, batches: Iterable<Row[]>): Float64Array {
  const columns = keys.map(({ field, key }) => new SortColumn(field, key));
  const positions: number[] = [];
  const ids: number[] = [];
  for (const row of flattened(batches)) {
    ids.push(Number(row[0]));
    for (const [at, column] of columns.entries()) column.add(row[at + 1] ?? null);
    if (position !== null) positions.push(positionOf(row[columns.length + 1]));
  }
  const compare = rowComparator(
    columns.map((column) => column.comparison()),
    { positions, idDescending },
  );
  const indexes = Uint32Array.from({ length: ids.length }, (_, index) => index).sort(compare);
  return Float64Array.from(indexes, (index) => ids[index] ?? 0);
}

function* flattened(batches: Iterable<Row[]>): Generator<Row> {
  for (const rows of batches) yield* rows;
}
