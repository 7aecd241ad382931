import { open } from "node:fs/promises";
import { extname } from "node:path";
import { AppError, invalidFile } from "../errors.ts";
import { delimitedReader } from "./read-delimited.ts";
import { jsonLinesReader, jsonReader } from "./read-json.ts";
import { xlsxReader } from "./xlsx/read-xlsx.ts";
import type { TableReader } from "./table-parts.ts";

/** Readers of table files by file extension. */
const READERS_BY_EXTENSION: Readonly<Record<string, TableReader>> = {
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

/** Advice for file extensions that are often tried. */
const ADVICE_BY_EXTENSION: readonly (readonly [endings: RegExp, advice: string])[] = [
  [/^\.(xls|xlt|xlsb|ods|fods|ots|numbers|wk\d|123|gsheet)$/, "Save it as XLSX"],
  [/^\.(pdf|docx?|odt|rtf|pages|pptx?|html?|xml|ya?ml|md)$/, "Save its table as CSV or XLSX"],
  [/^\.(parquet|feather|arrow|orc|avro|dta|sav|sas7bdat|rds|rdata|mdb|accdb|dbf)$/, "Save its table as CSV"],
  [/^\.(zip|7z|rar|tar|tgz|bz2|xz|zst|lz4|br|z)$/, "Unpack it first"],
];

const SQLITE_SIGNATURE = "SQLite format 3\0";
const OLE_SIGNATURE = "\u00d0\u00cf\u0011\u00e0";
const ZIP_SIGNATURE = "PK\u0003\u0004";
const GZIP_SIGNATURE = "\u001f\u008b";

/** The format of a file: a document, or tables with their reader. */
export type FileFormat =
  | { readonly kind: "document" }
  /** `isGzipped`: the reader takes the unpacked content of the gzip file. */
  | { readonly kind: "tables"; readonly reader: TableReader; readonly isGzipped: boolean };

/**
 * Detects the format of a file by its first bytes and its extension.
 * @throws AppError `invalid` for formats that cannot be imported, with advice
 */
export async function detectFileFormat(path: string, name: string): Promise<FileFormat> {
  const start = await firstBytes(path);
  if (start.startsWith(SQLITE_SIGNATURE)) return { kind: "document" };
  const extension = extname(name).toLowerCase();
  if (/^\.(grist|sqlite3?|db)$/.test(extension)) throw invalidFile("The file is not an SQLite database");
  if (extension === ".gz") return { kind: "tables", reader: packedReader(start, name), isGzipped: true };
  const advice = ADVICE_BY_EXTENSION.find(([extensions]) => extensions.test(extension))?.[1];
  if (advice !== undefined) throw unsupported(`Files of the format ${extension} cannot be imported. ${advice}.`);
  if (start.startsWith(OLE_SIGNATURE)) {
    // Old workbooks and encrypted ones share the same container format.
    throw new AppError(
      "file.encrypted",
      "The workbook is encrypted or in an old format. Save it as XLSX without a password.",
    );
  }
  if (start.startsWith(GZIP_SIGNATURE) && READERS_BY_EXTENSION[extension]) {
    throw unsupported(`The file is compressed with gzip. Unpack it, or name it ${JSON.stringify(`${name}.gz`)}.`);
  }
  const reader = start.startsWith(ZIP_SIGNATURE) ? xlsxReader : READERS_BY_EXTENSION[extension];
  if (!reader) throw unsupported(`The format of the file cannot be imported. Save it as ${SUPPORTED_FORMATS}.`);
  return { kind: "tables", reader, isGzipped: false };
}

const SUPPORTED_FORMATS = "CSV, TSV, XLSX, JSON or NDJSON";

function packedReader(start: string, name: string): TableReader {
  const inner = extname(withoutGzipExtension(name)).toLowerCase();
  const reader = READERS_BY_EXTENSION[inner];
  // Workbooks are compressed already, and documents are not tables.
  if (!reader || reader === xlsxReader) {
    throw unsupported("Only .csv, .tsv, .txt, .json and .ndjson files can be imported as .gz. Unpack it first.");
  }
  if (!start.startsWith(GZIP_SIGNATURE))
    throw invalidFile("The file is not a gzip file, though its name ends with .gz");
  return reader;
}

/**
 * Validates the first bytes of an unpacked gzip file.
 * @throws AppError `invalid` for a gzip file, a workbook or a document
 */
export async function checkUnpacked(path: string): Promise<void> {
  const start = await firstBytes(path);
  if (start.startsWith(GZIP_SIGNATURE)) throw unsupported("The file is compressed twice. Unpack it first.");
  if ([ZIP_SIGNATURE, SQLITE_SIGNATURE, OLE_SIGNATURE].some((other) => start.startsWith(other))) {
    throw unsupported("The content of the gzip file does not match its name. Unpack it first.");
  }
}

const unsupported = (message: string) => new AppError("file.unsupported", message);

async function firstBytes(path: string): Promise<string> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
  return buffer.toString("latin1", 0, bytesRead);
}

const withoutGzipExtension = (name: string): string => name.replace(/(?!^)\.gz$/i, "");

/** Returns a file name without folders and extension. */
export const titleOf = (name: string): string =>
  withoutGzipExtension(name.split(/[/\\]/).at(-1) ?? "").replace(/(?!^)\.[^.]*$/, "");
