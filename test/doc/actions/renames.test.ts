import { afterEach, beforeEach, expect, test } from "bun:test";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    ["AddTable", "People", [{ id: "Name" }, { id: "Boss", type: "Ref:People" }]],
    ["AddTable", "Pets", [{ id: "Name" }, { id: "Owner", type: "Ref:People" }, { id: "Age", type: "Int" }]],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const addFormula = (table: string, id: string, formula: string, isFormula = true) =>
  scratch.do("AddColumn", table, id, { formula, isFormula, type: "Any" });

const formulas = (table: string) =>
  Object.fromEntries(
    (scratch.document.schema.tableById.get(table)?.columns ?? []).flatMap(({ id, formula }) =>
      formula === "" ? [] : [[id, formula]],
    ),
  );

/** Creates the summary of Pets by name, as in imported documents. */
function summarise(): void {
  const columns = [
    { id: "Name", type: "Any", isFormula: false, formula: "" },
    { id: "group", type: "RefList:Pets", isFormula: true, formula: "table.getSummarySourceGroup(rec)" },
    { id: "count", type: "Int", isFormula: true, formula: "len($group)" },
    { id: "Age", type: "Int", isFormula: true, formula: "SUM($group.Age)" },
  ];
  const source = scratch.document.schema.tableById.get("Pets")?.ref;
  const grouped = scratch.column("Pets", "Name")["ref"];
  scratch.do("ApplyDocActions", [
    ["AddTable", "Pets_summary_Name", columns],
    ["AddRecord", "_grist_Tables", 50, { tableId: "Pets_summary_Name", summarySourceTable: source }],
    ...columns.map(({ id: colId, ...fields }, i) => [
      "AddRecord",
      "_grist_Tables_column",
      100 + i,
      { parentId: 50, colId, label: colId, ...fields, parentPos: 100 + i, summarySourceCol: i === 0 ? grouped : 0 },
    ]),
  ]);
}

test("renames a column in every kind of formula", () => {
  addFormula("Pets", "Chain", "o = $Owner.Boss\r\nreturn o.Name or  $Name");
  addFormula("Pets", "Trigger", "$Owner.Name", false);
  addFormula("Pets", "First", "People.lookupOne(Name=$Name)");
  addFormula("Pets", "Second", "$First.Name");
  addFormula("People", "Own", "[p.Name for p in Pets.lookupRecords(Owner=$id)] # $Name");
  addFormula("People", "Broken", "$Name +");
  const name = scratch.column("People", "Name")["ref"];
  scratch.do("UpdateRecord", "_grist_Tables_column", scratch.column("Pets", "Owner")["ref"], { visibleCol: name });
  scratch.do("SetDisplayFormula", "Pets", null, scratch.column("Pets", "Owner")["ref"], "$Owner.Name");
  scratch.do("AddEmptyRule", "Pets", 0, scratch.column("Pets", "Age")["ref"]);
  scratch.do("ModifyColumn", "Pets", "gristHelper_ConditionalRule", { formula: "$Owner.Name == 'x'" });
  const before = scratch.content();

  const { undo } = scratch.apply([
    ["RenameColumn", "People", "Name", "Title"],
    ["RenameColumn", "Pets", "Owner", "Keeper"],
  ]);

  expect(formulas("Pets")).toEqual({
    Chain: "o = $Keeper.Boss\r\nreturn o.Title or  $Name",
    Trigger: "$Keeper.Title",
    First: "People.lookupOne(Title=$Name)",
    Second: "$First.Title",
    gristHelper_Display: "$Keeper.Title",
    gristHelper_ConditionalRule: "$Keeper.Title == 'x'",
  });
  expect(formulas("People")).toEqual({
    Own: "[p.Name for p in Pets.lookupRecords(Keeper=$id)] # $Name",
    Broken: "$Name +",
  });
  scratch.apply([["ApplyUndoActions", undo]]);
  expect(scratch.content()).toEqual(before);
});

test("renames a table in formulas, including its own", () => {
  addFormula("Pets", "Same", "len(Pets.lookupRecords(Name=$Name)) + len(People.all)");
  addFormula("People", "All", "Pets.all.Owner.Name");
  scratch.do("RenameTable", "Pets", "Beasts");
  expect(formulas("Beasts")).toEqual({ Same: "len(Beasts.lookupRecords(Name=$Name)) + len(People.all)" });
  scratch.do("RenameTable", "People", "Staff");
  scratch.do("RenameColumn", "Staff", "Name", "Title");
  expect(formulas("Beasts")).toEqual({ Same: "len(Beasts.lookupRecords(Name=$Name)) + len(Staff.all)" });
  expect(formulas("Staff")).toEqual({ All: "Beasts.all.Owner.Title" });
});

