import { describe, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { Scratch } from "./scratch.ts";

/** A table of wares and a table that refers to it, with some rows. */
const SETUP: readonly UserAction[] = [
  [
    "AddTable",
    "Wares",
    [
      { id: "Name", type: "Text" },
      { id: "Qty", type: "Int" },
      { id: "Price", type: "Numeric" },
      { id: "Due", type: "Date" },
      { id: "Tags", type: "ChoiceList" },
      { id: "Total", formula: "$Qty * $Price" },
      { id: "Code", type: "Text", isFormula: false, formula: "'W' + $Name" },
    ],
  ],
  ["AddTable", "Boxes", [{ id: "Main", type: "Ref:Wares" }, { id: "All", type: "RefList:Wares" }, { id: "Free" }]],
  ["BulkAddRecord", "Wares", [null, null, null], { Name: ["nut", "bolt", "cog"], Qty: [1, 2, 3], Price: [10, 20, 30] }],
  [
    "BulkAddRecord",
    "Boxes",
    [null, null],
    {
      Main: [1, 3],
      All: [
        ["L", 1, 2, 3],
        ["L", 2],
      ],
    },
  ],
];

interface Case {
  readonly actions: readonly UserAction[];
  readonly rows?: Record<string, unknown[]>;
  readonly table?: string;
  readonly columns?: readonly string[];
  readonly answers?: unknown[];
}

const doing: Record<string, Case> = {
  "missing columns get the default of their type, and formulas are computed": {
    actions: [["AddRecord", "Wares", null, { Name: "pin" }]],
    rows: { 4: ["pin", 0, 0, null, null, 0, "Wpin"] },
    answers: [4],
  },
  "a trigger formula keeps provided values": {
    actions: [["BulkAddRecord", "Wares", [null, null], { Name: ["pin", "tack"], Code: ["own", null] }]],
    rows: { 4: ["own"], 5: [null] },
    columns: ["Code"],
    answers: [[4, 5]],
  },
  "strings are parsed by the type of their column": {
    actions: [["AddRecord", "Wares", null, { Qty: "1,200", Price: "$2.50", Due: "May 2, 2024", Tags: "a, b" }]],
    rows: { 4: [1200, 2.5, 1714608000, ["L", "a", "b"], 3000] },
    columns: ["Qty", "Price", "Due", "Tags", "Total"],
  },
  "mismatched values are stored, and formulas that read them fail": {
    actions: [["UpdateRecord", "Wares", 1, { Qty: "many" }]],
    rows: { 1: ["many", ["E", "TypeError"]] },
    columns: ["Qty", "Total"],
  },
  "formulas are recomputed when a dependency changes": {
    actions: [["BulkUpdateRecord", "Wares", [1, 3], { Qty: [5, 6], Price: [1, 1] }]],
    rows: { 1: [5, 5], 2: [2, 40], 3: [6, 6] },
    columns: ["Qty", "Total"],
    answers: [null],
  },
  "later values win for an id that occurs twice": {
    actions: [["BulkUpdateRecord", "Wares", [2, 2], { Qty: [8, 9] }]],
    rows: { 2: [9] },
    columns: ["Qty"],
  },
  "requested ids are used, and allocation continues after the highest": {
    actions: [
      ["AddRecord", "Wares", 20, {}],
      ["BulkAddRecord", "Wares", [null, 30, null], {}],
    ],
    answers: [20, [21, 30, 31]],
  },
  "negative ids denote new rows, also in references": {
    actions: [
      ["BulkAddRecord", "Wares", [-1, -2], { Name: ["new", "newer"] }],
      ["AddRecord", "Boxes", null, { Main: -2, All: ["L", 1, -1] }],
      ["UpdateRecord", "Wares", -1, { Name: "newest" }],
    ],
    rows: { 3: [5, ["L", 1, 4]] },
    table: "Boxes",
    columns: ["Main", "All"],
    answers: [[4, 5], 3, null],
  },
  "removing a row clears references to it": {
    actions: [["BulkRemoveRecord", "Wares", [1, 2, 99]]],
    rows: { 1: [0, ["L", 3]], 2: [3, null] },
    table: "Boxes",
    columns: ["Main", "All"],
  },
  "replacing the rows keeps references": {
    actions: [["ReplaceTableData", "Wares", [7, null], { Name: ["x", "y"], Qty: [1, 1], Price: [3, 4] }]],
    rows: { 7: ["x", 3], 8: ["y", 4] },
    columns: ["Name", "Total"],
  },
  "a removed last id is reused": {
    actions: [
      ["RemoveRecord", "Wares", 3],
      ["AddRecord", "Wares", null, {}],
    ],
    answers: [null, 3],
  },
};

describe("records", () => {
  for (const [name, { actions, rows, table = "Wares", columns = [], answers }] of Object.entries(doing)) {
    test(name, () => {
      using scratch = new Scratch();
      scratch.apply(SETUP);
      const { retValues } = scratch.apply(actions);
      if (rows) expect(scratch.rows(table, ...columns)).toMatchObject(rows);
      if (answers) expect(retValues).toEqual(answers);
      expect(scratch.problems()).toEqual([]);
    });
  }
});

const refused: Record<string, readonly UserAction[]> = {
  "an unknown table": [["AddRecord", "Nowhere", null, {}]],
  "an unknown column": [["AddRecord", "Wares", null, { Nope: 1 }]],
  "a column id in another case": [["AddRecord", "Wares", null, { name: 1 }]],
  "a formula column": [["UpdateRecord", "Wares", 1, { Total: 1 }]],
  "the id as a column": [["AddRecord", "Wares", null, { id: 9 }]],
  "an id that is taken": [["AddRecord", "Wares", 2, {}]],
  "an id twice": [["BulkAddRecord", "Wares", [9, 9], {}]],
  "an id that is too high": [["AddRecord", "Wares", 1_000_001, {}]],
  "an id that is not an integer": [["AddRecord", "Wares", 7.5, {}]],
  "an unknown row": [["UpdateRecord", "Wares", 99, { Qty: 1 }]],
  "an unknown row among known ones": [["BulkUpdateRecord", "Wares", [1, 99], { Qty: [1, 1] }]],
  "too few values": [["BulkAddRecord", "Wares", [null, null], { Qty: [1] }]],
  "a negative reference without a new row": [["AddRecord", "Boxes", null, { Main: -7 }]],
  "an action without a name": [[]],
  "an unknown action": [["Teleport", "Wares"]],
  "too few arguments": [["AddRecord", "Wares"]],
  "records of metadata tables": [["AddRecord", "_grist_Tables", null, { tableId: "X" }]],
  "the version of the metadata": [["UpdateRecord", "_grist_DocInfo", 1, { schemaVersion: 1 }]],
  "metadata that does not match the tables": [
    ["ApplyDocActions", [["UpdateRecord", "_grist_Tables_column", 2, { colId: "Other" }]]],
  ],
};

describe("rejects without side effects:", () => {
  for (const [name, actions] of Object.entries(refused)) {
    test(name, () => {
      using scratch = new Scratch();
      scratch.apply(SETUP);
      const before = [scratch.content(), scratch.states()];
      const schema = scratch.document.schema.tables;
      // Actions before the refused one are rolled back with it.
      const good: UserAction[] = [
        ["AddRecord", "Wares", null, { Name: "lost" }],
        ["AddTable", "Lost", [{ id: "A" }]],
        ["RenameTable", "Boxes", "Crates"],
        ["ModifyColumn", "Wares", "Qty", { type: "Text", label: "Count" }],
      ];
      const renamed = JSON.parse(
        JSON.stringify(actions).replaceAll('"Boxes"', '"Crates"').replaceAll('"Qty"', '"Count"'),
      );
      expect(() => scratch.apply([...good, ...renamed])).toThrow();
      expect([scratch.content(), scratch.states()]).toEqual(before);
      expect(scratch.document.schema.tables).toEqual(schema);
      expect(scratch.do("AddRecord", "Wares", null, { Name: "next" })).toBe(4);
    });
  }
});

describe("rejects history steps with", () => {
  const steps: Record<string, unknown[]> = {
    "a renamed table in the metadata only": ["UpdateRecord", "_grist_Tables", 2, { tableId: "Other" }],
    "a changed column type in the metadata only": ["UpdateRecord", "_grist_Tables_column", 6, { type: "Int" }],
    "a table removed from the metadata only": ["RemoveRecord", "_grist_Tables", 2],
    "a column removed from the table only": ["RemoveColumn", "Wares", "Name"],
    "no document record": ["RemoveRecord", "_grist_DocInfo", 1],
    "a second document record": ["AddRecord", "_grist_DocInfo", 2, { timezone: "UTC" }],
    "replaced document records": ["ReplaceTableData", "_grist_DocInfo", [1], { schemaVersion: [0] }],
    "another metadata version": ["UpdateRecord", "_grist_DocInfo", 1, { schemaVersion: 0 }],
    "a table with a name reserved by SQLite": ["AddTable", "Sqlite_stat", [{ id: "A" }]],
    "a rename to a name reserved by SQLite": ["RenameTable", "Wares", "sqlite_wares"],
    "a table with two columns that differ in case only": ["AddTable", "New", [{ id: "a" }, { id: "A" }]],
    "a table with a column named id": ["AddTable", "New", [{ id: "ID" }]],
  };
  for (const [name, step] of Object.entries(steps)) {
    test(name, () => {
      using scratch = new Scratch();
      scratch.apply(SETUP);
      const before = [scratch.content(), scratch.states()];
      let refusal: unknown;
      try {
        scratch.apply([["ApplyDocActions", [step]]]);
      } catch (error) {
        refusal = error;
      }
      expect(refusal).toMatchObject({ code: "invalid" });
      expect([scratch.content(), scratch.states()]).toEqual(before);
    });
  }

  test("accepts other metadata changes", () => {
    using scratch = new Scratch();
    scratch.apply(SETUP);
    const steps = [
      ["UpdateRecord", "_grist_Tables_column", 6, { label: "Called" }],
      ["UpdateRecord", "_grist_DocInfo", 1, { timezone: "Asia/Tokyo" }],
    ];
    scratch.apply([["ApplyDocActions", steps]]);
    expect(scratch.document.timezone).toBe("Asia/Tokyo");
    expect(scratch.document.schema.columnByRef.get(6)).toMatchObject({ label: "Called" });
  });
});

test("ignores unchanged values", () => {
  using scratch = new Scratch();
  scratch.apply(SETUP);
  const { stored, calculated, undo } = scratch.apply([["UpdateRecord", "Wares", 1, { Qty: 1, Name: "nut" }]]);
  expect({ stored, calculated, undo }).toEqual({ stored: [], calculated: [], undo: [] });
});

test("returns applied actions, formula results and undo actions of a bundle", () => {
  using scratch = new Scratch();
  scratch.apply(SETUP);
  const { stored, calculated, undo } = scratch.apply([["UpdateRecord", "Wares", 2, { Qty: 5, Name: "bolt" }]]);
  expect(stored).toEqual([["BulkUpdateRecord", "Wares", [2], { Qty: [5] }]]);
  expect(calculated).toEqual([["BulkUpdateRecord", "Wares", [2], { Total: [100] }]]);
  expect(undo).toEqual([
    ["BulkUpdateRecord", "Wares", [2], { Qty: [2] }],
    ["BulkUpdateRecord", "Wares", [2], { Total: [40] }],
  ]);
});

test("converts strings without parsing them when parsing is off", () => {
  using scratch = new Scratch();
  scratch.apply(SETUP);
  scratch.apply([["AddRecord", "Wares", null, { Qty: "12", Price: "1,200", Tags: "a, b" }]], { parse: false });
  expect(scratch.rows("Wares", "Qty", "Price", "Tags")).toMatchObject({ 4: [12, "1,200", "a, b"] });
});

test("lets only owners change access rules", () => {
  using scratch = new Scratch();
  const rule: UserAction = ["AddRecord", "_grist_ACLResources", null, { tableId: "Table1", colIds: "*" }];
  expect(() => scratch.apply([rule], { role: "editors" })).toThrow("Only owners");
  expect(() =>
    scratch.apply([["ApplyDocActions", [["AddRecord", "_grist_ACLResources", 9, {}]]]], { role: "editors" }),
  ).toThrow("Only owners");
  expect(scratch.apply([rule]).retValues).toEqual([2]);
});
