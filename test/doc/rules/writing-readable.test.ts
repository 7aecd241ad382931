/** Writers are restricted to what they can read, and learn nothing about the rest. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { AppError } from "../../../src/errors.ts";
import { type ApplyLike, Scratch } from "../actions/scratch.ts";
import { addingRules, type WrittenRules } from "./ruled.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  const jobs = [
    { id: "Name", type: "Text", isFormula: false },
    { id: "Hours", type: "Int", isFormula: false },
    { id: "Done", type: "Bool", isFormula: false },
    { id: "Twice", type: "Any", isFormula: true, formula: "$Hours * 2" },
  ];
  scratch.apply([
    ["AddTable", "Jobs", jobs],
    [
      "BulkAddRecord",
      "Jobs",
      [null, null, null],
      { Name: ["dig", "sow", "mow"], Hours: [1, 2, 3], Done: [false, true, false] },
    ],
    ["AddTable", "Log", [{ id: "Job", type: "Ref:Jobs", isFormula: false }]],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const EDITOR: ApplyLike = { role: "editors" };
const add = (rules: WrittenRules) => scratch.apply(addingRules(rules));
const allowed = (...actions: UserAction[]) => scratch.apply(actions, EDITOR);

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly memos: unknown;
}

/** Runs actions as an editor; they must be refused without any change. */
function refused(...actions: UserAction[]): Refusal {
  const before = scratch.content();
  try {
    scratch.apply(actions, EDITOR);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(scratch.content()).toEqual(before);
    return { code: error.code, message: error.message, memos: error.details?.["memos"] };
  }
  throw new Error("this was allowed");
}

const update = (id: number, values: object): UserAction => ["UpdateRecord", "Jobs", id, values];
const messageOf = (...actions: UserAction[]) => refused(...actions).message;

const HIDDEN_ROWS: WrittenRules = {
  "Jobs:*": [{ formula: "rec.Done and user.Access == EDITOR", permissions: "-R", memo: "done is done" }],
};
const HIDDEN_CELLS: WrittenRules = {
  "Jobs:Hours": [{ formula: "rec.Done and user.Access == EDITOR", permissions: "-R" }],
};
const HIDDEN_COLUMN: WrittenRules = { "Jobs:Hours": [{ formula: "user.Access == EDITOR", permissions: "-R" }] };

describe("hidden rows", () => {
  test("are refused like missing rows by every action", () => {
    add(HIDDEN_ROWS);
    const memos = [{ kind: "reason", text: "done is done" }];
    const expected = { code: "forbidden", message: "Blocked by row read access rules", memos };
    for (const id of [2, 99]) {
      expect(refused(update(id, { Hours: 7 }))).toEqual(expected);
      expect(refused(update(id, { Name: "sow", Hours: 2 }))).toEqual(expected);
      expect(refused(update(id, { Hours: ["E", "odd"] }))).toEqual(expected);
      expect(refused(["BulkUpdateRecord", "Jobs", [1, id], { Hours: [1, 2] }])).toEqual(expected);
      expect(refused(["RemoveRecord", "Jobs", id])).toEqual(expected);
      expect(refused(["BulkRemoveRecord", "Jobs", [1, id]])).toEqual(expected);
      expect(refused(["AddRecord", "Jobs", id, { Hours: 1 }])).toEqual(expected);
      expect(refused(["ApplyDocActions", [update(id, { Hours: 7 })]])).toEqual(expected);
      expect(refused(["ApplyDocActions", [["RemoveRecord", "Jobs", id]]])).toEqual(expected);
      expect(refused(["ApplyDocActions", [["AddRecord", "Jobs", id, {}]]])).toEqual(expected);
      expect(refused(["ApplyUndoActions", [["AddRecord", "Jobs", id, {}]]])).toEqual(expected);
    }
  });

  test("prevent replacing all rows", () => {
    add(HIDDEN_ROWS);
    expect(messageOf(["ReplaceTableData", "Jobs", [7], {}])).toBe("Blocked by row read access rules");
    expect(messageOf(["ApplyDocActions", [["ReplaceTableData", "Jobs", [7], {}]]])).toBe(
      "Blocked by row read access rules",
    );
  });

  test("do not prevent updating and removing other rows, nor adding rows without ids", () => {
    add(HIDDEN_ROWS);
    allowed(update(1, { Hours: 7 }), ["RemoveRecord", "Jobs", 3], ["AddRecord", "Jobs", null, { Name: "hoe" }]);
    allowed(["AddRecord", "Jobs", -1, { Name: "saw" }], update(-1, { Hours: 5 }));
    expect(scratch.rows("Jobs", "Name", "Hours")).toEqual({
      1: ["dig", 7],
      2: ["sow", 2],
      3: ["hoe", 0],
      4: ["saw", 5],
    });
  });

  test("unknown ids have their usual effect where all rows are visible", () => {
    add(HIDDEN_COLUMN);
    expect(refused(update(99, { Name: "x" })).code).toBe("invalid");
    expect(refused(["AddRecord", "Jobs", 1, {}]).code).toBe("invalid");
    allowed(["BulkRemoveRecord", "Jobs", [3, 99]], ["AddRecord", "Jobs", 8, {}]);
  });

  test("a request may continue with a row that it hides from the caller", () => {
    add(HIDDEN_ROWS);
    allowed(update(1, { Done: true }), update(1, { Hours: 7 }));
    expect(refused(update(1, { Hours: 8 })).code).toBe("forbidden");
  });
});

