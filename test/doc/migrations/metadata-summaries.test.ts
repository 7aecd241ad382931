import { expect, test } from "bun:test";
import { addSection, addView, imported } from "./imported.ts";

test("7: the first summaries become summary tables", () => {
  using db = imported("first", (old) => {
    const sales = old.table(
      "Sales",
      [
        { id: "City", type: "Text" },
        { id: "Year", type: "Int" },
        {
          id: "Summary_Sales_2_1",
          type: "Any",
          formula: "Summary_Sales_2_1.lookupOrAddDerived($Year, $City)",
          sql: null,
        },
      ],
      [{ City: "Oslo", Year: 2015 }],
    );
    const summary = old.table(
      "Summary_Sales_2_1",
      [
        { id: "manualSort", type: "ManualSortPos" },
        { id: "City", type: "Text" },
        { id: "Year", type: "Int" },
        { id: "Note", type: "Text" },
        { id: "group", type: "RefList:Sales", formula: "Sales.lookupRecords(Summary_Sales_2_1=$id)", sql: null },
        { id: "count", type: "Int", formula: "len($group)", sql: null },
      ],
      [{ id: 3, manualSort: 1, City: "Oslo", Year: 2015, Note: "x" }],
    );
    const list = addSection(old, sales[""] ?? 0, addView(old, "Sales"));
    for (const column of ["City", "Summary_Sales_2_1"]) {
      old.add("_grist_Views_section_field", { parentId: list, colRef: sales[column] ?? 0 });
    }
    addSection(old, summary[""] ?? 0, addView(old, "Summary"));
    // These only resemble summaries: of no table, of missing columns, of nothing.
    old.table("Summary_Gone_1", [{ id: "A", type: "Text" }]);
    old.table("Summary_Sales_2019", [{ id: "A", type: "Text" }]);
    old.table("Summary_Sales", [{ id: "A", type: "Text" }]);
  });
  expect(db.values("select tableId, summarySourceTable from _grist_Tables")).toEqual([
    ["Sales", 0],
    ["Sales_summary_City_Year", 1],
    ["Summary_Gone_1", 0],
    ["Summary_Sales_2019", 0],
    ["Summary_Sales", 0],
  ]);
  expect(db.values("select colId, summarySourceCol, formula from _grist_Tables_column where parentId <= 2")).toEqual([
    ["City", 0, ""],
    ["Year", 0, ""],
    ["City", 1, ""],
    ["Year", 2, ""],
    ["group", 0, "table.getSummarySourceGroup(rec)"],
    ["count", 0, "len($group)"],
  ]);
  expect(db.values("select id, City, Year from Sales_summary_City_Year")).toEqual([[3, "Oslo", 2015]]);
  expect(db.values("select name from pragma_table_info('Sales')").flat()).toEqual(["id", "City", "Year"]);
  expect(db.values("select count(*) from _grist_Views_section_field where colRef = 3")).toEqual([[0]]);
});

test("7: the longest list of columns wins where numbers may belong to the source's name", () => {
  using db = imported("first", (old) => {
    old.table("Plan_7", [{ id: "A", type: "Text" }]);
    const summary = old.table("Summary_Plan_7_1", [{ id: "A", type: "Text" }]);
    addSection(old, summary[""] ?? 0, addView(old, "Summary"));
  });
  expect(db.values("select tableId, summarySourceTable from _grist_Tables")).toEqual([
    ["Plan_7", 0],
    ["Plan_7_summary_A", 1],
  ]);
});

test("31: summaries are renamed, also in formulas and rules but not in types", () => {
  using db = imported(30, (old) => {
    const page = addView(old, "Page");
    const sales = old.table("Sales", [
      { id: "Year", type: "Int" },
      { id: "City", type: "Text" },
      {
        id: "Total",
        type: "Any",
        formula: "GristSummary_5_Sales2.lookupOne(City=$City) or GristSummary_5_Sales.all # GristSummary_5_Sales22",
      },
      { id: "In", type: "Ref:GristSummary_5_Sales2", formula: "None" },
    ]);
    const grouped = (id: string, ids: string[]) => {
      const summary = old.table(
        id,
        ids.map((one) => ({ id: one, type: "Text", meta: { summarySourceCol: sales[one] ?? 0 } })),
        [{}],
        { summarySourceTable: sales[""] ?? 0 },
      );
      addSection(old, summary[""] ?? 0, page);
    };
    grouped("GristSummary_5_Sales", []);
    grouped("GristSummary_5_Sales2", ["Year", "City"]);
    grouped("GristSummary_5_Sales3", ["City"]);
    grouped("Sales_summary_Year", ["Year"]);
    grouped("GristSummary_5_Sales4", ["City"]);
    old.table("SALES_SUMMARY_CITY", [{ id: "A", type: "Text" }]);
    old.add("_grist_ACLResources", { tableId: "GristSummary_5_Sales2", colIds: "*" });
    old.add("_grist_ACLResources", { tableId: "Sales", colIds: "*" });
  });
  const tables = ["Sales", "Sales_summary", "Sales_summary_City_Year", "Sales_summary_City2", "Sales_summary_Year"];
  expect(db.values("select tableId from _grist_Tables").flat()).toEqual([
    ...tables,
    "Sales_summary_City3",
    "SALES_SUMMARY_CITY",
  ]);
  for (const table of tables.slice(1)) expect(db.values(`select count(*) from ${table}`)).toEqual([[1]]);
  expect(db.values("select type, formula from _grist_Tables_column where id in (3, 4)")).toEqual([
    ["Any", "Sales_summary_City_Year.lookupOne(City=$City) or Sales_summary.all # GristSummary_5_Sales22"],
    ["Ref:GristSummary_5_Sales2", "None"],
  ]);
  expect(db.values("select tableId from _grist_ACLResources").flat()).toEqual(["", "Sales_summary_City_Year", "Sales"]);
});
