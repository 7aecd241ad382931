import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { marshal } from "../../../src/values/marshal.ts";
import { Scratch } from "../actions/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.do("AddTable", "T", [
    { id: "A", type: "Numeric" },
    { id: "B", type: "Text" },
  ]);
  scratch.do("BulkAddRecord", "T", [null, null], { A: [1, 2], B: ["x", "y"] });
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const error = (name: string) => ["E", name];

describe("formulas", () => {
  test("are computed after those they read, whatever their order", () => {
    scratch.apply([
      ["AddColumn", "T", "Last", { formula: "$Middle + 1" }],
      ["AddColumn", "T", "Middle", { formula: "$First * 10" }],
      ["AddColumn", "T", "First", { formula: "$A + 1" }],
      ["UpdateRecord", "T", 1, { A: 4 }],
    ]);
    expect(scratch.rows("T", "First", "Middle", "Last")).toEqual({ 1: [5, 50, 51], 2: [3, 30, 31] });
  });

  test("with an empty set of records give an empty list of references, other empty results an empty cell", () => {
    scratch.apply([
      ["AddColumn", "T", "Parent", { type: "Ref:T", isFormula: false }],
      ["AddColumn", "T", "Kids", { type: "RefList:T", formula: "T.lookupRecords(Parent=$id)" }],
      ["AddColumn", "T", "Nothing", { type: "RefList:T", formula: "[]" }],
      ["UpdateRecord", "T", 2, { Parent: 1 }],
    ]);
    expect(scratch.rows("T", "Kids", "Nothing")).toEqual({
      1: [["L", 2], null],
      2: [["L"], null],
    });
    scratch.do("UpdateRecord", "T", 2, { Parent: 0 });
    expect(scratch.rows("T", "Kids")).toEqual({ 1: [["L"]], 2: [["L"]] });
  });

  test("that did not find a table keep their error until something that they read changes", () => {
    scratch.do("AddColumn", "T", "Found", { formula: "($B, Later.lookupOne(K=$B).V)" });
    scratch.do("AddColumn", "T", "Count", { formula: "len(Later.all)" });
    scratch.do("AddTable", "Later", [{ id: "K" }, { id: "V", type: "Int" }]);
    scratch.do("BulkAddRecord", "Later", [null, null], { K: ["x", "z"], V: [10, 20] });
    expect(scratch.rows("T", "Found", "Count")).toEqual({
      1: [error("NameError"), error("NameError")],
      2: [error("NameError"), error("NameError")],
    });
    scratch.do("UpdateRecord", "T", 2, { B: "z" });
    expect(scratch.rows("T", "Found")).toEqual({ 1: [error("NameError")], 2: [["L", "z", 20]] });
    scratch.do("UpdateRecord", "Later", 2, { V: 21 });
    expect(scratch.rows("T", "Found")).toEqual({ 1: [error("NameError")], 2: [["L", "z", 21]] });
  });

  test("follow a table that comes back", () => {
    scratch.do("AddTable", "Gone", [{ id: "V", type: "Int" }]);
    scratch.do("AddColumn", "T", "Sum", { formula: "SUM(Gone.all.V)" });
    const { undo } = scratch.apply([["RemoveTable", "Gone"]]);
    expect(scratch.rows("T", "Sum")).toMatchObject({ 1: [error("NameError")] });
    scratch.apply([["ApplyUndoActions", undo]]);
    scratch.do("AddRecord", "Gone", null, { V: 4 });
    expect(scratch.rows("T", "Sum")).toEqual({ 1: [4], 2: [4] });
  });

  test("have the time of the change, in the document's zone", () => {
    scratch.do("UpdateRecord", "_grist_DocInfo", 1, { timezone: "Asia/Tokyo" });
    scratch.do("AddColumn", "T", "Hour", { formula: "str(NOW().utcoffset())" });
    scratch.do("AddColumn", "T", "Same", { formula: "NOW() == NOW()" });
    expect(scratch.rows("T", "Hour", "Same")).toMatchObject({ 1: ["9:00:00", true] });
  });

  test("give an empty reference their type's default, whenever they are computed", () => {
    scratch.apply([
      ["AddColumn", "T", "R", { type: "Ref:T", isFormula: false }],
      ["AddColumn", "T", "Read", { formula: "repr($R.Found)" }],
      ["AddColumn", "T", "Found", { formula: "T.lookupOne(R=rec).B" }],
      ["UpdateRecord", "T", 1, { R: 2 }],
    ]);
    const read = { 1: ["'x'"], 2: ["None"] };
    expect(scratch.rows("T", "Read")).toEqual(read);
    scratch.do("ModifyColumn", "T", "Read", { formula: "repr($R.Found) " });
    expect(scratch.rows("T", "Read")).toEqual(read);
  });

  test("that read each other are circular", () => {
    scratch.apply([
      ["AddColumn", "T", "P", { formula: "$Q" }],
      ["AddColumn", "T", "Q", { formula: "$P" }],
    ]);
    const circular = [error("CircularRefError"), error("CircularRefError")];
    expect(scratch.rows("T", "P", "Q")).toEqual({ 1: circular, 2: circular });
    scratch.do("ModifyColumn", "T", "P", { formula: "$A" });
    expect(scratch.rows("T", "P", "Q")).toEqual({ 1: [1, 1], 2: [2, 2] });
  });

  const results: [formula: string, type: string, cell: unknown][] = [
    ["$A * 2.5", "Int", 2],
    ["$A > 1", "Bool", false],
    ["$B", "Int", "x"],
    ["1 / 0", "Numeric", error("ZeroDivisionError")],
    ["$Nope", "Any", error("AttributeError")],
    ["$A +", "Any", error("SyntaxError")],
    ["", "Int", 0],
    ["", "Any", null],
    ["$id", "Int", 1],
  ];
  for (const [formula, type, cell] of results) {
    test(`${JSON.stringify(formula)} in a column of type ${type}`, () => {
      scratch.do("AddColumn", "T", "F", { formula, type });
      expect(scratch.rows("T", "F")).toMatchObject({ 1: [cell] });
    });
  }

  test("fail when what they read is gone, and recover when it is back", () => {
    scratch.do("AddColumn", "T", "F", { formula: "$A + 1" });
    scratch.do("RemoveColumn", "T", "A");
    expect(scratch.rows("T", "F")).toMatchObject({ 1: [error("AttributeError")] });
    scratch.do("AddColumn", "T", "A", { type: "Numeric", isFormula: false });
    expect(scratch.rows("T", "F")).toMatchObject({ 1: [1] });
  });

  test("are none in tables on demand", () => {
    scratch.do("AddColumn", "T", "F", { formula: "$A" });
    scratch.do("UpdateRecord", "_grist_Tables", 2, { onDemand: true });
    expect(scratch.rows("T", "F")).toMatchObject({ 1: [error("Formula not supported")] });
    scratch.do("UpdateRecord", "_grist_Tables", 2, { onDemand: false });
    expect(scratch.rows("T", "F")).toMatchObject({ 1: [1] });
  });
});

