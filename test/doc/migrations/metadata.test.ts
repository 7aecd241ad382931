import { expect, test } from "bun:test";
import { METADATA_TABLES } from "../../../src/doc/metadata-tables.ts";
import { marshal } from "../../../src/values/marshal.ts";
import { addView, imported } from "./imported.ts";

test("a document of the first version gets every table and column", () => {
  using db = imported("first", () => {});
  for (const table of METADATA_TABLES) {
    const stored = db.values("select name from pragma_table_info(?)", table.id).flat();
    for (const column of table.columns) expect(stored).toContain(column.id);
  }
  expect(db.values("select schemaVersion, timezone, documentSettings from _grist_DocInfo")).toEqual([
    [46, "America/New_York", '{"locale":"en-US"}'],
  ]);
  expect(db.values("select groupName, type from _grist_ACLPrincipals")).toEqual([
    ["Owners", "group"],
    ["Admins", "group"],
    ["Editors", "group"],
    ["Viewers", "group"],
  ]);
  expect(db.values("select tableId, colIds from _grist_ACLResources")).toEqual([["", ""]]);
  expect(db.values("select resource, permissions, principals, rulePos from _grist_ACLRules")).toEqual([
    [1, 63, "[1]", Infinity],
  ]);
});

test("converts marshalled metadata to plain values", () => {
  using db = imported(46, (old) => {
    old.table("T", [
      { id: "A", type: "Int" },
      { id: "B", type: "Int", formula: "1" },
    ]);
    old.db.run(
      "update _grist_Tables_column set isFormula = ?, recalcDeps = ? where id = 2",
      marshal(true),
      marshal(["L", 1]),
    );
  });
  expect(db.values("select isFormula, recalcDeps from _grist_Tables_column")).toEqual([
    [0, null],
    [1, "[1]"],
  ]);
});

test("treats a document with two info rows as of the first version, and keeps its data", () => {
  using db = imported(46, (old) => {
    const page = addView(old, "T");
    old.table("T", [{ id: "A", type: "Text" }], [{ A: "x" }], { primaryViewId: page, onDemand: 1 });
    old.add("_grist_Pages", { viewRef: page, pagePos: 5 });
    old.add("_grist_TabBar", { viewRef: page, tabPos: 3 });
    old.add("_grist_DocInfo", { schemaVersion: 46, timezone: "UTC" });
  });
  expect(db.values("select id, schemaVersion, timezone from _grist_DocInfo")).toEqual([[1, 46, "UTC"]]);
  expect(db.values("select viewRef, pagePos from _grist_Pages")).toEqual([[1, 5]]);
  expect(db.values("select viewRef, tabPos from _grist_TabBar")).toEqual([[1, 3]]);
  expect(db.values("select onDemand from _grist_Tables")).toEqual([[1]]);
  expect(db.values("select A from T")).toEqual([["x"]]);
});

test("adds a missing info row", () => {
  using db = imported(20, (old) => old.db.exec("delete from _grist_DocInfo"));
  expect(db.values("select id, schemaVersion from _grist_DocInfo")).toEqual([[1, 46]]);
});
