import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { AppError } from "../../../src/errors.ts";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
/** Tables 2 and 3, after the default table of new documents. */
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    ["AddTable", "Cities", [{ id: "Name" }]],
    [
      "AddTable",
      "Trips",
      [
        { id: "City", type: "Ref:Cities" },
        { id: "Mode", type: "Choice", label: "By what", widgetOptions: '{"choices":["car","bus"]}' },
        { id: "Tags", type: "ChoiceList" },
        { id: "With", type: "RefList:Cities" },
        { id: "Km", type: "Numeric", widgetOptions: '{"decimals":1,"rulesOptions":[{}]}' },
        { id: "Days", type: "Int" },
        { id: "Half", type: "Numeric", formula: "$Km / 2" },
        { id: "Note" },
      ],
    ],
    ["ModifyColumn", "Trips", "City", { visibleCol: 6 }],
    ["SetDisplayFormula", "Trips", null, "City", "$City.Name"],
    ["AddEmptyRule", "Trips", 0, 9],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const TRIPS = 3;
const refOf = (column: string, table = "Trips") => Number(scratch.column(table, column)["ref"]);
const metadata = (table: string, where = "1") =>
  scratch.document.db.all<Record<string, unknown>>(`select * from ${table} where ${where} order by id`);
const tableIds = () => scratch.document.schema.tables.map(({ id }) => id);
const columnsOf = (table: string) => scratch.document.schema.tableById.get(table)?.columns ?? [];
const fieldsOf = (section: number) =>
  metadata("_grist_Views_section_field", `parentId = ${section}`).map(
    ({ colRef }) => scratch.document.schema.columnByRef.get(Number(colRef))?.id,
  );

interface Section {
  readonly tableRef: number;
  readonly viewRef: number;
  readonly sectionRef: number;
}

/** Shows Trips on a new page, grouped by the given columns. */
const show = (by: readonly string[] | null, { view = 0, type = "record" } = {}): Section =>
  scratch.do("CreateViewSection", TRIPS, view, type, by && by.map((id) => refOf(id)), null) as Section;

/** Verifies that an action is refused without side effects. */
function refused(...action: readonly unknown[]): void {
  const before = scratch.content();
  expect(() => scratch.do(...action), JSON.stringify(action)).toThrow(AppError);
  expect(scratch.content()).toEqual(before);
}

describe("a section", () => {
  test("shows a table on a new page", () => {
    expect(show(null)).toEqual({ tableRef: TRIPS, viewRef: 4, sectionRef: 10 });
    expect(metadata("_grist_Views", "id = 4")).toMatchObject([{ name: "New page", type: "empty" }]);
    expect(metadata("_grist_Pages", "viewRef = 4")).toMatchObject([{ indentation: 0, pagePos: 4 }]);
    expect(metadata("_grist_TabBar", "viewRef = 4")).toHaveLength(1);
    expect(metadata("_grist_Views_section", "id = 10")).toMatchObject([
      { tableRef: TRIPS, parentId: 4, parentKey: "record", title: "", defaultWidth: 100, borderWidth: 1 },
    ]);
    expect(fieldsOf(10)).toEqual(["City", "Mode", "Tags", "With", "Km", "Days", "Half", "Note"]);
    expect(tableIds()).toEqual(["Table1", "Cities", "Trips"]);
  });

  test("is added to an existing page, in any type", () => {
    for (const type of ["record", "single", "detail", "chart", "custom", "custom.calendar"]) {
      const { viewRef, sectionRef } = show(null, { view: 1, type });
      expect(viewRef).toBe(1);
      expect(metadata("_grist_Views_section", `id = ${sectionRef}`)).toMatchObject([{ parentId: 1, parentKey: type }]);
    }
    expect(metadata("_grist_Views")).toHaveLength(3);
  });

  test("of type form omits formula columns", () => {
    expect(fieldsOf(show(null, { type: "form" }).sectionRef)).not.toContain("Half");
  });

  test("of a new table creates the table", () => {
    expect(scratch.do("CreateViewSection", 0, 0, "record", null, "my things")).toMatchObject({ tableRef: 4 });
    expect(columnsOf("My_things").map(({ id }) => id)).toEqual(["manualSort", "A", "B", "C"]);
    expect(metadata("_grist_Views", "id = 4")).toMatchObject([{ name: "My_things" }]);
    expect(metadata("_grist_Views_section", "tableRef = 4").map(({ parentId }) => parentId)).toEqual([0, 0, 4]);
  });

  test("is refused for missing tables, views and columns", () => {
    refused("CreateViewSection", 99, 0, "record", null, null);
    refused("CreateViewSection", TRIPS, 99, "record", null, null);
    refused("CreateViewSection", TRIPS, 0, null, null, null);
    refused("CreateViewSection", "Trips", 0, "record", null, null);
    refused("CreateViewSection", TRIPS, 0, "record", "Mode", null);
    refused("CreateViewSection", TRIPS, 0, "record", [99], null);
    refused("CreateViewSection", TRIPS, 0, "record", [null], null);
    refused("CreateViewSection", TRIPS, 0, "record", [refOf("Name", "Cities")], null);
    refused("CreateViewSection", TRIPS, 0, "record", [refOf("Mode"), refOf("Mode")], null);
    refused("CreateViewSection", TRIPS, 0, "record", [refOf("manualSort")], null);
    refused("CreateViewSection", 0, 0, "record", [refOf("Mode")], null);
  });
});

