/** Records from a file or stdin: JSON, NDJSON or CSV. */
import { pipeline, Readable } from "node:stream";
import { guarded } from "../../lib/callbacks.ts";
import { CommandFailure } from "../command.ts";

export const INPUT_FORMATS = ["csv", "json", "ndjson"] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

type Fields = Record<string, unknown>;

/** Yields the fields of each record. @throws CommandFailure for text that is not in the format */
export async function* recordsOf(
  bytes: AsyncIterable<Uint8Array>,
  format: InputFormat | undefined,
): AsyncGenerator<Fields> {
  const { text, begin } = await beginOf(bytes);
  const chosen = format ?? detectFormat(begin);
  if (chosen === "csv") yield* csvRecords(text);
  else if (chosen === "ndjson") yield* lineRecords(text);
  else yield* jsonRecords(text);
}

/** Returns the text, and the part of it that is read first. */
async function beginOf(bytes: AsyncIterable<Uint8Array>): Promise<{ text: AsyncIterable<string>; begin: string }> {
  const chunks = decoded(bytes);
  const read: string[] = [];
  // A first chunk may be a part of the first line.
  while (read.join("").trim() === "" || (!read.join("").includes("\n") && read.join("").length < 65_536)) {
    // oxlint-disable-next-line no-await-in-loop -- chunks follow each other
    const { value, done } = await chunks.next();
    if (done) break;
    read.push(value);
  }
  const begin = read.join("");
  return {
    begin,
    text: (async function* () {
      yield begin;
      yield* chunks;
    })(),
  };
}

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of bytes) {
      const text = decoder.decode(chunk, { stream: true });
      if (text !== "") yield text;
    }
    decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new CommandFailure("refused", "The input is not UTF-8");
    throw error;
  }
}

function detectFormat(begin: string): InputFormat {
  const text = begin.trimStart();
  if (text.startsWith("[")) return "json";
  if (!text.startsWith("{")) return "csv";
  return parseJson(text.split("\n")[0] ?? "") === undefined ? "json" : "ndjson";
}

async function* csvRecords(text: AsyncIterable<string>): AsyncGenerator<Fields> {
  const { parse } = await import("csv-parse");
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true });
  pipeline(
    Readable.from(text),
    parser,
    guarded(() => undefined),
  );
  try {
    for await (const record of parser) {
      const cells = Object.entries(record as Record<string, string>);
      // Row ids of an export are those of other records; an empty cell gets the default of its column.
      yield Object.fromEntries(cells.filter(([name, cell]) => name !== "id" && cell !== ""));
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure("refused", `The input is not valid CSV: ${(error as Error).message}`);
  }
}

async function* lineRecords(text: AsyncIterable<string>): AsyncGenerator<Fields> {
  let number = 0;
  let rest = "";
  const lines = async function* () {
    for await (const chunk of text) {
      const parts = (rest + chunk).split("\n");
      rest = parts.pop() ?? "";
      yield* parts;
    }
    yield rest;
  };
  for await (const line of lines()) {
    number++;
    if (line.trim() !== "") yield fieldsOf(parseJson(line), `Line ${number}`);
  }
}

async function* jsonRecords(text: AsyncIterable<string>): AsyncGenerator<Fields> {
  let all = "";
  for await (const chunk of text) all += chunk;
  const value = parseJson(all);
  if (value === undefined) throw new CommandFailure("refused", "The input is not valid JSON");
  const list = listOf(value);
  for (const [at, each] of list.entries()) yield fieldsOf(each, list.length === 1 ? "The input" : `Record ${at + 1}`);
}

const listOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  return isObject(value) && Array.isArray(value["records"]) ? (value["records"] as unknown[]) : [value];
};

/** A record is an object of its fields, or has them in `fields` as in answers of the API. */
function fieldsOf(value: unknown, place: string): Fields {
  if (!isObject(value))
    throw new CommandFailure("refused", `${place} is not a JSON object with the fields of a record`);
  return isObject(value["fields"]) ? value["fields"] : value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