test("swaps the names of two columns", () => {
  addFormula("Pets", "Both", "$Name + $Age + Pets.lookupOne(Name=1, order_by='-Age').Name");
  scratch.apply([
    ["RenameColumn", "Pets", "Name", "x"],
    ["RenameColumn", "Pets", "Age", "Name"],
    ["RenameColumn", "Pets", "x", "Age"],
  ]);
  expect(formulas("Pets")).toEqual({ Both: "$Age + $Name + Pets.lookupOne(Age=1, order_by='-Name').Age" });
});

test("rewrites self-references in a copied table, but not texts that only look like its name", () => {
  addFormula("Pets", "Same", "Pets.all + $Pets + f'Pets {Pets.lookupOne(Pets=1)}' + [Pets for Pets in People.all]");
  scratch.do("DuplicateTable", "Pets", "Copies", false);
  expect(formulas("Copies")).toEqual({
    Same: "Copies.all + $Pets + f'Pets {Copies.lookupOne(Pets=1)}' + [Pets for Pets in People.all]",
  });
});

test("renames columns of summaries with those of the source", () => {
  summarise();
  addFormula("Pets_summary_Name", "Mean", "SUM($group.Age) / $count + $Age + len($Name)");
  addFormula("People", "Sum", "Pets_summary_Name.lookupOne(Name=$Name).Age");

  scratch.do("RenameColumn", "Pets", "Age", "Years");
  expect(formulas("Pets_summary_Name")).toEqual({
    group: "table.getSummarySourceGroup(rec)",
    count: "len($group)",
    Years: "SUM($group.Years)",
    Mean: "SUM($group.Years) / $count + $Years + len($Name)",
  });
  expect(formulas("People")).toEqual({ Sum: "Pets_summary_Name.lookupOne(Name=$Name).Years" });

  scratch.do("RenameColumn", "Pets", "Name", "Title");
  expect(formulas("Pets_summary_Title")["Mean"]).toBe("SUM($group.Years) / $count + $Years + len($Title)");
  expect(formulas("People")).toEqual({ Sum: "Pets_summary_Title.lookupOne(Title=$Name).Years" });

  scratch.do("RenameColumn", "Pets_summary_Title", "Years", "Total");
  expect(formulas("Pets_summary_Title")["Total"]).toBe("SUM($group.Years)");
  expect(scratch.column("Pets", "Years")).toMatchObject({ id: "Years", label: "Age" });
});

test("recomputes results after a rename: records contain the new table name, and missed references fail", () => {
  addFormula("People", "Self", "rec");
  addFormula("Pets", "Keeper", "$Owner");
  addFormula("Pets", "Next", "PREVIOUS(rec, order_by='Name')");
  addFormula("Pets", "Open", "getattr(rec, 'Age')");
  addFormula("Pets", "Fixed", "$Age + 1");
  scratch.apply([
    ["AddRecord", "People", null, { Name: "Ann" }],
    ["BulkAddRecord", "Pets", [null, null], { Name: ["a", "b"], Owner: [1, 0], Age: [3, 4] }],
    ["RenameTable", "People", "Staff"],
    ["RenameTable", "Pets", "Beasts"],
    ["RenameColumn", "Beasts", "Age", "Years"],
  ]);
  expect(scratch.rows("Staff", "Self")).toEqual({ 1: [["R", "Staff", 1]] });
  expect(scratch.rows("Beasts", "Keeper", "Next", "Open", "Fixed")).toEqual({
    1: [["R", "Staff", 1], ["R", "Beasts", 0], ["E", "AttributeError"], 4],
    2: [["R", "Staff", 0], ["R", "Beasts", 1], ["E", "AttributeError"], 5],
  });
});

test("computes a formula that changed before a rename in the same bundle", () => {
  addFormula("Pets", "Twice", "$Age * 2");
  scratch.do("AddRecord", "Pets", null, { Age: 3 });
  scratch.apply([
    ["ModifyColumn", "Pets", "Twice", { formula: "$Age * 10" }],
    ["RenameColumn", "Pets", "Age", "Years"],
  ]);
  expect(scratch.rows("Pets", "Twice")).toEqual({ 1: [30] });
});