describe("a summary", () => {
  test("has group-by columns, a group column, a count, and sums of all other numbers", () => {
    const { tableRef, viewRef, sectionRef } = show(["Mode", "Days"]);
    expect([tableRef, viewRef]).toEqual([TRIPS, 4]);
    const [table] = metadata("_grist_Tables", "tableId = 'Trips_summary_Days_Mode'");
    expect(table).toMatchObject({ summarySourceTable: TRIPS, primaryViewId: 0, recordCardViewSectionRef: 0 });
    const columns = columnsOf("Trips_summary_Days_Mode").map(({ id, type, isFormula, formula, summarySourceCol }) => [
      id,
      type,
      isFormula ? formula : summarySourceCol,
    ]);
    expect(columns).toEqual([
      ["Mode", "Choice", refOf("Mode")],
      ["Days", "Int", refOf("Days")],
      ["group", "RefList:Trips", "table.getSummarySourceGroup(rec)"],
      ["count", "Int", "len($group)"],
      ["Km", "Numeric", "SUM($group.Km)"],
      ["Half", "Numeric", "SUM($group.Half)"],
    ]);
    expect(scratch.column("Trips_summary_Days_Mode", "Mode")).toMatchObject({
      label: "By what",
      widgetOptions: '{"choices":["car","bus"]}',
    });
    // Conditional formats are not copied.
    expect(scratch.column("Trips_summary_Days_Mode", "Km")).toMatchObject({
      label: "Km",
      widgetOptions: '{"decimals":1}',
      rules: null,
    });
    const raw = Number(table?.["rawViewSectionRef"]);
    expect(metadata("_grist_Views_section", `id = ${raw}`)).toMatchObject([{ parentId: 0, title: "" }]);
    for (const section of [raw, sectionRef]) {
      expect(fieldsOf(section)).toEqual(["Mode", "Days", "count", "Km", "Half"]);
    }
  });

  test("by lists has the type of the items, and the display columns of its source", () => {
    show(["Tags", "With", "City"]);
    const summary = "Trips_summary_City_Tags_With";
    expect(scratch.column(summary, "Tags")["type"]).toBe("Choice");
    expect(scratch.column(summary, "With")).toMatchObject({ type: "Ref:Cities", displayCol: 0 });
    const helper = refOf("gristHelper_Display", summary);
    expect(scratch.column(summary, "City")).toMatchObject({ type: "Ref:Cities", visibleCol: 6, displayCol: helper });
    expect(scratch.column(summary, "gristHelper_Display")["formula"]).toBe("$City.Name");
  });

  test("without group-by columns has one row", () => {
    show([]);
    expect(columnsOf("Trips_summary").map(({ id }) => id)).toEqual(["group", "count", "Km", "Days", "Half"]);
  });

  test("exists once per grouping, and gets sums of new numeric columns", () => {
    show(["Mode", "Days"]);
    scratch.apply([
      ["AddColumn", "Trips", "Price", { type: "Numeric", isFormula: false }],
      ["RemoveColumn", "Trips_summary_Days_Mode", "Half"],
      ["ModifyColumn", "Trips_summary_Days_Mode", "Km", { formula: "MAX($group.Km)" }],
    ]);
    const again = show(["Days", "Mode"], { view: 1, type: "chart" });
    expect(tableIds()).toEqual(["Table1", "Cities", "Trips", "Trips_summary_Days_Mode"]);
    expect(fieldsOf(again.sectionRef)).toEqual(["Mode", "Days", "count", "Km", "Half", "Price"]);
    expect(scratch.column("Trips_summary_Days_Mode", "Km")["formula"]).toBe("MAX($group.Km)");
    expect(scratch.column("Trips_summary_Days_Mode", "Price")["formula"]).toBe("SUM($group.Price)");
  });

  test("avoids id collisions with columns of the source", () => {
    scratch.apply([
      ["AddTable", "Odd", [{ id: "group" }, { id: "count", type: "Int" }, { id: "Count_by", type: "Int" }]],
      ["CreateViewSection", 4, 0, "record", [], null],
    ]);
    expect(columnsOf("Odd_summary").map(({ id, formula }) => [id, formula])).toEqual([
      ["group", "table.getSummarySourceGroup(rec)"],
      ["count", "SUM($group.count)"],
      ["Count_by", "SUM($group.Count_by)"],
    ]);
    scratch.do("CreateViewSection", 4, 0, "record", [refOf("group", "Odd"), refOf("count", "Odd")], null);
    expect(columnsOf("Odd_summary_count_group").map(({ id, formula }) => [id, formula])).toEqual([
      ["group", ""],
      ["count", ""],
      ["group2", "table.getSummarySourceGroup(rec)"],
      ["Count_by", "SUM($group2.Count_by)"],
    ]);
  });

  test("of a summary is refused, but not a plain section of it", () => {
    show(["Mode"]);
    refused("CreateViewSection", 4, 0, "record", [], null);
    const shown = scratch.do("CreateViewSection", 4, 1, "detail", null, null) as Section;
    expect(shown.tableRef).toBe(4);
    expect(fieldsOf(shown.sectionRef)).toEqual(["Mode", "count", "Km", "Days", "Half"]);
  });
});

