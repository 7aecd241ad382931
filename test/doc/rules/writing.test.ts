import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { AppError } from "../../../src/errors.ts";
import { type ApplyLike, Scratch } from "../actions/scratch.ts";
import { addingRules, type WrittenRules } from "./ruled.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    [
      "AddTable",
      "Jobs",
      [
        { id: "Name", type: "Text" },
        { id: "Hours", type: "Int" },
        { id: "Done", type: "Bool" },
        { id: "Twice", type: "Any", isFormula: true, formula: "$Hours * 2" },
      ],
    ],
    [
      "BulkAddRecord",
      "Jobs",
      [null, null, null],
      { Name: ["dig", "sow", "mow"], Hours: [1, 2, 3], Done: [false, true, false] },
    ],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const add = (rules: WrittenRules) => scratch.apply(addingRules(rules));
const EDITOR: ApplyLike = { role: "editors" };
const allowed = (...actions: UserAction[]) => scratch.apply(actions, EDITOR).retValues;

/** Runs actions as an editor; they must be refused without any effect. Returns the refusal. */
function refused(...actions: UserAction[]): { message: string; memos: unknown } {
  const before = scratch.content();
  try {
    scratch.apply(actions, EDITOR);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "forbidden") throw error;
    expect(scratch.content()).toEqual(before);
    return { message: error.message, memos: error.details?.["memos"] };
  }
  throw new Error("this was allowed");
}
const update = (id: number, values: object): UserAction => ["UpdateRecord", "Jobs", id, values];

describe("tables", () => {
  test("refuses permissions denied to all callers before any other check", () => {
    add({ "Jobs:*": [{ formula: "user.Access == EDITOR", permissions: "-CUD", memo: "ask Ann" }] });
    const memos = [{ kind: "reason", text: "ask Ann" }];
    expect(refused(["AddRecord", "Jobs", null, {}])).toEqual({
      message: "Blocked by table create access rules",
      memos,
    });
    expect(refused(update(77, { Nothing: 1 }))).toEqual({ message: "Blocked by table update access rules", memos });
    expect(refused(update(1, { Name: "dig" })).message).toBe("Blocked by table update access rules");
    expect(refused(["RemoveRecord", "Jobs", 1])).toEqual({ message: "Blocked by table delete access rules", memos });
    expect(refused(["ReplaceTableData", "Jobs", [], {}]).message).toBe("Blocked by table create access rules");
    scratch.apply([update(1, { Name: "owners are free" })]);
  });

  test("rolls back all actions when one is refused", () => {
    add({ "Jobs:*": [{ formula: "user.Access == EDITOR", permissions: "-D" }] });
    refused(update(1, { Name: "hoe" }), ["AddRecord", "Table1", null, {}], ["BulkRemoveRecord", "Jobs", [1]]);
  });

  test("applies to owners too, except for writing the rules", () => {
    add({ "*:*": [{ permissions: "none" }] });
    expect(() => scratch.apply([update(1, { Name: "hoe" })])).toThrow("Blocked by table update");
    expect(() => scratch.apply([["AddTable", "More", []]])).toThrow("Blocked by table structure");
    scratch.apply([
      ["RemoveRecord", "_grist_ACLRules", 2],
      ["RemoveRecord", "_grist_ACLResources", 2],
      update(1, { Name: "hoe" }),
    ]);
  });

  test("applies rules of the same request to subsequent actions", () => {
    const rules = addingRules({ "Jobs:*": [{ permissions: "-D" }] });
    expect(() => scratch.apply([...rules, ["RemoveRecord", "Jobs", 1]])).toThrow("Blocked by table delete");
    expect(scratch.document.rules).toBeNull();
  });
});

