import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";
import { type Compare, KeyColumn } from "./compare.ts";
import type { Where } from "./filter.ts";
import { type Order, RowScan } from "./rows.ts";
import type { SeenRows } from "./seen-rows.ts";
import type { SortKey } from "./sort.ts";
import type { ReadField, ReadTable } from "./table.ts";

interface Wanted {
  readonly table: ReadTable;
  readonly where: Where;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  readonly seen: SeenRows | null;
}

/** Up to this limit SQLite finds the first rows faster than we do; sorting all of a large table it takes twice as long. */
const MAX_IN_SQLITE = 10_000;
/** With a limit up to this, only the first rows are kept in order while the others pass by. */
const MAX_KEPT = 1000;
const PORTION = 10_000;

/**
 * The order of rows for a sort. Whole rows are never sorted: the first few by numbers are found by SQLite, everything
 * else here by pairs of key and id. Rows that compare equal come by position, then by id.
 */
export function findOrder(document: OpenDocument, { table, where, sort, limit, seen }: Wanted): Order {
  const keys = effectiveKeys(sort);
  const [first] = keys;
  if (!first || !table.isStored) return { kind: "id", descending: false };
  if (first.field === null) return { kind: "id", descending: first.descending };
  const wanted = { table, where, sort: keys, limit, seen };
  const isForSqlite =
    seen === null &&
    limit <= MAX_IN_SQLITE &&
    keys.every(({ field }) => field === null || isNumbersOnly(document, table, field));
  return { kind: "list", ids: isForSqlite ? sortInSqlite(document, wanted) : sortHere(document, wanted) };
}

/** Without keys that are the same for all rows, those given before, and those after the id, which leaves no ties. */
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

/** Types whose fitting values SQLite orders as we do. Bool is not among them: empty values are within it. */
const NUMBERS = new Set(["Int", "Numeric", "Ref", "Date", "DateTime", "ManualSortPos", "PositionNumber", "Id"]);

/** What was found out about columns holds until the next commit. */
const purity = new WeakMap<OpenDocument, { version: string; columns: Map<string, boolean> }>();

/** True when a column holds nothing but numbers and null. */
function isNumbersOnly(document: OpenDocument, table: ReadTable, field: ReadField): boolean {
  if (!NUMBERS.has(field.type.base)) return false;
  let known = purity.get(document);
  if (known?.version !== document.version) {
    known = { version: document.version, columns: new Map() };
    purity.set(document, known);
  }
  const name = `${table.from}.${quote(field.id)}`;
  let answer = known.columns.get(name);
  if (answer === undefined) {
    // Texts and bytes are greater than all numbers.
    answer = document.db.values(`select 1 from ${table.from} where +${quote(field.id)} >= '' limit 1`).length === 0;
    known.columns.set(name, answer);
  }
  return answer;
}

/** Null comes after the numbers: as an empty text it does for SQLite too. */
function sortInSqlite(document: OpenDocument, { table, where, sort, limit }: Wanted): number[] {
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

/** 1 for empty cells of a column of numbers, else 0. */
const blankTerm = ({ id, type }: ReadField): string =>
  type.base === "Ref" ? `coalesce(${quote(id)}, 0) = 0` : `${quote(id)} is null`;

function sortHere(document: OpenDocument, wanted: Wanted): ArrayLike<number> {
  const { limit } = wanted;
  const { ids, compare } = readKeys(document, wanted);
  const places = limit <= MAX_KEPT ? firstPlaces(ids.length, limit, compare) : allPlaces(ids.length, compare);
  const count = Math.min(places.length, limit);
  const sorted = new Float64Array(count);
  for (let i = 0; i < count; i++) sorted[i] = ids[places[i] ?? 0] ?? 0;
  return sorted;
}

/** Reads the keys of all rows that are wanted and seen. */
function readKeys(document: OpenDocument, { table, where, sort, seen }: Wanted): { ids: number[]; compare: Compare } {
  const fields = sort.flatMap((key) => (key.field === null ? [] : [{ field: key.field, key }]));
  const columns = fields.map(({ field, key }) => new KeyColumn(field, key));
  const positionField = position(table);
  const positions: number[] = [];
  const names = [...fields.map(({ field }) => field.id), ...(positionField ? ["manualSort"] : [])];
  const selection = { where, order: { kind: "id", descending: false }, limit: Number.POSITIVE_INFINITY, seen } as const;
  const scan = new RowScan({ db: document.db }, { table, columns: names, selection });
  const ids: number[] = [];
  for (let rows = scan.take(PORTION); rows.length > 0; rows = scan.take(PORTION)) {
    for (const row of rows) {
      ids.push(Number(row[0]));
      for (const [at, column] of columns.entries()) column.add(row[at + 1] ?? null);
      if (positionField) positions.push(positionOf(row[columns.length + 1]));
    }
  }
  const idKey = sort.find(({ field }) => field === null);
  const comparisons = columns.map((column) => column.comparison());
  return { ids, compare: inTurn(comparisons, { positions, idDescending: idKey?.descending }) };
}

/** Rows whose position is censored come last: their order must not tell it. */
const positionOf = (cell: SqlValue | undefined): number => (typeof cell === "number" ? cell : Number.MAX_VALUE);

/** The comparisons one after the other. Rows were read by id, so their places are their order by id. */
function inTurn(
  comparisons: readonly Compare[],
  { positions, idDescending }: { positions: readonly number[]; idDescending: boolean | undefined },
): Compare {
  const last: Compare =
    idDescending === undefined
      ? (a, b) => (positions[a] ?? 0) - (positions[b] ?? 0) || a - b
      : (a, b) => (idDescending ? b - a : a - b);
  const [only] = comparisons;
  if (only && comparisons.length === 1) return (a, b) => only(a, b) || last(a, b);
  return (a, b) => {
    for (const compare of comparisons) {
      const difference = compare(a, b);
      if (difference !== 0) return difference;
    }
    return last(a, b);
  };
}

function allPlaces(count: number, compare: Compare): Uint32Array {
  return Uint32Array.from({ length: count }, (_, place) => place).sort(compare);
}

/** The first `limit` places in order, of `count`. */
function firstPlaces(count: number, limit: number, compare: Compare): number[] {
  const kept: number[] = [];
  for (let place = 0; place < count; place++) {
    const worst = kept[limit - 1];
    if (worst !== undefined && compare(worst, place) <= 0) continue;
    if (worst !== undefined) kept.pop();
    let low = 0;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(kept[middle] ?? 0, place) <= 0) low = middle + 1;
      else high = middle;
    }
    kept.splice(low, 0, place);
  }
  return kept;
}
