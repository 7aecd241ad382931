import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
/** Sales is table 2; the summaries created by the tests are table 3 and up. */
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    [
      "AddTable",
      "Sales",
      [
        { id: "Shop", type: "Choice" },
        { id: "Year", type: "Int" },
        { id: "Amount", type: "Numeric" },
        { id: "Tags", type: "ChoiceList" },
        { id: "Empty", isFormula: true },
      ],
    ],
    ["AddTable", "Shops", [{ id: "Name" }, { id: "City" }]],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const refOf = (column: string, table = "Sales") => Number(scratch.column(table, column)["ref"]);
const metadata = (table: string, where = "1") =>
  scratch.document.db.all<Record<string, unknown>>(`select * from ${table} where ${where} order by id`);
const tableIds = () => scratch.document.schema.tables.map(({ id }) => id).filter((id) => id.includes("summary"));
const columnsOf = (table: string) =>
  Object.fromEntries(
    (scratch.document.schema.tableById.get(table)?.columns ?? [])
      .filter(({ isHidden }) => !isHidden)
      .map(({ id, type, formula }) => [id, formula || type]),
  );
const fieldsOf = (section: number) =>
  metadata("_grist_Views_section_field", `parentId = ${section}`).map(
    ({ colRef }) => scratch.document.schema.columnByRef.get(Number(colRef))?.id,
  );
const section = (id: number) => metadata("_grist_Views_section", `id = ${id}`)[0];
const tableOf = (id: number) => scratch.document.schema.tableByRef.get(Number(section(id)?.["tableRef"]))?.id;

/** Creates a summary and returns the section that shows it. */
function summarise(...by: string[]): number {
  const refs = by.map((id) => refOf(id));
  return (scratch.do("CreateViewSection", 2, 0, "record", refs, null) as { sectionRef: number }).sectionRef;
}

/** Applies actions, verifies that undo restores the document, and applies them again. */
function applyTwice(...actions: UserAction[]): void {
  const before = scratch.content();
  const { undo } = scratch.apply(actions);
  const after = scratch.content();
  scratch.do("ApplyUndoActions", undo);
  expect(scratch.content()).toEqual(before);
  scratch.apply(actions);
  expect(scratch.content()).toEqual(after);
}