describe("refuses to", () => {
  const SUMMARY = "Trips_summary_Mode";
  beforeEach(() => void show(["Mode"]));

  test("write or remove records of a summary, or add them with formula values or chosen ids", () => {
    refused("AddRecord", SUMMARY, null, { count: 3 });
    refused("AddRecord", SUMMARY, null, { group: ["L", 1] });
    refused("AddRecord", SUMMARY, 7, { Mode: "car" });
    refused("UpdateRecord", SUMMARY, 1, { Mode: "car" });
    refused("UpdateRecord", SUMMARY, 1, { count: 3 });
    refused("RemoveRecord", SUMMARY, 1);
    refused("ReplaceTableData", SUMMARY, [1], { Mode: ["car"] });
  });

  test("update group-by columns of a summary's record", () => {
    scratch.do("AddRecord", "Trips", null, { Mode: "car" });
    refused("AddOrUpdateRecord", SUMMARY, { Mode: "car" }, { Mode: "bus" }, {});
    refused("AddOrUpdateRecord", SUMMARY, { Mode: "car" }, { Mode: "bus" }, { add: false });
  });

  test("fill an empty column of a summary, or add a data column", () => {
    scratch.do("AddColumn", SUMMARY, "Empty", {});
    refused("UpdateRecord", SUMMARY, 1, { Empty: "x" });
    refused("AddColumn", SUMMARY, "Data", { type: "Text", isFormula: false });
    refused("ModifyColumn", SUMMARY, "Empty", { isFormula: false });
    refused("ModifyColumn", SUMMARY, "Km", { isFormula: false });
    refused("CopyFromColumn", SUMMARY, "Mode", "Empty", null);
    scratch.do("AddColumn", "Cities", "Sum", { type: `Ref:${SUMMARY}`, isFormula: false });
    refused("AddReverseColumn", "Cities", "Sum");
    refused("UpdateRecord", "_grist_Tables", 4, { onDemand: true });
  });

  test("change group-by columns of a summary", () => {
    for (const change of [
      { label: "Other" },
      { type: "Text" },
      { formula: "1" },
      { isFormula: true },
      { untieColIdFromLabel: true },
    ]) {
      refused("ModifyColumn", SUMMARY, "Mode", change);
      refused("UpdateRecord", "_grist_Tables_column", refOf("Mode", SUMMARY), change);
    }
    refused("UpdateRecord", "_grist_Tables_column", refOf("Mode", SUMMARY), { colId: "Other" });
    refused("RenameColumn", SUMMARY, "Mode", "Other");
    refused("RemoveColumn", SUMMARY, "Mode");
    refused("ConvertFromColumn", SUMMARY, "count", "Mode", "Text", "", 0);
    refused("RenameChoices", SUMMARY, "Mode", { car: "van" });
    refused("ModifyColumn", SUMMARY, "group", { isFormula: false });
  });

  test("rename or duplicate a summary, or change its source", () => {
    refused("RenameTable", SUMMARY, "Other");
    refused("UpdateRecord", "_grist_Tables", 4, { tableId: "Other" });
    refused("DuplicateTable", SUMMARY, "Other", true);
    refused("UpdateRecord", "_grist_Tables", 4, { summarySourceTable: 2 });
    refused("UpdateRecord", "_grist_Tables", 2, { summarySourceTable: 3 });
  });
});

