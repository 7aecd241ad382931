import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inferTables } from "../../src/exchange/infer-tables.ts";
import { conversionCounter } from "../../src/exchange/count-conversions.ts";
import { xlsxReader } from "../../src/exchange/xlsx/read-xlsx.ts";
import { stagedRows, stageTables } from "../../src/exchange/staging.ts";
import type { TableReadOptions } from "../../src/exchange/table-parts.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { book, sheetXml } from "./book.ts";

const folder = tempFolder();
let count = 0;

const texts = (...values: string[]): string =>
  `<row>${values.map((value) => `<c t="inlineStr"><is><t>${value}</t></is></c>`).join("")}</row>`;
const row = (...cells: string[]): string => `<row>${cells.join("")}</row>`;
const cell = (value: number | string, style = 0): string => `<c s="${style}"><v>${value}</v></c>`;
const text = (value: string, style = 0): string => `<c s="${style}" t="str"><v>${value}</v></c>`;

/** Number formats by style index. */
const styles = (...codes: string[]): string =>
  `<styleSheet><numFmts>${codes.map((code, at) => `<numFmt numFmtId="${170 + at}" formatCode="${code}"/>`).join("")}</numFmts>
  <cellXfs><xf numFmtId="0"/>${codes.map((_, at) => `<xf numFmtId="${170 + at}"/>`).join("")}</cellXfs></styleSheet>`;

/** Imports a workbook and returns its tables with the types and the cells of their columns. */
async function imported(parts: Record<string, string>, choices: TableReadOptions = {}) {
  count++;
  const path = join(folder, `${count}.xlsx`);
  writeFileSync(path, book(parts));
  const staged = await stageTables(xlsxReader, { path, name: "file", choices }, join(folder, String(count)));
  const { tables } = inferTables(staged, { locale: "en-US" });
  return tables.map((table) => {
    const columns = table.columns.map((column) => ({
      column,
      counter: conversionCounter(column),
      cells: [] as unknown[],
    }));
    for (const rows of stagedRows(table)) {
      for (const one of rows)
        for (const { column, counter, cells } of columns) cells.push(counter.read(one[column.at] ?? null));
    }
    return {
      name: table.name,
      notes: table.notes,
      columns: columns.map(({ column: { label, type, options }, cells }) => ({ label, type, options, cells })),
    };
  });
}

const sheet = (rows: string, more: Record<string, string> = {}) => ({
  "xl/worksheets/sheet1.xml": sheetXml(rows),
  ...more,
});

describe("times", () => {
  const parts = (...values: string[]) =>
    sheet(texts("At", "For") + values.join(""), { "xl/styles.xml": styles("hh:mm", "[h]:mm", "h:mm:ss AM/PM") });

  test("of day become texts without seconds if no value of the column has any", async () => {
    const [table] = await imported(
      parts(row(cell(0.65138888888, 1), cell(1.10416666666, 2)), row(cell(0.5, 3), cell(0, 2))),
    );
    expect(table?.columns).toEqual([
      { label: "At", type: "Text", options: {}, cells: ["15:38", "12:00"] },
      { label: "For", type: "Text", options: {}, cells: ["26:30", "00:00"] },
    ]);
  });

  test("have seconds in the whole column if one value has", async () => {
    const rows = Array.from({ length: 2000 }, () => row(cell(0.25, 1)));
    const [table] = await imported(parts(...rows, row(cell(0.65162037037, 1))));
    const [column] = table?.columns ?? [];
    expect([column?.cells[0], column?.cells.at(-1)]).toEqual(["06:00:00", "15:38:20"]);
  });

  test("of a day that the format hides stay date-times, and durations may be negative", async () => {
    const [table] = await imported(
      parts(row(cell(45_351.5, 1), cell(-0.0625, 2)), row(cell(45_352.25, 1), cell(0.5, 2))),
    );
    expect(table?.columns.map(({ type, cells }) => ({ type, cells }))).toEqual([
      { type: "DateTime:UTC", cells: [Date.UTC(2024, 1, 29, 12) / 1000, Date.UTC(2024, 2, 1, 6) / 1000] },
      { type: "Text", cells: ["-01:30", "12:00"] },
    ]);
  });
});

test("shifts serial dates of the 1904 date system by 1,462 days, including day 0", async () => {
  const rows = texts("Day") + row(cell(0, 1)) + row(cell(43_889, 1));
  const one = sheet(rows, { "xl/styles.xml": styles("yyyy-mm-dd") });
  const workbook = '<workbook><workbookPr date1904="true"/><sheets><sheet name="S" r:id="r1"/></sheets></workbook>';
  const [table] = await imported({ ...one, "xl/workbook.xml": workbook });
  const [column] = table?.columns ?? [];
  expect(column).toMatchObject({ type: "Date", cells: [Date.UTC(1904, 0, 1) / 1000, Date.UTC(2024, 1, 29) / 1000] });
});

