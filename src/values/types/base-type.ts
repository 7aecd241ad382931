import { bytesRepr } from "../bytes-repr.ts";
import { CELL_CODES, isCoded, isErrorCell, type CellValue, type CodedValue } from "../cell.ts";
import { cellFromJson, normalizeCoded } from "../normalize-coded.ts";
import { marshal, unmarshal } from "../marshal.ts";
import type { ColumnType, ConvertContext, ParseSettings, StorableValue, StoredValue } from "./type-interfaces.ts";

/** Type affinity that SQLite applies to values of a column with this declared type. */
export type Storage = "text" | "number" | "boolean" | "blob";

export interface BaseOptions {
  readonly sqlType: string;
  readonly sqlDefault: string;
  readonly storage: Storage;
  readonly defaultValue: CellValue;
}

/** SQLite would convert a text that begins with one of these to a number in a numeric column. */
const NUMERIC_START = /^[-+.0-9 \t\r\n\v\f]/;

/** Behaviour that all types share: the SQLite representation of values, and conversion that keeps every value. */
export class BaseType implements ColumnType {
  readonly text: string;
  readonly base: string;
  readonly sqlType: string;
  readonly sqlDefault: string;
  readonly defaultValue: CellValue;
  readonly #storage: Storage;

  constructor(text: string, options: BaseOptions) {
    this.text = text;
    this.base = text.split(":", 1)[0] ?? text;
    this.sqlType = options.sqlType;
    this.sqlDefault = options.sqlDefault;
    this.defaultValue = options.defaultValue;
    this.#storage = options.storage;
  }

  get isStoredPlain(): boolean {
    return true;
  }

  decode(stored: StoredValue): CellValue {
    const value = this.decodeRaw(stored);
    return typeof value === "number" && !Number.isFinite(value) ? null : value;
  }

  decodeRaw(stored: StoredValue): CellValue {
    if (stored === null || typeof stored === "number" || typeof stored === "string") return stored;
    return typeof stored === "bigint" ? Number(stored) : decodeBlob(stored);
  }

  encode(value: CellValue): StorableValue {
    if (value === null) return null;
    if (typeof value === "number") return this.#encodeNumber(value);
    if (typeof value === "string") return this.#holdsNumbers && NUMERIC_START.test(value) ? marshal(value) : value;
    return typeof value === "boolean" && this.#storage === "boolean" ? Number(value) : marshal(value);
  }

  typed(value: CellValue): CellValue {
    return value;
  }

  convert(value: CellValue, context?: ConvertContext): CellValue {
    if (!Array.isArray(value)) return this.convertValue(value, context);
    const normalized = normalizeCoded(value);
    if (isErrorCell(normalized)) return normalized;
    return normalized[0] === CELL_CODES.lookUp
      ? this.convertLookup(normalized, context)
      : this.convertValue(normalized, context);
  }

  parse(text: string, _settings: ParseSettings): CellValue {
    return text;
  }

  /** Converts a value that is neither an error nor a lookup; coded values are in their stored form. */
  protected convertValue(value: CellValue, _context: ConvertContext | undefined): CellValue {
    return value;
  }

  /** Converts `["l", value, {column}?]`; without a table to search, to the value alone. */
  protected convertLookup([, value]: CodedValue, context: ConvertContext | undefined): CellValue {
    if (Array.isArray(value)) return this.convert([CELL_CODES.list, ...(value as unknown[])], context);
    return this.convert(cellFromJson(value), context);
  }

  get #holdsNumbers(): boolean {
    return this.#storage === "number" || this.#storage === "boolean";
  }

  /** Encodes a number as an SQL number if SQLite returns it unchanged, else marshalled. */
  #encodeNumber(value: number): StorableValue {
    const ambiguous = this.#storage === "boolean" && (value === 0 || value === 1);
    const lossy = Number.isNaN(value) || Object.is(value, -0);
    return this.#storage === "text" || ambiguous || lossy ? marshal(value) : value;
  }
}

/** Decodes a BLOB. Malformed bytes are displayed in Python's notation and stay unchanged in the file. */
function decodeBlob(bytes: Uint8Array): CellValue {
  let value: unknown;
  try {
    value = unmarshal(bytes, "number");
  } catch {
    return ["U", bytesRepr(bytes)];
  }
  if (value === null || typeof value !== "object") return value as CellValue;
  if (isCoded(value)) return value;
  return value instanceof Uint8Array ? ["U", bytesRepr(value)] : ["U", JSON.stringify(value)];
}
