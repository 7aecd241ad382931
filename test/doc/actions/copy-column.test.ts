import { afterEach, beforeEach, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    ["AddTable", "People", [{ id: "Name" }, { id: "Age", type: "Int" }]],
    [
      "AddTable",
      "T",
      [
        { id: "Who", type: "Ref:People" },
        { id: "Price", type: "Numeric", widgetOptions: '{"numMode":"currency","currency":"EUR"}' },
        { id: "Day", type: "Date", widgetOptions: '{"dateFormat":"DD.MM.YYYY"}' },
        { id: "Tags", type: "ChoiceList" },
        { id: "Note" },
        { id: "To" },
        { id: "Sum", formula: "$Price * 2" },
      ],
    ],
    ["BulkAddRecord", "People", [null, null], { Name: ["ann", "bob"], Age: [10, 20] }],
    [
      "BulkAddRecord",
      "T",
      [null, null],
      { Who: [2, 0], Price: [1234.567, null], Day: [86400, null], Tags: [["L", "a", "b"], null], Note: ["12", "bob"] },
    ],
  ]);
  const name = scratch.column("People", "Name")["ref"];
  scratch.apply([
    ["ModifyColumn", "T", "Who", { visibleCol: name }],
    ["SetDisplayFormula", "T", null, "Who", "$Who.Name"],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const cells = (column: string) => Object.values(scratch.rows("T", column)).map(([cell]) => cell);

test("copies type, options, cells and display column, and can be undone", () => {
  const before = scratch.content();
  const { undo, retValues } = scratch.apply([["CopyFromColumn", "T", "Who", "To", null]]);
  expect(retValues).toEqual([null]);
  const [from, to] = [scratch.column("T", "Who"), scratch.column("T", "To")];
  expect(to).toMatchObject({ type: "Ref:People", visibleCol: from["visibleCol"], label: "To", isFormula: false });
  expect(cells("To")).toEqual([2, 0]);
  expect(scratch.document.schema.columnByRef.get(Number(to["displayCol"]))?.formula).toBe("$To.Name");
  scratch.apply([["ApplyUndoActions", undo]]);
  expect(scratch.content()).toEqual(before);
});

test("prefers the given options to those of the source", () => {
  scratch.do("CopyFromColumn", "T", "Price", "To", '{"decimals":3}');
  expect(scratch.column("T", "To")).toMatchObject({ type: "Numeric", widgetOptions: '{"decimals":3}' });
  expect(cells("To")).toEqual([1234.567, null]);
  scratch.do("CopyFromColumn", "T", "Sum", "Note", null);
  expect(scratch.column("T", "Note")).toMatchObject({ type: "Any", isFormula: false });
  expect(cells("Note")[0]).toBe(2469.134);
});

const conversions: [from: string, type: string, shown: "Name" | null, cells: unknown[]][] = [
  ["Who", "Text", null, ["bob", ""]],
  ["Price", "Text", null, ["€1,234.57", null]],
  ["Price", "Int", null, [1234, null]],
  ["Day", "Text", null, ["02.01.1970", null]],
  ["Day", "DateTime:UTC", null, [86400, null]],
  ["Tags", "Text", null, ["a, b", null]],
  ["Note", "Numeric", null, [12, "bob"]],
  ["Note", "Ref:People", "Name", ["12", 2]],
  ["Note", "RefList:People", "Name", ["12", ["L", 2]]],
  ["Who", "RefList:People", "Name", [["L", 2], null]],
];
for (const [from, type, shown, expected] of conversions) {
  test(`converts the displayed texts from ${from} to ${type}`, () => {
    const visibleCol = shown === null ? 0 : scratch.column("People", shown)["ref"];
    scratch.do("ConvertFromColumn", "T", from, "To", type, "", visibleCol);
    expect(cells("To")).toEqual(expected);
    expect(scratch.column("T", "To")).toMatchObject({ type, visibleCol, widgetOptions: "" });
  });
}

test("keeps booleans when any action changes the type to Any, and undo restores them", () => {
  scratch.do("AddColumn", "T", "Paid", { type: "Bool", isFormula: false });
  scratch.do("AddColumn", "T", "Free", { type: "Any", isFormula: false });
  scratch.do("BulkUpdateRecord", "T", [1, 2], { Paid: [true, false] });
  const { ref } = scratch.column("T", "Paid");
  const actions: UserAction[] = [
    ["ModifyColumn", "T", "Paid", { type: "Any" }],
    ["UpdateRecord", "_grist_Tables_column", ref, { type: "Any" }],
    ["ConvertFromColumn", "T", "Paid", "Paid", "Any", "", 0],
  ];
  for (const action of actions) {
    const before = scratch.content();
    const { undo } = scratch.apply([action]);
    expect(scratch.column("T", "Paid")).toMatchObject({ type: "Any", isFormula: false });
    expect(cells("Paid")).toEqual([true, false]);
    scratch.do("CopyFromColumn", "T", "Paid", "To", null);
    expect(cells("To")).toEqual([true, false]);
    scratch.do("ModifyColumn", "T", "Paid", { type: "Bool" });
    expect(cells("Paid")).toEqual([true, false]);
    scratch.do("ModifyColumn", "T", "Paid", { type: "Any" });
    scratch.do("ModifyColumn", "T", "To", { type: "Text" });
    scratch.do("BulkUpdateRecord", "T", [1, 2], { To: ["", ""] });
    scratch.apply([["ApplyUndoActions", undo]]);
    expect(scratch.content()).toEqual(before);
  }
  scratch.do("ConvertFromColumn", "T", "Paid", "Free", "Any", "", 0);
  expect(cells("Free")).toEqual([true, false]);
});

test("rejects invalid conversions without side effects", () => {
  const age = scratch.column("People", "Age")["ref"];
  const own = scratch.column("T", "Note")["ref"];
  const bad: [action: unknown[], message: string][] = [
    [["CopyFromColumn", "T", "Nope", "To", null], "Nope"],
    [["CopyFromColumn", "T", "Note", "Sum", null], "formula column"],
    [["CopyFromColumn", "T", "manualSort", "To", null], "position column"],
    [["ConvertFromColumn", "T", "Note", "To", "Integer", "", 0], "Integer"],
    [["ConvertFromColumn", "T", "Note", "To", "Ref:People", "", own], "cannot be displayed"],
    [["ConvertFromColumn", "T", "Note", "To", "Text", "", age], "cannot be displayed"],
    [["ConvertFromColumn", "T", "Note", "To", "Text", 7, 0], "Argument 5"],
    [["AddEmptyRule", "T", 0, age], "no column "],
    [["AddEmptyRule", "T", 1, 0], "no field "],
    [["AddEmptyRule", "T", 1, own], "Only one of field and column"],
  ];
  const before = scratch.content();
  for (const [action, message] of bad) {
    expect(() => scratch.apply([["AddRecord", "T", null, {}], action])).toThrow(message);
    expect(scratch.content()).toEqual(before);
  }
});

test("stores conditional formats as hidden columns, removed with their owner or on their own", () => {
  const ref = Number(scratch.column("T", "Note")["ref"]);
  const first = scratch.do("AddEmptyRule", "T", null, ref) as { colRef: number; colId: string };
  const second = scratch.do("AddEmptyRule", "T", 0, ref) as { colRef: number; colId: string };
  const row = scratch.do("AddEmptyRule", "T", 0, 0) as { colRef: number; colId: string };
  expect([first.colId, second.colId, row.colId]).toEqual([
    "gristHelper_ConditionalRule",
    "gristHelper_ConditionalRule2",
    "gristHelper_RowConditionalRule",
  ]);
  expect(scratch.column("T", "Note")["rules"]).toEqual([first.colRef, second.colRef]);
  scratch.do("ModifyColumn", "T", first.colId, { formula: "$Note == 'x'" });
  scratch.do("RenameColumn", "T", "Note", "Remark");
  expect(scratch.column("T", first.colId)["formula"]).toBe("$Remark == 'x'");
  scratch.do("ModifyColumn", "T", row.colId, { formula: "len(T.all) > 1" });
  scratch.do("DuplicateTable", "T", "Copy", true);
  const copied = ["gristHelper_ConditionalRule", "gristHelper_RowConditionalRule"];
  expect(copied.map((id) => scratch.column("Copy", id)["formula"])).toEqual(["$Remark == 'x'", "len(Copy.all) > 1"]);
  expect(scratch.column("Copy", "Remark")["rules"]).toHaveLength(2);
  scratch.do("RemoveColumn", "T", second.colId);
  expect(scratch.column("T", "Remark")["rules"]).toEqual([first.colRef]);
  scratch.do("RemoveColumn", "T", "Remark");
  expect(scratch.document.schema.columnByRef.has(first.colRef)).toBe(false);
  expect(scratch.document.schema.columnByRef.has(row.colRef)).toBe(true);
  scratch.do("RemoveColumn", "T", row.colId);
  expect(scratch.document.db.values("select count(*) from _grist_Views_section where rules is not null")).toEqual([
    [1],
  ]);
});
