import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    ["AddTable", "People", [{ id: "Name" }, { id: "Age", type: "Int" }, { id: "Twice", formula: "$Age * 2" }]],
    [
      "AddTable",
      "Pets",
      [
        { id: "Owner", type: "Ref:People" },
        { id: "Friends", type: "RefList:People" },
        { id: "Who", formula: "$Owner.Name" },
      ],
    ],
    ["BulkAddRecord", "People", [null, null], { Name: ["ann", "bob"], Age: [10, 20] }],
    ["BulkAddRecord", "Pets", [null, null], { Owner: [1, 2], Friends: [["L", 1, 2], null] }],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const metadata = (table: string, where = "1") =>
  scratch.document.db.all<Record<string, unknown>>(`select * from ${table} where ${where} order by id`);
const refOf = (table: string, column: string) => scratch.column(table, column)["ref"];

test("does not let tables or columns changed together take each other's current or former names", () => {
  scratch.do("BulkUpdateRecord", "_grist_Tables", [2, 3], { tableId: ["Pets", "People"] });
  expect(metadata("_grist_Tables").map(({ tableId }) => tableId)).toEqual(["Table1", "Pets2", "People2"]);
  const refs = [refOf("Pets2", "Name"), refOf("Pets2", "Age")];
  scratch.do("BulkUpdateRecord", "_grist_Tables_column", refs, { colId: ["Age", "Name"] });
  expect(scratch.rows("Pets2", "Age2", "Name2")).toEqual({ 1: ["ann", 10], 2: ["bob", 20] });
  scratch.do("RenameColumn", "Pets2", "Age2", "Name");
  scratch.do("RenameTable", "People2", "People");
  expect(scratch.rows("People", "Who")).toEqual({ 1: ["ann"], 2: ["bob"] });
});

