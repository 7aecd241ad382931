import type { CellValue } from "../values/cell.ts";
import type { ParseSettings, WidgetOptions } from "../values/column-type.ts";
import type { FormattedType } from "../values/cell-formatter.ts";

/** A table as it is handed out, whoever reads it and in whatever form it leaves. */
export interface ExportedTable {
  /** The table's id. */
  readonly id: string;
  /** What the table's page is called. */
  readonly title: string;
  /** In the order people see them. */
  readonly columns: readonly ExportedColumn[];
  /** Of the document. */
  readonly settings: ParseSettings;
  /** How many rows there are at most; takes a look at all of them. */
  maxRowCount(): number;
  /** Portions of rows, read as they are taken; only the columns know what is in a row. */
  batches(): Iterable<readonly ExportedRow[]>;
}

export type ExportedRow = readonly unknown[];

/** How values of a column are stored and shown. */
export interface CellSource {
  readonly type: FormattedType;
  readonly options: WidgetOptions;
  /** The cell's value in a row. */
  cell(row: ExportedRow): CellValue;
}

export interface ExportedColumn extends CellSource {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** What stands in the place of a reference: values of the column it shows. Null where it shows none. */
  readonly displayColumn: CellSource | null;
}

/** Columns are headed by what people call them, or by what programs do. */
export type HeaderKind = "label" | "colId";

export const headerText = (column: ExportedColumn, header: HeaderKind): string =>
  header === "label" ? column.label : column.id;
