import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { changesJson } from "../../../src/doc/history/changes-json.ts";
import { changesBetween, type CompareOptions, findStateRange } from "../../../src/doc/history/compare-states.ts";
import { listStates, removeOldStates } from "../../../src/doc/history/states.ts";
import { appendState } from "../../../src/doc/history.ts";
import { AppError } from "../../../src/errors.ts";
import { Scratch } from "../actions/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.do("AddTable", "Pets", [
    { id: "Name", type: "Text" },
    { id: "Age", type: "Int" },
  ]);
  scratch.do("BulkAddRecord", "Pets", [null, null, null], { Name: ["Tom", "Kit", "Max"], Age: [1, 2, 3] });
});
afterEach(() => scratch[Symbol.dispose]());

interface Reported {
  tableRenames: unknown[];
  tableDeltas: Record<string, { addRows: number[]; removeRows: number[]; columnDeltas: Record<string, object> }>;
}

/** Returns the changes of the newest states, without the metadata. */
function reported(back: number, options: Partial<CompareOptions> = {}): Reported {
  const { db } = scratch.document;
  const stretch = findStateRange(db, { left: `HEAD~${back}`, right: "HEAD" });
  const changes = changesBetween(db, stretch, { maxRows: Number.POSITIVE_INFINITY, ...options });
  const { tableRenames, tableDeltas } = JSON.parse([...changesJson(changes)].join("")) as Reported;
  const ofUsers = Object.entries(tableDeltas).filter(([table]) => !table.startsWith("_grist_"));
  return { tableRenames, tableDeltas: Object.fromEntries(ofUsers) };
}

/** Returns the changes of Pets after these states, one per list of actions. */
function pets(...states: UserAction[][]): unknown {
  for (const actions of states) scratch.apply(actions);
  return reported(states.length).tableDeltas["Pets"];
}

const none = { updateRows: [], removeRows: [], addRows: [], columnDeltas: {}, columnRenames: [] };

describe("rows and cells", () => {
  const cases: [what: string, states: UserAction[][], expected: unknown][] = [
    [
      "a change",
      [[["UpdateRecord", "Pets", 2, { Age: 5 }]]],
      { ...none, updateRows: [2], columnDeltas: { Age: { "2": [[2], [5]] } } },
    ],
    [
      "two changes of a cell",
      [[["UpdateRecord", "Pets", 2, { Age: 5 }]], [["UpdateRecord", "Pets", 2, { Age: 6 }]]],
      { ...none, updateRows: [2], columnDeltas: { Age: { "2": [[2], [6]] } } },
    ],
    [
      "a cell changed back",
      [[["UpdateRecord", "Pets", 2, { Age: 5 }]], [["UpdateRecord", "Pets", 2, { Age: 2 }]]],
      { ...none, updateRows: [2], columnDeltas: { Age: { "2": [[2], [2]] } } },
    ],
    ["a row that came and went", [[["AddRecord", "Pets", null, { Age: 9 }]], [["RemoveRecord", "Pets", 4]]], none],
    [
      "a row that was added, then changed",
      [[["AddRecord", "Pets", null, { Age: 9 }]], [["UpdateRecord", "Pets", 4, { Age: 8 }]]],
      { ...none, addRows: [4], columnDeltas: { Age: { "4": [null, [8]] }, manualSort: { "4": [null, [4]] } } },
    ],
    [
      "the same in one state",
      [
        [
          ["AddRecord", "Pets", null, { Age: 9 }],
          ["RemoveRecord", "Pets", 4],
        ],
      ],
      undefined,
    ],
    [
      "a row that went and came back",
      [[["RemoveRecord", "Pets", 2]], [["AddRecord", "Pets", 2, { Name: "Kat", Age: 8 }]]],
      {
        ...none,
        removeRows: [2],
        addRows: [2],
        columnDeltas: {
          Name: { "2": [["Kit"], ["Kat"]] },
          Age: { "2": [[2], [8]] },
          manualSort: { "2": [[2], [expect.any(Number)]] },
        },
      },
    ],
    [
      "a row changed, then removed",
      [[["UpdateRecord", "Pets", 1, { Age: 7 }]], [["RemoveRecord", "Pets", 1]]],
      {
        ...none,
        removeRows: [1],
        columnDeltas: { Age: { "1": [[1], null] }, Name: { "1": [["Tom"], null] }, manualSort: { "1": [[1], null] } },
      },
    ],
    ["the removal of a row that is not there", [[["RemoveRecord", "Pets", 77]]], undefined],
    [
      "other rows in place of all",
      [[["ReplaceTableData", "Pets", [3, 4], { Age: [30, 40] }]]],
      { updateRows: [], removeRows: [1, 2, 3], addRows: [3, 4], columnRenames: [], columnDeltas: expect.anything() },
    ],
  ];
  for (const [what, states, expected] of cases) {
    test(what, () => expect(pets(...states)).toEqual(expected as object));
  }

  test("includes all rows of a new reverse column, also unreferenced ones", () => {
    scratch.do("AddTable", "Owners", [{ id: "Pet", type: "Ref:Pets" }]);
    scratch.do("AddRecord", "Owners", null, { Pet: 2 });
    expect(pets([["AddReverseColumn", "Owners", "Pet"]])).toMatchObject({
      updateRows: [1, 2, 3],
      columnDeltas: { Owners: { "1": [[null], [null]], "2": [[null], [["L", 1]]], "3": [[null], [null]] } },
    });
    scratch.do("AddTable", "Toys", [{ id: "Pet", type: "Ref:Pets" }]);
    expect(pets([["AddReverseColumn", "Toys", "Pet"]])).toMatchObject({ updateRows: [1, 2, 3] });
  });

  test("counts rows with recomputed formulas as changed", () => {
    scratch.do("AddColumn", "Pets", "Twice", { formula: "$Age * 2" });
    expect(pets([["AddRecord", "Pets", null, { Age: 4 }]])).toMatchObject({
      addRows: [4],
      updateRows: [4],
      columnDeltas: { Twice: { "4": [null, [8]] } },
    });
  });

  test("attributes formula updates to a table renamed in the same state", () => {
    scratch.do("AddColumn", "Pets", "Twice", { formula: "$Age * 2" });
    scratch.apply([
      ["UpdateRecord", "Pets", 1, { Age: 4 }],
      ["RenameTable", "Pets", "Beasts"],
      ["RenameColumn", "Beasts", "Twice", "Double"],
    ]);
    expect(reported(1)).toMatchObject({
      tableRenames: [["Pets", "Beasts"]],
      tableDeltas: { Beasts: { columnDeltas: { Double: { "1": [[2], [8]] } }, columnRenames: [["Twice", "Double"]] } },
    });
  });
});