describe("rows", () => {
  test("are checked before and after the change, including formulas", () => {
    add({
      "Jobs:*": [
        { formula: "rec.Done and user.Access == EDITOR", permissions: "-UD", memo: "done is done" },
        { formula: "newRec.Twice > 16 and user.Access == EDITOR", permissions: "-CU" },
      ],
    });
    allowed(update(1, { Hours: 8 }), update(3, { Done: true }));
    const reason = [{ kind: "reason", text: "done is done" }];
    expect(refused(update(2, { Hours: 1 }))).toEqual({ message: "Blocked by row update access rules", memos: reason });
    expect(refused(update(1, { Hours: 9 }))).toEqual({ message: "Blocked by row update access rules", memos: [] });
    expect(refused(update(3, { Done: false }))).toMatchObject({ memos: reason });
    expect(refused(["BulkRemoveRecord", "Jobs", [1, 2]])).toEqual({
      message: "Blocked by row delete access rules",
      memos: reason,
    });
    expect(refused(["BulkAddRecord", "Jobs", [null, null], { Hours: [1, 9] }]).message).toBe(
      "Blocked by row create access rules",
    );
    allowed(["AddRecord", "Jobs", null, { Hours: 8, Done: true }], ["BulkRemoveRecord", "Jobs", [1, 99]]);
  });

  test("are checked in their state at the end of the request", () => {
    add({ "Jobs:*": [{ formula: "newRec.Hours > 10 and user.Access == EDITOR", permissions: "-U" }] });
    allowed(update(1, { Hours: 12 }), update(1, { Hours: 6 }));
    refused(update(1, { Hours: 5 }), update(1, { Hours: 12 }));
    refused(update(1, { Hours: 12 }), ["RemoveRecord", "Jobs", 1]);
    refused(
      update(1, { Hours: 12 }),
      ["RenameColumn", "Jobs", "Hours", "Time"],
      ["UpdateRecord", "Jobs", 1, { Time: 6 }],
    );
  });

  test("are checked at the end of the request when new", () => {
    add({ "Jobs:*": [{ formula: "rec.Hours > 10 and user.Access == EDITOR", permissions: "-C" }] });
    allowed(["AddRecord", "Jobs", -1, { Hours: 12 }], update(-1, { Hours: 6 }));
    refused(["AddRecord", "Jobs", -1, { Hours: 1 }], update(-1, { Hours: 12 }));
    refused(["ReplaceTableData", "Jobs", [1, 2], { Hours: [1, 12] }]);
    allowed(["ReplaceTableData", "Jobs", [1, 2], { Hours: [1, 10] }]);
  });

  test("require delete permission when a replacement removes them", () => {
    add({ "Jobs:*": [{ formula: "rec.Done", permissions: "-D" }] });
    expect(refused(["ReplaceTableData", "Jobs", [1], { Hours: [1] }]).message).toBe(
      "Blocked by row delete access rules",
    );
  });

  test("a failing rule denies what it denies, and reports its error", () => {
    add({ "Jobs:*": [{ formula: "rec.Hours.lower() == 'x'", permissions: "-U", memo: "odd" }] });
    const { memos } = refused(update(1, { Hours: 7 }));
    expect(memos).toEqual([
      { kind: "reason", text: expect.stringContaining(".lower()") },
      { kind: "reason", text: "odd" },
    ]);
  });

  test("a refusal names a rule that would have allowed the action", () => {
    add({
      "Jobs:*": [
        { formula: "rec.Done and user.Access == EDITOR", permissions: "+U", memo: "finish it first" },
        { formula: "user.Access == EDITOR", permissions: "-U" },
      ],
    });
    expect(refused(update(1, { Hours: 7 })).memos).toEqual([{ kind: "remedy", text: "finish it first" }]);
    allowed(update(2, { Hours: 7 }));
  });
});

