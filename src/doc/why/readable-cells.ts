import { AppError } from "../../errors.ts";
import { CELL_CODES, type CellValue } from "../../values/cell.ts";
import type { OpenDocument } from "../document.ts";
import { storedFieldIds } from "../read/cell-format.ts";
import { scanRow } from "../read/output/find-record.ts";
import { createRecordPlan } from "../read/output/record-plan.ts";
import { idsCondition } from "../read/index-reads.ts";
import { type Row, RowScan } from "../read/row-scan.ts";
import type { ReadField } from "../read/read-table.ts";
import type { VisibilityFilter, VisibleTable } from "../read/visibility-filter.ts";
import { createVisibleRows } from "../read/visible-rows.ts";
import type { TableInfo } from "../schema.ts";

/** A row as the caller sees it: cells by column, without censored ones. */
export type ReadableRow = ReadonlyMap<string, CellValue>;

/** The texts of a row as the grid shows them. */
export interface DisplayedRow {
  /** A short text that names the row; null for a row without one. */
  readonly label: string | null;
  readonly texts: Readonly<Record<string, unknown>>;
}

/** Rows kept in memory at once. */
const MAX_CACHED_ROWS = 20_000;
const MAX_LABEL_LENGTH = 100;
/** Types whose texts name a row better than numbers and dates do. */
const NAMING_TYPES: ReadonlySet<string> = new Set(["Text", "Choice", "Any"]);

/** The cells that a caller can read, of user tables only. A row that they cannot read does not exist here. */
export class ReadableCells {
  readonly visibility: VisibilityFilter;
  readonly #document: OpenDocument;
  readonly #tables = new Map<string, VisibleTable | null>();
  readonly #rows = new Map<string, ReadableRow | null>();
  readonly #displayed = new Map<string, DisplayedRow>();

  constructor(visibility: VisibilityFilter) {
    this.visibility = visibility;
    this.#document = visibility.document;
  }

  /** Returns a user table; null when there is none for the caller. */
  table(id: string): VisibleTable | null {
    let table = this.#tables.get(id);
    if (table === undefined) this.#tables.set(id, (table = this.#findTable(id)));
    return table;
  }

  /** Returns a user table's visible columns; null when there is none for the caller. */
  columns(id: string): TableInfo | null {
    return this.table(id) && this.visibility.userTable(id);
  }

  field(table: string, column: string): ReadField | undefined {
    return this.table(table)?.table.fieldById.get(column);
  }

  row(tableId: string, id: number): ReadableRow | null {
    const key = `${tableId} ${id}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const table = this.table(tableId);
    const fields = table ? readFields(table) : [];
    const [row] = table ? scanRow(this.#document, table, { id, columns: storedFieldIds(fields) }) : [];
    return this.#keep(key, row ? readableRow(fields, row) : null);
  }

  /** Returns the cell; undefined when there is none for the caller. */
  cell(table: string, row: number, column: string): CellValue | undefined {
    return this.row(table, row)?.get(column);
  }

  /** Returns those of the rows that the caller can read in all of these columns, in the same order. */
  rowsWith(tableId: string, ids: readonly number[], columns: readonly string[]): number[] {
    const table = this.table(tableId);
    if (!table) return [];
    const unread = ids.filter((id) => !this.#rows.has(`${tableId} ${id}`));
    const found = new Map(unread.length > 0 ? this.#scan(table, unread) : []);
    for (const id of unread) this.#keep(`${tableId} ${id}`, found.get(id) ?? null);
    return ids.filter((id) => {
      const row = found.get(id) ?? this.row(tableId, id);
      return row !== null && columns.every((column) => row.has(column));
    });
  }

  /** Returns the ids of the rows that the caller can read, at most `limit` of them. */
  ids(tableId: string, limit: number): number[] {
    const table = this.table(tableId);
    if (!table) return [];
    const order = { kind: "id", descending: false } as const;
    const selection = { where: MATCH_ALL_ROWS, order, limit, visibleRows: createVisibleRows(table) };
    return new RowScan({ db: this.#document.db }, { table: table.table, columns: [], selection })
      .take(limit)
      .map(([id]) => Number(id));
  }

  /** Returns the texts of a row that the caller can read. */
  displayed(tableId: string, id: number): DisplayedRow {
    const key = `${tableId} ${id}`;
    let row = this.#displayed.get(key);
    if (!row) this.#displayed.set(key, (row = this.#display(tableId, id)));
    return row;
  }

  #display(tableId: string, id: number): DisplayedRow {
    const table = this.table(tableId);
    const columns = this.columns(tableId);
    if (!table || !columns) return NOTHING_DISPLAYED;
    const output = { hidden: false, cells: "display", fields: null, expand: [] } as const;
    const plan = createRecordPlan(this.visibility, table, output);
    const rows = scanRow(this.#document, table, { id, columns: plan.columns });
    const [record] = plan.toRecords({ db: this.#document.db }, rows);
    if (!record) return NOTHING_DISPLAYED;
    const readable = this.row(tableId, id);
    const texts = Object.fromEntries(Object.entries(record.fields).filter(([column]) => readable?.has(column)));
    return { label: labelOf(columns, texts), texts };
  }

  #findTable(id: string): VisibleTable | null {
    if (!this.#document.schema.tableById.has(id)) return null;
    try {
      return this.visibility.readTable(id);
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  #scan(table: VisibleTable, ids: readonly number[]): [number, ReadableRow][] {
    const fields = readFields(table);
    const order = { kind: "id", descending: false } as const;
    const selection = { where: idsCondition(ids), order, limit: ids.length, visibleRows: createVisibleRows(table) };
    const columns = storedFieldIds(fields);
    const rows = new RowScan({ db: this.#document.db }, { table: table.table, columns, selection }).take(ids.length);
    return rows.map((row) => [Number(row[0]), readableRow(fields, row)]);
  }

  #keep(key: string, row: ReadableRow | null): ReadableRow | null {
    if (this.#rows.size >= MAX_CACHED_ROWS) this.#rows.clear();
    this.#rows.set(key, row);
    return row;
  }
}

const MATCH_ALL_ROWS = { sql: "1", args: [] };
const NOTHING_DISPLAYED: DisplayedRow = { label: null, texts: {} };

const readFields = ({ table }: VisibleTable): readonly ReadField[] => table.fields;

/** @param row the id, then the stored columns of `fields` */
function readableRow(fields: readonly ReadField[], row: Row): ReadableRow {
  const cells = new Map<string, CellValue>();
  let at = 0;
  for (const { id, type, absent } of fields) {
    const cell = absent === undefined ? type.decodeRaw(row[++at] ?? null) : absent;
    if (!(Array.isArray(cell) && cell[0] === CELL_CODES.censored)) cells.set(id, cell);
  }
  return cells;
}

/** Returns the first text of the row in the order of its columns, or what its first column shows. */
function labelOf({ columns }: TableInfo, texts: Readonly<Record<string, unknown>>): string | null {
  const shown = columns.filter(({ isHidden }) => !isHidden).toSorted((a, b) => a.position - b.position);
  const named = shown.filter(({ type }) => NAMING_TYPES.has(type));
  for (const { id } of [...named, ...shown]) {
    const text = texts[id];
    if (typeof text === "string" && text.trim() !== "") return text.trim().slice(0, MAX_LABEL_LENGTH);
  }
  return null;
}
