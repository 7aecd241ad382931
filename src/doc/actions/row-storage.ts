import type { Database, SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import type { ColumnType, StorableValue } from "../../values/column-type.ts";
import type { CatalogColumn, CatalogTable } from "./catalog.ts";

/** Rows of a table between SQLite and cell values. Nothing here knows of actions or formulas. */

/** Rows as columns: `cells[c][r]` is the cell of the c-th column asked for in row `ids[r]`. */
export interface StoredRows {
  readonly ids: number[];
  readonly cells: CellValue[][];
}

/** A list of ids as one parameter: the statement stays the same however many there are. */
export const IN_IDS = "in (select value from json_each(?))";

/** The rows with these ids, or all, by id; unknown ids are passed over. Columns the file lacks read as defaults. */
export function readRows(
  db: Database,
  table: string,
  columns: readonly CatalogColumn[],
  ids?: readonly number[],
): StoredRows {
  const columnList = ["id", ...columns.map((column) => (column.isStored ? quote(column.id) : "null"))].join(", ");
  const from = `select ${columnList} from ${quote(table)}`;
  const rows = ids ? rowsWithIds(db, from, ids) : db.values(`${from} order by id`);
  const cells = columns.map((column, c) =>
    column.isStored
      ? rows.map((row) => column.kind.decodeRaw(row[c + 1] ?? null))
      : rows.map(() => column.kind.defaultValue),
  );
  return { ids: rows.map((row) => Number(row[0])), cells };
}

/** Rows from which on it is faster to read all between the first and the last than to look for each. */
const RANGE_SCAN_THRESHOLD = 500;

/** The rows with these ids, in order. The id is what `select` asks for first. */
function rowsWithIds(db: Database, select: string, ids: readonly number[]): SqlValue[][] {
  if (ids.length >= RANGE_SCAN_THRESHOLD) {
    let low = Infinity;
    let high = -Infinity;
    let isRising = true;
    for (const id of ids) {
      if (id < low) low = id;
      if (id > high) high = id;
      else isRising = false;
    }
    if (high - low < ids.length * 3) {
      const rows = db.values(`${select} where id between ? and ? order by id`, low, high);
      if (isRising && high - low === ids.length - 1) return rows;
      const requestedIds = new Set(ids);
      return rows.filter(([id]) => requestedIds.has(Number(id)));
    }
  }
  return db.values(`${select} where id ${IN_IDS} order by id`, JSON.stringify(ids));
}

/** Which of these ids the table has. */
export function existingIds(db: Database, table: string, ids: readonly number[]): Set<number> {
  return new Set(rowsWithIds(db, `select id from ${quote(table)}`, ids).map(([id]) => Number(id)));
}

/** All ids of the table, in order. */
export const allIds = (db: Database, table: string): number[] =>
  db.values(`select id from ${quote(table)} order by id`).map(([id]) => Number(id));

/** The highest id of the table; 0 when it is empty. */
export const highestId = (db: Database, table: string): number =>
  Number(db.values(`select max(id) from ${quote(table)}`)[0]?.[0] ?? 0);

/** What adding rows to a table takes, whatever they hold. */
interface InsertStatement {
  readonly sql: string;
  /** Where the cells of a column go. */
  readonly parameters: ReadonlyMap<string, { readonly at: number; readonly kind: ColumnType }>;
  /** A row of defaults. */
  readonly blank: readonly StorableValue[];
}

const insertStatements = new WeakMap<CatalogTable, InsertStatement>();

function insertStatementOf(table: CatalogTable): InsertStatement {
  let insertion = insertStatements.get(table);
  if (!insertion) {
    const columns = [...table.columns.values()].filter((column) => column.isStored);
    const names = ["id", ...columns.map((column) => quote(column.id))];
    insertion = {
      sql: `insert into ${quote(table.id)} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
      parameters: new Map(columns.map(({ id, kind }, c) => [id, { at: c + 1, kind }])),
      blank: [null, ...columns.map(({ kind }) => kind.encode(kind.defaultValue))],
    };
    insertStatements.set(table, insertion);
  }
  return insertion;
}

/** Adds rows. Columns that `values` does not name get the default of their type. The ids must be free. */
export function insertRows(
  db: Database,
  table: CatalogTable,
  ids: readonly number[],
  values: Readonly<Record<string, readonly CellValue[]>>,
): void {
  const { sql, parameters, blank } = insertStatementOf(table);
  const insert = db.prepare(sql);
  const row = [...blank];
  const providedColumns = Object.entries(values).flatMap(([id, cells]) => {
    const place = parameters.get(id);
    return place ? [{ ...place, cells }] : [];
  });
  for (let r = 0; r < ids.length; r++) {
    row[0] = ids[r] ?? null;
    for (const { at, kind, cells } of providedColumns) row[at] = kind.encode(cells[r] ?? null);
    insert.run(...row);
  }
}

/** Sets cells of existing rows. */
export function updateRows(
  db: Database,
  table: CatalogTable,
  ids: readonly number[],
  values: Readonly<Record<string, readonly CellValue[]>>,
): void {
  const columns = Object.keys(values).flatMap((id) => table.columns.get(id) ?? []);
  const stored = columns.filter((column) => column.isStored);
  if (stored.length === 0) return;
  const sets = stored.map(({ id }) => `${quote(id)} = ?`).join(", ");
  const update = db.prepare(`update ${quote(table.id)} set ${sets} where id = ?`);
  const updatedColumns = stored.map(({ id, kind }, at) => ({ at, kind, cells: values[id] ?? [] }));
  const row: SqlValue[] = [...updatedColumns.map(() => null), null];
  for (let r = 0; r < ids.length; r++) {
    for (const { at, kind, cells } of updatedColumns) row[at] = kind.encode(cells[r] ?? null);
    row[updatedColumns.length] = ids[r] ?? null;
    update.run(...row);
  }
}

export function deleteRows(db: Database, table: string, ids: readonly number[]): void {
  db.run(`delete from ${quote(table)} where id ${IN_IDS}`, JSON.stringify(ids));
}

/** True when two cells hold the same; NaN equals itself, and -0 is not 0. */
export function sameCell(a: CellValue, b: CellValue): boolean {
  if (Object.is(a, b)) return true;
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return JSON.stringify(a) === JSON.stringify(b);
}
