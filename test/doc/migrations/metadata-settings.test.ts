import { expect, test } from "bun:test";
import { addSection, addView, imported } from "./imported.ts";

test("15, 25: filters of a section become rows", () => {
  using db = imported("first", (old) => {
    const refs = old.table("T", [
      { id: "A", type: "Text" },
      { id: "B", type: "Text" },
    ]);
    const filterSpec = JSON.stringify({ [String(refs["B"])]: { excluded: ["x"] } });
    const list = addSection(old, refs[""] ?? 0, addView(old, "T"), { filterSpec });
    for (const id of ["A", "B"]) old.add("_grist_Views_section_field", { parentId: list, colRef: refs[id] ?? 0 });
  });
  expect(db.values("select viewSectionRef, colRef, filter, pinned from _grist_Filters")).toEqual([
    [1, 2, '{"excluded":["x"]}', 0],
  ]);
});

test("34: filters of raw sections and of filter bars are pinned", () => {
  using db = imported(33, (old) => {
    old.drop("_grist_Filters", "pinned");
    const refs = old.table("T", [{ id: "A", type: "Text" }]);
    const page = addView(old, "T");
    const plain = addSection(old, refs[""] ?? 0, page);
    const bar = addSection(old, refs[""] ?? 0, page, { options: '{"filterBar":true}' });
    const raw = addSection(old, refs[""] ?? 0, 0);
    old.db.run("update _grist_Tables set rawViewSectionRef = ?", raw);
    for (const viewSectionRef of [plain, bar, raw]) {
      old.add("_grist_Filters", { viewSectionRef, colRef: refs["A"] ?? 0, filter: "{}" });
    }
  });
  expect(db.values("select viewSectionRef, pinned from _grist_Filters")).toEqual([
    [1, 0],
    [2, 1],
    [3, 1],
  ]);
});

test("35: the comment of a rule's formula becomes its memo", () => {
  using db = imported(34, (old) => {
    old.drop("_grist_ACLRules", "memo");
    for (const parsed of [
      '["Comment", ["Const", true], "no entry"]',
      '["Not", ["Comment", ["Const", 1], "x"]]',
      "[broken",
      "",
    ]) {
      old.add("_grist_ACLRules", { resource: 1, aclFormulaParsed: parsed });
    }
  });
  expect(db.values("select memo from _grist_ACLRules where id > 1").flat()).toEqual(["no entry", "", "", ""]);
});

test("39: earlier webhooks are enabled, later ones are unchanged", () => {
  using db = imported(38, (old) => {
    old.drop("_grist_Triggers", "enabled");
    old.table("T", []);
    old.add("_grist_Triggers", { tableRef: 1, eventTypes: '["add"]' });
  });
  expect(db.values("select enabled, label, memo from _grist_Triggers")).toEqual([[1, "", ""]]);
});

test("39: an existing column is kept", () => {
  using db = imported(38, (old) => {
    old.table("T", []);
    old.add("_grist_Triggers", { tableRef: 1, enabled: 0 });
  });
  expect(db.values("select enabled from _grist_Triggers")).toEqual([[0]]);
});

test("45: the times and state of comments move out of their content", () => {
  using db = imported(44, (old) => {
    for (const column of ["timeCreated", "timeUpdated", "resolved"]) old.drop("_grist_Cells", column);
    const refs = old.table("T", [{ id: "A", type: "Text" }], [{ A: "x" }]);
    const cell = { tableRef: refs[""] ?? 0, colRef: refs["A"] ?? 0, rowId: 1, type: 1 };
    old.add("_grist_Cells", {
      ...cell,
      content: '{"text":"hi","timeCreated":1700000000999,"timeUpdated":null,"resolved":true}',
    });
    old.add("_grist_Cells", { ...cell, content: '{"text":"ho"}' });
    old.add("_grist_Cells", { ...cell, content: "" });
  });
  expect(db.values("select content, timeCreated, timeUpdated, resolved from _grist_Cells")).toEqual([
    ['{"text":"hi"}', 1_700_000_000, 0, 1],
    ['{"text":"ho"}', 0, 0, 0],
    ["", null, null, 0],
  ]);
});
