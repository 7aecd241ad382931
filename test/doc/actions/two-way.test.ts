import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    ["AddTable", "People", [{ id: "Name" }]],
    [
      "AddTable",
      "Pets",
      [{ id: "Owner", type: "Ref:People" }, { id: "Name" }, { id: "Friends", type: "RefList:People" }],
    ],
    ["BulkAddRecord", "People", [null, null, null], { Name: ["ann", "bob", "cy"] }],
    ["BulkAddRecord", "Pets", [null, null, null], { Name: ["rex", "tom", "pip"], Owner: [1, 1, 2] }],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const owners = () => Object.fromEntries(Object.entries(scratch.rows("Pets", "Owner")).map(([id, [own]]) => [id, own]));
const pets = (column = "Pets") =>
  Object.fromEntries(Object.entries(scratch.rows("People", column)).map(([id, [list]]) => [id, list]));

describe("a reverse column", () => {
  test("is named after the table, filled, and displays the first plain column", () => {
    const before = scratch.content();
    const { undo, retValues } = scratch.apply([["AddReverseColumn", "Pets", "Owner"]]);
    const column = scratch.column("People", "Pets");
    const owner = scratch.column("Pets", "Owner");
    expect(retValues).toEqual([{ colRef: column["ref"], colId: "Pets" }]);
    expect(column).toMatchObject({ type: "RefList:Pets", label: "Pets", reverseCol: owner["ref"], isFormula: false });
    expect(owner["reverseCol"]).toBe(column["ref"]);
    expect(column["visibleCol"]).toBe(scratch.column("Pets", "Name")["ref"]);
    expect(scratch.column("People", "gristHelper_Display")).toMatchObject({ formula: "$Pets.Name", isFormula: true });
    expect(pets()).toEqual({ 1: ["L", 1, 2], 2: ["L", 3], 3: null });
    scratch.apply([["ApplyUndoActions", undo]]);
    expect(scratch.content()).toEqual(before);
  });

  test("is refused for non-references, formula columns, and columns that have one", () => {
    scratch.do("AddReverseColumn", "Pets", "Owner");
    scratch.do("AddColumn", "Pets", "Calc", { type: "Ref:People", formula: "$Owner", isFormula: true });
    for (const column of ["Name", "Calc", "Owner", "Nope"]) {
      const before = scratch.content();
      expect(() => scratch.do("AddReverseColumn", "Pets", column)).toThrow(column);
      expect(scratch.content()).toEqual(before);
    }
    expect(() => scratch.do("AddReverseColumn", "People", "Pets")).toThrow("already has a reverse column");
    const { ref } = scratch.column("Pets", "Calc");
    expect(() => scratch.do("ModifyColumn", "Pets", "Owner", { reverseCol: ref })).toThrow("AddReverseColumn");
  });
});

