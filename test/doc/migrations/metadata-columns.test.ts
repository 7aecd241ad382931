import { expect, test } from "bun:test";
import { nameLookupArguments } from "../../../src/doc/migrations/metadata-columns.ts";
import { marshal } from "../../../src/values/marshal.ts";
import { addSection, addView, imported } from "./imported.ts";

test("3: Derived becomes Any, and lookups that add rows name their arguments", () => {
  using db = imported("first", (old) =>
    old.table("T", [
      { id: "City", type: "Text" },
      { id: "Sum", type: "Derived", formula: "Sums.lookupOrAddDerived($City, Year=$Year)", sql: null },
    ]),
  );
  expect(db.values("select type, formula from _grist_Tables_column where colId = 'Sum'")).toEqual([
    ["Any", "Sums.lookupOrAddDerived(City=$City, Year=$Year)"],
  ]);
});

test.each([
  ["S.lookupOrAddDerived($a, $b)", "S.lookupOrAddDerived(a=$a, b=$b)"],
  ["S.lookupOrAddDerived( $a )", "S.lookupOrAddDerived( a=$a )"],
  ["S.lookupOrAddDerived(f($a, [$b]), '$c, $d', $e)", "S.lookupOrAddDerived(f($a, [$b]), '$c, $d', e=$e)"],
  [
    "S.lookupOrAddDerived($a).x + S.lookupOrAddDerived($b)",
    "S.lookupOrAddDerived(a=$a).x + S.lookupOrAddDerived(b=$b)",
  ],
  ["S.lookupOrAddDerived($a", "S.lookupOrAddDerived($a"],
  ["S.lookupOrAddDerived($a.b, -$c)", "S.lookupOrAddDerived($a.b, -$c)"],
  ["S.lookupRecords($a)", "S.lookupRecords($a)"],
])("rewrites the lookup %s to %s", (before, after) => {
  expect(nameLookupArguments(before)).toBe(after);
});

test("10, 16: display columns of references get helpers and become references", () => {
  using db = imported("first", (old) => {
    old.table("People", [
      { id: "Name", type: "Text" },
      { id: "Age", type: "Int" },
    ]);
    const shows = (visibleCol: string) => ({ widgetOptions: JSON.stringify({ widget: "Reference", visibleCol }) });
    const tasks = old.table(
      "Tasks",
      [
        { id: "Who", type: "Ref:People", meta: shows("Name") },
        { id: "Boss", type: "Ref:People", meta: shows("Age") },
        { id: "Row", type: "Ref:People", meta: shows("id") },
        { id: "Odd", type: "Ref:People", meta: shows("Gone") },
        { id: "Note", type: "Text", meta: { widgetOptions: '{"visibleCol":"Name"}' } },
        { id: "Bad", type: "Ref:People", meta: { widgetOptions: "{visibleCol" } },
      ],
      [{ Who: 1 }],
    );
    const list = addSection(old, tasks[""] ?? 0, addView(old, "Tasks"));
    old.add("_grist_Views_section_field", { parentId: list, colRef: tasks["Boss"] ?? 0, ...shows("Name") });
  });
  expect(
    db.values("select colId, displayCol, visibleCol, widgetOptions from _grist_Tables_column where parentId = 2"),
  ).toEqual([
    ["Who", 9, 1, '{"widget":"Reference"}'],
    ["Boss", 10, 2, '{"widget":"Reference"}'],
    ["Row", 11, 0, '{"widget":"Reference"}'],
    ["Odd", 12, 0, '{"widget":"Reference","visibleCol":"Gone"}'],
    ["Note", 0, 0, '{"visibleCol":"Name"}'],
    ["Bad", 0, 0, "{visibleCol"],
    ["gristHelper_Display", 0, 0, ""],
    ["gristHelper_Display2", 0, 0, ""],
    ["gristHelper_Display3", 0, 0, ""],
    ["gristHelper_Display4", 0, 0, ""],
  ]);
  expect(db.values("select formula, isFormula, type, parentPos from _grist_Tables_column where id in (9, 10)")).toEqual(
    [
      ["$Who.Name", 1, "Any", 1],
      ["$Boss.Age", 1, "Any", 1],
    ],
  );
  expect(db.values("select gristHelper_Display, gristHelper_Display4 from Tasks")).toEqual([
    ["", marshal(["E", "AttributeError"])],
  ]);
  expect(db.values("select visibleCol, widgetOptions from _grist_Views_section_field where id = 1")).toEqual([
    [1, '{"widget":"Reference"}'],
  ]);
});

