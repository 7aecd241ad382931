import { expect, test } from "bun:test";
import { addSection, addView, imported } from "./imported.ts";

test("1, 2, 4, 20: views become tabs and pages, a table's first list its primary view", () => {
  using db = imported("first", (old) => {
    const zoo = old.table("Zoo", [{ id: "A", type: "Text" }])[""] ?? 0;
    const ark = old.table("Ark", [{ id: "A", type: "Text" }])[""] ?? 0;
    const [zooView, arkView, more, empty] = ["Zoo", "Ark", "More", "Empty"].map((name) => addView(old, name));
    addSection(old, zoo, zooView ?? 0, { parentKey: "detail" });
    addSection(old, zoo, zooView ?? 0);
    addSection(old, zoo, more ?? 0);
    addSection(old, ark, arkView ?? 0);
    addSection(old, ark, more ?? 0);
    expect(empty).toBe(4);
  });
  expect(db.values("select tableId, primaryViewId from _grist_Tables")).toEqual([
    ["Zoo", 1],
    ["Ark", 2],
  ]);
  expect(db.values("select tableRef, viewRef from _grist_TabItems")).toEqual([
    [1, 1],
    [1, 3],
    [2, 2],
    [2, 3],
  ]);
  expect(db.values("select viewRef, tabPos from _grist_TabBar")).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  expect(db.values("select tableRef, viewRef from _grist_TableViews")).toEqual([[1, 3]]);
  // Ark, Empty, Zoo by name; More is nested under the table of its first section.
  expect(db.values("select viewRef, pagePos, indentation from _grist_Pages")).toEqual([
    [2, 1, 0],
    [4, 2, 0],
    [1, 3, 0],
    [3, 4, 1],
  ]);
});

test("26, 30, 40: tables and summaries get raw sections, tables also record cards", () => {
  using db = imported(25, (old) => {
    const page = addView(old, "My sales");
    const sales = old.table(
      "Sales",
      [
        { id: "manualSort", type: "ManualSortPos" },
        { id: "B", type: "Text", meta: { parentPos: 9 } },
        { id: "A", type: "Text" },
        { id: "#summary#x", type: "Any", formula: "" },
        { id: "gristHelper_Display", type: "Any", formula: "$A", meta: {} },
      ],
      [],
      { primaryViewId: page },
    );
    old.db.run(
      "update _grist_Tables_column set displayCol = ? where id = ?",
      sales["gristHelper_Display"] ?? 0,
      sales["A"] ?? 0,
    );
    const summary = old.table("GristSummary_5_Sales", [{ id: "count", type: "Int", formula: "len($group)" }], [], {
      summarySourceTable: sales[""] ?? 0,
    });
    old.table("Unseen", [{ id: "A", type: "Text" }]);
    addSection(old, sales[""] ?? 0, page);
    addSection(old, summary[""] ?? 0, page);
  });
  expect(db.values("select tableId, rawViewSectionRef, recordCardViewSectionRef from _grist_Tables")).toEqual([
    ["Sales", 3, 5],
    ["Sales_summary", 4, 0],
    ["Unseen", 0, 0],
  ]);
  expect(
    db.values(
      "select id, tableRef, parentId, parentKey, title, defaultWidth, borderWidth from _grist_Views_section where id > 2",
    ),
  ).toEqual([
    [3, 1, 0, "record", "My sales", 100, 1],
    [4, 2, 0, "record", "", 100, 1],
    [5, 1, 0, "single", "", 100, 1],
  ]);
  expect(db.values("select parentId, colRef, parentPos from _grist_Views_section_field")).toEqual([
    [3, 3, 3],
    [3, 2, 9],
    [4, 6, 1],
    [5, 3, 3],
    [5, 2, 9],
  ]);
});
