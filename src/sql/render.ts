import type { StatementSync } from "node:sqlite";
import { invalid } from "../errors.ts";

/** How much an answer may hold. */
export interface AnswerLimits {
  readonly maxRows: number;
  /** Of all rows together, as JSON. */
  readonly maxBytes: number;
}

/** About how many characters are handed on at once. */
const PIECE_SIZE = 65_536;

/**
 * The rows of a statement as JSON, in pieces: `{"fields":{…}},{"fields":…`.
 * @throws AppError `invalid` when there are more than the limits allow; whatever SQLite throws
 */
export function* renderRows(
  rows: Iterable<unknown>,
  columns: readonly string[],
  limits: AnswerLimits,
): Generator<string> {
  const keys = columns.map((name, i) => `${i === 0 ? "" : ","}${JSON.stringify(name)}:`);
  let piece = "";
  let count = 0;
  let bytes = 0;
  for (const row of rows as Iterable<readonly unknown[]>) {
    if (++count > limits.maxRows) throw tooMuch(`${limits.maxRows} rows`);
    piece += count === 1 ? '{"fields":{' : ',{"fields":{';
    for (let i = 0; i < keys.length; i++) piece += `${keys[i]}${jsonOf(row[i], limits)}`;
    piece += "}}";
    if (piece.length < PIECE_SIZE) continue;
    bytes += Buffer.byteLength(piece);
    if (bytes > limits.maxBytes) throw tooMuch(`${limits.maxBytes} bytes`);
    yield piece;
    piece = "";
  }
  if (bytes + Buffer.byteLength(piece) > limits.maxBytes) throw tooMuch(`${limits.maxBytes} bytes`);
  if (piece !== "") yield piece;
}

const tooMuch = (limit: string) =>
  invalid(`The answer has more than ${limit}; add a LIMIT, or ask for less in each row`);

/** Names of a statement's columns, as SQLite names them. */
export const columnNames = (statement: StatementSync): string[] => statement.columns().map(({ name }) => name);

function jsonOf(value: unknown, { maxBytes }: AnswerLimits): string {
  if (value === null) return "null";
  // Beyond 2^53 whole numbers lose their last digits, as everywhere in JSON.
  if (typeof value === "bigint") return String(Number(value));
  if (typeof value === "number") return Number.isFinite(value) ? JSON.stringify(value) : "null";
  // Not first made and then found too large: as JSON it is larger still.
  const { length } = value as string | Uint8Array;
  if (length > maxBytes) throw tooMuch(`${maxBytes} bytes`);
  return typeof value === "string"
    ? JSON.stringify(value)
    : `{"type":"Buffer","data":[${(value as Uint8Array).join()}]}`;
}
