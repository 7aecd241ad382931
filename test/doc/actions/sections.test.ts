/** Actions on pages, sections and fields, and the built-in sections of tables. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    [
      "AddTable",
      "Sales",
      [
        { id: "Kind", type: "Text" },
        { id: "Amount", type: "Numeric" },
        { id: "Day", type: "Date" },
        { id: "Double", type: "Numeric", isFormula: true, formula: "$Amount * 2" },
      ],
    ],
    ["BulkAddRecord", "Sales", [null, null, null], { Kind: ["a", "b", "a"], Amount: [1, 2, 3] }],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const sales = () => scratch.document.schema.tableById.get("Sales");
const raw = () => sales()?.rawViewSectionRef ?? 0;
const card = () => sales()?.recordCardViewSectionRef ?? 0;
const refOf = (column: string, table = "Sales") =>
  scratch.document.schema.tableById.get(table)?.columnById.get(column)?.ref ?? 0;
const values = (sql: string, ...args: (string | number)[]) => scratch.document.db.values(sql, ...args);
const fieldsOf = (section: number) =>
  values(
    "select c.colId from _grist_Views_section_field f join _grist_Tables_column c on c.id = f.colRef where f.parentId = ? order by f.parentPos",
    section,
  ).map(([id]) => id);
const fieldOf = (section: number) =>
  Number(values("select min(id) from _grist_Views_section_field where parentId = ?", section)[0]?.[0]);
const section = (...args: unknown[]) =>
  scratch.do("CreateViewSection", sales()?.ref, ...args) as { sectionRef: number; viewRef: number };
const indentations = () =>
  values("select v.name, p.indentation from _grist_Pages p join _grist_Views v on v.id = p.viewRef order by p.pagePos");

describe("new sections", () => {
  test("show all columns in a grid, two in a chart, and the fillable ones in a form", () => {
    expect(fieldsOf(section(0, "record", null, null).sectionRef)).toEqual(["Kind", "Amount", "Day", "Double"]);
    expect(fieldsOf(section(0, "chart", null, null).sectionRef)).toEqual(["Kind", "Amount"]);
    expect(fieldsOf(section(0, "form", null, null).sectionRef)).toEqual(["Kind", "Amount", "Day"]);
  });

  test.each(["custom.map", "kanban", "constructor", "Record", "a <b> 🧭"])("are of any kind, such as %j", (kind) => {
    const { sectionRef } = section(0, kind, null, null);
    expect(values("select parentKey from _grist_Views_section where id = ?", sectionRef)).toEqual([[kind]]);
    expect(fieldsOf(sectionRef)).toEqual(["Kind", "Amount", "Day", "Double"]);
  });

  test("copy the record card for cards, unless it is disabled", () => {
    const [hidden = 0, styled = 0] = values(
      "select id from _grist_Views_section_field where parentId = ? order by parentPos",
      card(),
    ).map(([id]) => Number(id));
    scratch.apply([
      ["RemoveRecord", "_grist_Views_section_field", hidden],
      ["UpdateRecord", "_grist_Views_section_field", styled, { widgetOptions: '{"wrap":true}' }],
      [
        "UpdateRecord",
        "_grist_Views_section",
        card(),
        { theme: "compact", layoutSpec: `{"children":[{"leaf":${styled}}]}` },
      ],
    ]);
    const { sectionRef } = section(0, "detail", null, null);
    expect(fieldsOf(sectionRef)).toEqual(["Amount", "Day", "Double"]);
    const copied = fieldOf(sectionRef);
    expect(values("select theme, layoutSpec from _grist_Views_section where id = ?", sectionRef)).toEqual([
      ["compact", `{"children":[{"leaf":${copied}}]}`],
    ]);
    expect(values("select widgetOptions from _grist_Views_section_field where id = ?", copied)).toEqual([
      ['{"wrap":true}'],
    ]);
    scratch.do("UpdateRecord", "_grist_Views_section", card(), { options: '{"disabled":true}' });
    expect(fieldsOf(section(0, "single", null, null).sectionRef)).toEqual(["Kind", "Amount", "Day", "Double"]);
  });

  test("get new columns: the raw section, the record card unless customized, then grids", () => {
    const { sectionRef } = section(0, "record", null, null);
    scratch.do("AddVisibleColumn", "Sales", "One", {});
    expect([raw(), card(), sectionRef].map((id) => fieldsOf(id).at(-1))).toEqual(["One", "One", "One"]);
    const order = values("select parentId from _grist_Views_section_field where colRef = ? order by id", refOf("One"));
    expect(order.slice(0, 2)).toEqual([[raw()], [card()]]);
    scratch.do("UpdateRecord", "_grist_Views_section", card(), { theme: "blocks" });
    scratch.do("AddColumn", "Sales", "Two", {});
    expect([raw(), card(), sectionRef].map((id) => fieldsOf(id).at(-1))).toEqual(["Two", "One", "One"]);
  });
});

describe("pages", () => {
  test("are added empty or with a grid, and removed with their sections", () => {
    expect(scratch.do("AddView", "Sales", "empty", "Plan")).toMatchObject({ sections: [] });
    const { id, sections } = scratch.do("AddView", "Sales", "raw_data", "Rows") as { id: number; sections: number[] };
    expect(fieldsOf(sections[0] ?? 0)).toEqual(["Kind", "Amount", "Day", "Double"]);
    expect(() => scratch.do("AddView", "Sales", "grid", "Rows")).toThrow("type of a view");
    expect(() => scratch.do("AddView", "Nothing", "empty", "Rows")).toThrow("Nothing");
    scratch.do("RemoveView", id);
    expect(values("select count(*) from _grist_Views_section where parentId = ?", id)).toEqual([[0]]);
    expect(indentations().map(([name]) => name)).toEqual(["Table1", "Sales", "Plan"]);
  });

  test("are indented less when the page above is removed", () => {
    const pages = values("select id from _grist_Pages order by pagePos").map(([id]) => Number(id));
    scratch.do("AddView", "Sales", "empty", "Third");
    const third = Number(values("select max(id) from _grist_Pages")[0]?.[0]);
    scratch.do("BulkUpdateRecord", "_grist_Pages", [pages[1], third], { indentation: [1, 2] });
    scratch.do("RemoveRecord", "_grist_Pages", pages[0]);
    expect(indentations()).toEqual([
      ["Sales", 0],
      ["Third", 1],
    ]);
  });

  test("are kept when their last section is removed, but removed with a table when they become empty", () => {
    const { sectionRef, viewRef } = section(0, "record", null, null);
    scratch.do("RemoveViewSection", sectionRef);
    expect(values("select count(*) from _grist_Views where id = ?", viewRef)).toEqual([[1]]);
    scratch.do("RemoveTable", "Sales");
    expect(indentations()).toEqual([["Table1", 0]]);
  });

  test("are renamed with the table by the title of the raw section", () => {
    scratch.do("UpdateRecord", "_grist_Views_section", raw(), { title: "All sales" });
    expect(scratch.document.schema.tableById.has("All_sales")).toBe(true);
    expect(indentations().map(([name]) => name)).toEqual(["Table1", "All sales"]);
  });
});

describe("built-in sections of a table", () => {
  test.each([
    ["the raw section", () => ["UpdateRecord", "_grist_Views_section", raw(), { parentKey: "detail" }]],
    ["the record card", () => ["UpdateRecord", "_grist_Views_section", card(), { title: "Card" }]],
    ["a field of the raw section", () => ["UpdateRecord", "_grist_Views_section_field", fieldOf(raw()), { colRef: 2 }]],
    [
      "a field of the record card",
      () => ["UpdateRecord", "_grist_Views_section_field", fieldOf(card()), { width: 50 }],
    ],
    ["removal of a field of the raw section", () => ["RemoveRecord", "_grist_Views_section_field", fieldOf(raw())]],
    ["removal of the raw section", () => ["RemoveViewSection", raw()]],
    ["removal of the record card", () => ["RemoveViewSection", card()]],
  ] as const)("refuse changes of protected columns: %s", (_, action) => {
    const before = scratch.content();
    expect(() => scratch.apply([action()])).toThrow(/cannot be (?:changed|removed)/);
    expect(scratch.content()).toEqual(before);
  });

  test("refuse unknown columns", () => {
    expect(() => scratch.do("UpdateRecord", "_grist_Views_section", raw(), { nothing: 1 })).toThrow(
      'Invalid column "nothing"',
    );
  });

  test("accept changes of other columns", () => {
    scratch.apply([
      ["UpdateRecord", "_grist_Views_section", raw(), { options: '{"numFrozen":1}', sortColRefs: "[2]" }],
      ["UpdateRecord", "_grist_Views_section", card(), { theme: "blocks", layoutSpec: "" }],
      ["UpdateRecord", "_grist_Views_section_field", fieldOf(raw()), { width: 120, widgetOptions: "" }],
      ["UpdateRecord", "_grist_Views_section_field", fieldOf(card()), { widgetOptions: '{"wrap":true}' }],
      ["RemoveRecord", "_grist_Views_section_field", fieldOf(card())],
    ]);
    expect(values("select theme from _grist_Views_section where id = ?", card())).toEqual([["blocks"]]);
  });
});

describe("sections of summaries", () => {
  test("can be regrouped, keeping formulas and their fields", () => {
    const { sectionRef } = section(0, "record", [refOf("Kind")], null);
    expect(fieldsOf(sectionRef)).toEqual(["Kind", "count", "Amount", "Double"]);
    scratch.do("UpdateSummaryViewSection", sectionRef, [refOf("Kind"), refOf("Day")]);
    expect(scratch.document.schema.tables.map(({ id }) => id)).toEqual(["Table1", "Sales", "Sales_summary_Day_Kind"]);
    expect(fieldsOf(sectionRef)).toEqual(["Kind", "Day", "count", "Amount", "Double"]);
    expect(() => scratch.do("UpdateSummaryViewSection", raw(), [])).toThrow("does not exist");
    expect(() => scratch.do("UpdateSummaryViewSection", 99, [])).toThrow("does not exist");
  });

  test("become regular tables whose rows look up their groups", () => {
    const { sectionRef } = section(0, "record", [refOf("Kind")], null);
    scratch.do("DetachSummaryViewSection", sectionRef);
    expect(scratch.document.schema.tables.map(({ id }) => id)).toEqual(["Table1", "Sales", "Table2"]);
    expect(scratch.rows("Table2", "Kind", "count", "Amount", "group")).toEqual({
      1: ["a", 2, 4, ["L", 1, 3]],
      2: ["b", 1, 2, ["L", 2]],
    });
    expect(scratch.column("Table2", "group")["formula"]).toBe("Sales.lookupRecords(Kind=$Kind)");
    expect(fieldsOf(sectionRef)).toEqual(["Kind", "count", "Amount", "Double"]);
    expect(() => scratch.do("DetachSummaryViewSection", sectionRef)).toThrow("does not show a summary table");
  });
});

test("undoes all changes to sections and pages", () => {
  const before = scratch.content();
  const { sectionRef } = section(0, "single", [refOf("Kind")], null);
  const made = scratch.content();
  const bundles = [
    scratch.apply([["UpdateSummaryViewSection", sectionRef, [refOf("Day")]]]),
    scratch.apply([["DetachSummaryViewSection", sectionRef]]),
    scratch.apply([["AddView", "Sales", "raw_data", "More"]]),
    scratch.apply([["RemoveViewSection", sectionRef]]),
  ];
  for (const bundle of bundles.toReversed()) scratch.do("ApplyUndoActions", bundle.undo);
  expect(scratch.content()).toEqual(made);
  expect(before).not.toEqual(made);
});
