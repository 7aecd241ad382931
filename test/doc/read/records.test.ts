import { afterAll, describe, expect, test } from "bun:test";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { readVerbs } from "../../../src/hosts/verbs/reads.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { marshal } from "../../../src/values/marshal.ts";
import { addSampleTable, fetchData, fetchIds, fetchRecords, grantOf, sampleDocument, textOf } from "./sample.ts";

/** The representation of cells in records, plain and typed. */
const shown: [type: string, cell: CellValue, plain: CellValue, typed: CellValue][] = [
  ["Text", "a", "a", "a"],
  ["Text", "", "", ""],
  ["Text", null, null, null],
  ["Text", 5, 5, 5],
  ["Text", true, true, true],
  ["Text", 'quote " \\ \u0001 \u2028 🌰', 'quote " \\ \u0001 \u2028 🌰', 'quote " \\ \u0001 \u2028 🌰'],
  ["Int", 5, 5, 5],
  ["Int", "5", "5", "5"],
  ["Numeric", 1.5, 1.5, 1.5],
  ["Numeric", Infinity, null, null],
  ["Numeric", NaN, null, null],
  ["Numeric", "-1.5x", "-1.5x", "-1.5x"],
  ["Bool", true, true, true],
  ["Bool", 1, 1, 1],
  ["Bool", 3, 3, 3],
  ["Bool", null, null, null],
  ["Bool", "perhaps", "perhaps", "perhaps"],
  ["Date", 86_400, 86_400, ["d", 86_400]],
  ["Date", null, null, null],
  ["Date", "1st", "1st", "1st"],
  ["Date", Infinity, null, ["d", null]],
  ["DateTime:Asia/Tokyo", 7, 7, ["D", 7, "Asia/Tokyo"]],
  ["DateTime", 7, 7, ["D", 7, "UTC"]],
  ["Choice", "red", "red", "red"],
  ["ChoiceList", ["L", "a", "b"], ["L", "a", "b"], ["L", "a", "b"]],
  ["ChoiceList", null, null, ["L"]],
  ["ChoiceList", "stray", "stray", "stray"],
  ["ChoiceList", "[stray", "[stray", "[stray"],
  ["Ref:People", 2, 2, ["R", "People", 2]],
  ["Ref:People", 0, 0, ["R", "People", 0]],
  ["Ref:People", "Kim", "Kim", "Kim"],
  ["RefList:People", ["L", 1, 2], ["L", 1, 2], ["r", "People", [1, 2]]],
  ["RefList:People", null, null, ["r", "People", []]],
  ["Attachments", ["L", 9], ["L", 9], ["r", "_grist_Attachments", [9]]],
  ["Any", ["d", 5], ["d", 5], ["d", 5]],
  ["Any", ["O", { a: [1, null] }], ["O", { a: [1, null] }], ["O", { a: [1, null] }]],
  ["Any", ["L"], ["L"], ["L"]],
  ["Unheard:Of", 3, 3, 3],
];

describe("cells", () => {
  const columns = Object.fromEntries(shown.map(([type], at) => [`C${at}`, type]));
  const row = Object.fromEntries(shown.map(([, cell], at) => [`C${at}`, cell]));
  const document = sampleDocument([{ id: "T", columns, rows: [row] }]);
  afterAll(() => document.close());
  const [plain] = fetchRecords(document, { table: "T" });
  const [typed] = fetchRecords(document, { table: "T", typed: true });
  const data = fetchData(document, { table: "T" });
  const typedData = fetchData(document, { table: "T", typed: true });

  test.each(shown.map(([type, cell, ...expected], at) => [type, JSON.stringify(cell), at, ...expected] as const))(
    "%s %s",
    (_type, _cell, at, asPlain, asTyped) => {
      expect(plain?.fields[`C${at}`]).toEqual(asPlain);
      expect(typed?.fields[`C${at}`]).toEqual(asTyped);
      expect(data[`C${at}`]).toEqual([asPlain]);
      expect(typedData[`C${at}`]).toEqual([asTyped]);
    },
  );
  test("omits the errors of a record without any", () => {
    expect(Object.keys(plain ?? {})).toEqual(["id", "fields"]);
  });
});