describe("columns", () => {
  test("need no update permission in new rows", () => {
    add({ "Jobs:Hours": [{ formula: "user.Access == EDITOR", permissions: "-UCD", memo: "fixed" }] });
    const refusal = refused(update(1, { Name: "hoe", Hours: 9 }));
    expect(refusal).toEqual({
      message: "Blocked by column update access rules",
      memos: [{ kind: "reason", text: "fixed" }],
    });
    allowed(
      update(1, { Name: "hoe", Hours: 1 }),
      ["AddRecord", "Jobs", null, { Hours: 9 }],
      ["RemoveRecord", "Jobs", 2],
    );
  });

  test("may depend on the row", () => {
    add({ "Jobs:Hours": [{ formula: "rec.Done or newRec.Hours > 5", permissions: "-U" }] });
    allowed(update(1, { Hours: 5 }), update(2, { Name: "hoe" }), update(3, { Name: "saw", Hours: 4 }));
    expect(refused(update(2, { Hours: 1 })).message).toBe("Blocked by column update access rules");
    refused(update(1, { Hours: 6 }));
    refused(["BulkUpdateRecord", "Jobs", [1, 2], { Hours: [2, 3] }]);
  });

  test("need no permission for updates by formulas and references", () => {
    scratch.apply([
      [
        "AddTable",
        "Log",
        [
          { id: "Job", type: "Ref:Jobs" },
          { id: "Note", type: "Text" },
        ],
      ],
      ["AddColumn", "Jobs", "Stamp", { type: "Int", isFormula: false, formula: "$Hours + 1", recalcWhen: 2 }],
      ["AddRecord", "Log", null, { Job: 3, Note: "x" }],
    ]);
    add({
      "Jobs:Twice,Stamp": [{ permissions: "-U" }],
      "Log:*": [{ formula: "user.Access == EDITOR", permissions: "none" }],
    });
    allowed(update(1, { Hours: 6 }), ["RemoveRecord", "Jobs", 3]);
    expect(scratch.rows("Jobs", "Twice", "Stamp")).toMatchObject({ 1: [12, 7] });
    expect(scratch.rows("Log", "Job")).toEqual({ 1: [0] });
    refused(update(1, { Stamp: 1 }));
  });
});

describe("add or update", () => {
  const upsert = (require: object, values: object): UserAction => ["AddOrUpdateRecord", "Jobs", require, values, {}];

  test("requires reading the whole table, and neither create nor update denied", () => {
    add({ "Jobs:Hours": [{ formula: "user.Access == EDITOR", permissions: "-R" }] });
    expect(refused(upsert({ Name: "dig" }, { Done: true })).message).toBe("Blocked by table read access rules");
    scratch.apply([upsert({ Name: "dig" }, { Done: true })]);
    scratch.do("UpdateRecord", "_grist_ACLRules", 2, { permissionsText: "-U" });
    allowed(upsert({ Name: "dig" }, { Done: false }));
    expect(refused(upsert({ Name: "dig" }, { Hours: 7 })).message).toBe("Blocked by column update access rules");
    scratch.do("UpdateRecord", "_grist_ACLResources", 2, { colIds: "*" });
    refused(upsert({ Name: "new" }, {}));
    scratch.do("UpdateRecord", "_grist_ACLRules", 2, { permissionsText: "-C" });
    refused(upsert({ Name: "dig" }, { Done: true }));
    scratch.do("UpdateRecord", "_grist_ACLRules", 2, { permissionsText: "-D" });
    allowed(upsert({ Name: "new" }, { Hours: 4 }));
  });

  test("cannot be combined with schema changes", () => {
    add({ "Table1:*": [{ permissions: "+R" }] });
    const column: UserAction = ["AddColumn", "Jobs", "More", {}];
    refused(upsert({ Name: "dig" }, { Hours: 7 }), column);
    refused(column, upsert({ Name: "dig" }, { Hours: 7 }));
  });
});

