import { CsvError, parse } from "csv-parse";
import { Readable } from "node:stream";
import { type AppError, invalidFile } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";
import { nextTurn } from "../lib/timers.ts";
import { findHeader, LOOKAHEAD } from "./detect/header.ts";
import { declaredDelimiter, guessDelimiter } from "./separators.ts";
import type { FileToRead, TablePart, TableReader } from "./table-parts.ts";
import { MOST_COLUMNS } from "./table-parts.ts";
import { findEncoding, readText } from "./text-encoding.ts";

/** So much of the beginning shows what stands between cells, in characters. */
const SAMPLE = 100_000;
/** Bytes of a line; beyond it most likely a quote was not closed. */
const MOST_LINE_BYTES = 16 * 1024 ** 2;
/** Rows handed on at a time. */
const PORTION = 500;

/** Beginnings of lines above the table that are reported, and their length. */
const MAX_DROPPED = 20;
const MAX_DROPPED_LENGTH = 200;

/**
 * Texts with a delimiter between cells. Encoding, delimiter and header are found out unless the request names them;
 * where lines go on beyond the names of columns, the columns there have no name.
 */
export const delimitedReader: TableReader = { texts: "anything", read };

async function* read({ path, name, choices = {} }: FileToRead): AsyncGenerator<TablePart> {
  const encoding = await findEncoding(path, choices.encoding);
  const sample = await beginning(readText(path, encoding));
  const declared = declaredDelimiter(sample);
  const delimiter = choices.delimiter ?? declared ?? guessDelimiter(sample);
  const parser = parse({
    delimiter,
    record_delimiter: lineBreaks(sample),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MOST_LINE_BYTES,
    // A line that declares the delimiter is no part of the table.
    from_line: declared === null ? 1 : 2,
    info: true,
  });
  let last = "";
  const text = inTurns(readText(path, encoding), (portion) => (last = portion.at(-1) ?? last));
  const lines = Readable.from(text)
    .on(
      "error",
      guarded((error) => parser.destroy(error)),
    )
    .pipe(parser);
  const table = new DelimitedTable(name, delimiter, choices.header);
  try {
    for await (const { record, info } of lines as AsyncIterable<Line>) {
      const part = table.add(record, info.lines);
      if (part) yield* part;
    }
    yield* table.end();
  } catch (error) {
    throw error instanceof CsvError ? refusal(error) : error;
  } finally {
    parser.destroy();
    // Closes the file, which a stream that is destroyed does some time later.
    await text.return(undefined);
  }
  // The parser takes what follows the last line break for one more line.
  const isEnded = last === "\n" || last === "\r";
  const blankLines = table.blankRows + Math.max(0, parser.info.empty_lines - (isEnded ? 1 : 0));
  yield { kind: "notes", notes: { delimiter, encoding: encoding.name, ...table.found, blankLines } };
}

/** A line as csv-parse tells it. */
interface Line {
  readonly record: string[];
  /** `lines`: how many lines of text were read so far. */
  readonly info: { readonly lines: number };
}

/** Collects the first rows until they show where the header is, then hands rows on in portions. */
class DelimitedTable {
  /** Rows with delimiters or blanks only. */
  blankRows = 0;
  found: { readonly header: number; readonly droppedLines: readonly string[] } = { header: 0, droppedLines: [] };
  readonly #name: string;
  readonly #delimiter: string;
  readonly #choice: number | undefined;
  #width = -1;
  #rows: string[][] = [];

  constructor(name: string, delimiter: string, choice: number | undefined) {
    this.#name = name;
    this.#delimiter = delimiter;
    this.#choice = choice;
  }

