import { cellFormatter } from "../../values/cell-formatter.ts";
import { type CellValue, isList } from "../../values/cell.ts";
import { joinRow } from "../../values/csv-row.ts";
import type { ColumnType } from "../../values/column-type.ts";
import type { OpenDocument } from "../document.ts";
import type { ColumnInfo } from "../schema.ts";
import { widgetOptions } from "../widget-options.ts";
import type { ReadableCells } from "../why/readable-cells.ts";

/** A longer text is cut. */
const MAX_TEXT_LENGTH = 2000;

export interface ShownResult {
  readonly cell: CellValue;
  /** The column whose format applies; undefined for a new one. */
  readonly column: ColumnInfo | undefined;
  readonly type: ColumnType;
}

/** Returns the result of a formula as the grid would show it in the column. */
export function resultText(document: OpenDocument, cells: ReadableCells, { cell, column, type }: ShownResult): string {
  const options = column && widgetOptions(column.widgetOptions);
  const format = cellFormatter(type, { ...document.formatSettings, widgetOptions: options });
  const visible = document.schema.columnByRef.get(column?.visibleCol ?? 0)?.id;
  const { target } = type;
  const text =
    target === undefined || visible === undefined || (typeof cell !== "number" && !isList(cell))
      ? format(cell)
      : referenceText(cells, { target, visible, cell });
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

function referenceText(
  cells: ReadableCells,
  { target, visible, cell }: { target: string; visible: string; cell: CellValue },
): string {
  const name = (row: unknown): string => {
    const text = typeof row === "number" && row > 0 ? cells.displayed(target, row).texts[visible] : "";
    return typeof text === "string" ? text : "";
  };
  return isList(cell) ? joinRow(cell.slice(1).map(name)) : name(cell);
}
