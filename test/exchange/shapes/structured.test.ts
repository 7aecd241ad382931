/** JSON, NDJSON and workbooks. */
import { afterAll, beforeAll, test } from "bun:test";
import { book } from "../book.ts";
import { type Shape, ShapeServer } from "./shape.ts";

let server: ShapeServer;
beforeAll(async () => {
  server = await ShapeServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const text = (value: unknown): string => JSON.stringify(value);

/** A cell: a text, a number, a number with a format by its index in `STYLES`, or a formula error. */
type SheetCell = string | number | null | readonly [value: number, style: number] | { readonly error: string };

/** Number formats by index: 1 a date, 2 euros, 3 percent, 4 a time of day, 5 a date with a time, 6 text. */
const STYLES = `<styleSheet>
  <numFmts><numFmt numFmtId="164" formatCode="#,##0.00\\ &quot;€&quot;"/><numFmt numFmtId="165" formatCode="dd/mm/yyyy"/></numFmts>
  <cellXfs><xf numFmtId="0"/><xf numFmtId="165"/><xf numFmtId="164"/><xf numFmtId="9"/><xf numFmtId="20"/><xf numFmtId="22"/><xf numFmtId="49"/></cellXfs>
</styleSheet>`;

function cellXml(cell: SheetCell, ref: string): string {
  if (cell === null) return "";
  if (typeof cell === "string") return `<c r="${ref}" t="inlineStr"><is><t xml:space="preserve">${cell}</t></is></c>`;
  if (typeof cell === "number") return `<c r="${ref}"><v>${cell}</v></c>`;
  if ("error" in cell) return `<c r="${ref}" t="e"><v>${cell.error}</v></c>`;
  return `<c r="${ref}" s="${cell[1]}"><v>${cell[0]}</v></c>`;
}

const sheet = (rows: readonly (readonly SheetCell[])[], merged = ""): string =>
  `<worksheet><sheetData>${rows
    .map((cells, row) => {
      const xml = cells.map((cell, at) => cellXml(cell, `${String.fromCharCode(65 + at)}${row + 1}`));
      return `<row r="${row + 1}">${xml.join("")}</row>`;
    })
    .join("")}</sheetData>${merged}</worksheet>`;

const SHAPES: readonly Shape[] = [
  {
    name: "the API of Airtable: records with fields, lists of choices, attachments as objects",
    file: "records.json",
    content: text({
      records: [
        {
          id: "rec1",
          createdTime: "2024-01-31T13:05:12.000Z",
          fields: { Name: "Launch", Tags: ["urgent", "web"], Done: true },
        },
        { id: "rec2", createdTime: "2024-02-01T08:00:00.000Z", fields: { Name: "Review", Tags: ["web"], Done: false } },
      ],
    }),
    tables: {
      records: [
        ["id", "Text", ["rec1", "rec2"]],
        ["createdTime", "DateTime:UTC", ["2024-01-31T13:05:12Z", "2024-02-01T08:00:00Z"]],
        ["fields", "Ref:Records_fields", [1, 2]],
      ],
      records_fields: [
        ["Name", "Text", ["Launch", "Review"]],
        [
          "Tags",
          "ChoiceList",
          [
            ["L", "urgent", "web"],
            ["L", "web"],
          ],
          { choices: ["urgent", "web"] },
        ],
        ["Done", "Bool", [true, false]],
      ],
    },
  },
  {
    name: "a shop's API: orders with lines as children, money as texts that stay texts, missing keys",
    file: "orders.json",
    content: text([
      {
        id: 7,
        placed: "2024-01-31",
        total: "19.90",
        lines: [
          { sku: "007", qty: 2 },
          { sku: "008", qty: 1 },
        ],
      },
      { id: 8, placed: "2024-02-01", total: "5.00", note: null, lines: [{ sku: "007", qty: 1 }] },
    ]),
    tables: {
      orders: [
        ["id", "Numeric", [7, 8]],
        ["placed", "Date", ["2024-01-31", "2024-02-01"]],
        ["total", "Text", ["19.90", "5.00"]],
        ["note", "Any", [null, null]],
      ],
      orders_lines: [
        ["sku", "Text", ["007", "008", "007"]],
        ["qty", "Numeric", [2, 1, 1]],
        ["orders", "Ref:Orders", [1, 1, 2]],
      ],
    },
  },
  {
    name: "a log: a value in each line, seconds as fractions, keys that appear later",
    file: "app.ndjson",
    content: `${text({ time: "2024-01-31T13:05:12.250Z", level: 30, msg: "started" })}\n\n${text({ time: "2024-01-31T13:05:13Z", level: 50, msg: "failed: n/a", err: "E1" })}\n`,
    tables: {
      app: [
        ["time", "DateTime:UTC", ["2024-01-31T13:05:12.250Z", "2024-01-31T13:05:13Z"]],
        ["level", "Numeric", [30, 50]],
        ["msg", "Text", ["started", "failed: n/a"]],
        ["err", "Text", ["", "E1"]],
      ],
    },
  },
  {
    name: "a backup of a small database: an object of tables, one of them by position",
    file: "backup.json",
    content: text({
      people: [{ name: "Ada", born: "1815-12-10" }],
      readings: [
        [1, 2.5, true],
        [2, null, false],
      ],
    }),
    tables: {
      people: [
        ["name", "Text", ["Ada"]],
        ["born", "Date", ["1815-12-10"]],
      ],
      readings: [
        ["A", "Numeric", [1, 2]],
        ["B", "Numeric", [2.5, null]],
        ["C", "Bool", [true, false]],
      ],
    },
  },
  {
    name: "places: coordinates as numbers in lists, large identifiers that numbers cannot hold",
    file: "places.json",
    content:
      '[{"id": 12345678901234567890, "name": "Ulm", "at": [9.99, 48.4]}, {"id": 12345678901234567891, "name": "Kiel", "at": [10.1, 54.3]}]',
    tables: {
      places: [
        ["id", "Text", ["12345678901234567890", "12345678901234567891"]],
        ["name", "Text", ["Ulm", "Kiel"]],
      ],
      places_at: [
        ["A", "Numeric", [9.99, 48.4, 10.1, 54.3]],
        ["places", "Ref:Places", [1, 1, 2, 2]],
      ],
    },
  },
  {
    name: "a German workbook: a merged title, euros and percent, an error, a blank row, numbers that were pasted as texts",
    file: "Auswertung.xlsx",
    language: "de-DE",
    content: book({
      "xl/styles.xml": STYLES,
      "xl/worksheets/sheet1.xml": sheet(
        [
          ["Auswertung 2024", null, null, null, null],
          ["Kunde", "Datum", "Umsatz", "Anteil", "Menge"],
          ["Müller", [45322, 1], [1234.5, 2], [0.46, 3], "12,5"],
          [],
          ["Süß", [45327, 1], { error: "#DIV/0!" }, [0.08, 3], "1.250,75"],
        ],
        '<mergeCells count="1"><mergeCell ref="A1:E1"/></mergeCells>',
      ),
    }),
    tables: {
      First: [
        ["Kunde", "Text", ["Müller", "Süß"]],
        ["Datum", "Date", ["2024-01-31", "2024-02-05"], { dateFormat: "DD/MM/YYYY" }],
        ["Umsatz", "Numeric", [1234.5, null], { numMode: "currency", decimals: 2, maxDecimals: 2 }],
        ["Anteil", "Numeric", [0.46, 0.08], { numMode: "percent", decimals: 0, maxDecimals: 0 }],
        ["Menge", "Numeric", [12.5, 1250.75]],
      ],
    },
    dropped: 1,
    blankLines: 1,
    notes: { errorCells: 1 },
    currency: "EUR",
  },
  {
    name: "a timesheet: two sheets and a hidden one, times of day and lengths of time, codes as texts",
    file: "timesheet.xlsx",
    content: book({
      "xl/workbook.xml":
        '<workbook><sheets><sheet name="Hours" sheetId="1" r:id="r1"/><sheet name="Lists" sheetId="2" state="hidden" r:id="r4"/><sheet name="Staff" sheetId="3" r:id="r5"/></sheets></workbook>',
      "xl/_rels/workbook.xml.rels": `<Relationships>${[
        "1 worksheet worksheets/sheet1.xml",
        "3 styles styles.xml",
        "4 worksheet worksheets/sheet2.xml",
        "5 worksheet worksheets/sheet3.xml",
      ]
        .map((one) => one.split(" "))
        .map(
          ([id, type, target]) =>
            `<Relationship Id="r${id}" Type="http://x/relationships/${type}" Target="${target}"/>`,
        )
        .join("")}</Relationships>`,
      "xl/styles.xml": STYLES,
      "xl/worksheets/sheet1.xml": sheet([
        ["Day", "Start", "Note"],
        [[45322, 1], [785 / 1440, 4], "n/a"],
        [[45323, 1], [0.375, 4], "late"],
      ]),
      "xl/worksheets/sheet2.xml": sheet([["x"], ["y"]]),
      "xl/worksheets/sheet3.xml": sheet([
        ["Code", "Name"],
        ["007", "Ada"],
        ["012", "Bob"],
      ]),
    }),
    tables: {
      Hours: [
        ["Day", "Date", ["2024-01-31", "2024-02-01"]],
        ["Start", "Text", ["13:05", "09:00"]],
        ["Note", "Text", ["n/a", "late"]],
      ],
      Staff: [
        ["Code", "Text", ["007", "012"]],
        ["Name", "Text", ["Ada", "Bob"]],
      ],
    },
    notes: { hiddenSheets: ["Lists"] },
  },
  {
    name: "a workbook of an old Mac: days since 1904, moments, a missing value among numbers",
    file: "legacy.xlsx",
    content: book({
      "xl/workbook.xml":
        '<workbook><workbookPr date1904="1"/><sheets><sheet name="First" sheetId="1" r:id="r1"/></sheets></workbook>',
      "xl/styles.xml": STYLES,
      "xl/worksheets/sheet1.xml": sheet([
        ["Day", "At", "Value"],
        [[43860, 1], [43860.5, 5], 1.5],
        [[43861, 1], [43861.25, 5], "n/a"],
      ]),
    }),
    tables: {
      First: [
        ["Day", "Date", ["2024-01-31", "2024-02-01"]],
        ["At", "DateTime:UTC", ["2024-01-31T12:00:00Z", "2024-02-01T06:00:00Z"]],
        ["Value", "Numeric", [1.5, null]],
      ],
    },
  },
];

test.each(SHAPES)("$name", (shape) => server.check(shape));