test("17, 28: images become lists of attachments", () => {
  const images = [3, 2.0, 0, -1, 1.5, "", "x", null, marshal(4)];
  using db = imported(16, (old) => {
    old.table(
      "T",
      [
        { id: "Img", type: "Image", sql: "BLOB DEFAULT 0" },
        { id: "Shown", type: "Image", formula: "$Img", sql: "BLOB DEFAULT 0" },
      ],
      images.map((Img) => ({ Img, Shown: 1 })),
    );
  });
  expect(db.values("select type from _grist_Tables_column")).toEqual([["Attachments"], ["Attachments"]]);
  expect(db.values("select Img from T").flat()).toEqual(["[3]", "[2]", null, null, null, null, null, null, "[4]"]);
  expect(db.values("select type, dflt_value from pragma_table_info('T') where name = 'Img'")).toEqual([
    ["TEXT", "NULL"],
  ]);
});

test("28: marshalled lists of attachments become JSON, other values are unchanged", () => {
  const cells = [marshal(["L", 1, 2]), "[3]", marshal(["L"]), null, "note", 5];
  using db = imported(27, (old) => {
    old.table(
      "T",
      [{ id: "Files", type: "Attachments" }],
      cells.map((Files) => ({ Files })),
    );
  });
  expect(db.values("select Files from T").flat()).toEqual(["[1,2]", "[3]", null, null, "note", marshal(5)]);
});

test("29: conditional formats of other tables are dropped with their styles", () => {
  using db = imported(28, (old) => {
    const rule = { id: "gristHelper_ConditionalRule", type: "Any", formula: "True" };
    const a = old.table("A", [rule, { id: "X", type: "Int" }]);
    const b = old.table("B", [rule, { id: "Y", type: "Int" }, { id: "Z", type: "Int" }]);
    const set = (ref: number | undefined, rules: string, options: string) =>
      old.db.run("update _grist_Tables_column set rules = ?, widgetOptions = ? where id = ?", rules, options, ref ?? 0);
    set(a["X"], `[${a[rule.id]}]`, '{"rulesOptions":[{"fillColor":"red"}]}');
    set(b["Y"], `[${a[rule.id]}]`, '{"rulesOptions":[{}],"alignment":"left"}');
    set(b["Z"], `[${b[rule.id]}]`, "");
  });
  expect(
    db.values("select colId, rules, widgetOptions from _grist_Tables_column where colId in ('X', 'Y', 'Z')"),
  ).toEqual([
    ["X", "[1]", '{"rulesOptions":[{"fillColor":"red"}]}'],
    ["Y", null, '{"alignment":"left"}'],
    ["Z", "[3]", ""],
  ]);
});

test("renames hidden columns of one table with equal ids", () => {
  using db = imported(46, (old) => {
    old.table("People", [{ id: "Name", type: "Text" }]);
    const tasks = old.table(
      "Tasks",
      [
        { id: "Who", type: "Ref:People", meta: { displayCol: 4 } },
        { id: "Boss", type: "Ref:People", meta: { displayCol: 5 } },
        { id: "gristHelper_Display", type: "Any", formula: "$Who.Name" },
      ],
      [{ gristHelper_Display: "Ann" }],
    );
    for (const formula of ["$Boss.Name", "$Gone.Name"]) {
      old.add("_grist_Tables_column", {
        parentId: tasks[""] ?? 0,
        colId: "gristHelper_Display",
        type: "Any",
        isFormula: 1,
        formula,
      });
    }
  });
  expect(db.values("select id, colId, formula from _grist_Tables_column where formula <> ''")).toEqual([
    [4, "gristHelper_Display", "$Who.Name"],
    [5, "gristHelper_Display2", "$Boss.Name"],
  ]);
  expect(db.values("select gristHelper_Display, gristHelper_Display2 from Tasks")).toEqual([["Ann", ""]]);
});