test("returns errors separately in records, and inline when typed and in data", () => {
  using document = sampleDocument([
    {
      id: "T",
      columns: { A: "Int", B: "Any", L: "ChoiceList" },
      rows: [
        { A: ["E", "ZeroDivisionError"], B: 1, L: ["E", "TypeError", "why", { u: 1 }] },
        { A: 1, B: ["E"] },
        { A: 2, B: 2 },
      ],
    },
  ]);
  expect(fetchRecords(document, { table: "T" })).toEqual([
    { id: 1, fields: { A: null, B: 1, L: null }, errors: { A: "ZeroDivisionError", L: "TypeError" } },
    { id: 2, fields: { A: 1, B: null, L: null }, errors: { B: "Error" } },
    { id: 3, fields: { A: 2, B: 2, L: null } },
  ]);
  const [first] = fetchRecords(document, { table: "T", typed: true });
  expect(first).toEqual({
    id: 1,
    fields: { A: ["E", "ZeroDivisionError"], B: 1, L: ["E", "TypeError", "why", { u: 1 }] },
  });
  expect(fetchData(document, { table: "T" })).toEqual({
    id: [1, 2, 3],
    manualSort: [1, 2, 3],
    A: [["E", "ZeroDivisionError"], 1, 2],
    B: [1, ["E"], 2],
    L: [["E", "TypeError", "why", { u: 1 }], null, null],
  });
});

test("returns hidden columns on request, in data always", () => {
  using document = sampleDocument([
    { id: "T", columns: { A: "Int", gristHelper_Display: "Any", gristHelperless: "Any" }, rows: [{ A: 4 }] },
  ]);
  const [record] = fetchRecords(document, { table: "T" });
  expect(record?.fields).toEqual({ A: 4, gristHelperless: null });
  const [whole] = fetchRecords(document, { table: "T", hidden: true });
  expect(whole?.fields).toEqual({ manualSort: 1, A: 4, gristHelper_Display: null, gristHelperless: null });
  expect(Object.keys(fetchData(document, { table: "T" }))).toEqual([
    "id",
    "manualSort",
    "A",
    "gristHelper_Display",
    "gristHelperless",
  ]);
});

test("a table without rows has empty columns; one without columns has empty fields", () => {
  using document = sampleDocument([{ id: "T", columns: { A: "Int" } }]);
  expect(fetchRecords(document, { table: "T" })).toEqual([]);
  expect(fetchData(document, { table: "T" })).toEqual({ id: [], manualSort: [], A: [] });
  document.db.exec("delete from _grist_Tables_column where parentId = 2; insert into T (id) values (7)");
  document.onChanged({ schema: true });
  expect(fetchRecords(document, { table: "T", hidden: true })).toEqual([{ id: 7, fields: {} }]);
  expect(fetchData(document, { table: "T" })).toEqual({ id: [7] });
});

test("never interprets column ids as code or properties", () => {
  const ids = [
    "__proto__",
    "constructor",
    'a"]: (() => { throw 1 })(), ["b',
    "a'b\\",
    "é\u2028",
    "0",
    "fields",
    "select",
  ];
  const columns = Object.fromEntries(ids.map((id) => [id, "Text"] as const));
  const row = Object.fromEntries(ids.map((id) => [id, `cell of ${id}`] as const));
  using document = sampleDocument([{ id: 'Q"uoted', columns, rows: [row] }]);
  const answer = readVerbs["records.fetch"].run(document, grantOf("u"), {
    table: 'Q"uoted',
    hidden: false,
    typed: false,
  });
  const { records } = JSON.parse(textOf(document, answer)) as { records: { fields: object }[] };
  expect(new Map(Object.entries(records[0]?.fields ?? {}))).toEqual(new Map(Object.entries(row)));
  expect(Object.entries(fetchData(document, { table: 'Q"uoted' })).filter(([id]) => id in row)).toHaveLength(
    ids.length,
  );
});

test("reads columns that an old file lacks as null, in metadata as their default", () => {
  using document = sampleDocument([{ id: "T", columns: { A: "Int", F: "ChoiceList" }, rows: [{ A: 1 }, { A: 2 }] }]);
  document.db.exec(`alter table T drop column F; alter table _grist_Tables drop column onDemand;
    alter table _grist_Tables drop column rawViewSectionRef; drop table _grist_Shares`);
  document.onChanged({ schema: true });
  expect(fetchRecords(document, { table: "T", filter: '{"F":[null]}', sort: "F,-A" })).toEqual(
    [
      { id: 1, fields: { A: 1, F: null } },
      { id: 2, fields: { A: 2, F: null } },
    ].toReversed(),
  );
  expect(fetchIds(document, { table: "T", filter: '{"F":["x"]}' })).toEqual([]);
  const [typed] = fetchRecords(document, { table: "T", typed: true });
  expect(typed?.fields).toEqual({ A: 1, F: ["L"] });
  const [table] = fetchRecords(document, { table: "_grist_Tables", filter: '{"onDemand":[false]}', sort: "-id" });
  expect(table?.fields).toMatchObject({ tableId: "T", onDemand: false, rawViewSectionRef: 0, primaryViewId: 0 });
  expect(fetchRecords(document, { table: "_grist_Shares" })).toEqual([]);
  expect(fetchData(document, { table: "_grist_Shares" })).toMatchObject({ id: [], linkId: [] });
});