describe("tables", () => {
  test("are created with a page, three sections, and a field per column in each", () => {
    expect(scratch.do("AddTable", "my things", [{ id: "a b" }, { id: "class" }])).toEqual({
      id: 4,
      table_id: "My_things",
      columns: ["a_b", "cclass"],
      views: [{ id: 4, sections: [10] }],
    });
    const [table] = metadata("_grist_Tables", "id = 4");
    expect(table).toMatchObject({ primaryViewId: 4, rawViewSectionRef: 11, recordCardViewSectionRef: 12 });
    expect(metadata("_grist_Views_section", "tableRef = 4")).toMatchObject([
      { parentId: 4, parentKey: "record" },
      { parentId: 0, parentKey: "record" },
      { parentId: 0, parentKey: "single" },
    ]);
    const fields = metadata("_grist_Views_section_field", "parentId in (10, 11, 12)");
    const refs = [refOf("My_things", "a_b"), refOf("My_things", "cclass")];
    expect(fields.map(({ colRef }) => colRef)).toEqual([...refs, ...refs, ...refs]);
    expect(metadata("_grist_Pages", "viewRef = 4")).toMatchObject([{ pagePos: 4 }]);
    expect(metadata("_grist_TabBar", "viewRef = 4")).toMatchObject([{ tabPos: 4 }]);
  });

  test("without a page have only their built-in sections", () => {
    expect(scratch.do("AddRawTable", "Raw")).toEqual({ id: 4, table_id: "Raw", columns: ["A", "B", "C"] });
    expect(metadata("_grist_Views_section", "tableRef = 4 and parentId > 0")).toEqual([]);
  });

  test("are renamed in references and formulas", () => {
    scratch.do("AddColumn", "Pets", "Count", { formula: "len(People.all) # People" });
    expect(scratch.do("RenameTable", "People", "staff members")).toBe("Staff_members");
    expect(scratch.column("Pets", "Owner")["type"]).toBe("Ref:Staff_members");
    expect(scratch.column("Pets", "Friends")["type"]).toBe("RefList:Staff_members");
    expect(scratch.column("Pets", "Count")["formula"]).toBe("len(Staff_members.all) # People");
    expect(scratch.rows("Staff_members", "Name", "Twice")).toEqual({ 1: ["ann", 20], 2: ["bob", 40] });
    expect(scratch.do("RenameTable", "Staff_members", "STAFF_MEMBERS")).toBe("STAFF_MEMBERS");
    expect(scratch.do("RenameTable", "STAFF_MEMBERS", "Pets")).toBe("Pets2");
  });

  test("are duplicated with their self-references", () => {
    scratch.apply([
      ["AddColumn", "People", "Boss", { type: "Ref:People", isFormula: false, visibleCol: refOf("People", "Name") }],
      ["SetDisplayFormula", "People", null, "Boss", "$Boss.Name"],
      ["UpdateRecord", "People", 2, { Boss: 1 }],
      ["AddColumn", "People", "All", { formula: "len(People.all)" }],
    ]);
    expect(scratch.do("DuplicateTable", "People", "Copy", true)).toMatchObject({ id: 4, table_id: "Copy" });
    expect(scratch.rows("Copy", "Name", "Age", "Twice", "Boss")).toEqual({
      1: ["ann", 10, 20, 0],
      2: ["bob", 20, 40, 1],
    });
    expect(scratch.column("Copy", "Boss")).toMatchObject({
      type: "Ref:Copy",
      visibleCol: refOf("Copy", "Name"),
      displayCol: refOf("Copy", "gristHelper_Display"),
    });
    expect(scratch.column("Copy", "All")["formula"]).toBe("len(Copy.all)");
    expect(metadata("_grist_Views_section", "tableRef = 4 and parentId > 0")).toEqual([]);
    expect(scratch.do("DuplicateTable", "People", "Copy", false)).toMatchObject({ table_id: "Copy2" });
    expect(scratch.rows("Copy2")).toEqual({});
  });

  test("are duplicated with the styles of their rows", () => {
    const raw = (table: string) =>
      metadata(
        "_grist_Views_section",
        `tableRef = (select id from _grist_Tables where tableId = '${table}') and parentKey = 'record' and parentId = 0`,
      );
    const options = '{"rulesOptions":[{"fillColor":"#ffdba5"}]}';
    const [section] = raw("People");
    scratch.apply([
      ["AddEmptyRule", "People", 0, 0],
      ["ModifyColumn", "People", "gristHelper_RowConditionalRule", { formula: "len(People.all) > $Age" }],
      ["UpdateRecord", "_grist_Views_section", section?.["id"], { options }],
    ]);
    scratch.do("DuplicateTable", "People", "Copy", false);
    expect(raw("Copy")).toMatchObject([{ options }]);
    expect(scratch.column("Copy", "gristHelper_RowConditionalRule")["formula"]).toBe("len(Copy.all) > $Age");
  });

  test("leave row ids in references when removed", () => {
    scratch.do("RemoveTable", "People");
    expect(scratch.column("Pets", "Owner")).toMatchObject({ type: "Int", visibleCol: 0 });
    expect(scratch.rows("Pets", "Owner", "Friends")).toEqual({ 1: [1, "1,2"], 2: [2, ""] });
    expect(metadata("_grist_Views", "id = 2")).toEqual([]);
    expect(metadata("_grist_Views_section", "tableRef = 2")).toEqual([]);
  });

  test("keep unused helper columns until the last action of a bundle, so that later actions can use them again", () => {
    scratch.apply([
      ["AddTable", "Places", [{ id: "Name" }]],
      ["AddTable", "Trips", [{ id: "To", type: "Ref:Places" }, { id: "Note" }]],
      ["SetDisplayFormula", "Trips", null, "To", "$To.Name"],
    ]);
    const before = scratch.content();
    const helper = Number(scratch.column("Trips", "gristHelper_Display")["ref"]);
    const { undo } = scratch.apply([
      ["RemoveTable", "Places"],
      ["AddTable", "Places", [{ id: "Name" }]],
    ]);
    expect(scratch.column("Trips", "gristHelper_Display")).toEqual({});
    expect(scratch.column("Places", "manualSort")["ref"]).toBe(helper + 1);
    scratch.apply([["ApplyUndoActions", undo]]);
    expect(scratch.content()).toEqual(before);
    scratch.apply([
      ["SetDisplayFormula", "Trips", null, "To", ""],
      ["SetDisplayFormula", "Trips", null, "To", "$To.Name"],
    ]);
    expect(scratch.content()).toEqual(before);
  });

  test("accept 0 for no field and no column in SetDisplayFormula", () => {
    scratch.do("SetDisplayFormula", "Pets", 0, "Owner", "$Owner.Name");
    const { ref } = scratch.column("Pets", "gristHelper_Display");
    expect(scratch.column("Pets", "Owner")).toMatchObject({ displayCol: ref });
    const [field] = metadata("_grist_Views_section_field", `colRef = ${String(refOf("Pets", "Owner"))}`);
    scratch.do("SetDisplayFormula", "Pets", field?.["id"], 0, "$Owner.Name");
    expect(metadata("_grist_Views_section_field", `id = ${String(field?.["id"])}`)).toMatchObject([
      { displayCol: ref },
    ]);
  });

  test("leave displayed values in references when removed", () => {
    const shown = { visibleCol: refOf("People", "Name") };
    scratch.apply([
      ["ModifyColumn", "Pets", "Owner", shown],
      ["ModifyColumn", "Pets", "Friends", shown],
      ["SetDisplayFormula", "Pets", null, "Owner", "$Owner.Name"],
      ["SetDisplayFormula", "Pets", null, "Friends", "$Friends.Name"],
      ["UpdateRecord", "Pets", 2, { Owner: "nobody" }],
      ["RemoveTable", "People"],
    ]);
    expect(scratch.rows("Pets", "Owner", "Friends")).toEqual({
      1: ["ann", "ann, bob"],
      2: [["E", "InvalidTypedValue"], null],
    });
    expect(scratch.column("Pets", "gristHelper_Display")).toEqual({});
  });

  test("are renamed through their records, and columns removed", () => {
    scratch.apply([
      ["UpdateRecord", "_grist_Tables", 2, { tableId: "Staff" }],
      ["UpdateRecord", "_grist_Tables_column", refOf("People", "Age"), { label: "Years" }],
      ["RemoveRecord", "_grist_Tables_column", refOf("People", "Name")],
      ["RemoveRecord", "_grist_Tables", 3],
    ]);
    expect(scratch.document.schema.tables.map(({ id }) => id)).toEqual(["Table1", "Staff"]);
    expect(scratch.rows("Staff")).toEqual({ 1: [10, 20], 2: [20, 40] });
  });
});