describe("summaries follow", () => {
  test("renames of group-by columns", () => {
    summarise("Shop");
    summarise("Shop", "Year");
    scratch.do("AddColumn", "Shops", "Sums", { formula: "Sales_summary_Shop_Year.lookupRecords(Shop=$Name).Amount" });
    applyTwice(["RenameColumn", "Sales", "Shop", "Store"]);
    expect(tableIds()).toEqual(["Sales_summary_Store", "Sales_summary_Store_Year"]);
    expect(Object.keys(columnsOf("Sales_summary_Store_Year"))).toEqual(["Store", "Year", "group", "count", "Amount"]);
    expect(scratch.column("Shops", "Sums")["formula"]).toBe(
      "Sales_summary_Store_Year.lookupRecords(Store=$Name).Amount",
    );
    scratch.do("ModifyColumn", "Sales", "Store", { label: "Branch" });
    expect(tableIds()).toEqual(["Sales_summary_Branch", "Sales_summary_Branch_Year"]);
    expect(scratch.column("Sales_summary_Branch", "Branch")["label"]).toBe("Branch");
  });

  test("renames of summed columns", () => {
    summarise("Shop");
    summarise();
    scratch.do("AddColumn", "Sales_summary_Shop", "Mean", { formula: "AVERAGE($group.Amount) + $Amount" });
    applyTwice(["RenameColumn", "Sales", "Amount", "Money"]);
    expect(columnsOf("Sales_summary_Shop")).toMatchObject({
      Money: "SUM($group.Money)",
      Mean: "AVERAGE($group.Money) + $Money",
    });
    expect(columnsOf("Sales_summary")).toMatchObject({ Money: "SUM($group.Money)" });
    expect(scratch.column("Sales_summary", "Money")["label"]).toBe("Amount");
    scratch.do("ModifyColumn", "Sales", "Money", { label: "Euro" });
    expect(scratch.column("Sales_summary", "Euro")).toMatchObject({ label: "Euro", formula: "SUM($group.Euro)" });
  });

  test("renames without colliding with their own columns", () => {
    summarise("Shop");
    expect(scratch.do("RenameColumn", "Sales", "Amount", "count")).toBe("count2");
    expect(scratch.do("AddColumn", "Sales", "group", {})).toMatchObject({ colId: "group2" });
    expect(columnsOf("Sales_summary_Shop")).toMatchObject({ count: "len($group)", count2: "SUM($group.count2)" });
  });

  test("renames of their source", () => {
    summarise("Shop");
    summarise();
    scratch.do("AddColumn", "Shops", "Total", { formula: "Sales_summary.lookupOne().Amount" });
    applyTwice(["RenameTable", "Sales", "Deals"]);
    expect(tableIds()).toEqual(["Deals_summary_Shop", "Deals_summary"]);
    expect(scratch.column("Deals_summary", "group")["type"]).toBe("RefList:Deals");
    expect(scratch.column("Shops", "Total")["formula"]).toBe("Deals_summary.lookupOne().Amount");
  });

  test("types and options of group-by columns", () => {
    summarise("Shop", "Tags", "Empty");
    const summary = "Sales_summary_Empty_Shop_Tags";
    applyTwice(
      ["ModifyColumn", "Sales", "Shop", { type: "Ref:Shops", widgetOptions: '{"wrap":true,"rulesOptions":[]}' }],
      ["ModifyColumn", "Sales", "Tags", { type: "RefList:Shops" }],
      ["AddRecord", "Sales", null, { Empty: 1.5 }],
    );
    expect(columnsOf(summary)).toMatchObject({ Shop: "Ref:Shops", Tags: "Ref:Shops", Empty: "Numeric" });
    expect(scratch.column(summary, "Shop")["widgetOptions"]).toBe('{"wrap":true}');
  });

  test("display columns at creation, but no later changes", () => {
    scratch.apply([
      ["ModifyColumn", "Sales", "Shop", { type: "Ref:Shops", visibleCol: refOf("Name", "Shops") }],
      ["SetDisplayFormula", "Sales", null, "Shop", "$Shop.Name"],
    ]);
    summarise("Shop");
    const shown = {
      visibleCol: refOf("Name", "Shops"),
      displayCol: refOf("gristHelper_Display", "Sales_summary_Shop"),
    };
    expect(scratch.column("Sales_summary_Shop", "Shop")).toMatchObject(shown);
    applyTwice(
      ["ModifyColumn", "Sales", "Shop", { visibleCol: refOf("City", "Shops") }],
      ["SetDisplayFormula", "Sales", null, "Shop", "$Shop.City"],
    );
    expect(scratch.column("Sales_summary_Shop", "Shop")).toMatchObject(shown);
    scratch.do("RenameColumn", "Sales", "Shop", "Store");
    expect(scratch.column("Sales_summary_Store", "gristHelper_Display")["formula"]).toBe("$Store.Name");
  });

  test("the conversion of references when their table is removed", () => {
    scratch.apply([
      ["ModifyColumn", "Sales", "Shop", { type: "Ref:Shops", visibleCol: refOf("Name", "Shops") }],
      ["SetDisplayFormula", "Sales", null, "Shop", "$Shop.Name"],
      ["ModifyColumn", "Sales", "Tags", { type: "RefList:Shops" }],
      ["ModifyColumn", "Sales", "Empty", { type: "Ref:Shops", formula: "$Shop" }],
    ]);
    summarise("Shop", "Tags", "Empty");
    applyTwice(["RemoveTable", "Shops"]);
    expect(columnsOf("Sales_summary_Empty_Shop_Tags")).toMatchObject({ Shop: "Text", Tags: "Text", Empty: "Any" });
    expect(scratch.column("Sales_summary_Empty_Shop_Tags", "Shop")).toMatchObject({ visibleCol: 0, displayCol: 0 });
  });

  test("renames of choices in filters", () => {
    const shown = summarise("Shop");
    const colRef = refOf("Shop", "Sales_summary_Shop");
    scratch.apply([
      ["AddRecord", "_grist_Filters", null, { viewSectionRef: shown, colRef, filter: '{"included":["a","b"]}' }],
      ["RenameChoices", "Sales", "Shop", { a: "c" }],
    ]);
    expect(metadata("_grist_Filters")).toMatchObject([{ filter: '{"included":["c","b"]}' }]);
  });

  test("the removal of their source", () => {
    const shown = summarise("Shop");
    summarise("Year");
    applyTwice(["RemoveTable", "Sales"]);
    expect(tableIds()).toEqual([]);
    expect(section(shown)).toBeUndefined();
    expect(metadata("_grist_Pages")).toHaveLength(2);
  });
});

