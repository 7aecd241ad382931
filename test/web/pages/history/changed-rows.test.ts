import { describe, expect, test } from "bun:test";
import { type CellFormats, formatCell } from "../../../../src/web/pages/history/cell-display.ts";
import { summarizeTable } from "../../../../src/web/pages/history/changed-rows.ts";
import { type Metadata, undoMetadataChanges } from "../../../../src/web/pages/history/past-metadata.ts";
import { type PastColumn, PastSchema } from "../../../../src/web/pages/history/past-schema.ts";
import { summarizeState } from "../../../../src/web/pages/history/summaries.ts";
import { plainMarkedText } from "../../../../src/web/base/names.ts";
import type { PageTexts } from "../../../../src/web/base/page-texts.tsx";
import { chooseLanguage, textsOf } from "../../../../src/web/texts/languages.ts";

const t: PageTexts = textsOf(chooseLanguage(null, "en"));
const settings = { locale: "de-DE", currency: "EUR", timezone: "Europe/Berlin" };

const column = (colId: string, fields: object = {}) => ({ parentId: 1, colId, label: colId, type: "Text", ...fields });

const METADATA: Metadata = {
  _grist_Tables: new Map<number, object>([
    [1, { tableId: "Orders", rawViewSectionRef: 7, summarySourceTable: 0 }],
    [2, { tableId: "People", rawViewSectionRef: 8, summarySourceTable: 0 }],
    [3, { tableId: "Orders_summary_Name", rawViewSectionRef: 9, summarySourceTable: 1 }],
  ]) as Metadata["_grist_Tables"],
  _grist_Tables_column: new Map<number, object>([
    [1, column("manualSort", { parentPos: 1 })],
    [2, column("Name", { label: "Full name", parentPos: 2 })],
    [3, column("Empty", { parentPos: 3 })],
    [4, column("Who", { type: "Ref:People", displayCol: 5, visibleCol: 6, label: "Person", parentPos: 4 })],
    [5, column("gristHelper_Display", { type: "Any", parentPos: 5 })],
    [6, column("Due", { parentId: 2, type: "Date", widgetOptions: '{"dateFormat":"DD.MM.YYYY"}' })],
    [7, column("Name", { parentId: 3, label: "Full name", summarySourceCol: 2 })],
  ]) as Metadata["_grist_Tables_column"],
  _grist_Views_section: new Map<number, object>([
    [7, { title: "All orders" }],
    [8, { title: "" }],
    [9, { title: "" }],
  ]) as Metadata["_grist_Views_section"],
};
const schema = new PastSchema(t, METADATA);
const rowText = (table: string, _: number, row: number) => (row < 90 ? `${table} ${row} by name` : undefined);
const formats: CellFormats = { t, settings, schema, rowText, fileName: (id) => (id < 90 ? "plan.pdf" : undefined) };

describe("cells of a history", () => {
  const cases: readonly [unknown, string, string, string?][] = [
    [null, "Text", ""],
    ["Oak", "Text", "Oak"],
    [true, "Bool", "Yes"],
    [0.1 + 0.2, "Numeric", "0,3"],
    [1890, "Numeric", "1.890,00\u00A0€", '{"numMode":"currency"}'],
    [12345678901, "Int", "12345678901"],
    [1790000000, "Date", "2026-09-21"],
    [1790000000, "Date", "21.09.2026", '{"dateFormat":"DD.MM.YYYY"}'],
    [1790000000, "DateTime:Europe/Berlin", "2026-09-21 4:13pm"],
    [3, "Ref:People", "People 3 by name"],
    [0, "Ref:People", ""],
    [99, "Ref:People", "(deleted row)"],
    ["Ada?", "Ref:People", "Ada?"],
    [["L", "a", "b"], "ChoiceList", "a, b"],
    [["L", 1, 99], "RefList:People", "People 1 by name, (deleted row)"],
    [["L", 7, 99], "Attachments", "plan.pdf, (deleted file)"],
    [["E", "ValueError", "no"], "Any", "Error: ValueError: no"],
    [["d", 1790000000], "Any", "2026-09-21"],
    [["R", "People", 3], "Any", "People 3 by name"],
    [["r", "People", [3, 4]], "Any", "People 3 by name, People 4 by name"],
    [["C"], "Any", "hidden"],
    [["P"], "Any", "not computed yet"],
    [["O", { a: 1 }], "Any", '{"a": 1}'],
    [["?"], "Any", ""],
    [{ odd: true }, "Any", '{"odd": true}'],
    ["x".repeat(400), "Text", `${"x".repeat(300)}…`],
  ];
  test.each(cases)("%j in a column of type %s", (value, type, shown, options = "{}") => {
    const past: PastColumn = {
      id: "C",
      ref: 20,
      name: "C",
      type,
      displayRef: 0,
      visibleRef: 0,
      isFormula: false,
      options: JSON.parse(options) as PastColumn["options"],
    };
    expect(formatCell(formats, past, { value })).toBe(shown);
  });

  test("show what a reference displayed then, in the format of the displayed column", () => {
    const who = schema.table("Orders")?.columns.get("Who");
    expect(formatCell(formats, who, { value: 3, shown: ["d", 1790000000] })).toBe("21.09.2026");
    expect(formatCell(formats, who, { value: 3, shown: null })).toBe("");
    expect(formatCell(formats, who, { value: 3 })).toBe("People 3 by name");
  });
});

