import { readFile, stat } from "node:fs/promises";
import { AppError, invalidFile } from "../errors.ts";
import { type JsonRows, JsonTables } from "./json-tables.ts";
import { isPlainObject, parseJson } from "./json-values.ts";
import type { TableFile, TablePart, TableReader } from "./table-parts.ts";
import { detectEncoding, readText } from "./text-encoding.ts";

/** JSON is parsed as a whole and takes many times its size in memory. */
const MAX_BYTES = 64 * 1024 ** 2;

/**
 * Reader of JSON: a list is a table whose columns are all keys in order of first occurrence; an object of lists is a
 * table for each list; another object is a table with one row. Nested objects and lists become tables, too.
 */
export const jsonReader: TableReader = { texts: "dates", read: (file) => read(file, false) };

/** Reader of JSON lines. */
export const jsonLinesReader: TableReader = { texts: "dates", read: (file) => read(file, true) };

async function* read({ path, name, choices = {} }: TableFile, isLines: boolean): AsyncGenerator<TablePart> {
  const { size } = await stat(path);
  if (size > MAX_BYTES) {
    throw new AppError("tooLarge", `The file has ${size} bytes; JSON files must be at most ${MAX_BYTES} bytes`);
  }
  const text = await readWhole(path, choices.encoding);
  if (text.trim() === "") throw invalidFile("The file is empty");
  const content = parseJson(text, { isLines });
  if (content === undefined) throw invalidFile("The file is not valid JSON");
  const tables = new JsonTables();
  for (const rows of rowListsOf(content, name)) yield* tables.parts(withLabels(rows, choices.header ?? 0));
}

async function readWhole(path: string, requestedEncoding: string | undefined): Promise<string> {
  const encoding = await detectEncoding(path, requestedEncoding);
  if (encoding.name === "utf-8" && !encoding.isLenient) return (await readFile(path, "utf8")).replace(/^\ufeff/, "");
  let text = "";
  for await (const chunk of readText(path, encoding)) text += chunk;
  return text;
}

function rowListsOf(content: unknown, name: string): JsonRows[] {
  if (Array.isArray(content)) {
    if (content.every(isEmpty)) throw noTableError();
    return [{ name, items: content }];
  }
  if (!isPlainObject(content)) throw noTableError();
  const entries = Object.entries(content);
  const lists = entries.filter((entry): entry is [string, unknown[]] => isListOfRows(entry[1]));
  if (lists.length < entries.length) return [{ name, items: [content] }];
  const filled = lists.filter(([, items]) => !items.every(isEmpty));
  if (filled.length === 0) throw noTableError();
  return filled.map(([key, items]) => ({ name: key, items }));
}

/** Returns true for a list whose values are all objects, or all lists. */
const isListOfRows = (value: unknown): boolean =>
  Array.isArray(value) && (value.every(isPlainObject) || value.every((item) => Array.isArray(item)));

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0);

const noTableError = () => invalidFile("Nothing to import: the file must contain a list, or an object with values");

/** Positions in lists have names only if the request specifies a header row. */
function withLabels({ name, items }: JsonRows, header: number): JsonRows {
  const row = items[header - 1];
  if (!Array.isArray(row)) return { name, items };
  return { name, items: items.slice(header), labels: row.map((label) => String(label ?? "").trim()) };
}