describe("columns", () => {
  const added: [id: string | null, input: object, expected: object][] = [
    [null, {}, { id: "A", type: "Any", isFormula: true, label: "A" }],
    ["name", {}, { id: "name2", label: "name2" }],
    ["2nd (€)", { isFormula: false }, { id: "c2nd_", type: "Text", isFormula: false }],
    ["x", { formula: "$Age + 1", type: "Numeric" }, { type: "Numeric", formula: "$Age + 1", isFormula: true }],
    [
      "x",
      { label: "An x", widgetOptions: "{}", description: "no" },
      { label: "An x", widgetOptions: "{}", description: "" },
    ],
    ["x", { visibleCol: 3, recalcWhen: 2, recalcDeps: ["L", 7] }, { visibleCol: 3, recalcWhen: 2, recalcDeps: [7] }],
  ];
  for (const [id, input, expected] of added) {
    test(`are added as ${JSON.stringify([id, input])}`, () => {
      const { colId } = scratch.do("AddColumn", "People", id, input) as { colId: string };
      expect(scratch.column("People", colId)).toMatchObject(expected);
    });
  }

  test("are shown in built-in sections, also in grids, or nowhere", () => {
    const count = (ref: unknown) => metadata("_grist_Views_section_field", `colRef = ${String(ref)}`).length;
    for (const [action, fields] of [
      ["AddColumn", 2],
      ["AddVisibleColumn", 3],
      ["AddHiddenColumn", 0],
    ] as const) {
      const { colRef } = scratch.do(action, "People", "x", {}) as { colRef: number };
      expect([action, count(colRef)]).toEqual([action, fields]);
    }
  });

  test("are computed for all rows when they have a formula, else filled with the default", () => {
    scratch.apply([
      ["AddColumn", "People", "Sum", { formula: "$Age + $Twice" }],
      ["AddColumn", "People", "Left", { type: "Int", isFormula: false, formula: "1" }],
    ]);
    expect(scratch.rows("People", "Sum", "Left")).toEqual({ 1: [30, 0], 2: [60, 0] });
  });

  const renames: [input: object, id: string, label: string][] = [
    [{ label: "How old" }, "How_old", "How old"],
    [{ label: "Name" }, "Name2", "Name"],
    [{ label: "" }, "A", ""],
    [{ colId: "years" }, "years", "Age"],
    [{ colId: "n", label: "Years" }, "n", "Years"],
    [{ label: "Years", untieColIdFromLabel: true }, "Age", "Years"],
    [{ colId: "AGE" }, "AGE", "Age"],
  ];
  for (const [input, id, label] of renames) {
    test(`are named by ${JSON.stringify(input)}`, () => {
      scratch.do("UpdateRecord", "_grist_Tables_column", refOf("People", "Age"), input);
      expect(scratch.column("People", id)).toMatchObject({ id, label });
      expect(scratch.column("People", "Twice")["formula"]).toBe(`$${id} * 2`);
      expect(scratch.rows("People", id, "Twice")).toEqual({ 1: [10, 20], 2: [20, 40] });
    });
  }

  const follow: [formula: string, renamed: string][] = [
    ["$Owner.Name + rec.Owner.Name", "$Owner.Title + rec.Owner.Title"],
    ["$Friends.Name", "$Friends.Title"],
    ["People.lookupOne(Name=$Name).Name", "People.lookupOne(Title=$Name).Title"],
    ["Pets.lookupRecords(Name=1).Name", "Pets.lookupRecords(Name=1).Name"],
    ["[p.Name for p in People.all.Name]", "[p.Name for p in People.all.Title]"],
  ];
  for (const [formula, renamed] of follow) {
    test(`of another table are renamed in ${formula}`, () => {
      scratch.do("AddColumn", "Pets", "Other", { formula });
      scratch.do("RenameColumn", "People", "Name", "Title");
      expect(scratch.column("Pets", "Other")["formula"]).toBe(renamed);
    });
  }

  const changes: [input: object, type: string, rows: Record<string, unknown[]>][] = [
    [{ type: "Text" }, "Text", { 1: ["10", ["E", "TypeError"]], 2: ["20", ["E", "TypeError"]] }],
    [{ type: "Bool" }, "Bool", { 1: [true, 2], 2: [true, 2] }],
    [{ isFormula: true, formula: "len($Name)" }, "Int", { 1: [3, 6], 2: [3, 6] }],
  ];
  for (const [input, type, rows] of changes) {
    test(`are changed by ${JSON.stringify(input)}`, () => {
      // A text times two repeats the text; a division distinguishes it from a number.
      scratch.do("ModifyColumn", "People", "Twice", { formula: type === "Text" ? "$Age - 1" : "$Age * 2" });
      scratch.do("ModifyColumn", "People", "Age", input);
      expect(scratch.column("People", "Age")["type"]).toBe(type);
      expect(scratch.rows("People", "Age", "Twice")).toEqual(rows);
    });
  }

  test("keep their values and get a guessed type when a formula becomes data", () => {
    scratch.do("ModifyColumn", "People", "Twice", { isFormula: false });
    expect(scratch.column("People", "Twice")).toMatchObject({ type: "Numeric", isFormula: false, formula: "$Age * 2" });
    scratch.do("UpdateRecord", "People", 1, { Age: 100 });
    expect(scratch.rows("People", "Twice")).toEqual({ 1: [20], 2: [40] });
    scratch.do("ModifyColumn", "People", "Twice", { isFormula: true });
    expect(scratch.rows("People", "Twice")).toEqual({ 1: [200], 2: [40] });
  });

  test("lose their display column when their type stops being a reference", () => {
    scratch.apply([
      ["ModifyColumn", "Pets", "Owner", { visibleCol: refOf("People", "Name") }],
      ["SetDisplayFormula", "Pets", null, "Owner", "$Owner.Name"],
    ]);
    expect(scratch.column("Pets", "Owner")["displayCol"]).toBe(refOf("Pets", "gristHelper_Display"));
    scratch.do("ModifyColumn", "Pets", "Owner", { type: "RefList:People" });
    expect(scratch.column("Pets", "Owner")["displayCol"]).not.toBe(0);
    scratch.do("ModifyColumn", "Pets", "Owner", { type: "Text" });
    expect(scratch.column("Pets", "Owner")).toMatchObject({ visibleCol: 0, displayCol: 0 });
    expect(scratch.column("Pets", "gristHelper_Display")).toEqual({});
  });

  test("are removed from fields, sort orders, filters and display columns", () => {
    const name = refOf("People", "Name");
    scratch.apply([
      [
        "UpdateRecord",
        "_grist_Views_section",
        4,
        { sortColRefs: `[-${String(name)},"${String(refOf("People", "Age"))}:naturalSort"]` },
      ],
      ["AddRecord", "_grist_Filters", null, { viewSectionRef: 4, colRef: name, filter: '{"included":["ann"]}' }],
      ["ModifyColumn", "Pets", "Owner", { visibleCol: name }],
      ["AddColumn", "People", "Stamp", { type: "Int", isFormula: false, formula: "1", recalcDeps: ["L", name] }],
      ["RemoveColumn", "People", "Name"],
    ]);
    expect(metadata("_grist_Views_section_field", `colRef = ${String(name)}`)).toEqual([]);
    expect(metadata("_grist_Views_section", "id = 4")).toMatchObject([
      { sortColRefs: `["${String(refOf("People", "Age"))}:naturalSort"]` },
    ]);
    expect(metadata("_grist_Filters")).toEqual([]);
    expect(scratch.column("Pets", "Owner")["visibleCol"]).toBe(0);
    expect(scratch.column("People", "Stamp")["recalcDeps"]).toBeNull();
  });

  test("have their choices renamed, also swapped", () => {
    scratch.apply([
      [
        "AddTable",
        "Jobs",
        [
          { id: "State", type: "Choice" },
          { id: "Tags", type: "ChoiceList" },
        ],
      ],
      ["BulkAddRecord", "Jobs", [null, null], { State: ["open", "shut"], Tags: [["L", "a", "b"], null] }],
      ["RenameChoices", "Jobs", "State", { open: "shut", shut: "open" }],
      ["RenameChoices", "Jobs", "Tags", { b: "bee" }],
    ]);
    expect(scratch.rows("Jobs")).toEqual({ 1: ["shut", ["L", "a", "bee"]], 2: ["open", null] });
  });
});

