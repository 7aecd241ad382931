import type { CellValue, CodedValue } from "../cell.ts";

/** What SQLite gives for a cell. */
export type StoredValue = null | number | bigint | string | Uint8Array;

/** What is written to SQLite for a cell. */
export type StorableValue = null | number | string | Uint8Array;

/** What surrounds a conversion. */
export interface ConvertContext {
  /** `input` (default): a value that somebody gives. `typeChange`: a value that lay in a column of another type. */
  mode?: "input" | "typeChange";
  /** With `typeChange`: the type the value had. Some values become texts in its form. */
  from?: ColumnType;
  /**
   * For `["l", value, {column}]`: the id of the first record of the target table whose column (by default the shown
   * one, else id) equals `value`; undefined when there is none. Throws AppError `invalid` for an unknown column.
   */
  lookUp?: (value: unknown, column: string | undefined) => number | undefined;
}

/** How texts are read in a column. */
export interface ParseSettings {
  /** Of the document: "de-DE". */
  readonly locale: string;
  /** Of the document: "EUR"; without it that of the locale. */
  readonly currency?: string | undefined;
  /** Of the document: "Europe/Berlin". */
  readonly timezone: string;
  /** Of the column. */
  readonly widgetOptions?: WidgetOptions | undefined;
  /** Milliseconds since the epoch: completes dates without a year. Default: now. */
  readonly nowMs?: number | undefined;
  /**
   * For Ref, RefList and Attachments: the id of the first record of the target table that shows `text`; undefined when
   * there is none. The callee reads the text by the type of the shown column, or as a row id where no column is shown.
   */
  readonly lookUp?: ((text: string) => number | undefined) | undefined;
}

/** What of a column's widgetOptions bears on its values. */
export interface WidgetOptions {
  readonly dateFormat?: unknown;
  readonly timeFormat?: unknown;
  readonly currency?: unknown;
  readonly numMode?: unknown;
  readonly decimals?: unknown;
  readonly [name: string]: unknown;
}

/** One type of column: how its cells are stored, shown, converted and read from texts. */
export interface ColumnType {
  /** As in the metadata: `Ref:People`. */
  readonly text: string;
  /** `Ref` */
  readonly base: string;
  /** The table that a Ref, RefList or Attachments points to. */
  readonly target?: string;
  /** Of a DateTime; "UTC" when missing or unknown. */
  readonly zone?: string;
  /** Declared type of the SQL column. */
  readonly sqlType: string;
  /** Default of the SQL column, as SQL text. */
  readonly sqlDefault: string;
  /** What a new cell holds. */
  readonly defaultValue: CellValue;
  /** True when everything but a BLOB, an infinity and NaN is stored just as it is shown. */
  readonly isStoredPlain: boolean;
  /** The cell value for what is stored. Infinite numbers and NaN read null. Never throws. */
  decode(stored: StoredValue): CellValue;
  /** As `decode`, but keeps infinite numbers and NaN: for copying data, and as input of `typed`. */
  decodeRaw(stored: StoredValue): CellValue;
  /** What to store for a cell value. Throws an Error only for lists nested deeper than any that were taken in. */
  encode(value: CellValue): StorableValue;
  /** The form of a value under cellFormat=typed: a date becomes `["d", seconds]`. Infinite numbers stay inside. */
  typed(value: CellValue): CellValue;
  /**
   * Any value to one that fits the type. What does not fit is kept, mostly as a text, as a stray. Throws AppError
   * `invalid` for the few values that a type refuses outright, such as negative numbers in a reference.
   */
  convert(value: CellValue, context?: ConvertContext): CellValue;
  /**
   * Reads a text as people write it, by the settings of column and document. The result is then to be converted;
   * what cannot be read stays text.
   */
  parse(text: string, settings: ParseSettings): CellValue;
}

/** A type's maker in the registry: for the base name, from the part after the first colon. */
export interface TypeFamily {
  readonly base: string;
  /** `required`: of no use without the part after the colon, as in `Ref:People`. */
  readonly argument: "none" | "optional" | "required";
  make(text: string, argument: string | undefined): ColumnType;
}

export type { CellValue, CodedValue };
