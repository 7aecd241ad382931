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
/** `{"fields":{}}` */
const EMPTY_ROW_SIZE = 13;

/** A column of the result. */
export interface ResultColumn {
  readonly name: string;
  /** The table and the column of which its values are the unmodified cells; null for other values. */
  readonly table: string | null;
  readonly column: string | null;
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
  const renderer = new RowRenderer(columns, limits);
  let separator = "";
  for (const row of rows as Iterable<SqlRow>) {
    renderer.add(row);
    if (renderer.size < CHUNK_SIZE) continue;
    yield separator + renderer.take();
    separator = ",";
  }
  const rest = renderer.take();
  if (rest !== "") yield separator + rest;
}

/** The values of a row; rendering converts them in place. */
type SqlRow = unknown[];

/** Collects rows and renders them together, which takes half as long as one by one. */
class RowRenderer {
  /** Minimum size of the collected rows in characters. */
  size = 0;
  readonly #columns: readonly ResultColumn[];
  readonly #limits: ResultLimits;
  readonly #toRecord: ((row: SqlRow) => object) | null;
  readonly #keys: readonly string[];
  readonly #minRowSize: number;
  #rows: SqlRow[] = [];
  /** JSON of earlier rows. */
  #text = "";
  #count = 0;
  #bytes = 0;

  constructor(columns: readonly ResultColumn[], limits: ResultLimits) {
    this.#columns = columns;
    this.#limits = limits;
    this.#toRecord = recordConstructor(columns);
    this.#keys = columns.map(({ name }, i) => `${i === 0 ? "" : ","}${JSON.stringify(name)}:`);
    // A value takes at least one character.
    this.#minRowSize = this.#keys.reduce((size, key) => size + key.length + 1, EMPTY_ROW_SIZE);
  }

  add(row: SqlRow): void {
    const { maxRows, maxBytes } = this.#limits;
    if (++this.#count > maxRows) throw limitExceeded(`${maxRows} rows`);
    this.size += this.#minRowSize;
    let hasBytes = false;
    for (let i = 0; i < row.length; i++) {
      let value = row[i];
      // Integers beyond 2^53 lose precision, as usual in JSON.
      if (typeof value === "bigint") row[i] = Number(value);
      else if (typeof value === "string") this.size += value.length;
      else if (value instanceof Uint8Array) {
        if ((this.#columns[i]?.column ?? null) !== null) row[i] = value = unwrapText(value);
        hasBytes ||= typeof value !== "string";
        this.size += (value as string | Uint8Array).length;
      }
    }
    // Check before rendering: as JSON the values are even larger.
    if (this.size > maxBytes) throw limitExceeded(`${maxBytes} bytes`);
    if (this.#toRecord && !hasBytes) this.#rows.push(row);
    else {
      this.#renderCollected();
      this.#append(`{"fields":{${row.map((value, i) => `${this.#keys[i]}${valueJson(value)}`).join("")}}}`);
    }
  }

  /** Returns the JSON of the rows since the last call. */
  take(): string {
    this.#renderCollected();
    const text = this.#text;
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > this.#limits.maxBytes) throw limitExceeded(`${this.#limits.maxBytes} bytes`);
    this.#text = "";
    this.size = 0;
    return text;
  }

  #renderCollected(): void {
    if (this.#rows.length === 0 || !this.#toRecord) return;
    this.#append(JSON.stringify(this.#rows.map(this.#toRecord)).slice(1, -1));
    this.#rows = [];
  }

  #append(json: string): void {
    this.#text += this.#text === "" ? json : `,${json}`;
  }
}

/**
 * Returns a function that makes a row an object with the same JSON: the engine creates and renders objects of one shape
 * fastest. Null where an object would order its keys differently. Names enter the code only as JSON.
 */
function recordConstructor(columns: readonly ResultColumn[]): ((row: SqlRow) => object) | null {
  const names = columns.map(({ name }) => name);
  if (new Set(names).size < names.length || names.some((name) => /^\d+$/.test(name))) return null;
  // Computed keys, since a plain key __proto__ would set the prototype.
  const members = names.map((name, i) => `[${JSON.stringify(name)}]: v[${i}]`);
  // oxlint-disable-next-line typescript/no-implied-eval -- see above
  return new Function("v", `return { fields: { ${members.join(", ")} } };`) as (row: SqlRow) => object;
}

const limitExceeded = (limit: string) =>
  statementLimit(`The result exceeds ${limit}; add a LIMIT or select fewer columns`);

/** Returns the result columns of a statement, with SQLite's names. */
export const resultColumns = (statement: StatementSync): ResultColumn[] =>
  statement.columns().map(({ name, table, column }) => ({ name, table, column }));

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const MARSHALLED_TEXT = "u".charCodeAt(0);
/** The type byte and the length. */
const MARSHALLED_TEXT_HEADER_BYTES = 5;

/**
 * Unwraps text cells. Text that SQLite would convert in its column, such as `1e` in a numeric column, is stored as a
 * marshalled blob.
 */
function unwrapText(value: Uint8Array): string | Uint8Array {
  if (value[0] !== MARSHALLED_TEXT) return value;
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

const valueJson = (value: unknown): string =>
  value instanceof Uint8Array ? `{"type":"Buffer","data":[${value.join()}]}` : JSON.stringify(value);
