import type { DocumentGrant } from "../../authorization.ts";
import { CELL_CODES, type CellValue, isCoded } from "../../values/cell.ts";
import type { Catalog } from "../actions/catalog.ts";
import { readRows } from "../actions/row-storage.ts";
import type { OpenDocument } from "../document.ts";
import { cellPositions, readRowsOf } from "../dry-run/read-rows.ts";
import { isRestricted, visibilityFor, type VisibilityFilter } from "../read/visibility-filter.ts";

/** The present cells of a table's rows, as far as the caller can read them. */
export interface PresentRows {
  /** True for a row that exists and that the caller can read. */
  has(row: number): boolean;
  /** Returns a cell; undefined where the caller cannot read it, or it does not exist. */
  cell(row: number, column: string): CellValue | undefined;
}

/** Reads rows for one caller, from one state of the document. */
export class PresentReader {
  readonly document: OpenDocument;
  /** Access rules hide a part of the document from the caller, or the API key is limited to tables. */
  readonly isRestricted: boolean;
  readonly #visibility: VisibilityFilter;
  readonly #catalog: Catalog;

  constructor(document: OpenDocument, grant: DocumentGrant, catalog: Catalog) {
    this.document = document;
    this.isRestricted = isRestricted(document, grant);
    this.#visibility = visibilityFor(document, grant);
    this.#catalog = catalog;
  }

  /** Returns rows of a user table; null when the caller cannot read the table. */
  read(table: string, rows: Iterable<number>, columns: readonly string[]): PresentRows | null {
    if (this.isRestricted) return this.#readVisible(table, new Set(rows));
    const read = columns.flatMap((id) => this.#catalog.find(table)?.columns.get(id) ?? []);
    const ids = [...new Set(rows)].toSorted((a, b) => a - b);
    const { ids: found, cells } = readRows(this.document.db, table, read, ids);
    const rowAt = new Map(found.map((id, at) => [id, at]));
    const columnAt = new Map(read.map(({ id }, at) => [id, at]));
    return {
      has: (row) => rowAt.has(row),
      cell: (row, column) => cells[columnAt.get(column) ?? -1]?.[rowAt.get(row) ?? -1],
    };
  }

  /** True when no row of the table is hidden from the caller. */
  knowsRowsOf(table: string): boolean {
    if (!this.isRestricted) return true;
    const { rules } = this.#visibility;
    return this.document.schema.tableById.has(table) && rules?.table(table).read === "allow";
  }

  canReadColumn(table: string, column: string): boolean {
    return this.#visibility.rules?.table(table).column(column).read !== "deny";
  }

  /** Returns the cell of a new row. */
  defaultOf(table: string, column: string): CellValue {
    return this.#catalog.column(table, column).kind.defaultValue;
  }

  #readVisible(table: string, ids: ReadonlySet<number>): PresentRows | null {
    const found = readRowsOf(this.document, this.#visibility, { table, ids, checkTime: () => {} });
    if (!found) return null;
    const positions = cellPositions(found.fields);
    const fields = new Map(found.fields.map((field) => [field.id, field]));
    return {
      has: (row) => found.rows.has(row),
      cell(row, column) {
        const field = fields.get(column);
        const stored = found.rows.get(row);
        if (!field || !stored || field.absent !== undefined) return undefined;
        const cell = field.type.decodeRaw(positions.get(field)?.(stored) ?? null);
        return isCoded(cell) && cell[0] === CELL_CODES.censored ? undefined : cell;
      },
    };
  }
}