describe("tables and columns", () => {
  test("gives added ones no name before, and removed ones none after", () => {
    scratch.do("RemoveColumn", "Pets", "Name");
    scratch.do("AddColumn", "Pets", "Name", { type: "Int", isFormula: false });
    expect(reported(2).tableDeltas["Pets"]).toEqual({
      ...none,
      updateRows: [1, 2, 3],
      columnRenames: [
        ["Name", null],
        [null, "Name"],
      ],
      columnDeltas: { "-Name": { "1": [["Tom"], null], "2": [["Kit"], null], "3": [["Max"], null] } },
    } as never);
  });

  test("counts rows that lose a cell with a removed column as updated, except a single row", () => {
    scratch.do("AddColumn", "Pets", "Toy", { type: "Text", isFormula: false });
    scratch.do("BulkUpdateRecord", "Pets", [1, 3], { Toy: ["ball", "rope"] });
    scratch.do("RemoveColumn", "Pets", "Toy");
    expect(reported(1).tableDeltas["Pets"]).toMatchObject({
      updateRows: [1, 3],
      columnDeltas: { "-Toy": { "1": [["ball"], null], "3": [["rope"], null] } },
    });
    scratch.do("AddColumn", "Pets", "Toy", { type: "Text", isFormula: false });
    scratch.do("UpdateRecord", "Pets", 2, { Toy: "ball" });
    scratch.do("RemoveColumn", "Pets", "Toy");
    expect(reported(1).tableDeltas["Pets"]).toMatchObject({
      updateRows: [],
      columnDeltas: { "-Toy": { "2": [["ball"], null] } },
    });
  });

  test("lists the rows of a removed table", () => {
    scratch.do("RemoveTable", "Pets");
    const { tableRenames, tableDeltas } = reported(1);
    expect(tableRenames).toEqual([["Pets", null]]);
    expect(tableDeltas["-Pets"]).toMatchObject({
      removeRows: [1, 2, 3],
      columnDeltas: { "-Age": { "1": [[1], null] } },
    });
  });

  test("omits tables and columns that were added and removed", () => {
    scratch.do("AddTable", "Brief", [{ id: "A" }]);
    scratch.do("AddRecord", "Brief", null, { A: "x" });
    scratch.do("RenameTable", "Brief", "Short");
    scratch.do("RemoveTable", "Short");
    scratch.do("AddColumn", "Pets", "B", {});
    scratch.do("RemoveColumn", "Pets", "B");
    expect(reported(6)).toEqual({ tableRenames: [], tableDeltas: { Pets: none } } as never);
  });

  test("describes a removed column as of its removal, and its earlier changes separately", () => {
    scratch.do("UpdateRecord", "Pets", 1, { Age: 7 });
    scratch.do("RemoveColumn", "Pets", "Age");
    expect(reported(2).tableDeltas["Pets"]?.columnDeltas).toEqual({
      Age: { "1": [[1], [7]] },
      "-Age": { "1": [[7], null], "2": [[2], null], "3": [[3], null] },
    });
    scratch.do("UpdateRecord", "Pets", 1, { Name: "Tim" });
    expect(Object.keys(reported(3).tableDeltas["Pets"]?.columnDeltas ?? {})).toEqual(["-Age", "Name"]);
  });

  test("describes a removed table as of its removal under its last name, and its earlier changes separately", () => {
    scratch.do("UpdateRecord", "Pets", 1, { Age: 7 });
    scratch.do("RenameTable", "Pets", "Beasts");
    scratch.do("RemoveTable", "Beasts");
    const { tableRenames, tableDeltas } = reported(3);
    expect(tableRenames).toEqual([["Pets", null]]);
    expect(Object.keys(tableDeltas)).toEqual(["-Beasts", "Beasts"]);
    expect(tableDeltas["-Beasts"]).toMatchObject({
      removeRows: [1, 2, 3],
      columnDeltas: { "-Age": { "1": [[7], null] } },
    });
    expect(tableDeltas["Beasts"]).toEqual({
      ...none,
      updateRows: [1],
      columnDeltas: { Age: { "1": [[1], [7]] } },
    } as never);
  });

  test("reports a table or column that was renamed back as renamed", () => {
    for (const [from, to] of [
      ["Pets", "Beasts"],
      ["Beasts", "Pets"],
    ] as const)
      scratch.do("RenameTable", from, to);
    expect(reported(2)).toEqual({ tableRenames: [["Pets", "Pets"]], tableDeltas: {} });
    for (const [from, to] of [
      ["Age", "Years"],
      ["Years", "Age"],
    ] as const)
      scratch.do("RenameColumn", "Pets", from, to);
    expect(reported(2).tableDeltas["Pets"]).toEqual({ ...none, columnRenames: [["Age", "Age"]] } as never);
  });

  test("gives the initial values of cells in an added column", () => {
    scratch.do("AddColumn", "Pets", "Toy", { type: "Text", isFormula: false });
    scratch.do("UpdateRecord", "Pets", 1, { Toy: "ball" });
    expect(reported(2).tableDeltas["Pets"]?.columnDeltas).toEqual({ Toy: { "1": [[""], ["ball"]] } });
    scratch.do("AddColumn", "Pets", "Twice", { formula: "$Age * 2" });
    expect(reported(1).tableDeltas["Pets"]?.columnDeltas).toMatchObject({ Twice: { "1": [null, [2]] } });
  });

  test("supports exchanged names", () => {
    scratch.do("RenameColumn", "Pets", "Name", "Spare");
    scratch.do("RenameColumn", "Pets", "Age", "Name");
    scratch.do("RenameColumn", "Pets", "Spare", "Age");
    scratch.do("UpdateRecord", "Pets", 1, { Age: "Tim", Name: 11 });
    expect(reported(4).tableDeltas["Pets"]).toEqual({
      ...none,
      updateRows: [1],
      columnRenames: [
        ["Name", "Age"],
        ["Age", "Name"],
      ],
      columnDeltas: { Age: { "1": [["Tom"], ["Tim"]] }, Name: { "1": [[1], [11]] } },
    } as never);
  });
});

