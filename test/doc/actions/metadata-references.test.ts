/** References between metadata records: none may dangle, and records without any user are removed. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { AppError } from "../../../src/errors.ts";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    ["AddTable", "Cities", [{ id: "Name" }]],
    ["AddTable", "People", [{ id: "Name" }, { id: "City", type: "Ref:Cities" }]],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const table = (id: string) => scratch.document.schema.tableById.get(id);
const ref = (id: string, column: string) => table(id)?.columnById.get(column)?.ref ?? 0;
const primarySection = (id: string) =>
  Number(
    scratch.document.db.values(
      "select s.id from _grist_Views_section s join _grist_Tables t on s.parentId = t.primaryViewId where t.tableId = ?",
      id,
    )[0]?.[0],
  );
const fieldOf = (section: number, column: number) =>
  Number(
    scratch.document.db.values(
      "select id from _grist_Views_section_field where parentId = ? and colRef = ?",
      section,
      column,
    )[0]?.[0],
  );
const helpers = () => table("People")?.columns.flatMap(({ id }) => (id.startsWith("gristHelper_") ? [id] : []));

test.each<[what: string, action: () => UserAction]>([
  ["a filter on a missing column", () => ["AddRecord", "_grist_Filters", null, { viewSectionRef: 4, colRef: 99 }]],
  ["a filter of a missing section", () => ["AddRecord", "_grist_Filters", null, { viewSectionRef: 99, colRef: 2 }]],
  [
    "a field that shows a missing column",
    () => ["UpdateRecord", "_grist_Views_section_field", fieldOf(1, 2), { visibleCol: 99 }],
  ],
  ["a section linked to a missing one", () => ["UpdateRecord", "_grist_Views_section", 1, { linkSrcSectionRef: 99 }]],
  ["a missing conditional format", () => ["UpdateRecord", "_grist_Views_section", 1, { rules: ["L", 99] }]],
  ["a table with a missing primary view", () => ["UpdateRecord", "_grist_Tables", 1, { primaryViewId: 99 }]],
  [
    "a section moved to another table than its fields",
    () => ["UpdateRecord", "_grist_Views_section", 1, { tableRef: 2 }],
  ],
  ["a record card of another table", () => ["UpdateRecord", "_grist_Tables", 2, { recordCardViewSectionRef: 1 }]],
  [
    "a column displayed by one of another table",
    () => ["UpdateRecord", "_grist_Tables_column", ref("People", "City"), { displayCol: ref("Cities", "Name") }],
  ],
  ["a second page for a view", () => ["AddRecord", "_grist_Pages", null, { viewRef: 1 }]],
  ["a filter without a column", () => ["AddRecord", "_grist_Filters", null, { viewSectionRef: 1 }]],
  [
    "a field for a column of another table",
    () => ["AddRecord", "_grist_Views_section_field", null, { parentId: 1, colRef: ref("People", "Name") }],
  ],
])("refuses %s", (_, action) => {
  const before = scratch.content();
  expect(() => scratch.apply([action()])).toThrow(AppError);
  expect(scratch.content()).toEqual(before);
});

test("accepts other writes to records that already violate a constraint", () => {
  const { db } = scratch.document;
  db.run("update _grist_Pages set viewRef = 1 where viewRef = 2");
  const [[page] = []] = db.values("select max(id) from _grist_Pages where viewRef = 1");
  scratch.apply([["UpdateRecord", "_grist_Pages", page, { indentation: 1 }]]);
  db.run("update _grist_Pages set viewRef = 2 where id = ?", page ?? null);
});

test("accepts references to records added by the same request", () => {
  scratch.apply([
    ["AddRecord", "_grist_Views_section", -1, { tableRef: 1, parentId: 1, parentKey: "record" }],
    ["AddRecord", "_grist_Views_section_field", null, { parentId: -1, colRef: 2 }],
  ]);
});

test("removes a conditional format with the last list that contains it, for rows and fields", () => {
  const section = primarySection("People");
  const field = fieldOf(section, ref("People", "Name"));
  scratch.apply([
    ["AddEmptyRule", "People", 0, 0],
    ["AddEmptyRule", "People", field, 0],
  ]);
  expect(helpers()).toEqual(["gristHelper_RowConditionalRule", "gristHelper_ConditionalRule"]);
  scratch.apply([["UpdateRecord", "_grist_Views_section", table("People")?.rawViewSectionRef, { rules: null }]]);
  expect(helpers()).toEqual(["gristHelper_ConditionalRule"]);
  scratch.apply([["UpdateRecord", "_grist_Views_section_field", field, { rules: null }]]);
  expect(helpers()).toEqual([]);
});

test.each<[what: string, action: (field: number) => UserAction]>([
  ["loses its display column", (field) => ["UpdateRecord", "_grist_Views_section_field", field, { displayCol: 0 }]],
  ["is removed", (field) => ["RemoveRecord", "_grist_Views_section_field", field]],
])("removes a display column when the field that used it %s", (_, action) => {
  const field = fieldOf(primarySection("People"), ref("People", "City"));
  scratch.apply([["SetDisplayFormula", "People", field, null, "$City.Name"]]);
  expect(helpers()).toEqual(["gristHelper_Display"]);
  scratch.apply([action(field)]);
  expect(helpers()).toEqual([]);
});

test.each<[what: string, action: (section: number) => UserAction]>([
  ["is detached", (section) => ["DetachSummaryViewSection", section]],
  ["is regrouped", (section) => ["UpdateSummaryViewSection", section, []]],
])("removes a display column of a summary when the section whose field used it %s", (_, action) => {
  const by = [ref("People", "City")];
  const summarize = () =>
    scratch.do("CreateViewSection", table("People")?.ref, 0, "record", by, null) as { sectionRef: number };
  const { sectionRef } = summarize();
  // Another section keeps the summary.
  summarize();
  const field = fieldOf(sectionRef, ref("People_summary_City", "City"));
  scratch.apply([["SetDisplayFormula", "People_summary_City", field, null, "$City.Name"]]);
  const shows = () => table("People_summary_City")?.columns.some(({ id }) => id.startsWith("gristHelper_"));
  expect(shows()).toBe(true);
  scratch.apply([action(sectionRef)]);
  expect(shows()).toBe(false);
});

const comments = () => scratch.document.db.values("select rowId, content from _grist_Cells order by id");
const comment = (rowId: number, content: string, more = {}): UserAction => [
  "AddRecord",
  "_grist_Cells",
  null,
  { tableRef: table("Cities")?.ref, colRef: ref("Cities", "Name"), rowId, type: 1, content, ...more },
];

test.each<[what: string, action: UserAction]>([
  ["its row is removed", ["RemoveRecord", "Cities", 2]],
  ["the rows of its table are replaced", ["ReplaceTableData", "Cities", [1], {}]],
  ["it is removed", ["RemoveRecord", "_grist_Cells", 2]],
])("removes a comment with its replies when %s, and undo restores them", (_, action) => {
  scratch.apply([["BulkAddRecord", "Cities", [1, 2], {}], comment(1, "kept"), comment(2, "lost")]);
  scratch.apply([comment(2, "answer", { parentId: 2 })]);
  const before = scratch.content();
  const { undo } = scratch.apply([action]);
  expect(comments()).toEqual([[1, "kept"]]);
  scratch.apply([["ApplyUndoActions", undo]]);
  expect(scratch.content()).toEqual(before);
});

test("removes comments on the row of a summary when its group disappears", () => {
  scratch.apply([["BulkAddRecord", "Cities", [1, 2], { Name: ["Oslo", "Rome"] }]]);
  scratch.do("CreateViewSection", table("Cities")?.ref, 0, "record", [ref("Cities", "Name")], null);
  const summary = { tableRef: table("Cities_summary_Name")?.ref, colRef: ref("Cities_summary_Name", "count") };
  scratch.apply([comment(1, "Oslo", summary), comment(2, "Rome", summary)]);
  const before = scratch.content();
  const { undo } = scratch.apply([["RemoveRecord", "Cities", 1]]);
  expect(comments()).toEqual([[2, "Rome"]]);
  scratch.apply([["ApplyUndoActions", undo]]);
  expect(scratch.content()).toEqual(before);
});
