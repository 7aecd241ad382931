import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { ReadConnection } from "../cursors.ts";
import { BatchSizer } from "./batch-sizer.ts";
import { absentCells, type CellFormat, createColumnMapper, sqlJsonOf } from "./cell-format.ts";
import { isExactJson } from "./exact-json.ts";
import type { ReadField, ReadTable } from "./read-table.ts";
import { RowScan, type Selection } from "./row-scan.ts";

/** Rows between two block boundaries. */
const BLOCK_ROWS = 128;
/** Maximum number of rows of a column that are read at once: their cells are small. */
const MAX_COLUMN_ROWS = 16_384;
/** Smaller than any row id. */
const BEFORE_FIRST = -(2 ** 53);

/** Returns true for a query of all rows by id, or of the first ones, that the caller sees as they are stored. */
export const isPlainScan = (table: ReadTable, { where, order, visibleRows }: Selection): boolean =>
  table.isStored &&
  table.from === quote(table.id) &&
  where.sql === "" &&
  visibleRows === null &&
  order.kind === "id" &&
  !order.descending;

interface PlainQuery {
  readonly form: CellFormat;
  readonly selection: Selection;
}

/**
 * Yields `{"id": […], "Name": […], …}` column by column, for a plain scan. SQLite renders the cells of a block as JSON
 * bytes where that is exact, several times as fast as a conversion of each value; other blocks are rendered here. The
 * rows must not change meanwhile; `source.db` may be replaced between two chunks.
 */
export function* plainDataChunks(
  source: ReadConnection,
  table: ReadTable,
  { form, selection }: PlainQuery,
): Generator<string | Uint8Array, void> {
  const blocks = new RowBlocks();
  yield '{"id":[';
  yield* idChunks(source, { table, selection, blocks });
  for (const field of table.fields) {
    yield `],${JSON.stringify(field.id)}:[`;
    if (field.absent === undefined) yield* cellChunks(source, { table, field, form, blocks });
    else yield* absentChunks(field, form, blocks);
  }
  yield "]}";
}

/** The boundaries of a scan's rows, for reading the same rows again in ranges of their ids. */
class RowBlocks {
  /** The id of every `BLOCK_ROWS`-th row. */
  readonly #ends: number[] = [];
  #last = BEFORE_FIRST;
  rowCount = 0;

  add(id: number): void {
    this.rowCount++;
    this.#last = id;
    if (this.rowCount % BLOCK_ROWS === 0) this.#ends.push(id);
  }

  /** Yields consecutive ranges of ids; before each, `sizeOf` returns how many rows it should have at most. */
  *ranges(sizeOf: () => number): Generator<{ readonly after: number; readonly upTo: number; readonly rows: number }> {
    let after = BEFORE_FIRST;
    for (let row = 0; row < this.rowCount;) {
      const end = Math.min(row + Math.max(1, Math.floor(sizeOf() / BLOCK_ROWS)) * BLOCK_ROWS, this.rowCount);
      const upTo = this.#ends[end / BLOCK_ROWS - 1] ?? this.#last;
      yield { after, upTo, rows: end - row };
      [after, row] = [upTo, end];
    }
  }
}

interface IdColumn {
  readonly table: ReadTable;
  readonly selection: Selection;
  readonly blocks: RowBlocks;
}

function* idChunks(source: ReadConnection, { table, selection, blocks }: IdColumn): Generator<string> {
  const scan = new RowScan(source, { table, columns: [], selection });
  let separator = "";
  for (let rows = scan.take(MAX_COLUMN_ROWS); rows.length > 0; rows = scan.take(MAX_COLUMN_ROWS)) {
    const ids = rows.map(([id]) => id as number);
    for (const id of ids) blocks.add(id);
    yield separator + JSON.stringify(ids).slice(1, -1);
    separator = ",";
  }
}

function* absentChunks(field: ReadField, form: CellFormat, blocks: RowBlocks): Generator<string> {
  let separator = "";
  for (const { rows } of blocks.ranges(() => MAX_COLUMN_ROWS)) {
    yield separator + JSON.stringify(absentCells(field, form, rows)).slice(1, -1);
    separator = ",";
  }
}

interface StoredColumn {
  readonly table: ReadTable;
  readonly field: ReadField;
  readonly form: CellFormat;
  readonly blocks: RowBlocks;
}

function* cellChunks(
  source: ReadConnection,
  { table, field, form, blocks }: StoredColumn,
): Generator<string | Uint8Array> {
  // Without indexes, the rows of a range of ids come in the order of their ids.
  const range = `from ${table.from} not indexed where id > ? and id <= ?`;
  const cellsSql = `select ${quote(field.id)} ${range} order by id`;
  const toCells = createColumnMapper(field, 0, form);
  const json = sqlJsonOf(field, form);
  const jsonSql = json && `select cast(${json} as blob) ${range}`;
  let isExact = jsonSql !== null;
  const batchSizer = new BatchSizer(MAX_COLUMN_ROWS);
  let separator = "";
  for (const { after, upTo, rows } of blocks.ranges(() => batchSizer.size)) {
    const exact = isExact && jsonSql !== null ? exactJson(source, jsonSql, [after, upTo]) : null;
    if (exact !== null) {
      batchSizer.record(rows, exact.length);
      exact[0] = COMMA;
      yield exact.subarray(separator.length === 0 ? 1 : 0, -1);
    } else {
      // A column has similar cells throughout.
      isExact = false;
      const text = JSON.stringify(toCells(source.db.values(cellsSql, after, upTo)));
      batchSizer.record(rows, text.length);
      yield separator + text.slice(1, -1);
    }
    separator = ",";
  }
}

const COMMA = 0x2c;

/** Returns a list of cells as SQLite renders it; null if it cannot, or not exactly. */
function exactJson({ db }: ReadConnection, sql: string, range: SqlValue[]): Uint8Array | null {
  let bytes: SqlValue | undefined;
  try {
    bytes = db.values(sql, ...range)[0]?.[0];
  } catch {
    // A BLOB, most likely. Any other problem shows again when the cells themselves are read.
    return null;
  }
  return bytes instanceof Uint8Array && isExactJson(bytes) ? bytes : null;
}