describe("both ends", () => {
  beforeEach(() => {
    scratch.do("AddReverseColumn", "Pets", "Owner");
  });

  test("follow writes to either end", () => {
    scratch.do("BulkUpdateRecord", "Pets", [1, 3], { Owner: [3, 0] });
    expect(pets()).toEqual({ 1: ["L", 2], 2: null, 3: ["L", 1] });
    scratch.do("UpdateRecord", "People", 2, { Pets: ["L", 3] });
    expect(owners()).toEqual({ 1: 3, 2: 1, 3: 2 });
    scratch.do("UpdateRecord", "People", 1, { Pets: null });
    expect(owners()).toEqual({ 1: 3, 2: 0, 3: 2 });
    expect(scratch.do("AddRecord", "Pets", null, { Owner: 1 })).toBe(4);
    expect(scratch.do("AddRecord", "People", null, { Name: "di", Pets: ["L", 2] })).toBe(4);
    expect(pets()).toEqual({ 1: ["L", 4], 2: ["L", 3], 3: ["L", 1], 4: ["L", 2] });
    expect(owners()).toEqual({ 1: 3, 2: 4, 3: 2, 4: 1 });
  });

  test("follow swaps, upserts, replacement and removal of rows", () => {
    scratch.do("BulkUpdateRecord", "People", [1, 2], {
      Pets: [
        ["L", 3],
        ["L", 1, 2],
      ],
    });
    expect(owners()).toEqual({ 1: 2, 2: 2, 3: 1 });
    scratch.do("AddOrUpdateRecord", "Pets", { Name: "pip" }, { Owner: 3 }, {});
    expect(pets()).toEqual({ 1: null, 2: ["L", 1, 2], 3: ["L", 3] });
    scratch.do("RemoveRecord", "Pets", 1);
    expect(pets()).toEqual({ 1: null, 2: ["L", 2], 3: ["L", 3] });
    scratch.do("RemoveRecord", "People", 3);
    expect(owners()).toEqual({ 2: 2, 3: 0 });
    scratch.do("ReplaceTableData", "Pets", [5, 6], { Owner: [1, 2] });
    expect(pets()).toEqual({ 1: ["L", 5], 2: ["L", 2, 6] });
    scratch.do("ReplaceTableData", "People", [1, 2], { Pets: [["L", 6], null] });
    expect(owners()).toEqual({ 5: 0, 6: 1 });
  });

  test("are empty for rows without a value in ReplaceTableData; references to removed rows are kept", () => {
    const before = scratch.content();
    expect(owners()).toEqual({ 1: 1, 2: 1, 3: 2 });
    const { undo } = scratch.apply([["ReplaceTableData", "People", [1], { Name: ["x"] }]]);
    expect(pets()).toEqual({ 1: null });
    expect(owners()).toEqual({ 1: 0, 2: 0, 3: 2 });
    scratch.apply([["ApplyUndoActions", undo]]);
    expect(scratch.content()).toEqual(before);
    scratch.do("ReplaceTableData", "Pets", [1, 3], { Name: ["a", "b"], Owner: [2, 2] });
    expect(owners()).toEqual({ 1: 2, 3: 2 });
    expect(pets()).toEqual({ 1: ["L", 2], 2: ["L", 1, 3], 3: null });
  });

  test("refuse missing rows from either end, but keep the ones that cells already contain", () => {
    scratch.do("AddColumn", "Pets", "Vet", { type: "Ref:People", isFormula: false });
    scratch.do("UpdateRecord", "Pets", 3, { Vet: 9 });
    scratch.do("AddReverseColumn", "Pets", "Vet");
    const { reverseCol } = scratch.column("Pets", "Vet");
    const patients = scratch.document.schema.columnByRef.get(Number(reverseCol))?.id ?? "";
    const before = scratch.content();
    const refused: [action: UserAction, row: number][] = [
      [["AddRecord", "Pets", null, { Owner: 7 }], 7],
      [["BulkUpdateRecord", "Pets", [1, 3], { Vet: [4, 4] }], 4],
      [["UpdateRecord", "Pets", 2, { Vet: 9 }], 9],
      [["UpdateRecord", "People", 1, { Pets: ["L", 1, 8] }], 8],
      [["AddOrUpdateRecord", "People", { Name: "di" }, { [patients]: ["L", 2, 3, 4] }, {}], 4],
      [["ReplaceTableData", "Pets", [1], { Owner: [5] }], 5],
    ];
    for (const [action, row] of refused) {
      expect(() => scratch.apply([action])).toThrow(`has no row ${row} yet`);
      expect(scratch.content()).toEqual(before);
    }
    scratch.do("BulkUpdateRecord", "Pets", [1, 3], { Vet: [2, 9], Name: ["max", "pip"] });
    expect(scratch.rows("Pets", "Vet", "Name")).toEqual({ 1: [2, "max"], 2: [0, "tom"], 3: [9, "pip"] });
  });

  test("of new rows may refer to each other but not to the row itself", () => {
    scratch.do("AddTable", "Staff", [{ id: "Boss", type: "Ref:Staff" }]);
    scratch.do("AddReverseColumn", "Staff", "Boss");
    scratch.do("BulkAddRecord", "Staff", [null, null], { Boss: [0, 1] });
    expect(scratch.rows("Staff", "Boss", "Staff")).toEqual({ 1: [0, ["L", 2]], 2: [1, null] });
    for (const values of [{ Boss: 3 }, { Staff: ["L", 3] }, { Boss: 3, Staff: ["L", 1] }]) {
      expect(() => scratch.do("AddRecord", "Staff", null, values)).toThrow('"Staff" has no row 3 yet');
    }
    scratch.do("UpdateRecord", "Staff", 1, { Boss: 1 });
    expect(scratch.rows("Staff", "Boss", "Staff")).toEqual({ 1: [1, ["L", 1, 2]], 2: [1, null] });
    scratch.do("ReplaceTableData", "Staff", [1], { Boss: [1], Staff: [["L", 1]] });
    expect(scratch.rows("Staff", "Boss", "Staff")).toEqual({ 1: [1, ["L", 1]] });
  });

  test("drop missing rows when one of their tables is renamed, and undo restores them", () => {
    scratch.do("AddColumn", "Pets", "Vet", { type: "Ref:People", isFormula: false });
    scratch.do("BulkUpdateRecord", "Pets", [1, 3], { Vet: [2, 9] });
    scratch.do("AddReverseColumn", "Pets", "Vet");
    const vets = () => Object.values(scratch.rows("Pets", "Vet")).flat();
    scratch.do("RenameTable", "People", "Humans");
    expect(vets()).toEqual([2, 0, 9]);
    const before = scratch.content();
    const { undo } = scratch.apply([["RenameTable", "Pets", "Animals"]]);
    expect(Object.values(scratch.rows("Animals", "Vet")).flat()).toEqual([2, 0, 0]);
    scratch.apply([["ApplyUndoActions", undo]]);
    expect(scratch.content()).toEqual(before);
    scratch.do("ReplaceTableData", "Pets", [1], { Name: ["x"], Owner: [1] });
    const lists = () => Object.values(scratch.rows("Humans", "Pets")).flat();
    expect(lists()).toEqual([["L", 1, 2], ["L", 3], null]);
    scratch.do("RenameTable", "Humans", "People");
    expect(Object.values(scratch.rows("People", "Pets")).flat()).toEqual([["L", 1], null, null]);
  });

  test("within one table follow replacement on one side", () => {
    scratch.do("AddTable", "Staff", [{ id: "Boss", type: "Ref:Staff" }]);
    scratch.do("AddReverseColumn", "Staff", "Boss");
    scratch.do("BulkAddRecord", "Staff", [1, 2, 3], { Boss: [0, 1, 1] });
    scratch.do("ReplaceTableData", "Staff", [1, 2], { Boss: [2, 1] });
    expect(scratch.rows("Staff", "Boss", "Staff")).toEqual({ 1: [2, ["L", 2]], 2: [1, ["L", 1]] });
  });

  test("follow columns copied into one, and references written before their rows existed", () => {
    scratch.do("AddColumn", "Pets", "Other", { type: "Ref:People", isFormula: false });
    scratch.do("BulkUpdateRecord", "Pets", [1, 2, 3], { Other: [2, 3, 9] });
    scratch.do("CopyFromColumn", "Pets", "Other", "Owner", null);
    expect(pets()).toEqual({ 1: null, 2: ["L", 1], 3: ["L", 2] });
    scratch.do("AddRecord", "People", 9, {});
    expect(pets()).toEqual({ 1: null, 2: ["L", 1], 3: ["L", 2], 9: ["L", 3] });
  });

  test("refuse a second link to a Ref cell, and name the row", () => {
    const before = scratch.content();
    expect(() => scratch.do("UpdateRecord", "People", 2, { Pets: ["L", 1, 3] })).toThrow("Row 1 of");
    expect(() =>
      scratch.do("BulkUpdateRecord", "People", [2, 3], {
        Pets: [
          ["L", 3],
          ["L", 3],
        ],
      }),
    ).toThrow("Row 3 of");
    expect(() => scratch.do("AddRecord", "People", null, { Pets: ["L", 1] })).toThrow("of one row only");
    expect(scratch.content()).toEqual(before);
  });

  test("stay linked through renames and between Ref and RefList, and unlink on other types or removal", () => {
    scratch.apply([
      ["RenameTable", "Pets", "Animals"],
      ["RenameColumn", "Animals", "Owner", "Boss"],
      ["ModifyColumn", "Animals", "Boss", { type: "RefList:People" }],
      ["UpdateRecord", "Animals", 1, { Boss: ["L", 1, 3] }],
    ]);
    expect(pets()).toEqual({ 1: ["L", 1, 2], 2: ["L", 3], 3: ["L", 1] });
    scratch.do("ModifyColumn", "Animals", "Boss", { type: "Ref:People" });
    expect(pets()).toEqual({ 1: ["L", 1, 2], 2: ["L", 3], 3: null });
    const { undo } = scratch.apply([["ModifyColumn", "Animals", "Boss", { type: "Text" }]]);
    expect(scratch.column("People", "Pets")["reverseCol"]).toBe(0);
    scratch.apply([["ApplyUndoActions", undo]]);
    expect(scratch.column("People", "Pets")["reverseCol"]).toBe(scratch.column("Animals", "Boss")["ref"]);
    scratch.do("RemoveColumn", "Animals", "Boss");
    expect(scratch.column("People", "Pets")).toMatchObject({ reverseCol: 0, type: "RefList:Animals" });
  });

  test("cannot refer to another table while linked", () => {
    const before = scratch.content();
    const { ref } = scratch.column("People", "Pets");
    for (const type of ["Ref:People", "RefList:People", "Attachments"]) {
      const says = "has a reverse column and cannot refer to";
      expect(() => scratch.do("ModifyColumn", "People", "Pets", { type })).toThrow(says);
      expect(() => scratch.do("UpdateRecord", "_grist_Tables_column", ref, { type })).toThrow(says);
      expect(() => scratch.do("ConvertFromColumn", "People", "Name", "Pets", type, "", 0)).toThrow(says);
      expect(scratch.content()).toEqual(before);
    }
    scratch.do("ModifyColumn", "People", "Pets", { type: "Ref:People", reverseCol: 0 });
    expect(scratch.column("Pets", "Owner")["reverseCol"]).toBe(0);
  });

  test("are removed with either table", () => {
    scratch.do("RemoveTable", "Pets");
    expect(scratch.column("People", "Pets")).toMatchObject({ reverseCol: 0, type: "Text" });
  });
});

