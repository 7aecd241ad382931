import { invalid } from "../errors.ts";
import { type ExportedTable, type Header, headerOf } from "./exported.ts";
import { sheetCells, textCell } from "./xlsx-cells.ts";
import { Styles } from "./xlsx-styles.ts";
import { xmlText } from "./xml-text.ts";
import { ZipPieces } from "./zip-pieces.ts";

export interface WorkbookOptions {
  readonly header: Header;
  /** Milliseconds since the epoch: when the workbook is made. */
  readonly now: number;
}

/** Rows of a sheet, its header among them. */
const MOST_ROWS = 1_048_576;
const LEAST_WIDTH = 14;
const MOST_WIDTH = 255;
/** Characters of a sheet's name. */
const NAME_LENGTH = 31;

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const PROLOGUE = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/**
 * The bytes of a workbook with a sheet for each table, made as they are taken: however many rows there are, little of
 * them is in memory.
 * @throws AppError `invalid`, at once, for a table with more rows than a sheet has
 */
export function workbookPieces(
  tables: readonly ExportedTable[],
  options: WorkbookOptions,
): Generator<Uint8Array, void> {
  for (const { id, ...table } of tables) {
    if (table.mostRows() < MOST_ROWS) continue;
    throw invalid(`Table ${id} has more than the ${MOST_ROWS - 1} rows a sheet can have: download it as CSV`);
  }
  return pieces(tables, options);
}

function* pieces(tables: readonly ExportedTable[], { header, now }: WorkbookOptions): Generator<Uint8Array, void> {
  const zip = new ZipPieces(now);
  const styles = new Styles();
  const names = sheetNames(tables.map(({ title }) => title));
  yield* zip.file("[Content_Types].xml", [contentTypes(tables.length)]);
  yield* zip.file("_rels/.rels", [relations([["officeDocument", "xl/workbook.xml"]])]);
  yield* zip.file("xl/workbook.xml", [workbook(names)]);
  const parts = names.map((_, i): [string, string] => ["worksheet", `worksheets/sheet${i + 1}.xml`]);
  yield* zip.file("xl/_rels/workbook.xml.rels", [relations([...parts, ["styles", "styles.xml"]])]);
  for (const [i, table] of tables.entries()) {
    yield* zip.file(`xl/worksheets/sheet${i + 1}.xml`, sheet(table, header, styles));
  }
  // The last part: by now all formats are known.
  yield* zip.file("xl/styles.xml", [styles.xml()]);
  yield* zip.end();
}

/** Names as sheets may have them, none like another. */
function sheetNames(titles: readonly string[]): string[] {
  const taken = new Set<string>();
  return titles.map((title) => {
    const wanted = title.replaceAll(/[*?:/\\[\]]/g, "").replaceAll(/^'+|'+$/g, "") || "Sheet";
    let name = wanted.slice(0, NAME_LENGTH);
    for (let count = 2; taken.has(name.toLowerCase()); count++) {
      const suffix = ` (${count})`;
      name = wanted.slice(0, NAME_LENGTH - suffix.length) + suffix;
    }
    taken.add(name.toLowerCase());
    return name;
  });
}

function* sheet(table: ExportedTable, header: Header, styles: Styles): Generator<string, void> {
  const { columns } = table;
  const headers = columns.map((column) => headerOf(column, header));
  const widths = headers.map((text) => Math.min(Math.max(LEAST_WIDTH, text.length), MOST_WIDTH));
  const cols = widths.map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`);
  yield `${PROLOGUE}<worksheet xmlns="${MAIN}">${cols.length > 0 ? `<cols>${cols.join("")}</cols>` : ""}<sheetData>`;
  const letters = columns.map((_, i) => columnLetters(i));
  const heads = headers.map((text, i) => (text === "" ? "" : textCell(text)(`${letters[i]}1`, styles.header)));
  yield `<row r="1">${heads.join("")}</row>`;
  const cells = columns.map((column) => sheetCells(column, table.settings, styles));
  let number = 1;
  for (const rows of table.portions()) {
    let text = "";
    for (const row of rows) {
      number++;
      text += `<row r="${number}">`;
      for (const [i, cell] of cells.entries()) text += cell(row, `${letters[i]}${number}`);
      text += "</row>";
    }
    yield text;
  }
  yield "</sheetData></worksheet>";
}

/** A … Z, AA, AB … */
function columnLetters(index: number): string {
  let letters = "";
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

function workbook(names: readonly string[]): string {
  const sheets = names.map((name, i) => `<sheet name="${xmlText(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`);
  return `${PROLOGUE}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets.join("")}</sheets></workbook>`;
}

function relations(parts: readonly (readonly [type: string, target: string])[]): string {
  const each = parts.map(
    ([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  );
  return `${PROLOGUE}<Relationships xmlns="${PACKAGE}/relationships">${each.join("")}</Relationships>`;
}

function contentTypes(sheets: number): string {
  const base = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="${base}.${type}+xml"/>`;
  const parts = Array.from({ length: sheets }, (_, i) => override(`worksheets/sheet${i + 1}`, "worksheet"));
  return (
    `${PROLOGUE}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `${override("workbook", "sheet.main")}${override("styles", "styles")}${parts.join("")}</Types>`
  );
}