describe("empty columns", () => {
  const cases: [values: unknown[], type: string, cells: unknown[]][] = [
    [["", null], "Any", [null, null]],
    [["hello", "12"], "Text", ["hello", "12"]],
    [["12", ""], "Numeric", [12, null]],
    [["true", "false"], "Bool", [true, false]],
    [["2024-01-02", "2024-01-03"], "Date", [1704153600, 1704240000]],
    [[1, true], "Numeric", [1, 1]],
    [[["L", "a"], 1], "Text", ["['a']", "1"]],
  ];
  for (const [values, type, cells] of cases) {
    test(`take ${JSON.stringify(values)} as ${type}`, () => {
      scratch.do("AddRecord", "Table1", null, {});
      scratch.do("BulkAddRecord", "Table1", [null, null], { A: values });
      expect(scratch.column("Table1", "A")).toMatchObject({ type, isFormula: type === "Any" });
      expect(Object.values(scratch.rows("Table1", "A")).slice(1)).toEqual(cells.map((cell) => [cell]));
    });
  }

  test("fill existing rows with the default of the type", () => {
    scratch.apply([
      ["AddRecord", "Table1", null, {}],
      ["AddRecord", "Table1", null, { A: "x", B: 1 }],
    ]);
    expect(scratch.rows("Table1", "A", "B", "C")).toMatchObject({ 1: ["", 0, null] });
  });
});