describe("when a column is removed", () => {
  test("keeps the formula of a summed column", () => {
    summarise("Shop");
    applyTwice(["RemoveColumn", "Sales", "Amount"]);
    expect(columnsOf("Sales_summary_Shop")).toMatchObject({ Amount: "SUM($group.Amount)" });
  });

  test("regroups sections by the remaining columns, keeping all properties", () => {
    const shown = summarise("Shop", "Year");
    const summary = "Sales_summary_Shop_Year";
    scratch.do("AddVisibleColumn", summary, "Mean", { formula: "AVERAGE($group.Amount)" });
    scratch.apply([
      ["AddEmptyRule", summary, 0, refOf("Mean", summary)],
      ["AddEmptyRule", summary, 0, refOf("Year", summary)],
      ["ModifyColumn", summary, "Year", { widgetOptions: '{"rulesOptions":[{}]}' }],
      [
        "UpdateRecord",
        "_grist_Views_section",
        shown,
        {
          title: "By year",
          sortColRefs: JSON.stringify([-refOf("Year", summary), refOf("Shop", summary)]),
        },
      ],
      ["AddRecord", "_grist_Filters", null, { viewSectionRef: shown, colRef: refOf("Year", summary), filter: "{}" }],
      ["AddRecord", "_grist_Filters", null, { viewSectionRef: shown, colRef: refOf("Shop", summary), filter: "{}" }],
    ]);
    applyTwice(["RemoveColumn", "Sales", "Shop"]);
    expect(tableIds()).toEqual(["Sales_summary_Year"]);
    expect(columnsOf("Sales_summary_Year")).toEqual({
      Year: "Int",
      group: "table.getSummarySourceGroup(rec)",
      count: "len($group)",
      Amount: "SUM($group.Amount)",
      Mean: "AVERAGE($group.Amount)",
    });
    expect(section(shown)).toMatchObject({ title: "By year" });
    expect(tableOf(shown)).toBe("Sales_summary_Year");
    expect(fieldsOf(shown)).toEqual(["Year", "count", "Amount", "Mean"]);
    expect(section(shown)?.["sortColRefs"]).toBe(JSON.stringify([-refOf("Year", "Sales_summary_Year")]));
    expect(metadata("_grist_Filters").map(({ colRef }) => colRef)).toEqual([refOf("Year", "Sales_summary_Year")]);
    const [rule] = scratch.column("Sales_summary_Year", "Mean")["rules"] as number[];
    expect(rule).toBe(refOf("gristHelper_ConditionalRule", "Sales_summary_Year"));
    expect(scratch.column("Sales_summary_Year", "Year")).toMatchObject({
      rules: [refOf("gristHelper_ConditionalRule2", "Sales_summary_Year")],
      widgetOptions: '{"rulesOptions":[{}]}',
    });
  });

  test("uses an existing summary by the remaining columns", () => {
    const both = summarise("Shop", "Year");
    const year = summarise("Year");
    scratch.do("AddVisibleColumn", "Sales_summary_Shop_Year", "Mean", { formula: "AVERAGE($group.Amount)" });
    applyTwice(["RemoveColumn", "Sales", "Shop"]);
    expect(tableIds()).toEqual(["Sales_summary_Year"]);
    expect([tableOf(both), tableOf(year)]).toEqual(["Sales_summary_Year", "Sales_summary_Year"]);
    expect(fieldsOf(both)).toEqual(["Year", "count", "Amount", "Mean"]);
    expect(fieldsOf(year)).toEqual(["Year", "count", "Amount"]);
  });

  test("replaces a numeric group-by column by its sum, before the group column", () => {
    const shown = summarise("Shop", "Year");
    applyTwice(["RemoveColumn", "Sales", "Year"]);
    expect(Object.entries(columnsOf("Sales_summary_Shop"))).toEqual([
      ["Shop", "Choice"],
      ["Year", "SUM($group.Year)"],
      ["group", "table.getSummarySourceGroup(rec)"],
      ["count", "len($group)"],
      ["Amount", "SUM($group.Amount)"],
    ]);
    expect(fieldsOf(shown)).toEqual(["Shop", "Year", "count", "Amount"]);
  });

  test("leaves the total when the last group-by column is removed", () => {
    const shown = summarise("Shop");
    applyTwice(["RemoveRecord", "_grist_Tables_column", refOf("Shop")]);
    expect(tableIds()).toEqual(["Sales_summary"]);
    expect(fieldsOf(shown)).toEqual(["count", "Year", "Amount"]);
  });

  test("keeps links between sections by the remaining columns", () => {
    const shown = summarise("Shop", "Year");
    const summary = "Sales_summary_Shop_Year";
    const linked = scratch.do("CreateViewSection", 2, 4, "record", null, null) as { sectionRef: number };
    scratch.do("UpdateRecord", "_grist_Views_section", linked.sectionRef, {
      linkSrcSectionRef: shown,
      linkSrcColRef: refOf("Year", summary),
      linkTargetColRef: refOf("Year"),
    });
    applyTwice(["RemoveColumn", "Sales", "Shop"]);
    expect(section(linked.sectionRef)).toMatchObject({
      linkSrcSectionRef: shown,
      linkSrcColRef: refOf("Year", "Sales_summary_Year"),
      linkTargetColRef: refOf("Year"),
    });
  });
});