test("reads booleans in their old form and numbers in the form of floats", () => {
  using document = sampleDocument([{ id: "T", columns: { B: "Bool", I: "Int" }, rows: [{}] }]);
  document.db.run("update T set B = ?, I = ?", marshal(true), Uint8Array.of(0x67, 0, 0, 0, 0, 0, 0, 0x14, 0x40));
  expect(fetchRecords(document, { table: "T" })).toEqual([{ id: 1, fields: { B: true, I: 5 } }]);
});

describe("tables", () => {
  const document = sampleDocument([
    { id: "People", columns: { Name: "Text" }, rows: [{ Name: "Ada" }] },
    { id: "T5", columns: {} },
  ]);
  afterAll(() => document.close());

  test("are found by id or ref, case-sensitively", () => {
    expect(fetchIds(document, { table: "2" })).toEqual([1]);
    for (const table of ["people", "0", "99", "2.0", " 2", "", "-2", "1e0", "99999999999999999999"]) {
      expect(() => fetchIds(document, { table })).toThrow(expect.objectContaining({ code: "notFound" }));
    }
  });

  test("of the metadata can be read, filtered and sorted", () => {
    expect(
      fetchIds(document, { table: "_grist_Tables_column", filter: '{"parentId":[2]}', sort: "-colId" }),
    ).toHaveLength(2);
    const [info] = fetchRecords(document, { table: "_grist_DocInfo" });
    expect(info?.fields).toMatchObject({ timezone: "UTC", schemaVersion: 46 });
    // Positions of rules are infinite.
    expect(fetchData(document, { table: "_grist_ACLRules" })).toMatchObject({ id: [1], rulePos: [null] });
  });

  test.each(["_grist_Nope", "_gristsys_Files", "_gristsys_ActionHistory", "sqlite_master", "_quern_outbox"])(
    "rejects %s",
    (table) => {
      expect(() => fetchIds(document, { table })).toThrow(expect.objectContaining({ code: "notFound" }));
      expect(() => listed(document, table)).toThrow(expect.objectContaining({ code: "notFound" }));
    },
  );

  test("of the metadata have no column listing", () => {
    expect(() => listed(document, "_grist_Tables")).toThrow(expect.objectContaining({ code: "invalid" }));
  });

  test("are listed by ref, with their columns on request", () => {
    const answer = readVerbs["tables.list"].run(document, grantOf("u"), { expandColumns: true });
    const { tables } = JSON.parse(textOf(document, answer)) as {
      tables: { id: string; fields: object; columns: { id: string }[] }[];
    };
    expect(tables.map(({ id, columns }) => [id, columns.map((column) => column.id)] as const)).toEqual([
      ["Table1", ["A", "B", "C"]],
      ["People", ["Name"]],
      ["T5", []],
    ]);
    expect(tables[1]?.fields as object).toEqual({
      tableRef: 2,
      primaryViewId: 0,
      summarySourceTable: 0,
      onDemand: false,
      rawViewSectionRef: 0,
      recordCardViewSectionRef: 0,
    });
  });

  test("list their columns by ref", () => {
    document.db.run("update _grist_Tables_column set rules = '[5,6]' where colId = 'Name'");
    document.onChanged({ schema: true });
    expect(listed(document, "People", true).map(({ id }) => id)).toEqual(["manualSort", "Name"]);
    const [name] = listed(document, "2");
    expect(name).toEqual({
      id: "Name",
      fields: {
        colRef: 6,
        label: "Name",
        type: "Text",
        isFormula: false,
        formula: "",
        widgetOptions: "",
        description: "",
        parentId: 2,
        parentPos: null,
        untieColIdFromLabel: false,
        summarySourceCol: 0,
        displayCol: 0,
        visibleCol: 0,
        rules: ["L", 5, 6],
        reverseCol: 0,
        recalcWhen: 0,
        recalcDeps: null,
      },
    });
  });

  test("added after the first read are found", () => {
    expect(() => fetchIds(document, { table: "Late" })).toThrow();
    addSampleTable(document.db, { id: "Late", columns: {}, rows: [{}] });
    document.onChanged({ schema: true });
    expect(fetchIds(document, { table: "Late" })).toEqual([1]);
  });
});

function listed(document: OpenDocument, table: string, hidden = false): { id: string; fields: object }[] {
  const answer = readVerbs["columns.list"].run(document, grantOf("u"), { table, hidden });
  return (JSON.parse(textOf(document, answer)) as { columns: { id: string; fields: object }[] }).columns;
}