describe("rejects", () => {
  const cases: Record<string, unknown[]> = {
    "an unknown type": ["AddColumn", "People", "x", { type: "Nonsense" }],
    "a type that is not a string": ["ModifyColumn", "People", "Age", { type: 5 }],
    "a missing display column": ["ModifyColumn", "Pets", "Owner", { visibleCol: 99 }],
    "a trigger in another table": ["ModifyColumn", "People", "Age", { recalcDeps: ["L", 1] }],
    "options that are not a string": ["ModifyColumn", "People", "Age", { widgetOptions: {} }],
    "another type for the position column": ["ModifyColumn", "People", "manualSort", { type: "Text" }],
    "removal of the position column": ["RemoveColumn", "People", "manualSort"],
    "renaming a missing table": ["RenameTable", "Nowhere", "x"],
    "removal of a metadata table": ["RemoveTable", "_grist_Tables"],
    "a new column in a metadata table": ["ApplyDocActions", [["AddColumn", "_grist_Tables", "x", {}]]],
    "a stored column without a record": ["ApplyDocActions", [["AddColumn", "People", "x", {}]]],
    "display of neither a field nor a column": ["SetDisplayFormula", "People", 0, 0, "$Age"],
    "display of both a field and a column": ["SetDisplayFormula", "People", 4, "Age", "$Age"],
  };
  for (const [name, action] of Object.entries(cases)) {
    test(name, () => {
      const before = scratch.content();
      expect(() => scratch.apply([action])).toThrow();
      expect(scratch.content()).toEqual(before);
    });
  }
});