  /** Takes the next line; gives parts of the table when enough have come. */
  add(record: string[], line: number): TablePart[] | null {
    if (record.every((cell) => cell.trim() === "")) {
      this.blankRows++;
      return null;
    }
    if (this.#width >= 0) this.#fit(record);
    if (record.length > MOST_COLUMNS) checkColumns(record, line);
    this.#rows.push(record);
    if (this.#width >= 0) return this.#rows.length < PORTION ? null : this.#portion();
    return this.#rows.length < Math.max(LOOKAHEAD, this.#choice ?? 0) ? null : this.#begin();
  }

  end(): TablePart[] {
    if (this.#width < 0 && this.#rows.length === 0) throw invalidFile("The file is empty");
    const parts = this.#width < 0 ? this.#begin() : [];
    return this.#rows.length > 0 ? [...parts, ...this.#portion()] : parts;
  }

  #begin(): TablePart[] {
    const { length } = this.#rows;
    if (this.#choice !== undefined && this.#choice > length) {
      throw invalidFile(`header is ${this.#choice}, but the file has only ${length} rows`);
    }
    const { dropped, hasHeader } = findHeader(this.#rows, this.#choice);
    const above = this.#rows.splice(0, dropped);
    const labels = hasHeader ? (this.#rows.shift() ?? []).map((label) => label.trim()) : [];
    this.found = {
      header: hasHeader ? dropped + 1 : 0,
      droppedLines: above
        .slice(0, MAX_DROPPED)
        .map((cells) => cells.join(this.#delimiter).slice(0, MAX_DROPPED_LENGTH)),
    };
    this.#width = hasHeader ? labels.length : (this.#rows[0]?.length ?? 0);
    for (const row of this.#rows) this.#fit(row);
    return [{ kind: "table", name: this.#name, labels }];
  }

  #portion(): TablePart[] {
    const rows = this.#rows;
    this.#rows = [];
    return [{ kind: "rows", rows }];
  }

  /** Makes a line as long as the table, with empty texts, which is what a short line means. */
  #fit(record: string[]): void {
    dropEnd(record, this.#width);
    while (record.length < this.#width) record.push("");
  }
}

function checkColumns(record: string[], line: number): void {
  dropEnd(record, 1);
  if (record.length <= MOST_COLUMNS) return;
  throw invalidFile(`Line ${line} has ${record.length} cells, more than the ${MOST_COLUMNS} columns of a table`);
}

/** Takes empty cells off the end of a line that is longer than the table: separators often stand there for nothing. */
function dropEnd(cells: string[], width: number): void {
  if (cells.length <= width) return;
  const filled = cells.findLastIndex((cell) => cell !== "") + 1;
  cells.length = Math.max(width, filled);
}

/**
 * What ends a line. The parser would look for that itself, at every character anew until it finds one, and take a file
 * of several editors for one of its first line's kind.
 */
function lineBreaks(sample: string): string[] {
  const bare = sample.replaceAll(/"[^"]*"/g, "");
  return bare.includes("\r") && !bare.includes("\n") ? ["\r"] : ["\r\n", "\n"];
}

/** Lets whatever else waits go on between portions: reading a file that is at hand never waits by itself. */
async function* inTurns<T>(portions: AsyncIterable<T>, see: (portion: T) => void): AsyncGenerator<T> {
  for await (const portion of portions) {
    see(portion);
    yield portion;
    await nextTurn();
  }
}

async function beginning(text: AsyncIterable<string>): Promise<string> {
  let taken = "";
  for await (const portion of text) {
    taken += portion;
    if (taken.length >= SAMPLE) break;
  }
  return taken.slice(0, SAMPLE);
}

function refusal(error: CsvError): AppError {
  const line = Number((error as { lines?: unknown }).lines);
  if (error.code === "CSV_QUOTE_NOT_CLOSED") return invalidFile(`A quote is opened and not closed, up to line ${line}`);
  if (error.code === "CSV_MAX_RECORD_SIZE") {
    return invalidFile(`Line ${line} is too long: most likely a quote is not closed`);
  }
  return invalidFile(`The file cannot be read as a table: line ${line} makes no sense`);
}