describe("truncation", () => {
  test("includes the cells of the first rows and the last one", () => {
    scratch.do("BulkAddRecord", "Pets", [null, null, null, null, null, null], { Age: [4, 5, 6, 7, 8, 9] });
    const { addRows, columnDeltas, ...rest } = reported(1, { maxRows: 3 }).tableDeltas["Pets"] ?? {};
    expect(addRows).toEqual([4, 5, 6, 7, 8, 9]);
    expect(Object.keys(columnDeltas?.["Age"] ?? {})).toEqual(["4", "5", "9"]);
    expect(rest).toMatchObject({ mayBeIncomplete: true });
    expect(reported(1, { maxRows: 6 }).tableDeltas["Pets"]).not.toHaveProperty("mayBeIncomplete");
  });

  test("merges a truncated state with a complete one correctly", () => {
    scratch.do("BulkUpdateRecord", "Pets", [1, 2, 3], { Age: [10, 20, 30] });
    scratch.do("UpdateRecord", "Pets", 2, { Age: 21 });
    expect(reported(2, { maxRows: 1 }).tableDeltas["Pets"]?.columnDeltas).toEqual({
      Age: { "2": [[2], [21]], "3": [[3], [30]] },
    });
  });
});

describe("histories of other programs", () => {
  /** Adds a state as written by another program. */
  const recorded = (stored: unknown[], undo: unknown[], calc: unknown[] = []) =>
    appendState(scratch.document.db, { time: 0, user: "other", userActions: [], stored, calc, undo });

  test("may record only the user action and its undo", () => {
    recorded(
      [["AddEmptyTable"], ["AddRecord", "New", null, { A: 1 }], ["RemoveView", 3], []],
      [
        ["RemoveTable", "New"],
        ["RemoveRecord", "New", 1],
      ],
    );
    expect(reported(1)).toMatchObject({ tableRenames: [[null, "New"]], tableDeltas: { New: { addRows: [1] } } });
  });

  test("may record an undo by reference", () => {
    recorded(
      [["ApplyUndoActions", [["UpdateRecord", "Pets", 1, { Age: 0 }]]]],
      [[1, ["UpdateRecord", "Pets", 1, { Age: 1 }]]],
    );
    expect(reported(1).tableDeltas["Pets"]).toMatchObject({
      updateRows: [1],
      columnDeltas: { Age: { "1": [[1], [0]] } },
    });
  });

  test("may contain bytes, infinite numbers and invalid rows", () => {
    const value = [new Uint8Array([0xff, 0x41]), Number.POSITIVE_INFINITY, 10n ** 20n];
    recorded(
      [["BulkAddRecord", "Pets", [4, 5, 6, "x", 7], { Name: value }]],
      [["BulkRemoveRecord", "Pets", [4, 5, 6]]],
    );
    expect(reported(1).tableDeltas["Pets"]?.columnDeltas["Name"]).toEqual({
      "4": [null, [["U", "b'\\xffA'"]]],
      "5": [null, [null]],
      "6": [null, [1e20]],
    });
  });

  test("may lack the removal of a table whose name is reused", () => {
    recorded([["AddTable", "Pets", [{ id: "Name" }]]], []);
    scratch.document.db.run("delete from _gristsys_ActionHistory where actionNum < 2");
    const { tableRenames, tableDeltas } = reported(2);
    expect(tableRenames).toEqual([
      ["Pets", null],
      [null, "Pets"],
    ]);
    expect(Object.keys(tableDeltas)).toEqual(["-Pets", "Pets"]);
  });
});