describe("tables and columns", () => {
  const changes: UserAction[] = [
    ["AddTable", "More", [{ id: "A" }]],
    ["RenameTable", "Jobs", "Tasks"],
    ["RemoveTable", "Jobs"],
    ["DuplicateTable", "Jobs", "Copy", false],
    ["AddColumn", "Jobs", "More", {}],
    ["RenameColumn", "Jobs", "Hours", "Time"],
    ["ModifyColumn", "Jobs", "Hours", { type: "Text" }],
    ["RemoveColumn", "Jobs", "Hours"],
    ["UpdateRecord", "_grist_Tables_column", 2, { label: "Other" }],
    ["UpdateRecord", "_grist_Views", 1, { name: "Other" }],
    ["UpdateRecord", "_grist_DocInfo", 1, { timezone: "Europe/Berlin" }],
    ["ApplyDocActions", [["AddColumn", "Jobs", "More", {}]]],
    ["ApplyUndoActions", [["UpdateRecord", "_grist_Views", 1, { name: "Other" }]]],
  ];
  test.each(changes.map((action) => [action]))("%j requires its own permission", (action) => {
    add({ "*:*": [{ formula: "user.Access != OWNER", permissions: "-S", memo: "ask first" }] });
    expect(refused(action)).toEqual({
      message: expect.stringMatching(/^Blocked by (table|full) structure access rules$/),
      memos: [{ kind: "reason", text: "ask first" }],
    });
    allowed(update(1, { Hours: 9 }), ["AddRecord", "Table1", null, { A: "an empty column" }]);
  });

  test("denials of structure access for a table or column have no effect", () => {
    add({ "Jobs:*": [{ permissions: "-S" }], "Jobs:Hours": [{ permissions: "-S" }] });
    allowed(["RenameColumn", "Jobs", "Hours", "Time"], ["RemoveTable", "Jobs"]);
  });

  test("copying a table with its rows requires reading all of them", () => {
    add({ "Jobs:*": [{ formula: "rec.Done and user.Access == EDITOR", permissions: "-R" }] });
    allowed(["DuplicateTable", "Jobs", "Shape", false]);
    expect(refused(["DuplicateTable", "Jobs", "Copy", true]).message).toBe("Blocked by table read access rules");
    scratch.apply([["DuplicateTable", "Jobs", "Copy", true]]);
  });

  test("tool actions require owners, whether known or not, and unknown actions are refused", () => {
    expect(() => allowed(["EvalCode", "1"])).toThrow("Unknown action");
    add({ "Table1:*": [{ permissions: "+R" }] });
    expect(refused(["AddHiddenColumn", "Jobs", "More", {}]).message).toContain("owners");
    expect(refused(["EvalCode", "1"]).message).toContain("owners");
    expect(() => allowed(["Explode"])).toThrow("Unknown action");
    scratch.apply([["AddHiddenColumn", "Jobs", "More", {}]]);
  });
});

describe("steps of a history", () => {
  test("are checked by their effect on rows", () => {
    add({ "Jobs:*": [{ formula: "rec.Done and user.Access == EDITOR", permissions: "-UD" }] });
    const { undo } = scratch.apply([update(1, { Hours: 5 })], EDITOR);
    allowed(["ApplyUndoActions", undo]);
    const steps = (...list: unknown[]): UserAction => ["ApplyDocActions", list];
    refused(steps(["UpdateRecord", "Jobs", 2, { Hours: 5 }]));
    refused(steps(["BulkRemoveRecord", "Jobs", [1, 2]]));
  });

  test("cannot write rows under another name of their table or column", () => {
    add({ "Jobs:*": [{ formula: "rec.Done and user.Access == EDITOR", permissions: "-U" }] });
    const there = ["RenameTable", "Jobs", "Other"];
    const back = ["RenameTable", "Other", "Jobs"];
    refused(["ApplyDocActions", [there, ["UpdateRecord", "Other", 2, { Hours: 5 }], back]]);
    const column = (from: string, to: string) => ["RenameColumn", "Jobs", from, to];
    refused(["ApplyDocActions", [column("Hours", "X"), ["UpdateRecord", "Jobs", 2, { X: 5 }], column("X", "Hours")]]);
    const renamed = scratch.apply([["RenameTable", "Table1", "Plants"]], EDITOR);
    allowed(["ApplyUndoActions", renamed.undo]);
  });

  test("restore a removed table with its rows", () => {
    add({ "Jobs:*": [{ formula: "rec.Done and user.Access == EDITOR", permissions: "-UD" }] });
    const { undo } = scratch.apply([["RemoveTable", "Jobs"]], EDITOR);
    allowed(["ApplyUndoActions", undo]);
    expect(Object.keys(scratch.rows("Jobs", "Name"))).toHaveLength(3);
  });
});

