import { afterEach, beforeEach, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { Scratch } from "./scratch.ts";
import { summaryDifferences } from "./summary-groups.ts";

let scratch: Scratch;
/** Sales is table 2, Shops is table 3. */
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    [
      "AddTable",
      "Sales",
      [
        { id: "Shop", type: "Ref:Shops" },
        { id: "Kind", type: "Choice" },
        { id: "Tags", type: "ChoiceList" },
        { id: "Amount", type: "Numeric" },
        { id: "Big", type: "Bool", formula: "$Amount > 10" },
      ],
    ],
    ["AddTable", "Shops", [{ id: "Name" }]],
    ["BulkAddRecord", "Shops", [null, null, null], { Name: ["North", "South", "West"] }],
    [
      "BulkAddRecord",
      "Sales",
      [null, null, null, null],
      {
        Shop: [2, 1, 2, 0],
        Kind: ["new", "old", "old", "new"],
        Tags: [["L", "a", "b"], null, ["L", "b"], null],
        Amount: [10, 20, 5, 1],
      },
    ],
  ]);
});
afterEach(() => {
  expect([...scratch.problems(), ...summaryDifferences(scratch)]).toEqual([]);
  scratch[Symbol.dispose]();
});

/** Creates a summary of Sales by these columns. */
const summarise = (...by: string[]): void =>
  void scratch.do(
    "CreateViewSection",
    2,
    0,
    "record",
    by.map((id) => scratch.column("Sales", id)["ref"]),
    null,
  );

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

test("creates a row per group, in order of first appearance, with its records, count and sums", () => {
  summarise("Shop");
  expect(scratch.rows("Sales_summary_Shop")).toEqual({
    1: [2, ["L", 1, 3], 2, 15],
    2: [1, ["L", 2], 1, 20],
    3: [0, ["L", 4], 1, 1],
  });
  summarise("Kind", "Tags");
  expect(scratch.rows("Sales_summary_Kind_Tags")).toEqual({
    1: ["new", "a", ["L", 1], 1, 10],
    2: ["new", "b", ["L", 1], 1, 10],
    3: ["old", "", ["L", 2], 1, 20],
    4: ["old", "b", ["L", 3], 1, 5],
    5: ["new", "", ["L", 4], 1, 1],
  });
  summarise();
  expect(scratch.rows("Sales_summary")).toEqual({ 1: [["L", 1, 2, 3, 4], 4, 36] });
});

test("adds and removes rows with their groups, also for formulas", () => {
  summarise("Big");
  expect(scratch.rows("Sales_summary_Big", "Big", "Amount")).toEqual({ 1: [false, 16], 2: [true, 20] });
  applyTwice(["UpdateRecord", "Sales", 2, { Amount: 2 }]);
  expect(scratch.rows("Sales_summary_Big", "Big", "Amount")).toEqual({ 1: [false, 18] });
  applyTwice(["AddRecord", "Sales", null, { Amount: 11 }], ["RemoveRecord", "Sales", 4]);
  expect(scratch.rows("Sales_summary_Big", "Big", "Amount")).toEqual({ 1: [false, 17], 2: [true, 11] });
  applyTwice(["BulkRemoveRecord", "Sales", [1, 2, 3, 5]]);
  expect(scratch.rows("Sales_summary_Big")).toEqual({});
});

test("keeps added rows while the source has records of their group, one row per group", () => {
  summarise("Kind");
  expect(scratch.apply([["AddRecord", "Sales_summary_Kind", null, { Kind: "none" }]]).retValues).toEqual([3]);
  expect(scratch.do("AddOrUpdateRecord", "Sales_summary_Kind", { Kind: "none" }, { Kind: "old" }, {})).toEqual({
    recordIds: [3],
    action: "ADD",
  });
  expect(scratch.rows("Sales_summary_Kind", "Kind", "group")).toEqual({
    1: ["new", ["L", 1, 4]],
    2: ["old", ["L", 2, 3]],
  });
  applyTwice(
    ["UpdateRecord", "Sales", 4, { Kind: "none" }],
    ["AddRecord", "Sales_summary_Kind", null, { Kind: "none" }],
    ["RemoveRecord", "Sales", 1],
  );
  expect(scratch.rows("Sales_summary_Kind", "Kind", "group")).toEqual({
    2: ["old", ["L", 2, 3]],
    3: ["none", ["L", 4]],
  });
});

test("excludes records whose group is a set of records or an error", () => {
  const formula = "Shops.lookupRecords(Name='none') if $id == 1 else 1 // 0 if $id == 2 else $Shop";
  scratch.do("AddColumn", "Sales", "At", { type: "Any", isFormula: true, formula });
  summarise("At");
  expect(Object.values(scratch.rows("Sales_summary_At", "group"))).toEqual([[["L", 3]], [["L", 4]]]);
});

