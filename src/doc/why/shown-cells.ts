import { displayText } from "../../values/display-text.ts";
import { cellFormatter } from "../../values/cell-formatter.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import type { OpenDocument } from "../document.ts";
import { isHiddenColumn } from "../schema.ts";
import { widgetOptions } from "../widget-options.ts";
import type { CellName, ShownCell, ShownLookup, ShownReads } from "./explanation.ts";
import type { ReadableCells } from "./readable-cells.ts";
import type { CellRead, LookupRead, Trace } from "./trace.ts";

/** How many of the rows of a look-up are listed. */
const MAX_FOUND_ROWS = 10;
/** A longer text is cut. */
const MAX_TEXT_LENGTH = 2000;

/** Describes cells as answers show them, for a caller who can read them. */
export class ShownCells {
  readonly #document: OpenDocument;
  readonly #cells: ReadableCells;

  constructor(document: OpenDocument, cells: ReadableCells) {
    this.#document = document;
    this.#cells = cells;
  }

  label(table: string, column: string): string {
    return this.#cells.columns(table)?.columnById.get(column)?.label || column;
  }

  name({ column: { id: column, table }, row }: CellRead): CellName {
    const { label: rowLabel } = this.#cells.displayed(table.id, row);
    return { table: table.id, row, rowLabel, column, label: this.label(table.id, column) };
  }

  cell(cell: CellRead): ShownCell {
    const { column, row } = cell;
    const { texts } = this.#cells.displayed(column.table.id, row);
    const value = this.#cells.cell(column.table.id, row, column.id) ?? null;
    const text = texts[column.id];
    return { ...this.name(cell), value, text: cut(typeof text === "string" ? text : displayText(value)) };
  }

  /** Lists at most `limit` cells and look-ups, and counts the others. */
  reads(
    { cells, lookups, clock, user }: Pick<Trace, "cells" | "lookups" | "clock" | "user">,
    limit: number,
  ): ShownReads {
    const shown = cells.filter(({ column }) => this.#isShown(column.table.id, column.id));
    return {
      cells: shown.slice(0, limit).map((cell) => this.cell(cell)),
      more: Math.max(shown.length - limit, 0),
      lookups: lookups.slice(0, limit).map((lookup) => this.#lookup(lookup)),
      moreLookups: Math.max(lookups.length - limit, 0),
      clock,
      user,
    };
  }

  #isShown(table: string, column: string): boolean {
    return !isHiddenColumn(column) && this.#cells.columns(table)?.columnById.has(column) === true;
  }

  #lookup({ kind, table, criteria, order, rows }: LookupRead): ShownLookup {
    return {
      kind,
      table: table.id,
      criteria: criteria.map(({ column, contains, value }) => ({
        column,
        label: column === "id" ? "id" : this.label(table.id, column),
        contains,
        value,
        text: this.#criterionText(table.id, column, { value, contains }),
      })),
      sort: [
        ...order.keys
          .filter(({ column }) => !isHiddenColumn(column))
          .map(({ column, isDescending }) => (isDescending ? `-${column}` : column)),
        ...(order.isIdDescending ? ["-id"] : []),
      ],
      found: rows.length,
      rows: rows.slice(0, MAX_FOUND_ROWS).map((row) => ({ row, label: this.#cells.displayed(table.id, row).label })),
    };
  }

  #criterionText(table: string, id: string, { value, contains }: { value: CellValue; contains: boolean }): string {
    const column = this.#cells.columns(table)?.columnById.get(id);
    const type = columnType(column?.type ?? "Any");
    const target = type.target;
    if (typeof value === "number" && target !== undefined) {
      return this.#cells.displayed(target, value).label ?? String(value);
    }
    if (contains || !column) return cut(displayText(value));
    const options = widgetOptions(column.widgetOptions);
    return cut(cellFormatter(type, { ...this.#document.formatSettings, widgetOptions: options })(value));
  }
}

const cut = (text: string): string => (text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text);
