import { invalidFile, notFound } from "../errors.ts";
import type { CellValue } from "../values/cell.ts";
import { findHeader } from "./detect/header.ts";
import type { FileToRead, ReadChoices, TableNotes, TablePart, TableReader } from "./table-parts.ts";
import { SheetRows } from "./xlsx-sheet.ts";
import { readWorkbook, type Sheet, type Workbook } from "./xlsx-workbook.ts";
import { XmlReader } from "./xml-events.ts";
import { ZipFiles } from "./zip-files.ts";

/** What a workbook may unfold to, in bytes. */
const MOST_BYTES = 1024 ** 3;
/** Rows handed on at a time. */
const PORTION = 500;
/** So many rows at the beginning of a sheet show where its header is. */
const LOOKAHEAD = 1000;
/** Rows above the table that are reported, and the length of their texts. */
const MAX_DROPPED = 20;
const MAX_DROPPED_LENGTH = 200;

/** Workbooks: each sheet with anything on it is a table, hidden ones only by name. Formulas come as their last results. */
export const xlsxReader: TableReader = { texts: "anything", read };

async function* read({ path, choices = {} }: FileToRead): AsyncGenerator<TablePart> {
  using files = await ZipFiles.open(path, MOST_BYTES);
  const workbook = await readWorkbook(files);
  const hidden = workbook.sheets.filter(({ isHidden }) => isHidden).map(({ name }) => name);
  let hasTable = false;
  for (const { name, path: part } of chosen(workbook.sheets, choices.sheet)) {
    const table = new SheetTable(name, { workbook, choices, hidden: hasTable ? [] : hidden });
    for await (const chunk of files.read(part)) yield* table.add(chunk);
    yield* table.end();
    hasTable ||= table.hasRows;
  }
  if (!hasTable && hidden.length > 0 && choices.sheet === undefined) throw allHidden(hidden);
}

function chosen(sheets: readonly Sheet[], name: string | undefined): readonly Sheet[] {
  if (name === undefined) return sheets.filter(({ isHidden }) => !isHidden);
  const named = sheets.filter((sheet) => sheet.name === name);
  if (named.length === 0) throw notFound(`The file has no table ${JSON.stringify(name)}`, "table.not_found");
  return named;
}

interface Surroundings {
  readonly workbook: Workbook;
  readonly choices: ReadChoices;
  /** The names of hidden sheets, which one table of the file reports. */
  readonly hidden: readonly string[];
}

/** Makes a table of a sheet: the first rows are collected until they show where its header is. */
class SheetTable {
  readonly #rows: SheetRows;
  readonly #reader: XmlReader;
  readonly #name: string;
  readonly #about: Surroundings;
  #found: TableNotes | null = null;

  constructor(name: string, about: Surroundings) {
    this.#rows = new SheetRows(about.workbook, name);
    this.#reader = new XmlReader(this.#rows);
    this.#name = name;
    this.#about = about;
  }

  get hasRows(): boolean {
    return this.#found !== null;
  }

  *add(chunk: Uint8Array): Generator<TablePart> {
    this.#reader.write(chunk);
    const { length } = this.#rows.ready;
    if (this.#found ? length >= PORTION : length >= Math.max(LOOKAHEAD, this.#about.choices.header ?? 0)) {
      yield* this.#take();
    }
  }

  *end(): Generator<TablePart> {
    this.#reader.end();
    yield* this.#take();
    if (!this.#found) return;
    yield { kind: "formats", formats: this.#rows.formats() };
    const { hidden } = this.#about;
    const { blankRows: blankLines, errorCells } = this.#rows;
    const hiddenSheets = hidden.length > 0 ? { hiddenSheets: hidden } : {};
    yield { kind: "notes", notes: { ...this.#found, blankLines, errorCells, ...hiddenSheets } };
  }

  *#take(): Generator<TablePart> {
    const rows = this.#rows.ready.splice(0);
    if (rows.length === 0) return;
    if (!this.#found) yield this.#begin(rows);
    if (rows.length > 0) yield { kind: "rows", rows };
  }

  /** Takes the rows that are no data from the beginning of the first ones. */
  #begin(rows: CellValue[][]): TablePart {
    const { dropped, hasHeader } = findHeader(rows, this.#about.choices.header);
    const droppedLines = rows.splice(0, dropped).slice(0, MAX_DROPPED).map(lineOf);
    this.#found = { header: hasHeader ? dropped + 1 : 0, droppedLines };
    const labels = hasHeader ? Array.from(rows.shift() ?? [], labelOf) : [];
    return { kind: "table", name: this.#name, labels };
  }
}

const labelOf = (cell: CellValue): string => (cell === null ? "" : String(cell).trim());

const lineOf = (row: readonly CellValue[]): string => row.map(labelOf).join("\t").slice(0, MAX_DROPPED_LENGTH);

const allHidden = (names: readonly string[]) =>
  invalidFile(`All sheets with cells are hidden: name one with sheet, such as ${JSON.stringify(names[0])}`);
