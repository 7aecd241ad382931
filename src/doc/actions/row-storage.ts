import type { Database, SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import type { ColumnType, StorableValue } from "../../values/column-type.ts";
import { checkDryRunTime } from "../dry-run/dry-run.ts";
import { rowChangeListener } from "../indexes/row-changes.ts";
import type { CatalogColumn, CatalogTable } from "./catalog.ts";

/** Reads and writes the rows of a table as cell values. Independent of actions and formulas. */

/** Rows as columns: `cells[c][r]` is the cell of the c-th requested column in row `ids[r]`. */
export interface StoredRows {
  readonly ids: number[];
  readonly cells: CellValue[][];
}

/** Binds a list of ids as one parameter, so that the prepared statement does not depend on their number. */
export const IN_IDS = "in (select value from json_each(?))";

/**
 * Returns the rows with these ids, or all rows, sorted by id. Ignores unknown ids; missing SQL columns read as
 * defaults.
 */
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

/** Number of rows from which a range scan is faster than a lookup of each id. */
const RANGE_SCAN_THRESHOLD = 500;

/** Returns the rows with these ids, sorted by id. The first column of `select` must be the id. */
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

/** Returns those of the ids that exist in the table. */
export function existingIds(db: Database, table: string, ids: readonly number[]): Set<number> {
  return new Set(rowsWithIds(db, `select id from ${quote(table)}`, ids).map(([id]) => Number(id)));
}

/** Returns all row ids of the table, in order. */
export const allIds = (db: Database, table: string): number[] =>
  db.values(`select id from ${quote(table)} order by id`).map(([id]) => Number(id));

/** Returns the lowest row ids of the table, in order. */
export const firstIds = (db: Database, table: string, limit: number): number[] =>
  db.values(`select id from ${quote(table)} order by id limit ?`, limit).map(([id]) => Number(id));

/** Returns the highest row id of the table; 0 when it is empty. */
export const highestId = (db: Database, table: string): number =>
  Number(db.values(`select max(id) from ${quote(table)}`)[0]?.[0] ?? 0);

/** Rows that are written within a few milliseconds. */
const ROWS_PER_TIME_CHECK = 1024;

/** The insert statement of a table and its parameters. */
interface InsertStatement {
  readonly sql: string;
  /** Parameter index and type of each column. */
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

/** Inserts rows. Columns missing from `values` get the default of their type. The ids must not exist. */
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
    const parameter = parameters.get(id);
    return parameter ? [{ ...parameter, cells }] : [];
  });
  for (let r = 0; r < ids.length; r++) {
    row[0] = ids[r] ?? null;
    for (const { at, kind, cells } of providedColumns) row[at] = kind.encode(cells[r] ?? null);
    if (r % ROWS_PER_TIME_CHECK === 0) checkDryRunTime(db);
    insert.run(...row);
  }
  rowChangeListener(db)?.rowsWritten(table.id, ids, null);
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
    if (r % ROWS_PER_TIME_CHECK === 0) checkDryRunTime(db);
    update.run(...row);
  }
  rowChangeListener(db)?.rowsWritten(
    table.id,
    ids,
    stored.map(({ id }) => id),
  );
}

/** Cells of a column, in the order of the rows that they are written to. */
interface ColumnCells {
  readonly column: CatalogColumn;
  readonly cells: readonly CellValue[];
}

/** Rows with consecutive ids that one statement writes: half of the time of a statement for each row. */
const RUN_ROWS = 16;
/** The statement for a run has a parameter for each cell. */
const MAX_RUN_COLUMNS = 32;

/** Sets cells of existing rows, given in the order of their ids. */
export function updateCells(
  db: Database,
  table: string,
  ids: readonly number[],
  columns: readonly ColumnCells[],
): void {
  const stored = columns.filter(({ column }) => column.isStored);
  if (stored.length === 0) return;
  const names = stored.map(({ column }) => quote(column.id));
  const single = db.prepare(
    `update ${quote(table)} set ${names.map((name, c) => `${name} = ?${c + 2}`).join(", ")} where id = ?1`,
  );
  const hasRuns = ids.length >= RUN_ROWS && stored.length <= MAX_RUN_COLUMNS;
  const run = hasRuns ? db.prepare(runUpdate(table, names)) : undefined;
  const row: SqlValue[] = [null, ...names.map(() => null)];
  const rows: SqlValue[] = [null, ...names.flatMap(() => Array.from({ length: RUN_ROWS }, () => null))];
  for (let r = 0; r < ids.length;) {
    const id = ids[r] ?? 0;
    if (run && ids[r + RUN_ROWS - 1] === id + RUN_ROWS - 1) {
      rows[0] = id;
      let at = 1;
      for (const { column, cells } of stored) {
        for (let i = r; i < r + RUN_ROWS; i++) rows[at++] = column.kind.encode(cells[i] ?? null);
      }
      run.run(...rows);
      r += RUN_ROWS;
    } else {
      row[0] = id;
      for (const [c, { column, cells }] of stored.entries()) row[c + 1] = column.kind.encode(cells[r] ?? null);
      single.run(...row);
      r++;
    }
  }
  rowChangeListener(db)?.rowsWritten(
    table,
    ids,
    stored.map(({ column }) => column.id),
  );
}

/** Returns a statement whose first parameter is the first id, followed by the cells of each column. */
function runUpdate(table: string, names: readonly string[]): string {
  const sets = names.map((name, c) => {
    const cases = Array.from({ length: RUN_ROWS }, (_, i) => `when ${i} then ?${2 + c * RUN_ROWS + i}`);
    return `${name} = case id - ?1 ${cases.join(" ")} end`;
  });
  return `update ${quote(table)} set ${sets.join(", ")} where id between ?1 and ?1 + ${RUN_ROWS - 1}`;
}

export function deleteRows(db: Database, table: string, ids: readonly number[]): void {
  db.run(`delete from ${quote(table)} where id ${IN_IDS}`, JSON.stringify(ids));
  rowChangeListener(db)?.rowsRemoved(table, ids);
}

/** Deletes all rows of a table. */
export function deleteAllRows(db: Database, table: string): void {
  db.run(`delete from ${quote(table)}`);
  rowChangeListener(db)?.tableChanged(table);
}

/** Returns true when two cells are equal; NaN equals itself, and -0 differs from 0. */
export function sameCell(a: CellValue, b: CellValue): boolean {
  if (Object.is(a, b)) return true;
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return JSON.stringify(a) === JSON.stringify(b);
}