describe("attachments in cells", () => {
  const HOUR_MS = 3_600_000;
  const attach = (cells: unknown): UserAction => ["UpdateRecord", "Jobs", 1, { Files: cells }];
  const upload = (name: string, by: ApplyLike) =>
    scratch.apply([["AddRecord", "_grist_Attachments", null, { fileIdent: name, fileName: name }]], by);

  beforeEach(() => {
    scratch.apply([["AddColumn", "Jobs", "Files", { type: "Attachments", isFormula: false }]]);
    for (const name of ["a", "b", "c"]) upload(name, { user: { email: "olga@example.com" } });
    scratch.apply([
      [
        "BulkUpdateRecord",
        "Jobs",
        [2, 3],
        {
          Files: [
            ["L", 1],
            ["L", 12, 2],
          ],
        },
      ],
    ]);
    add({ "Jobs:*": [{ formula: "rec.Done and user.Access == EDITOR", permissions: "-R" }] });
  });

  test("must be readable in another cell", () => {
    expect(refused(attach(["L", 1])).message).toContain("Attachment 1");
    refused(attach(["L", 2, 3]));
    refused(["AddRecord", "Jobs", null, { Files: ["L", 1] }]);
    allowed(
      attach(["L", 2]),
      ["AddRecord", "Jobs", null, { Files: ["L", 2] }],
      ["UpdateRecord", "Jobs", 3, { Files: ["L", 12, 2] }],
    );
    scratch.apply([attach(["L", 1, 2, 3])]);
  });

  test("are not found by their ids in text", () => {
    for (const text of ["1", "99"]) {
      const id = allowed(["AddRecord", "Jobs", null, { Files: text }])[0];
      expect(scratch.rows("Jobs", "Files")[String(id)]).toEqual([text]);
    }
    const id = allowed(["AddRecord", "Jobs", null, { Files: "2" }])[0];
    expect(scratch.rows("Jobs", "Files")[String(id)]).toEqual([["L", 2]]);
  });

  test("or uploaded by the caller within a day", () => {
    const mail = { email: "eddie@example.com" };
    upload("d", { ...EDITOR, user: mail, nowMs: HOUR_MS });
    refused(attach(["L", 4]));
    expect(() => scratch.apply([attach(["L", 4])], { ...EDITOR, user: mail, nowMs: 26 * HOUR_MS })).toThrow(
      "Attachment 4",
    );
    scratch.apply([attach(["L", 4])], { ...EDITOR, user: mail, nowMs: 2 * HOUR_MS });
  });
});

test("hidden columns cannot be found by naming them", () => {
  scratch.apply([["AddTable", "Log", [{ id: "Job", type: "Ref:Jobs" }]]]);
  add({
    "Jobs:*": [{ formula: "rec.Done and user.Access == EDITOR", permissions: "-R" }],
    "Jobs:Hours": [{ formula: "user.Access == EDITOR", permissions: "-R" }],
  });
  const search = (value: unknown, column: string): UserAction => [
    "AddRecord",
    "Log",
    null,
    { Job: ["l", value, { column }] },
  ];
  allowed(search("dig", "Name"), search("sow", "Name"), search("none", "Name"), search(1, "Hours"), search(9, "Hours"));
  scratch.apply([search("sow", "Name"), search(1, "Hours")]);
  const cells = Object.values(scratch.rows("Log", "Job")).flat();
  expect(cells.map((cell) => typeof cell)).toEqual([
    "number",
    "string",
    "string",
    "string",
    "string",
    "number",
    "number",
  ]);
});

test("the server's own actions need no permission", () => {
  add({ "*:*": [{ permissions: "none" }] });
  expect(() => scratch.apply([["AddRecord", "_grist_Attachments", null, {}]], EDITOR)).toThrow("structure");
  scratch.apply([["AddRecord", "_grist_Attachments", null, {}]], { ...EDITOR, rules: "skip" });
});
