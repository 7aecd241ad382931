import { afterEach, beforeEach, expect, test } from "bun:test";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    ["AddTable", "People", [{ id: "Email" }, { id: "Level" }]],
    ["AddTable", "Pets", [{ id: "Owner" }, { id: "Level" }]],
    ["AddRecord", "_grist_ACLResources", -1, { tableId: "*", colIds: "*" }],
    ["AddRecord", "_grist_ACLResources", -2, { tableId: "Pets", colIds: "Owner,Level" }],
    ["AddRecord", "_grist_ACLResources", -3, { tableId: "People", colIds: "*" }],
    [
      "BulkAddRecord",
      "_grist_ACLRules",
      [null, null, null],
      {
        resource: [-1, -2, -3],
        userAttributes: ['{"name":"Who","tableId":"People","lookupColId":"Email","charId":"Email"}', "", ""],
        aclFormula: [
          "",
          "$Level == 'Level' and newRec.Level != user.Who.Level # rec.Level",
          "rec.Level in [user.Level]",
        ],
      },
    ],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const rules = () =>
  scratch.document.db.values("select aclFormula, aclFormulaParsed, userAttributes from _grist_ACLRules where id > 1");
const resources = () => scratch.document.db.values("select tableId, colIds from _grist_ACLResources where id > 1");

test("renames tables in resources and user attributes", () => {
  scratch.apply([["RenameTable", "People", "Staff"]], { role: "editors" });
  expect(resources()).toEqual([
    ["*", "*"],
    ["Pets", "Owner,Level"],
    ["Staff", "*"],
  ]);
  expect(rules()[0]?.[2]).toBe('{"name":"Who","tableId":"Staff","lookupColId":"Email","charId":"Email"}');
});

test("renames columns only for records of their own table", () => {
  scratch.do("RenameColumn", "Pets", "Level", "Rank");
  expect(resources()[1]).toEqual(["Pets", "Owner,Rank"]);
  expect(rules().slice(1)).toEqual([
    [
      "$Rank == 'Level' and newRec.Rank != user.Who.Level # rec.Level",
      '["Comment", ["And", ["Eq", ["Attr", ["Name", "rec"], "Rank"], ["Const", "Level"]], ["NotEq", ["Attr", ["Name", "newRec"], "Rank"], ["Attr", ["Attr", ["Name", "user"], "Who"], "Level"]]], "rec.Level"]',
      "",
    ],
    [
      "rec.Level in [user.Level]",
      '["In", ["Attr", ["Name", "rec"], "Level"], ["List", ["Attr", ["Name", "user"], "Level"]]]',
      "",
    ],
  ]);
});

test("renames columns of user attributes in every rule, and can be undone", () => {
  const before = scratch.content();
  const { undo } = scratch.apply([
    ["RenameColumn", "People", "Level", "Rank"],
    ["RenameColumn", "People", "Email", "Mail"],
  ]);
  const [attribute, pets, people] = rules();
  expect(attribute?.[2]).toBe('{"name":"Who","tableId":"People","lookupColId":"Mail","charId":"Email"}');
  expect(pets?.[0]).toBe("$Level == 'Level' and newRec.Level != user.Who.Rank # rec.Level");
  expect(String(pets?.[1])).toContain('["Attr", ["Attr", ["Name", "user"], "Who"], "Rank"]');
  expect(people?.[0]).toBe("rec.Rank in [user.Level]");
  scratch.apply([["ApplyUndoActions", undo]]);
  expect(scratch.content()).toEqual(before);
});