test("clears references to the row of a removed group", () => {
  summarise("Kind");
  scratch.apply([
    ["AddColumn", "Shops", "Main", { type: "Ref:Sales_summary_Kind", isFormula: false }],
    ["BulkUpdateRecord", "Shops", [1, 2], { Main: [1, 2] }],
  ]);
  applyTwice(["BulkUpdateRecord", "Sales", [1, 4], { Kind: ["old", "old"] }]);
  expect(scratch.rows("Shops", "Main")).toEqual({ 1: [0], 2: [2], 3: [0] });
});

test("keeps a group that a formula names although it equals the id of a removed row of the summary", () => {
  scratch.apply([["AddColumn", "Sales", "Of", { type: "Text", isFormula: true, formula: "$Kind" }]]);
  summarise("Of");
  expect(Object.keys(scratch.rows("Sales_summary_Of"))).toEqual(["1", "2"]);
  applyTwice([
    "UpdateRecord",
    "_grist_Tables_column",
    Number(scratch.column("Sales", "Of")["ref"]),
    { type: "Ref:Sales_summary_Of", formula: "1 if $Amount > 5 else 0" },
  ]);
  expect(scratch.rows("Sales_summary_Of", "Of", "group")).toEqual({
    3: [1, ["L", 1, 2]],
    4: [0, ["L", 3, 4]],
  });
});

test("keeps rows of groups when choices are renamed, unless two merge", () => {
  summarise("Kind");
  summarise("Tags");
  applyTwice(["RenameChoices", "Sales", "Kind", { new: "fresh" }]);
  expect(scratch.rows("Sales_summary_Kind", "Kind", "group")).toEqual({
    1: ["fresh", ["L", 1, 4]],
    2: ["old", ["L", 2, 3]],
  });
  applyTwice(["RenameChoices", "Sales", "Kind", { old: "fresh" }], ["RenameChoices", "Sales", "Tags", { a: "c" }]);
  expect(scratch.rows("Sales_summary_Kind", "Kind", "group")).toEqual({ 1: ["fresh", ["L", 1, 2, 3, 4]] });
  expect(scratch.rows("Sales_summary_Tags", "Tags", "group")).toEqual({
    1: ["c", ["L", 1]],
    2: ["b", ["L", 1, 3]],
    3: ["", ["L", 2, 4]],
  });
});

test("updates groups of references when their target is removed", () => {
  summarise("Shop");
  applyTwice(["RemoveRecord", "Shops", 1]);
  expect(scratch.rows("Sales_summary_Shop", "Shop", "group")).toEqual({ 1: [2, ["L", 1, 3]], 2: [0, ["L", 2, 4]] });
  applyTwice(["RemoveTable", "Shops"]);
  expect(scratch.column("Sales_summary_Shop", "Shop")["type"]).toBe("Int");
  expect(scratch.rows("Sales_summary_Shop", "Shop", "group")).toEqual({ 1: [2, ["L", 1, 3]], 2: [0, ["L", 2, 4]] });
});

test("regroups by converted cells after a type change", () => {
  summarise("Amount");
  summarise("Tags");
  applyTwice(["BulkUpdateRecord", "Sales", [1, 2], { Amount: [1.5, 1.25] }]);
  applyTwice(["ModifyColumn", "Sales", "Amount", { type: "Int" }], ["ModifyColumn", "Sales", "Tags", { type: "Text" }]);
  expect(scratch.rows("Sales_summary_Amount", "Amount", "group")).toEqual({
    3: [5, ["L", 3]],
    4: [1, ["L", 1, 2, 4]],
  });
  expect(scratch.column("Sales_summary_Tags", "Tags")["type"]).toBe("Text");
});

test("regroups rows by the remaining columns when a group-by column is removed", () => {
  summarise("Kind", "Shop");
  scratch.do("AddVisibleColumn", "Sales_summary_Kind_Shop", "Mean", { formula: "AVERAGE($group.Amount)" });
  applyTwice(["RemoveColumn", "Sales", "Shop"]);
  expect(scratch.rows("Sales_summary_Kind", "Kind", "group", "count", "Amount", "Mean")).toEqual({
    1: ["new", ["L", 1, 4], 2, 11, 5.5],
    2: ["old", ["L", 2, 3], 2, 25, 12.5],
  });
  applyTwice(["RemoveColumn", "Sales", "Kind"]);
  expect(scratch.rows("Sales_summary", "count", "Mean")).toEqual({ 1: [4, 9] });
});

test("turns a sum into an error when its column is removed, and keeps its id taken", () => {
  summarise("Kind");
  applyTwice(["RemoveColumn", "Sales", "Amount"]);
  expect(scratch.rows("Sales_summary_Kind", "Amount")).toEqual({
    1: [["E", "AttributeError"]],
    2: [["E", "AttributeError"]],
  });
  expect(scratch.do("AddColumn", "Sales", "Amount", {})).toMatchObject({ colId: "Amount2" });
});

