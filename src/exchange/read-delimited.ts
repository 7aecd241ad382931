import { CsvError, parse } from "csv-parse";
import { Readable } from "node:stream";
import { type AppError, invalidFile } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";
import { yieldToEventLoop } from "../lib/time/timers.ts";
import { detectHeader, HEADER_LOOKAHEAD_ROWS } from "./detect/header.ts";
import { declaredDelimiter, guessDelimiter } from "./guess-delimiter.ts";
import type { TableFile, TablePart, TableReader } from "./table-parts.ts";
import { MAX_COLUMNS } from "./table-parts.ts";
import { detectEncoding, readText } from "./text-encoding.ts";

/** Number of characters at the beginning that determine the delimiter. */
const SAMPLE_CHARACTERS = 100_000;
/** Maximum line length in bytes; a longer line most likely has an unclosed quote. */
const MAX_LINE_BYTES = 16 * 1024 ** 2;
/** Number of rows per batch. */
const BATCH_ROWS = 500;

/** Maximum number of lines above the table that are reported, and the length of their excerpts. */
const MAX_DROPPED_LINES = 20;
const MAX_DROPPED_LENGTH = 200;

/**
 * Reader of delimited text. Detects encoding, delimiter and header unless the request specifies them. Columns beyond
 * the header have no name.
 */
export const delimitedReader: TableReader = { texts: "anything", read };

async function* read({ path, name, choices = {}, onRead }: TableFile): AsyncGenerator<TablePart> {
  const encoding = await detectEncoding(path, choices.encoding);
  const sample = await readSample(readText(path, encoding));
  const declared = declaredDelimiter(sample);
  const delimiter = choices.delimiter ?? declared ?? guessDelimiter(sample);
  const parser = parse({
    delimiter,
    record_delimiter: detectLineBreaks(sample),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE_BYTES,
    // A line that declares the delimiter is not part of the table.
    from_line: declared === null ? 1 : 2,
    info: true,
  });
  let lastCharacter = "";
  const text = yieldingToEventLoop(
    readText(path, encoding, onRead),
    (chunk) => (lastCharacter = chunk.at(-1) ?? lastCharacter),
  );
  const lines = Readable.from(text)
    .on(
      "error",
      guarded((error) => parser.destroy(error)),
    )
    .pipe(parser);
  const table = new DelimitedTable(name, delimiter, choices.header);
  try {
    for await (const { record, info } of lines as AsyncIterable<ParsedRecord>) {
      const part = table.add(record, info.lines);
      if (part) yield* part;
    }
    yield* table.end();
  } catch (error) {
    throw error instanceof CsvError ? parseError(error) : error;
  } finally {
    parser.destroy();
    // Closes the file: a destroyed stream closes it asynchronously.
    await text.return(undefined);
  }
  // The parser counts an empty line after the last line break.
  const isEnded = lastCharacter === "\n" || lastCharacter === "\r";
  const blankLines = table.blankRows + Math.max(0, parser.info.empty_lines - (isEnded ? 1 : 0));
  yield { kind: "notes", notes: { delimiter, encoding: encoding.name, ...table.headerInfo, blankLines } };
}

/** A record as csv-parse emits it. */
interface ParsedRecord {
  readonly record: string[];
  /** `lines`: number of lines read so far. */
  readonly info: { readonly lines: number };
}

/** Buffers the first rows until the header is detected, then passes rows on in batches. */
class DelimitedTable {
  /** Number of rows with delimiters or blanks only. */
  blankRows = 0;
  headerInfo: { readonly header: number; readonly droppedLines: readonly string[] } = { header: 0, droppedLines: [] };
  readonly #name: string;
  readonly #delimiter: string;
  readonly #headerRow: number | undefined;
  #width = -1;
  #rows: string[][] = [];

  constructor(name: string, delimiter: string, headerRow: number | undefined) {
    this.#name = name;
    this.#delimiter = delimiter;
    this.#headerRow = headerRow;
  }

