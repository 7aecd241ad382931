import { describe, expect, test } from "bun:test";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExportedTable } from "../../src/exchange/exported-table.ts";
import { xlsxReader } from "../../src/exchange/xlsx/read-xlsx.ts";
import { workbookChunks } from "../../src/exchange/xlsx/writer.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { book, sheetXml } from "./book.ts";
import { createTable, readAll } from "./exported-tables.ts";

const folder = tempFolder();
const file = join(folder, "book.xlsx");

const written = (tables: readonly ExportedTable[]): Uint8Array =>
  Buffer.concat([...workbookChunks(tables, { header: "label", now: Date.UTC(2026, 0, 1) })]);

const readBack = (bytes: Uint8Array): ReturnType<typeof readAll> => {
  writeFileSync(file, bytes);
  return readAll(xlsxReader, file);
};

const partsOf = (bytes: Uint8Array): Record<string, string> =>
  Object.fromEntries(Object.entries(unzipSync(bytes)).map(([name, content]) => [name, strFromU8(content)]));

describe("a written workbook", () => {
  test("reads back with typed numbers, dates and booleans", async () => {
    const table = createTable([
      { id: "Text", type: "Text", cells: ["<&>\"' \u0007 _x0041_", "", "=1+1\r\n x "] },
      { id: "Num", type: "Numeric", cells: [1.5, null, "n/a"], options: { numMode: "currency" } },
      { id: "Int", type: "Int", cells: [1e15, Infinity, -3] },
      { id: "Bool", type: "Bool", cells: [true, false, "maybe"] },
      { id: "Day", type: "Date", cells: [951_782_400, 0, -2_208_988_800] },
      { id: "At", type: "DateTime:Asia/Tokyo", cells: [0, 951_782_400.5, null] },
      { id: "List", type: "ChoiceList", cells: [["L", "a", "b, c"], null, ["L"]] },
      { id: "Files", type: "Attachments", cells: [["L", 1], null, null] },
      { id: "Ref", type: "Ref:T", cells: [4, 0, "gone"] },
      { id: "Refs", type: "RefList:T", cells: [["L", 4, 5], null, null] },
      { id: "Any", type: "Any", cells: [8000, ["E", "ZeroDivisionError"], ["d", 0]] },
    ]);
    const [sheet] = await readBack(written([table]));
    expect(sheet?.labels).toEqual(["Text", "Num", "Int", "Bool", "Day", "At", "List", "Files", "Ref", "Refs", "Any"]);
    expect(sheet?.rows).toEqual([
      [
        "<&>\"' \u0007 _x0041_",
        1.5,
        1e15,
        true,
        ["d", 951_782_400],
        ["D", 32_400, "UTC"],
        "a; b, c",
        null,
        "4",
        "4, 5",
        "8000",
      ],
      [null, null, "∞", false, ["d", 0], ["D", 951_814_800.5, "UTC"], null, null, "0", null, "#DIV/0!"],
      ["=1+1\r\n x ", "n/a", -3, "maybe", ["d", -2_208_988_800], null, null, null, "gone", null, "1970-01-01"],
    ]);
  });

  test("formats dates in references the same way for every column, and texts unchanged", async () => {
    const table = createTable([
      {
        id: "R",
        type: "Ref:T",
        cells: [1, 2],
        shown: { type: "Date", options: { dateFormat: "D/M/YY" }, cells: [["d", 0], null] },
      },
      {
        id: "S",
        type: "RefList:T",
        cells: [["L", 1, 2], null],
        shown: { type: "Text", cells: [["L", "a, b", "c"], null] },
      },
    ]);
    const [sheet] = await readBack(written([table]));
    expect(sheet?.rows).toEqual([["1970-01-01", '"a, b", c']]);
  });

  test("sheet names are valid and unique", () => {
    const titles = [
      "Plain",
      "plain",
      "a/b:c*?[x]\\",
      "'quoted'",
      "",
      `${"long ".repeat(10)}1`,
      `${"long ".repeat(10)}2`,
    ];
    const bytes = written(titles.map((title, at) => createTable([{ id: "A", type: "Text" }], { id: `T${at}`, title })));
    const names = [...(partsOf(bytes)["xl/workbook.xml"] ?? "").matchAll(/<sheet name="([^"]*)"/g)].map(
      ([, name]) => name,
    );
    expect(names).toEqual([
      "Plain",
      "plain (2)",
      "abcx",
      "quoted",
      "Sheet",
      "long long long long long long l",
      "long long long long long lo (2)",
    ]);
  });

  test("formats follow the options of columns", () => {
    const cells = [1, 1.25];
    const bytes = written([
      createTable([
        { id: "Money", type: "Numeric", cells, options: { numMode: "currency", currency: "EUR" } },
        { id: "Share", type: "Numeric", cells, options: { numMode: "percent", decimals: 1 } },
        { id: "Big", type: "Numeric", cells, options: { numMode: "decimal", decimals: 0, maxDecimals: 3 } },
        { id: "Sci", type: "Numeric", cells, options: { numMode: "scientific" } },
        { id: "Least", type: "Numeric", cells, options: { decimals: 1, maxDecimals: 3 } },
        { id: "Krona", type: "Numeric", cells, options: { numMode: "currency", currency: "SEK", decimals: 0 } },
        { id: "Yen", type: "Numeric", cells, options: { numMode: "currency", currency: "JPY" } },
        { id: "Parens", type: "Numeric", cells, options: { numSign: "parens" } },
        { id: "Long", type: "Date", cells, options: { dateFormat: "LL" } },
        { id: "Day", type: "Date", cells, options: { dateFormat: "dddd, MMMM Do YYYY" } },
        { id: "At", type: "DateTime:UTC", cells, options: { dateFormat: "DD.MM.YY", timeFormat: "h:mma z" } },
        { id: "Plain", type: "Numeric", cells },
      ]),
    ]);
    const styles = partsOf(bytes)["xl/styles.xml"] ?? "";
    expect([...styles.matchAll(/formatCode="([^"]*)"/g)].map(([, code]) => code)).toEqual([
      "&quot;€ &quot;#,##0.00",
      "0.0%",
      "0.0##",
      "&quot;¥ &quot;#,##0",
      "General;(General)",
      "mmmm d, yyyy",
      "dddd, mmmm d&quot;&quot; yyyy",
      "dd.mm.yy h:mmam/pm",
      // Format of whole numbers, which are first.
      "#,##0",
      "0E+00",
      "[$kr-41D]\\ #,##0",
      "#,##0.###",
      "0.###E+00",
      "[$kr-41D]\\ #,##0.##",
    ]);
  });

  test("rejects a table with more rows than a sheet immediately", () => {
    const table = { ...createTable([{ id: "A", type: "Int" }]), maxRowCount: () => 1_048_576 };
    expect(() => workbookChunks([table], { header: "label", now: 0 })).toThrow("more than the 1048575 rows");
  });
});

