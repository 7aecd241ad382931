import type { CellValue } from "../../values/cell.ts";
import type { ReadConnection } from "../cursors.ts";
import { absentCells, type CellFormat, createColumnMapper, storedFieldIds } from "./cell-format.ts";
import { BatchSizer } from "./batch-sizer.ts";
import { type Row, RowScan, type Selection } from "./row-scan.ts";
import { isPlainScan, plainDataChunks } from "./plain-data-chunks.ts";
import type { ReadTable } from "./read-table.ts";

/** Tables of up to this many characters are transposed in memory; beyond, each column is read separately. */
const MAX_IN_MEMORY = 4_194_304;

interface DataQuery {
  readonly form: CellFormat;
  readonly selection: Selection;
}

/** One column of the response: its name, and the conversion of row batches. */
interface OutputColumn {
  readonly id: string;
  /** The SQL column; null when all cells are equal. */
  readonly stored: string | null;
  toCells(rows: readonly Row[]): CellValue[];
}

/** Yields the chunks of `{"id": […], "Name": […], …}`; `source.db` may be replaced between two of them. */
export function* dataChunks(
  source: ReadConnection,
  table: ReadTable,
  query: DataQuery,
): Generator<string | Uint8Array, void> {
  const complete = dataInMemory(source, table, query);
  if (complete !== null) {
    yield complete;
    return;
  }
  if (isPlainScan(table, query.selection)) {
    yield* plainDataChunks(source, table, query);
    return;
  }
  // The rows cannot change between columns: from here the response either finishes within the same turn of the event
  // loop or reads from a snapshot.
  const selection = { ...query.selection, visibleRows: query.selection.visibleRows?.withViewCache() ?? null };
  let separator = "{";
  for (const column of outputColumns(table, query.form, "each")) {
    yield `${separator}${JSON.stringify(column.id)}:[`;
    separator = ",";
    yield* columnChunks(source, table, { column, selection });
    yield "]";
  }
  yield "}";
}

/** Returns the whole response, or null when it is too large. */
function dataInMemory(source: ReadConnection, table: ReadTable, { form, selection }: DataQuery): string | null {
  const columns = outputColumns(table, form, "together");
  const texts: string[] = columns.map(() => "");
  const scan = new RowScan(source, { table, columns: storedFieldIds(table.fields), selection });
  const batchSizer = new BatchSizer();
  let total = 0;
  for (let rows = scan.take(batchSizer.size); rows.length > 0; rows = scan.take(batchSizer.size)) {
    const before = total;
    for (const [at, column] of columns.entries()) {
      const text = JSON.stringify(column.toCells(rows));
      texts[at] += `${texts[at] && ","}${text.slice(1, -1)}`;
      total += text.length;
    }
    if (total > MAX_IN_MEMORY) return null;
    batchSizer.record(rows.length, total - before);
    // Judge by the first batch: what is rendered in vain delays a large response.
    const isFirst = before === 0;
    if (isFirst && (total / rows.length) * maxRowCount(source, table, selection) > 2 * MAX_IN_MEMORY) return null;
  }
  return `{${columns.map(({ id }, at) => `${JSON.stringify(id)}:[${texts[at]}]`).join(",")}}`;
}

/** Fewer rows than this are read without asking for the size of the table. */
const MIN_LARGE_LIMIT = 4096;

/** Returns an upper bound of the number of selected rows where it is known without counting them, else 0. */
function maxRowCount({ db }: ReadConnection, table: ReadTable, { order, limit, where }: Selection): number {
  if (order.kind === "list") return order.ids.length;
  if (where.sql !== "" || limit < MIN_LARGE_LIMIT || !table.isStored) return 0;
  return Math.min(limit, Number(db.values(`select max(id) from ${table.from}`)[0]?.[0] ?? 0));
}

function* columnChunks(
  source: ReadConnection,
  table: ReadTable,
  { column, selection }: { column: OutputColumn; selection: Selection },
): Generator<string, void> {
  const scan = new RowScan(source, { table, columns: column.stored === null ? [] : [column.stored], selection });
  const batchSizer = new BatchSizer();
  let separator = "";
  for (let rows = scan.take(batchSizer.size); rows.length > 0; rows = scan.take(batchSizer.size)) {
    const text = JSON.stringify(column.toCells(rows));
    batchSizer.record(rows.length, text.length);
    yield separator + text.slice(1, -1);
    separator = ",";
  }
}

/** Returns the columns of the response, for rows that have all stored columns together, or just the id and one. */
function outputColumns(table: ReadTable, form: CellFormat, rows: "together" | "each"): OutputColumn[] {
  let index = 0;
  const fields = table.fields.map((field): OutputColumn => {
    const { id, absent } = field;
    if (absent !== undefined)
      return { id, stored: null, toCells: (portion) => absentCells(field, form, portion.length) };
    index++;
    return { id, stored: id, toCells: createColumnMapper(field, rows === "each" ? 1 : index, form) };
  });
  return [{ id: "id", stored: null, toCells: (portion) => portion.map((row) => row[0] as number) }, ...fields];
}
