import { invalid } from "../../errors.ts";
import { type ExportedTable, type HeaderKind, headerText } from "../exported-table.ts";
import { cellXmlWriter, textCell } from "./cells.ts";
import { StyleRegistry } from "./styles.ts";
import { escapeXmlText } from "./xml-escape.ts";
import { ZipWriter } from "../zip-writer.ts";

export interface WorkbookOptions {
  readonly header: HeaderKind;
  /** Milliseconds since the epoch: creation time of the workbook. */
  readonly now: number;
}

/** Maximum number of rows of a sheet, including the header. */
const MAX_ROWS = 1_048_576;
const MIN_COLUMN_WIDTH = 14;
const MAX_COLUMN_WIDTH = 255;
/** Maximum length of a sheet's name. */
const MAX_SHEET_NAME_LENGTH = 31;

const SPREADSHEET_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONSHIPS_NAMESPACE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE_NAMESPACE = "http://schemas.openxmlformats.org/package/2006";
const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/**
 * Yields the bytes of a workbook with a sheet for each table. Streams, so that memory use does not depend on the number
 * of rows.
 * @throws AppError `invalid`, immediately, for a table with more rows than a sheet can have
 */
export function workbookChunks(
  tables: readonly ExportedTable[],
  options: WorkbookOptions,
): Generator<Uint8Array, void> {
  for (const { id, ...table } of tables) {
    if (table.maxRowCount() < MAX_ROWS) continue;
    throw invalid(`Table ${id} has more than the ${MAX_ROWS - 1} rows a sheet can have: download it as CSV`);
  }
  return generateChunks(tables, options);
}

function* generateChunks(
  tables: readonly ExportedTable[],
  { header, now }: WorkbookOptions,
): Generator<Uint8Array, void> {
  const zip = new ZipWriter(now);
  const styles = new StyleRegistry();
  const names = sheetNames(tables.map(({ title }) => title));
  yield* zip.file("[Content_Types].xml", [contentTypesXml(tables.length)]);
  yield* zip.file("_rels/.rels", [relationshipsXml([["officeDocument", "xl/workbook.xml"]])]);
  yield* zip.file("xl/workbook.xml", [workbookXml(names)]);
  const parts = names.map((_, i): [string, string] => ["worksheet", `worksheets/sheet${i + 1}.xml`]);
  yield* zip.file("xl/_rels/workbook.xml.rels", [relationshipsXml([...parts, ["styles", "styles.xml"]])]);
  for (const [i, table] of tables.entries()) {
    yield* zip.file(`xl/worksheets/sheet${i + 1}.xml`, sheetXml(table, header, styles));
  }
  // Written last, because all formats are known only now.
  yield* zip.file("xl/styles.xml", [styles.xml()]);
  yield* zip.end();
}

/** Returns valid and unique sheet names. */
function sheetNames(titles: readonly string[]): string[] {
  const usedNames = new Set<string>();
  return titles.map((title) => {
    const requestedName = title.replaceAll(/[*?:/\\[\]]/g, "").replaceAll(/^'+|'+$/g, "") || "Sheet";
    let name = requestedName.slice(0, MAX_SHEET_NAME_LENGTH);
    for (let count = 2; usedNames.has(name.toLowerCase()); count++) {
      const suffix = ` (${count})`;
      name = requestedName.slice(0, MAX_SHEET_NAME_LENGTH - suffix.length) + suffix;
    }
    usedNames.add(name.toLowerCase());
    return name;
  });
}

function* sheetXml(table: ExportedTable, header: HeaderKind, styles: StyleRegistry): Generator<string, void> {
  const { columns } = table;
  const headers = columns.map((column) => headerText(column, header));
  const widths = headers.map((text) => Math.min(Math.max(MIN_COLUMN_WIDTH, text.length), MAX_COLUMN_WIDTH));
  const cols = widths.map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`);
  yield `${XML_DECLARATION}<worksheet xmlns="${SPREADSHEET_NAMESPACE}">${cols.length > 0 ? `<cols>${cols.join("")}</cols>` : ""}<sheetData>`;
  const letters = columns.map((_, i) => columnLetters(i));
  const heads = headers.map((text, i) => (text === "" ? "" : textCell(text)(`${letters[i]}1`, styles.header)));
  yield `<row r="1">${heads.join("")}</row>`;
  const cells = columns.map((column) => cellXmlWriter(column, table.settings, styles));
  let number = 1;
  for (const rows of table.batches()) {
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

function workbookXml(names: readonly string[]): string {
  const sheets = names.map((name, i) => `<sheet name="${escapeXmlText(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`);
  return `${XML_DECLARATION}<workbook xmlns="${SPREADSHEET_NAMESPACE}" xmlns:r="${RELATIONSHIPS_NAMESPACE}"><sheets>${sheets.join("")}</sheets></workbook>`;
}

function relationshipsXml(parts: readonly (readonly [type: string, target: string])[]): string {
  const each = parts.map(
    ([type, target], i) =>
      `<Relationship Id="rId${i + 1}" Type="${RELATIONSHIPS_NAMESPACE}/${type}" Target="${target}"/>`,
  );
  return `${XML_DECLARATION}<Relationships xmlns="${PACKAGE_NAMESPACE}/relationships">${each.join("")}</Relationships>`;
}

function contentTypesXml(sheets: number): string {
  const base = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="${base}.${type}+xml"/>`;
  const parts = Array.from({ length: sheets }, (_, i) => override(`worksheets/sheet${i + 1}`, "worksheet"));
  return (
    `${XML_DECLARATION}<Types xmlns="${PACKAGE_NAMESPACE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `${override("workbook", "sheet.main")}${override("styles", "styles")}${parts.join("")}</Types>`
  );
}
