import type { CellValue, CodedValue } from "../cell.ts";

/** A cell value as SQLite returns it. */
export type StoredValue = null | number | bigint | string | Uint8Array;

/** A cell value as it is bound to a SQL parameter. */
export type StorableValue = null | number | string | Uint8Array;

/** The context of a conversion. */
export interface ConvertContext {
  /** `input` (default): a value from a request. `typeChange`: a value from a column of another type. */
  mode?: "input" | "typeChange";
  /** With `typeChange`: the column's previous type, which determines the text of some values. */
  from?: ColumnType;
  /**
   * For `["l", value, {column}]`: returns the id of the first record of the target table whose column (by default the
   * displayed one, else id) equals `value`; undefined if there is none.
   * @throws AppError `invalid` for an unknown column
   */
  lookUp?: (value: unknown, column: string | undefined) => number | undefined;
}

/** Settings that determine how texts are parsed in a column. */
export interface ParseSettings {
  /** The document's locale: "de-DE". */
  readonly locale: string;
  /** The document's currency: "EUR"; defaults to the locale's. */
  readonly currency?: string | undefined;
  /** The document's time zone: "Europe/Berlin". */
  readonly timezone: string;
  /** The column's options. */
  readonly widgetOptions?: WidgetOptions | undefined;
  /** Milliseconds since the epoch, to complete dates without a year. Default: now. */
  readonly nowMs?: number | undefined;
  /**
   * For Ref, RefList and Attachments: returns the id of the first record of the target table that displays `text`;
   * undefined if there is none. The callee parses the text by the type of the displayed column, or as a row id if no
   * column is displayed.
   */
  readonly lookUp?: ((text: string) => number | undefined) | undefined;
}

/** The widgetOptions of a column that affect its values. */
export interface WidgetOptions {
  readonly dateFormat?: unknown;
  readonly timeFormat?: unknown;
  readonly currency?: unknown;
  readonly numMode?: unknown;
  readonly decimals?: unknown;
  readonly [name: string]: unknown;
}

/** A column type: how its cells are stored, displayed, converted and parsed from texts. */
export interface ColumnType {
  /** As in the metadata: `Ref:People`. */
  readonly text: string;
  /** `Ref` */
  readonly base: string;
  /** The target table of a Ref, RefList or Attachments. */
  readonly target?: string;
  /** Zone of a DateTime; "UTC" if missing or unknown. */
  readonly zone?: string;
  /** Declared type of the SQL column. */
  readonly sqlType: string;
  /** Default of the SQL column, as SQL text. */
  readonly sqlDefault: string;
  /** The value of a new cell. */
  readonly defaultValue: CellValue;
  /** True if all values but BLOBs, infinities and NaN are stored exactly as the API returns them. */
  readonly isStoredPlain: boolean;
  /** Decodes a stored value. Infinities and NaN become null. Never throws. */
  decode(stored: StoredValue): CellValue;
  /** Like `decode`, but keeps infinities and NaN: for copying data, and as input of `typed`. */
  decodeRaw(stored: StoredValue): CellValue;
  /** Encodes a cell value for storage. Throws an Error only for lists nested deeper than any accepted value. */
  encode(value: CellValue): StorableValue;
  /**
   * Returns the form of a value under cellFormat=typed: a date becomes `["d", seconds]`. Keeps infinities in nested
   * values.
   */
  typed(value: CellValue): CellValue;
  /**
   * Converts any value to the type. A value that does not match is kept, mostly as text.
   * @throws AppError `invalid` for the few values that a type rejects, such as negative numbers in a reference
   */
  convert(value: CellValue, context?: ConvertContext): CellValue;
  /**
   * Parses a text as users enter it, by the settings of the column and the document. The caller converts the result;
   * unparsable texts stay texts.
   */
  parse(text: string, settings: ParseSettings): CellValue;
}

/** Factory of a type in the registry: for the base name, from the part after the first colon. */
export interface TypeFamily {
  readonly base: string;
  /** `required`: the part after the colon is mandatory, as in `Ref:People`. */
  readonly argument: "none" | "optional" | "required";
  make(text: string, argument: string | undefined): ColumnType;
}

export type { CellValue, CodedValue };
