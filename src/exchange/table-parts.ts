import type { CellValue } from "../values/cell.ts";
import type { ColumnFormat } from "./xlsx/formats.ts";

/**
 * What a file to import is read as, part after part: a table, then its rows. Cells that belong together stand at the
 * same place in a row; rows may end early.
 */
export type TablePart =
  /** `labels`: what the columns are called; an empty one gets a name when the table is made. */
  | {
      readonly kind: "table";
      readonly name: string;
      readonly labels: readonly string[];
      /** By which columns of other tables refer to this one. */
      readonly number?: number;
    }
  | { readonly kind: "rows"; readonly rows: readonly (readonly CellValue[])[] }
  /** How the columns show their values, where the file says so; after the rows. */
  | { readonly kind: "formats"; readonly formats: readonly (ColumnFormat | null)[] }
  /** Types of columns that follow from the form of the file; after the rows. */
  | { readonly kind: "types"; readonly types: readonly (DeclaredType | null)[] }
  /** How the table was found in the file; after the rows. */
  | { readonly kind: "notes"; readonly notes: TableReadReport };

/** The type of a column that its values need not show: lists of choices, or rows of another table by their numbers. */
export type DeclaredType =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  /** `table`: the number of that table. */
  | { readonly kind: "reference"; readonly parts: number };

/** How a table was found in a file, for the person who imports it. */
export interface TableReadReport {
  readonly delimiter?: string;
  readonly encoding?: string;
  /** The number of the row that names the columns, among rows that are not blank; 0 without a header. */
  readonly header?: number;
  /** The beginnings of lines above the table, which are left out. */
  readonly droppedLines?: readonly string[];
  /** Lines without any character, or with delimiters only, which are left out. */
  readonly blankLines?: number;
  /** Sheets of the workbook that are left out because they are hidden. */
  readonly hiddenSheets?: readonly string[];
  /** Cells with an error in place of a value, which are left empty. */
  readonly errorCells?: number;
}

/** What a request says about how a file is to be read; found out where it says nothing. */
export interface TableReadOptions {
  /** The number of the row that names the columns, from 1; 0 for a table without a header. */
  readonly header?: number | undefined;
  readonly delimiter?: string | undefined;
  /** A name of the WHATWG Encoding Standard. */
  readonly encoding?: string | undefined;
  /** The one sheet of a workbook to read, which may be hidden. */
  readonly sheet?: string | undefined;
}

/** What texts in a file may stand for: in CSV and workbooks for anything, in JSON for dates only. */
export type TextInterpretation = "anything" | "dates";

/** A file as it lies on the disk. */
export interface TableFile {
  readonly path: string;
  /** What its tables are called unless it says so itself. */
  readonly name: string;
  readonly choices?: TableReadOptions | undefined;
}

/** Reads files of one format. */
export interface TableReader {
  readonly texts: TextInterpretation;
  /** @throws AppError `invalid` for a file that cannot be read, `tooLarge` */
  read(file: TableFile): AsyncIterable<TablePart>;
}

/** Columns of a table; SQLite takes no more, and two of them are ours. */
export const MAX_COLUMNS = 1998;