test("synchronizes two-way references of imported documents that are already inconsistent", () => {
  const owner = Number(scratch.column("Pets", "Owner")["ref"]);
  const parentId = scratch.document.schema.tableById.get("People")?.ref ?? 0;
  const spec = { type: "RefList:Pets", isFormula: false, formula: "" };
  scratch.do("ApplyDocActions", [
    ["AddColumn", "People", "Animals", spec],
    ["AddRecord", "_grist_Tables_column", 99, { parentId, colId: "Animals", label: "", ...spec, reverseCol: owner }],
    ["UpdateRecord", "_grist_Tables_column", owner, { reverseCol: 99 }],
    ["UpdateRecord", "People", 1, { Animals: ["L", 2] }],
  ]);
  scratch.do("UpdateRecord", "Pets", 3, { Owner: 1 });
  expect(pets("Animals")).toEqual({ 1: ["L", 2, 3], 2: null, 3: null });
  scratch.do("UpdateRecord", "People", 1, { Animals: "not a list" });
  expect(owners()).toEqual({ 1: 1, 2: 0, 3: 0 });
});

test("merges writes to both ends of a two-way reference within one table", () => {
  scratch.apply([
    ["AddColumn", "People", "Boss", { type: "Ref:People", isFormula: false }],
    ["AddReverseColumn", "People", "Boss"],
    ["BulkUpdateRecord", "People", [1, 2, 3], { Boss: [0, 1, 0], People: [null, ["L", 3], null] }],
  ]);
  expect(scratch.rows("People", "Boss", "People")).toEqual({
    1: [0, ["L", 2]],
    2: [1, ["L", 3]],
    3: [2, null],
  });
});
