import { expect, test } from "bun:test";
import { addSection, addView, imported } from "./imported.ts";

test("removes orphans: unseen summaries, unused helpers, filters and comments without a target", () => {
  using db = imported(46, (old) => {
    const page = addView(old, "Page");
    const sales = old.table(
      "Sales",
      [
        { id: "A", type: "Text" },
        { id: "gristHelper_Display", type: "Any", formula: "1" },
        { id: "gristHelper_RowConditionalRule", type: "Any", formula: "1" },
        { id: "gristHelper_ConditionalRule2", type: "Any", formula: "1" },
      ],
      [{ A: "x" }],
    );
    const [table = 0, a = 0, display = 0] = [sales[""], sales["A"], sales["gristHelper_Display"]];
    const list = addSection(old, table, page, { rules: `[${sales["gristHelper_RowConditionalRule"]}]` });
    old.add("_grist_Views_section_field", { parentId: list, colRef: display });
    const summary = (id: string) =>
      old.table(id, [{ id: "count", type: "Int", formula: "len($group)" }], [], { summarySourceTable: table })[""] ?? 0;
    const raw = addSection(old, summary("Sales_summary"), 0);
    old.db.run("update _grist_Tables set rawViewSectionRef = ? where tableId = 'Sales_summary'", raw);
    addSection(old, summary("Sales_summary_A"), page);
    for (const colRef of [a, 99]) old.add("_grist_Filters", { viewSectionRef: list, colRef, filter: "{}" });
    const cell = { tableRef: table, colRef: a, rowId: 1, content: "{}" };
    const lost = old.add("_grist_Cells", { ...cell, rowId: 7 });
    const answer = old.add("_grist_Cells", { ...cell, parentId: lost });
    old.add("_grist_Cells", { ...cell, parentId: answer });
    old.add("_grist_Cells", { ...cell, colRef: 99 });
    old.add("_grist_Cells", cell);
  });
  expect(db.values("select tableId from _grist_Tables").flat()).toEqual(["Sales", "Sales_summary_A"]);
  expect(db.values("select name from sqlite_master where name like 'Sales%'").flat()).toEqual([
    "Sales",
    "Sales_summary_A",
  ]);
  expect(db.values("select colId from _grist_Tables_column").flat()).toEqual([
    "A",
    "gristHelper_RowConditionalRule",
    "count",
  ]);
  expect(db.values("select name from pragma_table_info('Sales')").flat()).toEqual([
    "id",
    "A",
    "gristHelper_RowConditionalRule",
  ]);
  expect(db.values("select id from _grist_Views_section").flat()).toEqual([1, 3]);
  expect(db.values("select count(*) from _grist_Views_section_field")).toEqual([[0]]);
  expect(db.values("select colRef from _grist_Filters").flat()).toEqual([1]);
  expect(db.values("select id from _grist_Cells").flat()).toEqual([5]);
});