describe("a summary that no section shows any more", () => {
  test("is removed with the last section on a page", () => {
    const first = summarise("Shop");
    const second = summarise("Shop");
    scratch.do("RemoveRecord", "_grist_Views_section", first);
    expect(tableIds()).toEqual(["Sales_summary_Shop"]);
    applyTwice(["RemoveRecord", "_grist_Views_section", second]);
    expect(tableIds()).toEqual([]);
  });

  test("is removed with the page", () => {
    summarise("Shop");
    applyTwice(["RemoveRecord", "_grist_Views", 4]);
    expect(tableIds()).toEqual([]);
    expect(metadata("_grist_Views").map(({ name }) => name)).toEqual(["Table1", "Sales", "Shops"]);
  });
});

test("never removes built-in sections", () => {
  const before = scratch.content();
  for (const own of [2, 3, 5, 6]) {
    expect(() => scratch.do("RemoveRecord", "_grist_Views_section", own)).toThrow("built-in section");
  }
  for (const table of ["_grist_Views", "_grist_Views_section"]) scratch.do("BulkRemoveRecord", table, [0, 99]);
  expect(scratch.content()).toEqual(before);
});

test("copies a table without its summaries", () => {
  summarise("Shop");
  scratch.do("DuplicateTable", "Sales", "Copy", true);
  expect(tableIds()).toEqual(["Sales_summary_Shop"]);
  expect(scratch.column("Copy", "Shop")["summarySourceCol"]).toBe(0);
});
