import { readFile, stat } from "node:fs/promises";
import { AppError, invalidFile } from "../errors.ts";
import type { CellValue } from "../values/cell.ts";
import { MOST_COLUMNS, type FileToRead, type TablePart, type TableReader } from "./table-parts.ts";
import { findEncoding, readText } from "./text-encoding.ts";

/** JSON is read as a whole, and takes many times its size in memory. */
const MOST_BYTES = 64 * 1024 ** 2;
const PORTION = 500;

/**
 * JSON: a list of objects is a table, whose columns are all keys in the order they come; an object of such lists is a
 * table for each. Lists and objects within a cell become JSON texts.
 */
export const jsonReader: TableReader = { texts: "dates", read };

type Row = Readonly<Record<string, unknown>>;

async function* read({ path, name }: FileToRead): AsyncGenerator<TablePart> {
  const { size } = await stat(path);
  if (size > MOST_BYTES) {
    throw new AppError("tooLarge", `The file has ${size} bytes, more than the ${MOST_BYTES} that are read of JSON`);
  }
  const content = parse(await textOf(path));
  const tables = isTable(content) ? [[name, content] as const] : tablesOf(content);
  for (const [tableName, rows] of tables) yield* table(tableName, rows);
}

async function textOf(path: string): Promise<string> {
  const encoding = await findEncoding(path);
  if (encoding.name === "utf-8" && !encoding.isLenient) return (await readFile(path, "utf8")).replace(/^\ufeff/, "");
  let text = "";
  for await (const portion of readText(path, encoding)) text += portion;
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidFile("The file is no JSON");
  }
}

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);
const isTable = (value: unknown): value is readonly Row[] => Array.isArray(value) && value.every(isRow);

function tablesOf(content: unknown): [name: string, rows: readonly Row[]][] {
  if (!isRow(content)) throw invalidFile("The file must hold a list of objects, or an object of such lists");
  return Object.entries(content).map(([name, rows]) => {
    if (!isTable(rows)) throw invalidFile(`${JSON.stringify(name)} must be a list of objects`);
    return [name, rows];
  });
}

function* table(name: string, rows: readonly Row[]): Generator<TablePart> {
  const labels = new Set<string>();
  for (const row of rows) {
    for (const key of Object.keys(row)) labels.add(key);
    if (labels.size > MOST_COLUMNS)
      throw invalidFile(`${JSON.stringify(name)} has more than ${MOST_COLUMNS} different keys`);
  }
  const keys = [...labels];
  yield { kind: "table", name, labels: keys };
  for (let at = 0; at < rows.length; at += PORTION) {
    const portion = rows.slice(at, at + PORTION);
    yield { kind: "rows", rows: portion.map((row) => keys.map((key) => cellOf(row, key))) };
  }
}

function cellOf(row: Row, key: string): CellValue {
  const value = Object.hasOwn(row, key) ? row[key] : null;
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  try {
    return JSON.stringify(value);
  } catch {
    // What was read can be written again, unless it is nested without end.
    throw invalidFile(`A value of ${JSON.stringify(key)} has too many lists within lists`);
  }
}
