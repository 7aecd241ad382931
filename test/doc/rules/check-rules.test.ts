import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Scratch } from "../actions/scratch.ts";
import { addingRules, type WrittenRule, type WrittenRules } from "./ruled.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([["AddTable", "Pets", [{ id: "Name" }, { id: "Age", type: "Int" }]]]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const add = (rules: WrittenRules) => scratch.apply(addingRules(rules));
const attribute = (fields: object = {}): WrittenRule => ({
  userAttributes: JSON.stringify({ name: "Who", tableId: "Pets", lookupColId: "Name", charId: "Email", ...fields }),
});
const stored = () =>
  scratch.document.db.values(
    "select id, resource, aclFormula, aclFormulaParsed, permissionsText, rulePos from _grist_ACLRules where id > 1 order by id",
  );

describe("rules are refused that", () => {
  test.each<[string, WrittenRules, string]>([
    ["are about no table", { "Pots:*": [{ permissions: "none" }] }, "Invalid tables in rules: Pots"],
    ["are about metadata", { "_grist_Tables:*": [{ permissions: "none" }] }, "Invalid tables in rules: _grist_Tables"],
    ["are about no column", { "Pets:Name,Sex": [{ permissions: "none" }] }, "Invalid columns in rules: Pets.Sex"],
    [
      "have blanks among columns",
      { "Pets:Name, Age": [{ permissions: "none" }] },
      "Invalid columns in rules: Pets. Age",
    ],
    ["are about columns of all tables", { "*:Name": [{ permissions: "none" }] }, "cannot name columns"],
    ["have no permissions", { "Pets:*": [{ permissions: "R" }] }, "invalid permissions"],
    ["have unknown permissions", { "Pets:*": [{ permissions: "+r" }] }, "invalid permissions"],
    [
      "follow one that always applies",
      { "Pets:*": [{ permissions: "+R" }, { formula: "OWNER", permissions: "-R" }] },
      "is unreachable",
    ],
    ["always apply twice", { "Pets:*": [{ permissions: "+R" }, { permissions: "-U" }] }, "is unreachable"],
    ["cannot be read", { "Pets:*": [{ formula: "rec.Age ==", permissions: "-R" }] }, "Invalid access rule formula"],
    ["compare in chains", { "Pets:*": [{ formula: "1 < rec.Age < 3", permissions: "-R" }] }, "chain"],
    [
      "use unknown names",
      { "Pets:*": [{ formula: "OWNER or len(rec.Name)", permissions: "-R" }] },
      'Unknown name "len"',
    ],
    ["look up users for a table", { "Pets:*": [attribute()] }, "only rules for *:*"],
    ["look up users in no table", { "*:*": [attribute({ tableId: "Pots" })] }, "Invalid tables in rules: Pots"],
    [
      "look up users by no column",
      { "*:*": [attribute({ lookupColId: "Sex" })] },
      "Invalid columns in rules: Pets.Sex",
    ],
    ["look up users without a name", { "*:*": [attribute({ name: 5 })] }, "must be JSON"],
    ["look up users without JSON", { "*:*": [{ userAttributes: "Who" }] }, "must be JSON"],
  ])("%s", (_, rules, message) => {
    const before = scratch.content();
    expect(() => add(rules)).toThrow(message);
    expect(scratch.content()).toEqual(before);
    expect(scratch.document.rules).toBeNull();
  });

  test("have no resource, or one that is removed", () => {
    const rule = { aclFormula: "", permissionsText: "none" };
    for (const fields of [rule, { ...rule, resource: 0 }, { ...rule, resource: 77 }]) {
      expect(() => scratch.do("AddRecord", "_grist_ACLRules", null, fields)).toThrow("does not exist");
    }
    add({ "Pets:*": [{ permissions: "none" }] });
    expect(() => scratch.do("RemoveRecord", "_grist_ACLResources", 2)).toThrow("does not exist");
    scratch.apply([
      ["RemoveRecord", "_grist_ACLResources", 2],
      ["RemoveRecord", "_grist_ACLRules", 2],
    ]);
    expect(stored()).toEqual([]);
  });

  test("have a duplicate resource", () => {
    add({ "Pets:*": [{ permissions: "none" }] });
    expect(() => add({ "Pets:*": [{ permissions: "+R" }] })).toThrow("two resources for Pets:*");
  });

  test("have a formula that is not text", () => {
    add({ "Pets:*": [{ permissions: "none" }] });
    expect(() => scratch.do("UpdateRecord", "_grist_ACLRules", 2, { aclFormula: 5 })).toThrow("must be a string");
  });
});

