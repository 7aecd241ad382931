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
  test("are computed after the ones they read, regardless of their order", () => {
    scratch.apply([
      ["AddColumn", "T", "Last", { formula: "$Middle + 1" }],
      ["AddColumn", "T", "Middle", { formula: "$First * 10" }],
      ["AddColumn", "T", "First", { formula: "$A + 1" }],
      ["UpdateRecord", "T", 1, { A: 4 }],
    ]);
    expect(scratch.rows("T", "First", "Middle", "Last")).toEqual({ 1: [5, 50, 51], 2: [3, 30, 31] });
  });

  test("store an empty set of records as an empty list of references, other empty results as an empty cell", () => {
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

  test("keep the error of a missing table until something they read changes", () => {
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

  test("are recomputed when a table is restored", () => {
    scratch.do("AddTable", "Gone", [{ id: "V", type: "Int" }]);
    scratch.do("AddColumn", "T", "Sum", { formula: "SUM(Gone.all.V)" });
    const { undo } = scratch.apply([["RemoveTable", "Gone"]]);
    expect(scratch.rows("T", "Sum")).toMatchObject({ 1: [error("NameError")] });
    scratch.apply([["ApplyUndoActions", undo]]);
    scratch.do("AddRecord", "Gone", null, { V: 4 });
    expect(scratch.rows("T", "Sum")).toEqual({ 1: [4], 2: [4] });
  });

  test("read the time of the change in the document's timezone", () => {
    scratch.do("UpdateRecord", "_grist_DocInfo", 1, { timezone: "Asia/Tokyo" });
    scratch.do("AddColumn", "T", "Hour", { formula: "str(NOW().utcoffset())" });
    scratch.do("AddColumn", "T", "Same", { formula: "NOW() == NOW()" });
    expect(scratch.rows("T", "Hour", "Same")).toMatchObject({ 1: ["9:00:00", true] });
  });

  test("return the type's default for an empty reference, whenever they are computed", () => {
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

  test("report circular references", () => {
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

  test("fail when a column they read is removed, and recover when it is restored", () => {
    scratch.do("AddColumn", "T", "F", { formula: "$A + 1" });
    scratch.do("RemoveColumn", "T", "A");
    expect(scratch.rows("T", "F")).toMatchObject({ 1: [error("AttributeError")] });
    scratch.do("AddColumn", "T", "A", { type: "Numeric", isFormula: false });
    expect(scratch.rows("T", "F")).toMatchObject({ 1: [1] });
  });

  test("are not supported in on-demand tables", () => {
    scratch.do("AddColumn", "T", "F", { formula: "$A" });
    scratch.do("UpdateRecord", "_grist_Tables", 2, { onDemand: true });
    expect(scratch.rows("T", "F")).toMatchObject({ 1: [error("Formula not supported")] });
    scratch.do("UpdateRecord", "_grist_Tables", 2, { onDemand: false });
    expect(scratch.rows("T", "F")).toMatchObject({ 1: [1] });
  });
});

describe("unsupported syntax", () => {
  test("is an error in the cell, and stays stored until it is computed", () => {
    scratch.do("AddColumn", "T", "F", { formula: "open($B)" });
    // As in a file written by a program that supports it.
    scratch.document.db.run("update T set F = 'stored'");
    scratch.do("AddColumn", "T", "H", { formula: "$F + '!'" });
    expect(scratch.rows("T", "F", "H")).toEqual({ 1: ["stored", "stored!"], 2: ["stored", "stored!"] });
    scratch.do("AddRecord", "T", null, {});
    const unknown = error("NotImplementedError");
    expect(scratch.rows("T", "F", "H")).toMatchObject({ 1: ["stored", "stored!"], 3: [unknown, unknown] });
  });
});

describe("trigger formulas", () => {
  const stamp = (more: object) =>
    scratch.do("AddColumn", "T", "S", { type: "Text", isFormula: false, formula: "$B + '!'", ...more });
  const refOf = (id: string) => scratch.column("T", id)["ref"];

  test("fill the column in new records without a value for it", () => {
    stamp({});
    scratch.do("AddRecord", "T", null, { B: "z" });
    scratch.do("AddRecord", "T", null, { B: "z", S: "own" });
    scratch.do("UpdateRecord", "T", 3, { B: "changed" });
    expect(scratch.rows("T", "S")).toEqual({ 1: [""], 2: [""], 3: ["z!"], 4: ["own"] });
  });

  test("run again when a dependency changes", () => {
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

  test("do not run for undo and other document actions", () => {
    stamp({ recalcWhen: 2 });
    scratch.do("ApplyDocActions", [
      ["UpdateRecord", "T", 1, { A: 5 }],
      ["AddRecord", "T", 9, { B: "z" }],
    ]);
    expect(scratch.rows("T", "S")).toEqual({ 1: [""], 2: [""], 9: [""] });
  });

  test("trigger recalculation of formula columns that read them", () => {
    stamp({});
    scratch.do("AddColumn", "T", "L", { formula: "len($S)" });
    scratch.do("AddRecord", "T", null, { B: "abc" });
    expect(scratch.rows("T", "L")).toMatchObject({ 3: [4] });
  });
});

test("computes formulas of files without stored results when their rows change", () => {
  scratch.do("AddColumn", "T", "F", { formula: "$A + 1" });
  scratch.document.db.run("update T set F = ?", marshal(["P"]));
  scratch.do("UpdateRecord", "T", 1, { A: 5 });
  expect(scratch.rows("T", "F")).toEqual({ 1: [6], 2: [["P"]] });
});
