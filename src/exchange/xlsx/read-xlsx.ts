import { invalidFile, notFound } from "../../errors.ts";
import type { CellValue } from "../../values/cell.ts";
import { detectHeader } from "../detect/header.ts";
import type { TableFile, TableReadOptions, TableReadReport, TablePart, TableReader } from "../table-parts.ts";
import { SheetRowCollector } from "./sheet.ts";
import { readWorkbook, type Sheet, type Workbook } from "./workbook.ts";
import { XmlReader } from "./xml-reader.ts";
import { ZipReader } from "../zip-reader.ts";

/** Maximum unpacked size of a workbook in bytes. */
const MAX_UNPACKED_BYTES = 1024 ** 3;
/** Number of rows per batch. */
const BATCH_ROWS = 500;
/** Number of rows at the beginning of a sheet that determine its header. */
const LOOKAHEAD = 1000;
/** Maximum number of rows above the table that are reported, and the length of their excerpts. */
const MAX_DROPPED_ROWS = 20;
const MAX_DROPPED_LENGTH = 200;

/**
 * Reader of workbooks: each sheet with content is a table, hidden ones only by name. Formulas are imported as their
 * cached results.
 */
export const xlsxReader: TableReader = { texts: "anything", read };

async function* read({ path, choices = {} }: TableFile): AsyncGenerator<TablePart> {
  using files = await ZipReader.open(path, MAX_UNPACKED_BYTES);
  const workbook = await readWorkbook(files);
  const hidden = workbook.sheets.filter(({ isHidden }) => isHidden).map(({ name }) => name);
  let hasTable = false;
  for (const { name, path: part } of selectSheets(workbook.sheets, choices.sheet)) {
    const table = new SheetTable(name, { workbook, choices, hidden: hasTable ? [] : hidden });
    for await (const chunk of files.read(part)) yield* table.add(chunk);
    yield* table.end();
    hasTable ||= table.hasRows;
  }
  if (!hasTable && hidden.length > 0 && choices.sheet === undefined) throw allSheetsHidden(hidden);
}

function selectSheets(sheets: readonly Sheet[], name: string | undefined): readonly Sheet[] {
  if (name === undefined) return sheets.filter(({ isHidden }) => !isHidden);
  const named = sheets.filter((sheet) => sheet.name === name);
  if (named.length === 0) throw notFound(`The file has no table ${JSON.stringify(name)}`, "table.not_found");
  return named;
}

interface SheetContext {
  readonly workbook: Workbook;
  readonly choices: TableReadOptions;
  /** The names of hidden sheets, which one table of the file reports. */
  readonly hidden: readonly string[];
}

/** Converts a sheet to a table: buffers the first rows until the header is detected. */
class SheetTable {
  readonly #rows: SheetRowCollector;
  readonly #reader: XmlReader;
  readonly #name: string;
  readonly #context: SheetContext;
  #notes: TableReadReport | null = null;

  constructor(name: string, context: SheetContext) {
    this.#rows = new SheetRowCollector(context.workbook, name);
    this.#reader = new XmlReader(this.#rows);
    this.#name = name;
    this.#context = context;
  }

  get hasRows(): boolean {
    return this.#notes !== null;
  }

  *add(chunk: Uint8Array): Generator<TablePart> {
    this.#reader.write(chunk);
    const { length } = this.#rows.completedRows;
    if (this.#notes ? length >= BATCH_ROWS : length >= Math.max(LOOKAHEAD, this.#context.choices.header ?? 0)) {
      yield* this.#takeBatch();
    }
  }

  *end(): Generator<TablePart> {
    this.#reader.end();
    yield* this.#takeBatch();
    if (!this.#notes) return;
    yield { kind: "formats", formats: this.#rows.formats() };
    const { hidden } = this.#context;
    const { blankRows: blankLines, errorCells } = this.#rows;
    const hiddenSheets = hidden.length > 0 ? { hiddenSheets: hidden } : {};
    yield { kind: "notes", notes: { ...this.#notes, blankLines, errorCells, ...hiddenSheets } };
  }

  *#takeBatch(): Generator<TablePart> {
    const rows = this.#rows.completedRows.splice(0);
    if (rows.length === 0) return;
    if (!this.#notes) yield this.#detectHeader(rows);
    if (rows.length > 0) yield { kind: "rows", rows };
  }

  /** Removes the rows above the data from the buffered rows. */
  #detectHeader(rows: CellValue[][]): TablePart {
    const { dropped, hasHeader } = detectHeader(rows, this.#context.choices.header);
    const droppedLines = rows.splice(0, dropped).slice(0, MAX_DROPPED_ROWS).map(rowText);
    this.#notes = { header: hasHeader ? dropped + 1 : 0, droppedLines };
    const labels = hasHeader ? Array.from(rows.shift() ?? [], labelText) : [];
    return { kind: "table", name: this.#name, labels };
  }
}

const labelText = (cell: CellValue): string => (cell === null ? "" : String(cell).trim());

const rowText = (row: readonly CellValue[]): string => row.map(labelText).join("\t").slice(0, MAX_DROPPED_LENGTH);

const allSheetsHidden = (names: readonly string[]) =>
  invalidFile(`All sheets with cells are hidden: specify one with sheet, such as ${JSON.stringify(names[0])}`);