describe("what the language does not have", () => {
  test("is an error in the cell, and stays stored until it is computed", () => {
    scratch.do("AddColumn", "T", "F", { formula: "open($B)" });
    // As a file has it that was written by a program that evaluates it.
    scratch.document.db.run("update T set F = 'stored'");
    scratch.do("AddColumn", "T", "H", { formula: "$F + '!'" });
    expect(scratch.rows("T", "F", "H")).toEqual({ 1: ["stored", "stored!"], 2: ["stored", "stored!"] });
    scratch.do("AddRecord", "T", null, {});
    const unknown = error("NotImplementedError");
    expect(scratch.rows("T", "F", "H")).toMatchObject({ 1: ["stored", "stored!"], 3: [unknown, unknown] });
  });
});

describe("formulas of data columns", () => {
  const stamp = (more: object) =>
    scratch.do("AddColumn", "T", "S", { type: "Text", isFormula: false, formula: "$B + '!'", ...more });
  const refOf = (id: string) => scratch.column("T", id)["ref"];

  test("fill new records that do not give the column", () => {
    stamp({});
    scratch.do("AddRecord", "T", null, { B: "z" });
    scratch.do("AddRecord", "T", null, { B: "z", S: "own" });
    scratch.do("UpdateRecord", "T", 3, { B: "changed" });
    expect(scratch.rows("T", "S")).toEqual({ 1: [""], 2: [""], 3: ["z!"], 4: ["own"] });
  });

  test("run again when what they depend on changes", () => {
    stamp({ recalcDeps: ["L", refOf("A")] });
    scratch.do("UpdateRecord", "T", 1, { B: "b" });
    expect(scratch.rows("T", "S")).toMatchObject({ 1: [""] });
    scratch.do("UpdateRecord", "T", 1, { A: 5 });
    expect(scratch.rows("T", "S")).toMatchObject({ 1: ["b!"] });
    scratch.do("UpdateRecord", "T", 1, { A: 6, S: "own" });
    expect(scratch.rows("T", "S")).toMatchObject({ 1: ["own"] });
  });

  test("run on every change, or never", () => {
    stamp({ recalcWhen: 2 });
    scratch.do("UpdateRecord", "T", 1, { A: 5 });
    expect(scratch.rows("T", "S")).toEqual({ 1: ["x!"], 2: [""] });
    scratch.do("ModifyColumn", "T", "S", { recalcWhen: 1 });
    scratch.do("AddRecord", "T", null, { B: "z" });
    expect(scratch.rows("T", "S")).toMatchObject({ 3: [""] });
  });

  test("do not run for what undoing and other raw actions do", () => {
    stamp({ recalcWhen: 2 });
    scratch.do("ApplyDocActions", [
      ["UpdateRecord", "T", 1, { A: 5 }],
      ["AddRecord", "T", 9, { B: "z" }],
    ]);
    expect(scratch.rows("T", "S")).toEqual({ 1: [""], 2: [""], 9: [""] });
  });

  test("feed formula columns that read them", () => {
    stamp({});
    scratch.do("AddColumn", "T", "L", { formula: "len($S)" });
    scratch.do("AddRecord", "T", null, { B: "abc" });
    expect(scratch.rows("T", "L")).toMatchObject({ 3: [4] });
  });
});

test("formulas of files from before results were stored are computed when their rows change", () => {
  scratch.do("AddColumn", "T", "F", { formula: "$A + 1" });
  scratch.document.db.run("update T set F = ?", marshal(["P"]));
  scratch.do("UpdateRecord", "T", 1, { A: 5 });
  expect(scratch.rows("T", "F")).toEqual({ 1: [6], 2: [["P"]] });
});
