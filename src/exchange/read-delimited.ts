import { CsvError, parse } from "csv-parse";
import { Readable } from "node:stream";
import { type AppError, invalidFile } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";
import { nextTurn } from "../lib/timers.ts";
import { guessSeparator } from "./separators.ts";
import type { FileToRead, TablePart, TableReader } from "./table-parts.ts";
import { MOST_COLUMNS } from "./table-parts.ts";
import { findEncoding, readText } from "./text-encoding.ts";

/** So much of the beginning shows what stands between cells, in characters. */
const SAMPLE = 65_536;
/** Bytes of a line; beyond it most likely a quote was not closed. */
const MOST_LINE_BYTES = 16 * 1024 ** 2;
/** Rows handed on at a time. */
const PORTION = 500;

/**
 * Texts with a character between cells: UTF-8, UTF-16 or Latin-1, with commas, semicolons, tabs or bars, which it
 * finds out. The first line names the columns; where lines go on beyond them, the columns there have no name.
 */
export const delimitedReader: TableReader = { texts: "anything", read };

async function* read({ path, name }: FileToRead): AsyncGenerator<TablePart> {
  const encoding = await findEncoding(path);
  const sample = await beginning(readText(path, encoding));
  const parser = parse({
    delimiter: guessSeparator(sample),
    record_delimiter: lineBreaks(sample),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MOST_LINE_BYTES,
    info: true,
  });
  const lines = Readable.from(inTurns(readText(path, encoding)))
    .on(
      "error",
      guarded((error) => parser.destroy(error)),
    )
    .pipe(parser);
  try {
    yield* parts(lines as AsyncIterable<Line>, name);
  } catch (error) {
    throw error instanceof CsvError ? refusal(error) : error;
  }
}

/** A line as csv-parse tells it. */
interface Line {
  readonly record: string[];
  /** `lines`: how many lines of text were read so far. */
  readonly info: { readonly lines: number };
}

/** Takes empty cells off the end of a line that is longer than the first: separators often stand there for nothing. */
function dropEnd(cells: string[], width: number): void {
  if (cells.length <= width || width === 0) return;
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
async function* inTurns<T>(portions: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const portion of portions) {
    yield portion;
    await nextTurn();
  }
}

async function* parts(lines: AsyncIterable<Line>, name: string): AsyncGenerator<TablePart> {
  let width = 0;
  let rows: string[][] = [];
  for await (const { record, info } of lines) {
    dropEnd(record, width);
    if (record.length > MOST_COLUMNS)
      throw invalidFile(
        `Line ${info.lines} has ${record.length} cells, more than the ${MOST_COLUMNS} columns of a table`,
      );
    if (width === 0) {
      width = record.length;
      yield { kind: "table", name, labels: record.map((label) => label.trim()) };
      continue;
    }
    // Empty texts, not absent ones: that is what a short line means.
    while (record.length < width) record.push("");
    rows.push(record);
    if (rows.length < PORTION) continue;
    yield { kind: "rows", rows };
    rows = [];
  }
  if (width === 0) throw invalidFile("The file is empty");
  if (rows.length > 0) yield { kind: "rows", rows };
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
