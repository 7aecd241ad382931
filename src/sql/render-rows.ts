import type { StatementSync } from "node:sqlite";
import { statementLimit } from "./refusals.ts";

/** Limits of an answer. */
export interface ResultLimits {
  readonly maxRows: number;
  /** Total size of the rows as JSON. */
  readonly maxBytes: number;
}

/** Approximate size of a chunk in characters. */
const CHUNK_SIZE = 65_536;

/** A column of the result. */
export interface ResultColumn {
  readonly name: string;
  /** True when its values are unmodified cells of the document. */
  readonly isCell: boolean;
}

/**
 * Renders the rows of a statement as JSON, in chunks: `{"fields":{…}},{"fields":…`.
 * @throws AppError `invalid` when a limit is exceeded; SQLite errors
 */
export function* renderRows(
  rows: Iterable<unknown>,
  columns: readonly ResultColumn[],
  limits: ResultLimits,
): Generator<string> {
  const keys = columns.map(({ name }, i) => `${i === 0 ? "" : ","}${JSON.stringify(name)}:`);
  let chunk = "";
  let count = 0;
  let bytes = 0;
  for (const row of rows as Iterable<readonly unknown[]>) {
    if (++count > limits.maxRows) throw limitExceeded(`${limits.maxRows} rows`);
    chunk += count === 1 ? '{"fields":{' : ',{"fields":{';
    for (let i = 0; i < keys.length; i++) {
      chunk += `${keys[i]}${valueJson(columns[i]?.isCell ? unwrapText(row[i]) : row[i], limits)}`;
    }
    chunk += "}}";
    if (chunk.length < CHUNK_SIZE) continue;
    bytes += Buffer.byteLength(chunk);
    if (bytes > limits.maxBytes) throw limitExceeded(`${limits.maxBytes} bytes`);
    yield chunk;
    chunk = "";
  }
  if (bytes + Buffer.byteLength(chunk) > limits.maxBytes) throw limitExceeded(`${limits.maxBytes} bytes`);
  if (chunk !== "") yield chunk;
}

const limitExceeded = (limit: string) =>
  statementLimit(`The result exceeds ${limit}; add a LIMIT or select fewer columns`);

/** Returns the result columns of a statement, with SQLite's names. */
export const resultColumns = (statement: StatementSync): ResultColumn[] =>
  statement.columns().map(({ name, column }) => ({ name, isCell: column !== null }));

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const MARSHALLED_TEXT = "u".charCodeAt(0);
/** The type byte and the length. */
const MARSHALLED_TEXT_HEADER_BYTES = 5;

/**
 * Unwraps text cells. Text that SQLite would convert in its column, such as `1e` in a numeric column, is stored as a
 * marshalled blob.
 */
function unwrapText(value: unknown): unknown {
  if (!(value instanceof Uint8Array) || value[0] !== MARSHALLED_TEXT) return value;
  const { byteLength } = value;
  if (byteLength < MARSHALLED_TEXT_HEADER_BYTES) return value;
  const view = new DataView(value.buffer, value.byteOffset, byteLength);
  if (view.getUint32(1, true) !== byteLength - MARSHALLED_TEXT_HEADER_BYTES) return value;
  try {
    return utf8.decode(value.subarray(MARSHALLED_TEXT_HEADER_BYTES));
  } catch {
    return value;
  }
}

function valueJson(value: unknown, { maxBytes }: ResultLimits): string {
  if (value === null) return "null";
  // Integers beyond 2^53 lose precision, as usual in JSON.
  if (typeof value === "bigint") return String(Number(value));
  if (typeof value === "number") return Number.isFinite(value) ? JSON.stringify(value) : "null";
  // Check before rendering: as JSON the value is even larger.
  const { length } = value as string | Uint8Array;
  if (length > maxBytes) throw limitExceeded(`${maxBytes} bytes`);
  return typeof value === "string"
    ? JSON.stringify(value)
    : `{"type":"Buffer","data":[${(value as Uint8Array).join()}]}`;
}