describe("workbooks of other programs", () => {
  test("supports shared texts, rich texts, gaps, formulas and prefixes", async () => {
    const bytes = book({
      "xl/sharedStrings.xml":
        "<sst><si><t>Name</t></si><si><r><t>Ri</t></r><r><t xml:space='preserve'>ch </t></r><rPh><t>no</t></rPh></si></sst>",
      "xl/worksheets/sheet1.xml": `<x:worksheet xmlns:x="http://x"><x:sheetData>
        <x:row r="2"><x:c r="B2" t="s"><x:v>0</x:v></x:c><x:c r="D2" t="inlineStr"><x:is><x:t>Sum</x:t></x:is></x:c></x:row>
        <x:row r="5"><x:c r="B5" t="s"><x:v>1</x:v></x:c><x:c r="D5"><x:f>1+2</x:f><x:v>3</x:v></x:c></x:row>
        <x:row r="6"/>
        <x:row r="7"><x:c t="b"><x:v>1</x:v></x:c><x:c r="D7" t="e"><x:v>#REF!</x:v></x:c></x:row>
      </x:sheetData></x:worksheet>`,
    });
    expect(await readBack(bytes)).toEqual([
      {
        name: "First",
        labels: ["", "Name", "", "Sum"],
        rows: [[null, "Rich ", null, 3], [true]],
      },
    ]);
  });

  test("does not treat a first row with values as a header", async () => {
    const rows = '<row><c><v>1</v></c><c t="str"><v>x</v></c></row>';
    expect(await readBack(book({ "xl/worksheets/sheet1.xml": sheetXml(`${rows}${rows}`) }))).toEqual([
      {
        name: "First",
        labels: [],
        rows: [
          [1, "x"],
          [1, "x"],
        ],
      },
    ]);
  });

  test("recognizes dates by format, in the 1900 and 1904 date systems", async () => {
    const cell = (value: string, style: number) => `<c s="${style}"><v>${value}</v></c>`;
    const parts = {
      "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[Red]yyyy\\-mm"/><numFmt numFmtId="171" formatCode="0.0&quot;day&quot;"/></numFmts>
        <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
        <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>`,
      "xl/worksheets/sheet1.xml": sheetXml(
        `<row/><row>${cell("45351", 1)}${cell("45351.25", 2)}${cell("45351", 3)}${cell("1", 1)}${cell("61", 1)}${cell("-3", 1)}</row><row><c><v>7</v></c></row>`,
      ),
    };
    const [sheet] = await readBack(book(parts));
    const first1900: unknown = ["d", Date.UTC(1900, 0, 1) / 1000];
    expect(sheet?.rows[0]).toEqual([
      ["d", Date.UTC(2024, 1, 29) / 1000],
      ["D", Date.UTC(2024, 1, 29, 6) / 1000, "UTC"],
      45_351,
      first1900,
      ["d", Date.UTC(1900, 2, 1) / 1000],
      "-3",
    ]);
    const workbook = '<workbook><workbookPr date1904="1"/><sheets><sheet name="S" r:id="r1"/></sheets></workbook>';
    const [old] = await readBack(book({ ...parts, "xl/workbook.xml": workbook }));
    expect([old?.rows[0]].flat()[0]).toEqual(["d", Date.UTC(2028, 2, 1) / 1000]);
  });

  test("skips an empty sheet", async () => expect(await readBack(book({}))).toEqual([]));
});

describe("invalid or hostile workbooks are rejected", () => {
  const wide = sheetXml('<row><c r="XFD1"><v>1</v></c></row>');
  const refused: [what: string, bytes: () => Uint8Array, code: string][] = [
    ["an archive of something else", () => zipSync({ "a.txt": strToU8("a") }), "invalid"],
    ["no archive", () => strToU8("PK\u0003\u0004 nothing more"), "invalid"],
    ["a part that is no XML", () => book({ "xl/worksheets/sheet1.xml": "<worksheet><row></worksheet>" }), "invalid"],
    [
      "a missing sheet",
      () =>
        book({
          "xl/_rels/workbook.xml.rels":
            '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="none.xml"/></Relationships>',
        }),
      "invalid",
    ],
    ["more columns than a table has", () => book({ "xl/worksheets/sheet1.xml": wide }), "invalid"],
    ["endless depth", () => book({ "xl/worksheets/sheet1.xml": "<a>".repeat(1000) }), "invalid"],
    [
      "entities",
      () =>
        book({
          "xl/sharedStrings.xml": '<!DOCTYPE s [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><sst><si><t>&b;</t></si></sst>',
        }),
      "invalid",
    ],
    ["a bomb", () => book({ "xl/worksheets/sheet1.xml": sheetXml(" ".repeat(20_000_000)) }), "tooLarge"],
    ["a bomb of texts", () => book({ "xl/sharedStrings.xml": `<sst>${" ".repeat(20_000_000)}</sst>` }), "tooLarge"],
    [
      "a bomb that lies about its size",
      () => lying(book({ "xl/worksheets/sheet1.xml": sheetXml(" ".repeat(20_000_000)) })),
      "invalid",
    ],
    ["half of one", () => book({}).subarray(0, 700), "invalid"],
  ];
  test.each(refused)("%s", async (_, bytes, code) => {
    const error = await readBack(bytes()).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code, message: expect.stringMatching(/./) });
  });

  test("chunks larger than a batch arrive complete", async () => {
    const cells = Array.from({ length: 30_000 }, (_, i) => `text number ${i}`);
    const [sheet] = await readBack(written([createTable([{ id: "A", type: "Text", cells }])]));
    expect(sheet?.rows.length).toBe(30_000);
    expect(sheet?.rows.at(-1)).toEqual(["text number 29999"]);
    expect(readFileSync(file).length).toBeLessThan(400_000);
  });
});

/** Returns the same archive with a directory that declares a small size for every file. */
function lying(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf("PK\u0001\u0002"); at >= 0; at = copy.indexOf("PK\u0001\u0002", at + 4)) {
    copy.writeUInt32LE(Math.min(copy.readUInt32LE(at + 24), 1000), at + 24);
  }
  return copy;
}