  /** Adds a line; returns parts of the table once enough lines have been read. */
  add(record: string[], line: number): TablePart[] | null {
    if (record.every((cell) => cell.trim() === "")) {
      this.blankRows++;
      return null;
    }
    if (this.#width >= 0) this.#fitToWidth(record);
    if (record.length > MAX_COLUMNS) requireColumnLimit(record, line);
    this.#rows.push(record);
    if (this.#width >= 0) return this.#rows.length < BATCH_ROWS ? null : this.#takeBatch();
    return this.#rows.length < Math.max(HEADER_LOOKAHEAD_ROWS, this.#headerRow ?? 0) ? null : this.#detectHeader();
  }

  end(): TablePart[] {
    if (this.#width < 0 && this.#rows.length === 0) throw invalidFile("The file is empty");
    const parts = this.#width < 0 ? this.#detectHeader() : [];
    return this.#rows.length > 0 ? [...parts, ...this.#takeBatch()] : parts;
  }

  #detectHeader(): TablePart[] {
    const { length } = this.#rows;
    if (this.#headerRow !== undefined && this.#headerRow > length) {
      throw invalidFile(`header is ${this.#headerRow}, but the file has only ${length} rows`);
    }
    const { dropped, hasHeader } = detectHeader(this.#rows, this.#headerRow);
    const above = this.#rows.splice(0, dropped);
    const labels = hasHeader ? (this.#rows.shift() ?? []).map((label) => label.trim()) : [];
    this.headerInfo = {
      header: hasHeader ? dropped + 1 : 0,
      droppedLines: above
        .slice(0, MAX_DROPPED_LINES)
        .map((cells) => cells.join(this.#delimiter).slice(0, MAX_DROPPED_LENGTH)),
    };
    this.#width = hasHeader ? labels.length : (this.#rows[0]?.length ?? 0);
    for (const row of this.#rows) this.#fitToWidth(row);
    return [{ kind: "table", name: this.#name, labels }];
  }

  #takeBatch(): TablePart[] {
    const rows = this.#rows;
    this.#rows = [];
    return [{ kind: "rows", rows }];
  }

  /** Pads a short line to the table's width with empty texts. */
  #fitToWidth(record: string[]): void {
    dropTrailingEmptyCells(record, this.#width);
    while (record.length < this.#width) record.push("");
  }
}

function requireColumnLimit(record: string[], line: number): void {
  dropTrailingEmptyCells(record, 1);
  if (record.length <= MAX_COLUMNS) return;
  throw invalidFile(`Line ${line} has ${record.length} cells, more than the maximum of ${MAX_COLUMNS} columns`);
}

/** Removes trailing empty cells beyond the table's width: many files have superfluous separators there. */
function dropTrailingEmptyCells(cells: string[], width: number): void {
  if (cells.length <= width) return;
  const filled = cells.findLastIndex((cell) => cell !== "") + 1;
  cells.length = Math.max(width, filled);
}

/**
 * Detects line breaks. The parser's own detection rescans at every character until it finds one, and assumes that a
 * file with mixed line breaks uses those of its first line throughout.
 */
function detectLineBreaks(sample: string): string[] {
  const bare = sample.replaceAll(/"[^"]*"/g, "");
  return bare.includes("\r") && !bare.includes("\n") ? ["\r"] : ["\r\n", "\n"];
}

/** Yields to the event loop between chunks: reading a cached file would otherwise never let other tasks run. */
async function* yieldingToEventLoop<T>(chunks: AsyncIterable<T>, onChunk: (chunk: T) => void): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    onChunk(chunk);
    yield chunk;
    await yieldToEventLoop();
  }
}

async function readSample(text: AsyncIterable<string>): Promise<string> {
  let sample = "";
  for await (const chunk of text) {
    sample += chunk;
    if (sample.length >= SAMPLE_CHARACTERS) break;
  }
  return sample.slice(0, SAMPLE_CHARACTERS);
}

function parseError(error: CsvError): AppError {
  const line = Number((error as { lines?: unknown }).lines);
  if (error.code === "CSV_QUOTE_NOT_CLOSED") return invalidFile(`A quote is opened and not closed, up to line ${line}`);
  if (error.code === "CSV_MAX_RECORD_SIZE") {
    return invalidFile(`Line ${line} is too long: most likely a quote is not closed`);
  }
  return invalidFile(`The file cannot be read as a table: line ${line} is malformed`);
}