describe("rows of a change", () => {
  const delta = {
    addRows: [2, 5],
    updateRows: [1, 2],
    removeRows: [4, 5],
    columnDeltas: {
      manualSort: { "2": [null, [2]] as [null, [number]] },
      "-Gone": { "1": [["was"], null] as [[string], null] },
      Name: {
        "1": [["a"], ["b"]] as [[string], [string]],
        "2": [null, ["new"]] as [null, [string]],
        "4": [["old"], null] as [[string], null],
        "5": [["x"], ["y"]] as [[string], [string]],
      },
      Who: { "1": [[1], [2]] as [[number], [number]] },
      gristHelper_Display: { "1": [[["d", 0]], [["d", 86400]]] as [[["d", number]], [["d", number]]] },
      Empty: { "2": [null, [null]] as [null, [null]] },
    },
    columnRenames: [],
  };
  const before = new PastSchema(t, {
    ...METADATA,
    _grist_Tables_column: new Map([
      ...METADATA._grist_Tables_column,
      [9, column("Gone", { label: "Was here", parentPos: 9 })],
    ]),
  });
  const options = { ...formats, before, after: schema, current: schema };

  test("are listed by their first column, with their kind of change and their changed columns", () => {
    const { columns, rows, omittedRows, title } = summarizeTable("Orders", delta, { ...options, maxRows: 10 });
    expect(title).toBe("All orders");
    expect(columns).toEqual(["Full name", "Person", "Was here"]);
    expect(rows.map((row) => [row.title, row.kind])).toEqual([
      ["b", "changed"],
      ["new", "added"],
      ["old", "deleted"],
      ["y", "changed"],
    ]);
    expect(rows[0]?.cells).toEqual([
      { before: "a", after: "b" },
      { before: "01.01.1970", after: "02.01.1970" },
      { before: "was", after: null },
    ]);
    expect(omittedRows).toBe(0);
  });

  test("are restorable where table and column still hold data", () => {
    const { presentId, presentColumns } = summarizeTable("Orders", delta, { ...options, maxRows: 10 });
    expect([presentId, presentColumns]).toEqual(["Orders", ["Name", "Who", null]]);
    const none = new PastSchema(t, undefined);
    const gone = summarizeTable("-Orders", delta, { ...options, current: none, maxRows: 10 });
    expect([gone.presentId, gone.presentColumns.every((column) => column === null)]).toEqual([null, true]);
  });

  test("are named by their current text where the change does not have it", () => {
    const { Who } = delta.columnDeltas;
    const changed = { ...delta, addRows: [], removeRows: [], updateRows: [1, 95], columnDeltas: { Who } };
    const { rows } = summarizeTable("Orders", changed, { ...options, maxRows: 10 });
    expect(rows.map((row) => row.title)).toEqual(["Orders 1 by name"]);
  });

  test("are truncated when there are many", () => {
    const { rows, omittedRows, isDeleted, title } = summarizeTable("-Orders", delta, { ...options, maxRows: 2 });
    expect([rows.length, omittedRows, isDeleted, title]).toEqual([2, 2, true, "All orders"]);
  });
});

describe("names of a state", () => {
  const deltas = {
    _grist_Tables_column: {
      addRows: [3],
      updateRows: [2],
      removeRows: [12],
      columnDeltas: {
        label: {
          "2": [["Name"], ["Full name"]] as [[string], [string]],
          "12": [["Unit price"], null] as [[string], null],
        },
        colId: { "12": [["Unit_price"], null] as [[string], null], "3": [null, ["Empty"]] as [null, [string]] },
        parentId: { "12": [[1], null] as [[number], null] },
      },
      columnRenames: [],
    },
  };
  const before = new PastSchema(t, undoMetadataChanges(METADATA, deltas));
  const none = { added: [], removed: [], renamed: [], modified: [], changes: [] };
  const table = { table: "Orders", added: 0, updated: 0, removed: 0, columns: none };
  const summaries = (tables: object[]) =>
    summarizeState(
      t,
      { n: 3, h: "h", time: null, user: null, key: null, note: null, isRead: true, tables: tables as never },
      { before, after: schema },
    ).map((text) => plainMarkedText(text).replaceAll(/[\u2068\u2069]/g, ""));

  test("are those before and after it", () => {
    expect(before.columnName("Orders", "Name")).toBe("Name");
    expect(before.columnName("Orders", "Unit_price")).toBe("Unit price");
    expect(before.columnName("Orders", "Empty")).toBe("Empty");
    expect(before.table("Orders")?.columns.has("Empty")).toBe(false);
    expect(schema.table("Orders")?.columns.has("Unit_price")).toBe(false);
    expect(undoMetadataChanges(METADATA, {})).toBe(METADATA);
  });

  test.each([
    [{ ...table, columns: { ...none, removed: ["Unit_price"] } }, "Deleted column Unit price from All orders"],
    [{ ...table, columns: { ...none, added: ["Who"] } }, "Added column Person to All orders"],
    [{ ...table, columns: { ...none, renamed: [["Name", "Name"]] } }, "Renamed column Name of All orders to Full name"],
    [{ ...table, columns: { ...none, renamed: [["Old", "Who"]] } }, "Renamed column Old of All orders to Person"],
    [{ ...table, table: "Orders_summary_Name", added: 2 }, "Added 2 rows to All orders by Full name"],
    [{ ...table, isGone: true }, "Deleted table All orders"],
    [{ ...table, table: "Lost", isGone: true }, "Deleted table Lost"],
    [{ ...table, renamedFrom: "Orders", table: "Orders" }, "Changed the id of table All orders from Orders to Orders"],
  ])("%j", (change, sentence) => {
    expect(summaries([change])).toEqual([sentence]);
  });
});
