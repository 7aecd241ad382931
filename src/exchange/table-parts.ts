import type { CellValue } from "../values/cell.ts";
import type { ColumnFormat } from "./xlsx/formats.ts";

/**
 * The sequence in which a reader emits a file: a table, then its rows. Cells of a column have the same index in every
 * row; rows may be shorter.
 */
export type TablePart =
  /** `labels`: the column labels; an empty one gets a name when the table is created. */
  | {
      readonly kind: "table";
      readonly name: string;
      readonly labels: readonly string[];
      /** Identifies the table in references from other tables. */
      readonly number?: number;
    }
  | { readonly kind: "rows"; readonly rows: readonly (readonly CellValue[])[] }
  /** Formats of the columns, if the file specifies them; after the rows. */
  | { readonly kind: "formats"; readonly formats: readonly (ColumnFormat | null)[] }
  /** Column types that the form of the file determines; after the rows. */
  | { readonly kind: "types"; readonly types: readonly (DeclaredType | null)[] }
  /** How the table was read from the file; after the rows. */
  | { readonly kind: "notes"; readonly notes: TableReadReport };

/** A column type that does not depend on the values: lists of choices, or references to rows of another table. */
export type DeclaredType =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  /** `parts`: the number of the target table. */
  | { readonly kind: "reference"; readonly parts: number };

/** How a table was read from a file, as a report to the user. */
export interface TableReadReport {
  readonly delimiter?: string;
  readonly encoding?: string;
  /** Row number of the header, among rows that are not blank; 0 without a header. */
  readonly header?: number;
  /** Excerpts of the skipped lines above the table. */
  readonly droppedLines?: readonly string[];
  /** Number of skipped lines that are empty or have delimiters only. */
  readonly blankLines?: number;
  /** Skipped hidden sheets of the workbook. */
  readonly hiddenSheets?: readonly string[];
  /** Number of cells with an error value, which are imported as empty. */
  readonly errorCells?: number;
}

/** Options of a request that control how a file is read; missing ones are detected. */
export interface TableReadOptions {
  /** Row number of the header, from 1; 0 for a table without a header. */
  readonly header?: number | undefined;
  readonly delimiter?: string | undefined;
  /** A name of the WHATWG Encoding Standard. */
  readonly encoding?: string | undefined;
  /** The only sheet of a workbook to read, which may be hidden. */
  readonly sheet?: string | undefined;
}

/** How to interpret texts in a file: in CSV and workbooks as any type, in JSON as dates only. */
export type TextInterpretation = "anything" | "dates";

/** A file on disk. */
export interface TableFile {
  readonly path: string;
  /** Default name of its tables. */
  readonly name: string;
  readonly choices?: TableReadOptions | undefined;
  /** Called with the bytes that were read, and the size of the file. Readers that read a file at once do not call it. */
  readonly onRead?: ((readBytes: number, fileBytes: number) => void) | undefined;
}

/** Reads files of one format. */
export interface TableReader {
  readonly texts: TextInterpretation;
  /** @throws AppError `invalid` for a file that cannot be read, `tooLarge` */
  read(file: TableFile): AsyncIterable<TablePart>;
}

/** Maximum number of columns of a table: SQLite's limit, minus two internal columns. */
export const MAX_COLUMNS = 1998;