describe("the group column", () => {
  const SUMMARY = "Trips_summary_Mode";
  let section: number;
  beforeEach(() => {
    scratch.do("AddRecord", "Trips", null, { Mode: "car", Km: 3 });
    section = show(["Mode"]).sectionRef;
  });

  test("can be renamed in formulas and is still found by summaries derived from it", () => {
    scratch.do("RenameColumn", SUMMARY, "group", "Records");
    expect(scratch.rows(SUMMARY, "Mode", "Records", "count", "Km")).toEqual({ 1: ["car", ["L", 1], 1, 3] });
    scratch.do("UpdateSummaryViewSection", section, [refOf("Days")]);
    expect(columnsOf("Trips_summary_Days").map(({ id }) => id)).toEqual(["Days", "Records", "count", "Km", "Half"]);
    expect(scratch.rows("Trips_summary_Days", "count", "Km")).toEqual({ 1: [1, 3] });
  });

  test("can be changed or removed; formulas that read it fail until it is restored", () => {
    const { undo } = scratch.apply([["ModifyColumn", SUMMARY, "group", { type: "Any", formula: "None" }]]);
    expect(scratch.rows(SUMMARY, "group", "count")).toEqual({ 1: [null, ["E", "TypeError"]] });
    scratch.do("ApplyUndoActions", undo);
    scratch.do("RemoveRecord", "_grist_Tables_column", refOf("group", SUMMARY));
    expect(scratch.rows(SUMMARY)).toEqual({
      1: ["car", ["E", "AttributeError"], ["E", "AttributeError"], ["E", "AttributeError"], ["E", "AttributeError"]],
    });
    scratch.do("AddRecord", "Trips", null, { Mode: "bus" });
    expect(scratch.rows(SUMMARY, "Mode")).toEqual({ 1: ["car"], 2: ["bus"] });
    scratch.do("AddColumn", SUMMARY, "group", {
      type: "RefList:Trips",
      isFormula: true,
      formula: "table.getSummarySourceGroup(rec)",
    });
    expect(scratch.rows(SUMMARY, "count", "Km")).toEqual({ 1: [1, 3], 2: [1, 0] });
  });

  test("is created for a detached summary that lacks it", () => {
    scratch.apply([
      ["RemoveColumn", SUMMARY, "group"],
      ["DetachSummaryViewSection", section],
    ]);
    expect(scratch.rows("Table2", "Mode", "group", "count")).toEqual({ 1: ["car", ["L", 1], 1] });
  });
});

test("propagates the type of a summary's formula column to other summaries", () => {
  show(["Mode"]);
  show(["Days"]);
  const typesOf = (id: string) =>
    ["Trips_summary_Mode", "Trips_summary_Days"].map((table) => scratch.column(table, id)["type"]);
  scratch.do("ModifyColumn", "Trips_summary_Mode", "count", { type: "Numeric" });
  expect(typesOf("count")).toEqual(["Numeric", "Numeric"]);
  scratch.do("ModifyColumn", "Trips_summary_Days", "Km", { type: "Text", formula: "'km'" });
  expect(typesOf("Km")).toEqual(["Numeric", "Text"]);
  scratch.do("ModifyColumn", "Trips_summary_Mode", "Km", { type: "Int" });
  expect(typesOf("Km")).toEqual(["Int", "Text"]);
  scratch.do("ModifyColumn", "Trips_summary_Mode", "group", { type: "Any" });
  expect(typesOf("group")).toEqual(["Any", "RefList:Trips"]);
});

test("lets users add, change and remove formula columns of a summary, and change all options", () => {
  show(["Mode"]);
  const table = "Trips_summary_Mode";
  scratch.apply([
    ["AddVisibleColumn", table, "Mean", { formula: "AVERAGE($group.Km)" }],
    ["ModifyColumn", table, "Days", { formula: "MAX($group.Days)", label: "Longest" }],
    ["RemoveColumn", table, "count"],
    ["ModifyColumn", table, "Mode", { widgetOptions: "{}", description: "How" }],
    ["AddEmptyRule", table, 0, refOf("Mode", table)],
  ]);
  const shown = columnsOf(table).filter(({ isHidden }) => !isHidden);
  expect(shown.map(({ id }) => id)).toEqual(["Mode", "group", "Km", "Longest", "Half", "Mean"]);
  expect(scratch.column(table, "Mode")).toMatchObject({ widgetOptions: "{}", description: "How" });
  expect(fieldsOf(10)).toEqual(["Mode", "Km", "Longest", "Half", "Mean"]);
  scratch.do("RemoveTable", table);
  expect(tableIds()).toEqual(["Table1", "Cities", "Trips"]);
});
