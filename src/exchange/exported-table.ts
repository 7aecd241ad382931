import type { CellValue } from "../values/cell.ts";
import type { ParseSettings, WidgetOptions } from "../values/column-type.ts";
import type { FormattedType } from "../values/cell-formatter.ts";

/** A table to export, independent of reader and format. */
export interface ExportedTable {
  /** The table's id. */
  readonly id: string;
  /** The title of the table's page. */
  readonly title: string;
  /** In display order. */
  readonly columns: readonly ExportedColumn[];
  /** Settings of the document. */
  readonly settings: ParseSettings;
  /** Returns an upper bound of the number of rows; scans all of them. */
  maxRowCount(): number;
  /** Batches of rows, read lazily; only the columns can interpret a row. */
  batches(): Iterable<readonly ExportedRow[]>;
}

export type ExportedRow = readonly unknown[];

/** How values of a column are stored and displayed. */
export interface CellSource {
  readonly type: FormattedType;
  readonly options: WidgetOptions;
  /** Returns the cell value in a row. */
  cell(row: ExportedRow): CellValue;
}

export interface ExportedColumn extends CellSource {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** The column that a reference displays in place of the row id; null if there is none. */
  readonly displayColumn: CellSource | null;
}

/** Header texts: labels for people, or column ids for programs. */
export type HeaderKind = "label" | "colId";

export const headerText = (column: ExportedColumn, header: HeaderKind): string =>
  header === "label" ? column.label : column.id;
