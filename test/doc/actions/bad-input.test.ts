import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { AppError } from "../../../src/errors.ts";
import { writeVerbs } from "../../../src/hosts/verbs/writes.ts";
import type { Verb } from "../../../src/hosts/verbs/verb.ts";
import { grantOf } from "../read/sample.ts";
import { Scratch } from "./scratch.ts";

/** A refused request leaves the whole file unchanged, including its history, and the error names the cause. */

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    ["AddTable", "People", [{ id: "Name" }, { id: "Boss", type: "Ref:People" }, { id: "Len", formula: "len($Name)" }]],
    ["BulkAddRecord", "People", [null, null], { Name: ["ann", "bob"], Boss: [0, 1] }],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const fileState = (): unknown[] => {
  const { db } = scratch.document;
  return [scratch.content(), db.values("select * from _gristsys_ActionHistory order by id"), scratch.document.version];
};

const body = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

function refused(name: keyof typeof writeVerbs, args: object, request: unknown): AppError {
  const before = fileState();
  const off = { noparse: false, flat: false, noadd: false, noupdate: false, allowEmptyRequire: false };
  const verb = writeVerbs[name] as Verb<object, unknown>;
  let error: unknown;
  try {
    verb.run(scratch.document, grantOf("doc", "editors"), { ...off, replaceall: false, ...args, body: body(request) });
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(AppError);
  expect(fileState()).toEqual(before);
  return error as AppError;
}

const describeError = (error: AppError): string =>
  `${error.code}: ${error.message} ${JSON.stringify(error.details ?? {})}`;
const fiveHundred = (bad: object, good: (i: number) => object) =>
  Array.from({ length: 500 }, (_, i) => (i === 499 ? bad : good(i)));

describe("rejects a batch of 500 records whose last one is invalid", () => {
  const add = (fields: object) => ({ fields });
  const cases: [name: string, verb: keyof typeof writeVerbs, body: unknown, culprit: string][] = [
    ["unknown column", "records.add", fiveHundred(add({ Nope: 1 }), () => add({ Name: "x" })), '"Nope"'],
    ["formula column", "records.add", fiveHundred(add({ Len: 1 }), () => add({ Name: "x" })), '"Len"'],
    ["not a cell value", "records.add", fiveHundred(add({ Name: {} }), () => add({ Name: "x" })), "records[499]"],
    ["negative reference", "records.add", fiveHundred(add({ Boss: -7 }), () => add({ Boss: 1 })), '"Boss"'],
    [
      "unknown row",
      "records.modify",
      fiveHundred({ id: 4711, fields: { Name: "x" } }, (i) => ({ id: (i % 2) + 1, fields: { Name: "x" } })),
      "4711",
    ],
    [
      "different fields than the other records",
      "records.modify",
      fiveHundred({ id: 1, fields: { Boss: 1 } }, () => ({ id: 1, fields: { Name: "x" } })),
      "records[499]",
    ],
    [
      "duplicate require",
      "records.upsert",
      fiveHundred({ require: { Name: "n0" } }, (i) => ({ require: { Name: `n${i}` } })),
      "require",
    ],
    [
      "an id that is taken",
      "records.upsert",
      fiveHundred({ require: { id: 1, Name: "zoe" } }, (i) => ({ require: { id: i + 100, Name: `n${i}` } })),
      "row 1",
    ],
  ];
  for (const [name, verb, records, culprit] of cases) {
    test(name, () => {
      const error = refused(verb, { table: "People" }, { records });
      expect(error.code).toBe("invalid");
      expect(describeError(error)).toContain(culprit);
    });
  }
});

test("rejects unknown tables and columns", () => {
  expect(describeError(refused("records.add", { table: "Nope" }, { records: [{}] }))).toContain("notFound");
  expect(describeError(refused("records.add", { table: "people" }, { records: [{}] }))).toContain("notFound");
  expect(describeError(refused("columns.delete", { table: "People", column: "name" }, {}))).toContain("notFound");
  expect(
    describeError(refused("columns.modify", { table: "People" }, { columns: [{ id: "x", fields: {} }] })),
  ).toContain("x");
  expect(describeError(refused("actions.apply", {}, [["AddRecord", "Nope", null, {}]]))).toContain(
    'invalid: Table "Nope" does not exist',
  );
  expect(describeError(refused("actions.apply", {}, [["UpdateRecord", "People", 1, { Nope: 1 }]]))).toContain('"Nope"');
});

test("rejects lists of unequal length", () => {
  expect(describeError(refused("data.add", { table: "People" }, { Name: ["a", "b"], Boss: [1] }))).toContain(
    "same length",
  );
  expect(describeError(refused("data.modify", { table: "People" }, { id: [1, 2], Name: ["a"] }))).toContain(
    "body.Name",
  );
  const action = ["BulkAddRecord", "People", [null, null], { Name: ["a"] }];
  expect(describeError(refused("actions.apply", {}, [["AddRecord", "People", null, {}], action]))).toContain(
    "BulkAddRecord",
  );
});

test("rolls back table changes before an invalid action", () => {
  const good = [
    ["AddTable", "New", [{ id: "A" }]],
    ["AddReverseColumn", "People", "Boss"],
    ["RenameColumn", "People", "Name", "Title"],
    ["ModifyColumn", "People", "Title", { type: "Int" }],
    ["RemoveTable", "Table1"],
  ];
  expect(describeError(refused("actions.apply", {}, [...good, ["RemoveColumn", "People", "Name"]]))).toContain(
    '"Name"',
  );
  expect(scratch.rows("People", "Name")).toEqual({ 1: ["ann"], 2: ["bob"] });
});

test("appends a number to taken names, and protects the position column", () => {
  expect(scratch.do("RenameColumn", "People", "Boss", "name")).toBe("name2");
  expect(scratch.do("RenameTable", "People", "table1")).toBe("Table1_2");
  expect(scratch.do("AddColumn", "Table1_2", "ID", {})).toMatchObject({ colId: "ID2" });
  const error = refused("actions.apply", {}, [["ApplyDocActions", [["RenameColumn", "Table1_2", "name2", "NAME"]]]]);
  expect(describeError(error)).toContain("already has a column");
  expect(describeError(refused("actions.apply", {}, [["RenameColumn", "Table1_2", "manualSort", "x"]]))).toContain(
    "position column",
  );
  expect(describeError(refused("actions.apply", {}, [["RemoveColumn", "Table1_2", "manualSort"]]))).toContain(
    "position column",
  );
});

test("keeps the document valid when references display themselves or each other", () => {
  const boss = scratch.column("People", "Boss")["ref"];
  scratch.apply([
    ["ModifyColumn", "People", "Boss", { visibleCol: boss }],
    ["SetDisplayFormula", "People", null, "Boss", "$Boss.Boss"],
  ]);
  const helper = String(
    scratch.document.schema.columnByRef.get(Number(scratch.column("People", "Boss")["displayCol"]))?.id,
  );
  scratch.do("ModifyColumn", "People", helper, { formula: `$${helper}` });
  scratch.apply([
    ["AddColumn", "People", "Other", { type: "Ref:People", isFormula: false, visibleCol: boss }],
    ["ModifyColumn", "People", "Boss", { visibleCol: scratch.column("People", "Name")["ref"] }],
    ["UpdateRecord", "People", 2, { Boss: "ann", Other: "1" }],
  ]);
  expect(scratch.rows("People", "Boss")).toEqual({ 1: [0], 2: [1] });
  scratch.do("RemoveColumn", "People", "Boss");
  expect(scratch.column("People", "Other")).toMatchObject({ visibleCol: 0, displayCol: 0 });
});

test("clears displayCol when a helper column is removed", () => {
  scratch.do("SetDisplayFormula", "People", null, "Boss", "$Boss.Name");
  scratch.do("RemoveColumn", "People", "gristHelper_Display");
  expect(scratch.column("People", "Boss")["displayCol"]).toBe(0);
});

describe("a summary in an imported document", () => {
  beforeEach(() => {
    const people = scratch.document.schema.tableById.get("People")?.ref ?? 0;
    const name = Number(scratch.column("People", "Name")["ref"]);
    const spec = [
      { id: "Name", type: "Text", isFormula: false, formula: "" },
      { id: "group", type: "RefList:People", isFormula: true, formula: "table.getSummarySourceGroup(rec)" },
      { id: "count", type: "Int", isFormula: true, formula: "len($group)" },
    ];
    const columns = spec.map(({ id: colId, ...rest }, i) => [
      "AddRecord",
      "_grist_Tables_column",
      100 + i,
      { parentId: 50, colId, ...rest, label: colId, parentPos: 100 + i, summarySourceCol: i === 0 ? name : 0 },
    ]);
    scratch.do("ApplyDocActions", [
      ["AddTable", "People_summary_Name", spec],
      ["AddRecord", "_grist_Tables", 50, { tableId: "People_summary_Name", summarySourceTable: people }],
      ...columns,
      ["AddRecord", "_grist_Views_section", 90, { tableRef: 50, parentId: 1, parentKey: "record" }],
      [
        "BulkAddRecord",
        "People_summary_Name",
        [1, 2],
        {
          Name: ["ann", "bob"],
          group: [
            ["L", 1],
            ["L", 2],
          ],
          count: [1, 1],
        },
      ],
    ]);
  });

  test("rejects writes, regrouping and renaming", () => {
    const bad: unknown[][] = [
      ["UpdateRecord", "People_summary_Name", 1, { Name: "x" }],
      ["AddRecord", "People_summary_Name", null, { count: 3 }],
      ["RemoveRecord", "People_summary_Name", 1],
      ["ReplaceTableData", "People_summary_Name", [], {}],
      ["RenameTable", "People_summary_Name", "Mine"],
      ["UpdateRecord", "_grist_Tables", 50, { tableId: "Mine" }],
      ["RenameColumn", "People_summary_Name", "Name", "Title"],
      ["ModifyColumn", "People_summary_Name", "Name", { type: "Int" }],
      ["RemoveColumn", "People_summary_Name", "Name"],
      ["CopyFromColumn", "People_summary_Name", "count", "Name", null],
    ];
    for (const action of bad) expect(refused("actions.apply", {}, [action]).code).toBe("invalid");
  });

  test("follows renames and type changes of its source, and is deleted with it", () => {
    scratch.do("RenameColumn", "People", "Name", "Title");
    expect(scratch.rows("People_summary_Title", "Title")).toEqual({ 1: ["ann"], 2: ["bob"] });
    scratch.do("RenameTable", "People", "Staff");
    expect(scratch.column("Staff_summary_Title", "group")["type"]).toBe("RefList:Staff");
    scratch.do("ModifyColumn", "Staff", "Title", { type: "Choice" });
    expect(scratch.column("Staff_summary_Title", "Title")["type"]).toBe("Choice");
    scratch.do("RemoveTable", "Staff");
    expect(scratch.document.schema.tableByRef.has(50)).toBe(false);
  });
});
