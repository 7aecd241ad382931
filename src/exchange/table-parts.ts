import type { CellValue } from "../values/cell.ts";
import type { ColumnFormat } from "./xlsx-formats.ts";

/**
 * What a file to import is read as, part after part: a table, then its rows. Cells that belong together stand at the
 * same place in a row; rows may end early.
 */
export type TablePart =
  /** `labels`: what the columns are called; an empty one gets a name when the table is made. */
  | { readonly kind: "table"; readonly name: string; readonly labels: readonly string[] }
  | { readonly kind: "rows"; readonly rows: readonly (readonly CellValue[])[] }
  /** How the columns show their values, where the file says so; after the rows. */
  | { readonly kind: "formats"; readonly formats: readonly (ColumnFormat | null)[] };

/** What texts in a file may stand for: in CSV for anything, in JSON for dates, in workbooks for nothing else. */
export type TextMeaning = "anything" | "dates" | "text";

/** A file as it lies on the disk. */
export interface FileToRead {
  readonly path: string;
  /** What its tables are called unless it says so itself. */
  readonly name: string;
}

/** Reads files of one format. */
export interface TableReader {
  readonly texts: TextMeaning;
  /** @throws AppError `invalid` for a file that cannot be read, `tooLarge` */
  read(file: FileToRead): AsyncIterable<TablePart>;
}

/** Columns of a table; SQLite takes no more, and two of them are ours. */
export const MOST_COLUMNS = 1998;