test("renames a column in conditions of references and webhooks", () => {
  const conditions = (text: string) => JSON.stringify({ widget: "Reference", dropdownCondition: { text, parsed: "" } });
  const optionsOf = (id: string): unknown => JSON.parse(String(scratch.column("Pets", id)["widgetOptions"]));
  scratch.do("ModifyColumn", "Pets", "Owner", { widgetOptions: conditions("choice.Name == $Name and user.Name") });
  scratch.do("ModifyColumn", "Pets", "Age", { widgetOptions: conditions("choice.Name or rec.Name +") });
  scratch.do("ModifyColumn", "Pets", "Name", { widgetOptions: '{"dropdownCondition": "$Name"}' });
  const { ref } = scratch.document.schema.tableById.get("Pets") ?? {};
  const condition = JSON.stringify({ text: "$Name != oldRec.Name", parsed: "" });
  scratch.do("AddRecord", "_grist_Triggers", null, { tableRef: ref, condition });

  scratch.do("RenameColumn", "People", "Name", "Title");
  expect(optionsOf("Owner")).toEqual({
    widget: "Reference",
    dropdownCondition: {
      text: "choice.Title == $Name and user.Name",
      parsed:
        '["And", ["Eq", ["Attr", ["Name", "choice"], "Title"], ["Attr", ["Name", "rec"], "Name"]], ["Attr", ["Name", "user"], "Name"]]',
    },
  });
  scratch.do("RenameColumn", "Pets", "Name", "Call");
  expect(optionsOf("Owner")).toMatchObject({ dropdownCondition: { text: "choice.Title == $Call and user.Name" } });
  expect(optionsOf("Age")).toMatchObject({ dropdownCondition: { text: "choice.Name or rec.Name +", parsed: "" } });
  expect(optionsOf("Call")).toEqual({ dropdownCondition: "$Name" });
  expect(scratch.document.db.values("select condition from _grist_Triggers")).toEqual([
    [
      JSON.stringify({
        text: "$Call != oldRec.Call",
        parsed: '["NotEq", ["Attr", ["Name", "rec"], "Call"], ["Attr", ["Name", "oldRec"], "Call"]]',
      }),
    ],
  ]);
});

test("does not rename columns in sort_by, so that formulas fail when recomputed", () => {
  addFormula("Pets", "Youngest", "Pets.lookupOne(sort_by='Age').Name");
  scratch.do("BulkAddRecord", "Pets", [null, null], { Name: ["a", "b"], Age: [4, 3] });
  scratch.do("UpdateRecord", "Pets", 2, { Age: 5 });
  expect(scratch.rows("Pets", "Youngest")).toEqual({ 1: ["a"], 2: ["a"] });
  scratch.do("RenameColumn", "Pets", "Age", "Years");
  expect(formulas("Pets")).toEqual({ Youngest: "Pets.lookupOne(sort_by='Age').Name" });
  expect(scratch.rows("Pets", "Youngest")).toEqual({ 1: ["a"], 2: ["a"] });
  scratch.do("RenameTable", "Pets", "Beasts");
  expect(scratch.rows("Beasts", "Youngest")).toEqual({ 1: [["E", "KeyError"]], 2: [["E", "KeyError"]] });
});

test("keeps results when a column that only sorts a lookup is removed", () => {
  addFormula("Pets", "Oldest", "Pets.lookupOne(order_by=('-Age', 'id')).Name");
  scratch.do("BulkAddRecord", "Pets", [null, null], { Name: ["a", "b"], Age: [4, 3] });
  scratch.do("UpdateRecord", "Pets", 2, { Age: 5 });
  expect(scratch.rows("Pets", "Oldest")).toEqual({ 1: ["b"], 2: ["b"] });
  scratch.do("RemoveColumn", "Pets", "Age");
  expect(scratch.rows("Pets", "Oldest")).toEqual({ 1: ["b"], 2: ["b"] });
  scratch.do("AddColumn", "Pets", "Age", { type: "Int", isFormula: false });
  scratch.do("UpdateRecord", "Pets", 1, { Age: 9 });
  expect(scratch.rows("Pets", "Oldest")).toEqual({ 1: ["a"], 2: ["a"] });
});