describe("hidden cells", () => {
  test("cannot be updated, not even to their own value, while other cells of the row can", () => {
    add(HIDDEN_CELLS);
    for (const hours of [2, 7]) {
      expect(messageOf(update(2, { Hours: hours }))).toBe("Blocked by column read access rules");
      expect(messageOf(["ApplyDocActions", [update(2, { Hours: hours })]])).toBe("Blocked by column read access rules");
    }
    allowed(update(2, { Name: "reap" }), update(1, { Hours: 7 }));
  });

  test("of a column are refused before values are examined", () => {
    add(HIDDEN_COLUMN);
    expect(messageOf(update(1, { Hours: 1 }))).toBe("Blocked by column read access rules");
    expect(messageOf(update(1, { Name: "x", Hours: 2 }))).toBe("Blocked by column read access rules");
    allowed(update(1, { Name: "x" }), ["AddRecord", "Jobs", null, { Hours: 3 }], ["RemoveRecord", "Jobs", 1]);
  });

  test("of an unreadable table cannot be written, but rows can be added", () => {
    add({ "Jobs:*": [{ formula: "user.Access == EDITOR", permissions: "-R" }] });
    expect(messageOf(update(1, { Hours: 1 }))).toBe("Blocked by table read access rules");
    expect(messageOf(["RemoveRecord", "Jobs", 1])).toBe("Blocked by table read access rules");
    expect(messageOf(["AddRecord", "Jobs", 9, {}])).toBe("Blocked by row read access rules");
    allowed(["AddRecord", "Jobs", null, { Hours: 1 }]);
  });

  test("allow writing the present value to a readable cell without update permission", () => {
    add({ "Jobs:Hours": [{ formula: "user.Access == EDITOR", permissions: "-U" }] });
    allowed(update(1, { Name: "hoe", Hours: 1 }));
    expect(messageOf(update(1, { Hours: 2 }))).toBe("Blocked by column update access rules");
  });

  test("cannot be revealed, written and hidden within one request", () => {
    add(HIDDEN_CELLS);
    expect(messageOf(update(2, { Done: false }), update(2, { Hours: 9 }), update(2, { Done: true }))).toBe(
      "Blocked by column read access rules",
    );
    add({ "Jobs:Name": [{ formula: "rec.Done and user.Access == EDITOR", permissions: "-R" }] });
    const search: UserAction = ["AddRecord", "Log", null, { Job: ["l", "sow", { column: "Name" }] }];
    allowed(update(2, { Done: false }), search, update(2, { Done: true }));
    expect(scratch.rows("Log", "Job")).toEqual({ 1: ["sow"] });
  });

  test("are not revealed by whether a history step changes formula results", () => {
    add(HIDDEN_ROWS);
    const guess = (value: number) => allowed(["ApplyDocActions", [update(2, { Twice: value })]]);
    expect([guess(4).stored, guess(5).stored]).toEqual([[], []]);
    expect([guess(4).calculated, guess(5).calculated]).toEqual([[], []]);
  });

  test("are not revealed by renaming the choices of a column", () => {
    scratch.apply([["AddColumn", "Jobs", "Kind", { type: "Choice", isFormula: false }]]);
    add(HIDDEN_ROWS);
    const rename: UserAction = ["RenameChoices", "Jobs", "Kind", { old: "new" }];
    expect(messageOf(rename)).toBe("Blocked by row read access rules");
    // Nor whether hidden rows exist.
    scratch.apply([update(2, { Done: false })]);
    expect(messageOf(rename)).toBe("Blocked by row read access rules");
  });
});