test("accepts rules that can only fail during evaluation", () => {
  add({
    "*:*": [attribute(), attribute({ name: "Email" })],
    "*SPECIAL:Whatever": [{ permissions: "none" }],
    "Pets:*": [{ formula: "rec.Sex == user.Colour and rec.Name.title()", permissions: "-R" }, { permissions: "" }],
    "Pets:Name": [{ permissions: "all" }],
    "Pets:Age,Name": [{ permissions: "+-R" }],
  });
  scratch.do("AddRecord", "_grist_ACLResources", null, { tableId: "Pots", colIds: "Name" });
  expect(stored()).toHaveLength(7);
});

test("stores the parsed form of every formula, and accepts no other value for it", () => {
  add({ "Pets:*": [{ formula: "$Age > 3 # old", permissions: "-R" }] });
  const tree = '["Comment", ["Gt", ["Attr", ["Name", "rec"], "Age"], ["Const", 3]], "old"]';
  expect(stored()).toEqual([[2, 2, "$Age > 3 # old", tree, "-R", 1]]);
  scratch.do("UpdateRecord", "_grist_ACLRules", 2, { aclFormulaParsed: "[]", memo: "for the young" });
  expect(stored()[0]?.[3]).toBe(tree);
  scratch.do("BulkUpdateRecord", "_grist_ACLRules", [2], { aclFormula: ["True"] });
  expect(stored()[0]?.slice(2, 4)).toEqual(["True", '["Const", true]']);
  scratch.do("UpdateRecord", "_grist_ACLRules", 2, { aclFormula: "" });
  expect(stored()[0]?.slice(2, 4)).toEqual(["", ""]);
});

test("places rules by position", () => {
  const rule = (formula: string) => ({ formula, permissions: "-R" });
  add({ "Pets:*": [rule("OWNER"), rule("EDITOR")] });
  scratch.do("AddRecord", "_grist_ACLRules", null, { resource: 2, aclFormula: "VIEWER", rulePos: 2 });
  const inOrder = scratch.document.db.values("select aclFormula from _grist_ACLRules where id > 1 order by rulePos");
  expect(inOrder.flat()).toEqual(["OWNER", "VIEWER", "EDITOR"]);
});

test("only owners write rules", () => {
  const refused = (...action: readonly unknown[]) =>
    expect(() => scratch.apply([action], { role: "editors" })).toThrow("Only owners");
  refused("AddRecord", "_grist_ACLRules", null, {});
  refused("RemoveRecord", "_grist_ACLResources", 1);
  refused("ApplyDocActions", [["UpdateRecord", "_grist_ACLRules", 1, { permissionsText: "all" }]]);
});

test("requires orphaned rules of removed tables and columns to be repaired with the next rule", () => {
  add({ "Pets:Age": [{ permissions: "-R" }], "Pets:Name": [{ permissions: "-U" }] });
  scratch.do("RemoveColumn", "Pets", "Age");
  expect(stored()).toHaveLength(2);
  const memo = ["UpdateRecord", "_grist_ACLRules", 3, { memo: "names stay" }] as const;
  expect(() => scratch.apply([memo])).toThrow("Invalid columns in rules: Pets.Age");
  scratch.apply([memo, ["UpdateRecord", "_grist_ACLResources", 2, { colIds: "manualSort" }]]);
  scratch.do("RemoveTable", "Pets");
  expect(() => add({ "Table1:*": [{ permissions: "+R" }] })).toThrow("Invalid tables in rules: Pets");
});

test("validates rules restored from a history", () => {
  const { undo } = add({ "Pets:*": [{ formula: "OWNER", permissions: "-R" }] });
  const { undo: redo } = scratch.apply([["ApplyUndoActions", undo]]);
  expect(scratch.document.rules).toBeNull();
  scratch.apply([["ApplyUndoActions", redo]]);
  expect(stored()).toHaveLength(1);
  const broken = ["UpdateRecord", "_grist_ACLRules", 2, { permissionsText: "?" }];
  expect(() => scratch.apply([["ApplyDocActions", [broken]]])).toThrow("permissions");
});