test("cells with errors are empty and counted", async () => {
  const error = '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>';
  const [table] = await imported(sheet(texts("N") + row(cell(1)) + row(error) + row(cell(2)) + row(error, cell(3))));
  expect(table?.columns[0]).toMatchObject({ type: "Numeric", cells: [1, 2, null] });
  expect(table?.notes).toMatchObject({ errorCells: 2 });
});

test("the first of merged cells has the value", async () => {
  const merged = `<worksheet><sheetData>${texts("A", "B")}<row><c r="A2" t="str"><v>both</v></c><c r="B2"/></row>${texts("x", "y")}</sheetData><mergeCells><mergeCell ref="A2:B2"/></mergeCells></worksheet>`;
  const [table] = await imported({ "xl/worksheets/sheet1.xml": merged });
  expect(table?.columns.map(({ cells }) => cells)).toEqual([
    ["both", "x"],
    ["", "y"],
  ]);
});

describe("hidden sheets", () => {
  const relation = (id: string, target: string) => `<Relationship Id="${id}" Type="x/worksheet" Target="${target}"/>`;
  const sheets = (...states: string[]) => ({
    "xl/workbook.xml": `<workbook><sheets>${states.map((state, at) => `<sheet name="S${at + 1}" r:id="r${at + 1}" ${state}/>`).join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${states.map((_, at) => relation(`r${at + 1}`, `s${at + 1}.xml`)).join("")}</Relationships>`,
    ...Object.fromEntries(states.map((_, at) => [`xl/s${at + 1}.xml`, sheetXml(texts(`A${at + 1}`) + row(cell(at)))])),
  });
  const three = sheets("", 'state="hidden"', 'state="veryHidden"');

  test("are skipped and listed", async () => {
    const tables = await imported(three);
    expect(tables.map(({ name }) => name)).toEqual(["S1"]);
    expect(tables[0]?.notes.hiddenSheets).toEqual(["S2", "S3"]);
  });

  test("are read if they are specified", async () => {
    const tables = await imported(three, { sheet: "S3" });
    expect(tables.map(({ name, columns }) => [name, columns[0]?.label])).toEqual([["S3", "A3"]]);
  });

  test("are named in the error if there are no others, and so is an unknown sheet", async () => {
    const all = imported(sheets('state="hidden"'));
    expect(all).rejects.toMatchObject({ reason: "file.invalid", message: expect.stringContaining('"S1"') });
    expect(imported(three, { sheet: "s1" })).rejects.toMatchObject({ reason: "table.not_found" });
  });
});

describe("headers", () => {
  test("may follow titles, which are reported with blank rows", async () => {
    const rows = `<row r="2"><c t="str"><v>Report 2024</v></c></row><row r="4"><c t="str"><v>Name</v></c><c><v>2023</v></c></row>
      <row r="5"><c t="str"><v>Ann</v></c><c><v>5.5</v></c></row><row r="8"><c t="str"><v>Bob</v></c><c><v>6</v></c></row>`;
    const [table] = await imported(sheet(rows));
    expect(table?.columns.map(({ label, type }) => [label, type])).toEqual([
      ["Name", "Text"],
      ["2023", "Numeric"],
    ]);
    expect(table?.notes).toEqual({ header: 2, droppedLines: ["Report 2024"], blankLines: 4, errorCells: 0 });
  });

  test("are the ones that the request specifies", async () => {
    const rows = texts("a", "b") + texts("c", "d") + texts("e", "f");
    const labels = async (header: number) =>
      (await imported(sheet(rows), { header }))[0]?.columns.map(({ label }) => label);
    expect([await labels(0), await labels(2)]).toEqual([
      ["", ""],
      ["c", "d"],
    ]);
  });
});

describe("types", () => {
  const column = async (values: string[], codes: string[] = []) => {
    const [table] = await imported(
      sheet(texts("V", "W") + values.map((one) => row(one, text("w"))).join(""), { "xl/styles.xml": styles(...codes) }),
    );
    return table?.columns[0];
  };

  test("parses texts as in text files", async () => {
    const found = await column([text("1.234,50"), text("17,25")]);
    expect(found).toMatchObject({ type: "Numeric", cells: [1234.5, 17.25] });
    expect(await column([text("31.12.2024"), text("01.02.2025")])).toMatchObject({ type: "Date" });
  });

  test("texts in a text format stay texts", async () => {
    expect(await column([text("12", 1), text("34", 1)], ["@"])).toMatchObject({ type: "Text", cells: ["12", "34"] });
  });

  test("converts numbers that were pasted as texts among numbers, but not identifiers", async () => {
    const found = await column([cell(1), text("2.5"), text("n/a")]);
    expect(found).toMatchObject({ type: "Numeric", cells: [1, 2.5, null] });
    const codes = await column([...Array.from({ length: 10 }, (_, at) => cell(at)), text("007")]);
    expect(codes).toMatchObject({ type: "Numeric" });
    expect(codes?.cells.at(-1)).toBe("007");
  });

  test("the column gets the most frequent format", async () => {
    const found = await column([cell(0.5, 1), cell(0.25, 1), cell(1)], ["0.0%"]);
    expect(found).toMatchObject({ type: "Numeric", options: { numMode: "percent", decimals: 1 } });
  });
});