describe("looking up rows by value", () => {
  beforeEach(() => {
    const { tableById } = scratch.document.schema;
    const visibleCol = tableById.get("Jobs")?.columnById.get("Name")?.ref;
    const colRef = tableById.get("Log")?.columnById.get("Job")?.ref;
    scratch.apply([
      ["AddRecord", "Jobs", null, { Name: "sow", Hours: 2 }],
      ["ModifyColumn", "Log", "Job", { visibleCol }],
      ["SetDisplayFormula", "Log", null, colRef, "$Job.Name"],
      ["AddColumn", "Log", "Jobs", { type: "RefList:Jobs", isFormula: false, visibleCol }],
      ["AddColumn", "Log", "Plain", { type: "Ref:Jobs", isFormula: false }],
    ]);
  });

  const found = (values: Record<string, unknown>) => {
    const id = allowed(["AddRecord", "Log", null, values]).retValues[0] as number;
    return scratch.rows("Log", ...Object.keys(values))[id];
  };

  test("considers only readable rows, by every path", () => {
    add(HIDDEN_ROWS);
    // Row 2 is hidden, row 4 has the same name.
    expect(found({ Job: "sow" })).toEqual([4]);
    expect(found({ Job: ["l", "sow"] })).toEqual([4]);
    expect(found({ Plain: ["l", "sow", { column: "Name" }] })).toEqual([4]);
    expect(found({ Jobs: "sow, dig" })).toEqual([["L", 4, 1]]);
    expect(found({ Jobs: ["l", ["sow", "dig"]] })).toEqual([["L", 4, 1]]);
    expect(found({ Plain: "2" })).toEqual(["2"]);
    expect(found({ Plain: "99" })).toEqual(["99"]);
    expect(found({ Plain: ["l", 2] })).toEqual(["2"]);
    expect(found({ Plain: "1" })).toEqual([1]);
  });

  test("considers only readable cells", () => {
    add({ "Jobs:Name": [{ formula: "rec.Done and user.Access == EDITOR", permissions: "-R" }], ...HIDDEN_COLUMN });
    expect(found({ Job: "sow" })).toEqual([4]);
    expect(found({ Plain: ["l", 2, { column: "Hours" }] })).toEqual(["2"]);
    // The row itself is visible.
    expect(found({ Plain: "2" })).toEqual([2]);
  });

  test("finds nothing in a hidden table", () => {
    add({ "Jobs:*": [{ formula: "user.Access == EDITOR", permissions: "-R" }] });
    expect(found({ Job: "dig", Plain: "1" })).toEqual(["dig", "1"]);
  });

  test("requires an upsert to read the searched columns, but not the tables they display", () => {
    add(HIDDEN_ROWS);
    const upsert = (require: object): UserAction => ["AddOrUpdateRecord", "Log", require, { Job: 1 }, {}];
    allowed(["AddRecord", "Log", null, { Job: 2 }], upsert({ Plain: 0 }));
    expect(messageOf(upsert({ gristHelper_Display: "sow" }))).toBe("Blocked by table read access rules");
    expect(messageOf(["AddOrUpdateRecord", "Jobs", { Name: "dig" }, { Hours: 1 }, {}])).toBe(
      "Blocked by table read access rules",
    );
  });
});

test("a single two-way reference does not name the hidden row that has it", () => {
  scratch.apply([
    ["AddReverseColumn", "Log", "Job"],
    ["ModifyColumn", "Jobs", "Log", { type: "Ref:Log" }],
    ["AddColumn", "Log", "Open", { type: "Bool", isFormula: false }],
    ["BulkAddRecord", "Log", [1, 2], { Job: [1, 0], Open: [false, true] }],
  ]);
  const take: UserAction = ["UpdateRecord", "Log", 2, { Job: 1 }];
  expect(messageOf(take)).toContain("not of rows 1 and 2");
  add({ "Log:*": [{ formula: "not rec.Open and user.Access == EDITOR", permissions: "-R" }] });
  expect(messageOf(take)).toContain("not of several rows");
});

test("a two-way reference does not reveal which rows exist to callers who cannot read all of them", () => {
  scratch.apply([
    ["AddReverseColumn", "Log", "Job"],
    ["BulkAddRecord", "Log", [1, 2], {}],
  ]);
  const missing: UserAction = ["UpdateRecord", "Log", 1, { Job: 99 }];
  expect(messageOf(missing)).toContain('"Jobs" has no row 99 yet');
  add(HIDDEN_ROWS);
  for (const job of [...Object.keys(scratch.rows("Jobs")).map(Number), 99])
    allowed(["UpdateRecord", "Log", 2, { Job: job }]);
});

test("callers can undo their own writes, including rows and formula results", () => {
  scratch.apply([["CreateViewSection", scratch.document.schema.tableById.get("Jobs")?.ref, 0, "record", [], null]]);
  add(HIDDEN_ROWS);
  const before = scratch.rows("Jobs");
  const changed = allowed(update(1, { Hours: 9 }));
  allowed(["ApplyUndoActions", changed.undo]);
  const removed = allowed(["RemoveRecord", "Jobs", 3]);
  scratch.apply([["ApplyUndoActions", removed.undo]], { ...EDITOR, restores: true });
  expect(scratch.rows("Jobs")).toEqual(before);
});