function refused(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return null;
}

describe("refuses to compare", () => {
  test("a state that cannot be parsed", () => {
    const { db } = scratch.document;
    db.run("update _gristsys_ActionHistory set body = x'7b750a' where actionNum = 2");
    expect(refused(() => reported(2))).toBe("invalid");
    expect(refused(() => reported(1))).toBeNull();
    db.run("update _gristsys_ActionHistory set body = null where actionNum = 3");
    expect(refused(() => reported(1))).toBe("invalid");
  });

  test("too many changes at once", () => {
    expect(refused(() => reported(1, { maxBytes: 100 }))).toBe("invalid");
    expect(refused(() => reported(0, { maxBytes: 100 }))).toBeNull();
  });
});

test("removeOldStates deletes old states and keeps the newest ones", () => {
  const [newest, second] = listStates(scratch.document.db);
  const { version } = scratch.document;
  removeOldStates(scratch.document, 2);
  expect(listStates(scratch.document.db)).toEqual([newest, second] as never);
  expect(scratch.document.version).not.toBe(version);
  removeOldStates(scratch.document, 50);
  expect(listStates(scratch.document.db)).toHaveLength(2);
  expect(scratch.problems()).toEqual([]);
  expect(reported(1).tableDeltas["Pets"]?.addRows).toEqual([1, 2, 3]);
});