test("keeps rows unchanged after renames", () => {
  summarise("Kind");
  const before = scratch.rows("Sales_summary_Kind");
  applyTwice(
    ["RenameColumn", "Sales", "Kind", "Sort"],
    ["RenameColumn", "Sales", "Amount", "Money"],
    ["RenameTable", "Sales", "Deals"],
  );
  expect(scratch.rows("Deals_summary_Sort")).toEqual(before);
  scratch.do("AddRecord", "Deals", null, { Sort: "odd", Money: 3 });
  expect(scratch.rows("Deals_summary_Sort", "Sort", "Money")).toMatchObject({ 3: ["odd", 3] });
});

test("repairs rows of a summary after replaying a history that does not match", () => {
  summarise("Kind");
  scratch.do("ApplyDocActions", [
    ["RemoveRecord", "Sales_summary_Kind", 1],
    ["UpdateRecord", "Sales_summary_Kind", 2, { Kind: "none" }],
  ]);
  // New rows are added before old ones are removed, so that no row id is used for two groups in one change.
  expect(scratch.rows("Sales_summary_Kind", "Kind", "count")).toEqual({ 3: ["new", 2], 4: ["old", 2] });
});

test("lets formulas read summaries, even those grouped by them, if the result converges", () => {
  summarise();
  scratch.do("AddColumn", "Sales", "Share", { type: "Numeric", formula: "$Amount / Sales_summary.lookupOne().Amount" });
  summarise("Share");
  expect(scratch.rows("Sales_summary_Share", "count")).toEqual({ 1: [1], 2: [1], 3: [1], 4: [1] });
  const formula = "len(Sales_summary_Share.all)";
  scratch.do("ModifyColumn", "Sales", "Share", { formula });
  expect(scratch.rows("Sales_summary_Share", "Share", "count")).toEqual({ 6: [1, 4] });
  const before = scratch.content();
  expect(() =>
    scratch.do("ModifyColumn", "Sales", "Share", { formula: "SUM(Sales_summary_Share.all.Share) + 1" }),
  ).toThrow("depend on its own rows");
  expect(scratch.content()).toEqual(before);
});

test("limits the number of groups per record", () => {
  const items = (count: number, letter: string) => ["L", ...Array.from({ length: count }, (_, i) => `${letter}${i}`)];
  scratch.apply([
    ["AddColumn", "Sales", "More", { type: "ChoiceList", isFormula: false }],
    ["UpdateRecord", "Sales", 1, { Tags: items(100, "a"), More: items(100, "b") }],
  ]);
  summarise("Tags", "More");
  const cells = Object.values(scratch.rows("Sales_summary_More_Tags", "Tags", "More", "count"));
  expect([cells.length, cells[1], cells[9999]]).toEqual([10_002, ["a0", "b1", 1], ["a99", "b99", 1]]);
  const before = scratch.content();
  expect(() => scratch.do("UpdateRecord", "Sales", 1, { More: items(101, "b") })).toThrow("more than 10000 groups");
  expect(scratch.content()).toEqual(before);
});

test("undoes a change after other users changed its groups", () => {
  summarise("Kind");
  const made = scratch.apply([["CreateViewSection", 2, 0, "record", [scratch.column("Sales", "Shop")["ref"]], null]]);
  const added = scratch.apply([["AddRecord", "Sales", null, { Kind: "odd", Shop: 3, Amount: 7 }]]);
  const moved = scratch.apply([["BulkUpdateRecord", "Sales", [2, 3], { Kind: ["new", "new"] }]]);
  scratch.apply([
    ["UpdateRecord", "Sales", 4, { Kind: "old", Shop: 1 }],
    ["RemoveRecord", "Sales", 5],
    ["AddRecord", "Sales", null, { Kind: "late" }],
  ]);
  scratch.do("ApplyUndoActions", moved.undo);
  expect(scratch.rows("Sales", "Kind")).toEqual({ 1: ["new"], 2: ["old"], 3: ["old"], 4: ["old"], 5: ["late"] });
  expect(summaryDifferences(scratch)).toEqual([]);
  scratch.do("ApplyUndoActions", added.undo);
  scratch.do("ApplyUndoActions", made.undo);
  expect(scratch.document.schema.tableById.has("Sales_summary_Shop")).toBe(false);
  expect(Object.keys(scratch.rows("Sales"))).toEqual(["1", "2", "3", "4"]);
});

test("updates groups by formulas when other tables change, also right after schema changes", () => {
  scratch.do("AddColumn", "Sales", "Where", { type: "Text", formula: "$Shop.Name" });
  summarise("Where");
  applyTwice(["AddColumn", "Shops", "Note", {}], ["UpdateRecord", "Shops", 2, { Name: "East" }]);
  expect(scratch.rows("Sales_summary_Where", "Where", "group")).toEqual({
    2: ["North", ["L", 2]],
    3: ["", ["L", 4]],
    4: ["East", ["L", 1, 3]],
  });
  scratch.do("RemoveColumn", "Shops", "Name");
  // Rows whose group formula fails belong to no group.
  expect(scratch.rows("Sales_summary_Where", "count")).toEqual({});
});
