import { open } from "node:fs/promises";
import { extname } from "node:path";
import { AppError, invalidFile } from "../errors.ts";
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

/** What to do with files that are often tried, by their endings. */
const ADVICE: readonly (readonly [endings: RegExp, advice: string])[] = [
  [/^\.(xls|xlt|xlsb|ods|fods|ots|numbers|wk\d|123|gsheet)$/, "Save it as XLSX"],
  [/^\.(pdf|docx?|odt|rtf|pages|pptx?|html?|xml|ya?ml|md)$/, "Save its table as CSV or XLSX"],
  [/^\.(parquet|feather|arrow|orc|avro|dta|sav|sas7bdat|rds|rdata|mdb|accdb|dbf)$/, "Save its table as CSV"],
  [/^\.(zip|7z|rar|tar|tgz|bz2|xz|zst|lz4|br|z)$/, "Unpack it first"],
];

const SQLITE = "SQLite format 3\0";
const COMPOUND_FILE = "\u00d0\u00cf\u0011\u00e0";
const ZIP = "PK\u0003\u0004";
const GZIP = "\u001f\u008b";

/** What a file is: a document, or something with tables that a reader takes. */
export type FileFormat =
  | { readonly kind: "document" }
  /** `isPacked`: the reader takes what is in the gzip file. */
  | { readonly kind: "tables"; readonly reader: TableReader; readonly isPacked: boolean };

/**
 * Finds out what a file is, by its first bytes and by what its name ends with.
 * @throws AppError `invalid` for formats that cannot be imported, with what to do
 */
export async function formatOf(path: string, name: string): Promise<FileFormat> {
  const start = await firstBytes(path);
  if (start.startsWith(SQLITE)) return { kind: "document" };
  const ending = extname(name).toLowerCase();
  if (/^\.(grist|sqlite3?|db)$/.test(ending)) throw invalidFile("The file is not an SQLite database");
  if (ending === ".gz") return { kind: "tables", reader: packedReader(start, name), isPacked: true };
  const advice = ADVICE.find(([endings]) => endings.test(ending))?.[1];
  if (advice !== undefined) throw unsupported(`Files of the format ${ending} cannot be imported. ${advice}.`);
  if (start.startsWith(COMPOUND_FILE)) {
    // Old workbooks and encrypted ones are files of the same kind.
    throw new AppError(
      "file.encrypted",
      "The workbook is encrypted or of an old format. Save it as XLSX without a password.",
    );
  }
  if (start.startsWith(GZIP) && READERS[ending]) {
    throw unsupported(`The file is compressed with gzip. Unpack it, or name it ${JSON.stringify(`${name}.gz`)}.`);
  }
  const reader = start.startsWith(ZIP) ? xlsxReader : READERS[ending];
  if (!reader) throw unsupported(`The format of the file cannot be imported. Save it as ${KNOWN}.`);
  return { kind: "tables", reader, isPacked: false };
}

const KNOWN = "CSV, TSV, XLSX, JSON or NDJSON";

function packedReader(start: string, name: string): TableReader {
  const inner = extname(withoutGzip(name)).toLowerCase();
  const reader = READERS[inner];
  // Workbooks are compressed already, and documents are no tables.
  if (!reader || reader === xlsxReader) {
    throw unsupported("Only .csv, .tsv, .txt, .json and .ndjson files can be imported as .gz. Unpack it first.");
  }
  if (!start.startsWith(GZIP)) throw invalidFile("The file is not a gzip file, though its name ends with .gz");
  return reader;
}

/**
 * Checks the first bytes of what was unpacked from a gzip file.
 * @throws AppError `invalid` for a gzip file, a workbook or a document
 */
export async function checkUnpacked(path: string): Promise<void> {
  const start = await firstBytes(path);
  if (start.startsWith(GZIP)) throw unsupported("The file is compressed twice. Unpack it first.");
  if ([ZIP, SQLITE, COMPOUND_FILE].some((other) => start.startsWith(other))) {
    throw unsupported("The gzip file holds something else than its name says. Unpack it first.");
  }
}

const unsupported = (message: string) => new AppError("file.unsupported", message);

async function firstBytes(path: string): Promise<string> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
  return buffer.toString("latin1", 0, bytesRead);
}

const withoutGzip = (name: string): string => name.replace(/(?!^)\.gz$/i, "");

/** A file's name without folders and ending. */
export const titleOf = (name: string): string =>
  withoutGzip(name.split(/[/\\]/).at(-1) ?? "").replace(/(?!^)\.[^.]*$/, "");
