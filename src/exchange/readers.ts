import { open } from "node:fs/promises";
import { extname } from "node:path";
import { invalidFile } from "../errors.ts";
import { delimitedReader } from "./read-delimited.ts";
import { jsonLinesReader, jsonReader } from "./read-json.ts";
import { xlsxReader } from "./read-xlsx.ts";
import type { TableReader } from "./table-parts.ts";

/** Files with tables, by their endings. */
const READERS: Readonly<Record<string, TableReader>> = {
  ".csv": delimitedReader,
  ".tsv": delimitedReader,
  ".dsv": delimitedReader,
  ".tab": delimitedReader,
  ".txt": delimitedReader,
  ".json": jsonReader,
  ".ndjson": jsonLinesReader,
  ".jsonl": jsonLinesReader,
  ".xlsx": xlsxReader,
  ".xlsm": xlsxReader,
};

const SQLITE = "SQLite format 3\0";
const OLD_OFFICE = "\u00d0\u00cf\u0011\u00e0";

/** What a file is: a document, or something with tables that a reader takes. */
export type FileFormat = { readonly kind: "document" } | { readonly kind: "tables"; readonly reader: TableReader };

/**
 * Finds out what a file is, by its first bytes and by what its name ends with.
 * @throws AppError `invalid` for formats that are not known
 */
export async function formatOf(path: string, name: string): Promise<FileFormat> {
  const start = await firstBytes(path);
  if (start.startsWith(SQLITE)) return { kind: "document" };
  const ending = extname(name).toLowerCase();
  if (/^\.(grist|sqlite3?|db)$/.test(ending)) throw invalidFile("The file is not an SQLite database");
  if (start.startsWith(OLD_OFFICE)) throw invalidFile("Old workbooks (.xls) are not read: save it as .xlsx");
  const reader = start.startsWith("PK\u0003\u0004") ? xlsxReader : READERS[ending];
  if (!reader)
    throw invalidFile("The file is of no format that can be imported: .grist, .csv, .tsv, .txt, .json, .xlsx");
  return { kind: "tables", reader };
}

async function firstBytes(path: string): Promise<string> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
  return buffer.toString("latin1", 0, bytesRead);
}

/** A file's name without folders and ending. */
export const titleOf = (name: string): string => (name.split(/[/\\]/).at(-1) ?? "").replace(/(?!^)\.[^.]*$/, "");
