/** Histories that do not contain all former cells, and changes that leave nothing unknown. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { writePastFile } from "../../../../src/doc/history/past/past-file.ts";
import { appendState } from "../../../../src/doc/history.ts";
import { listStates } from "../../../../src/doc/history/states.ts";
import { AppError } from "../../../../src/errors.ts";
import { Database } from "../../../../src/sqlite/database.ts";
import { tempFolder } from "../../../helpers/temp-folder.ts";
import { contentOf, Scratch } from "../../actions/scratch.ts";

const ROWS = 3000;
const ids = Array.from({ length: ROWS }, (_, i) => i + 1);
/** Of each column at least the first 1,000 results are recorded. */
const RECORDED = 1000;

type Change = readonly unknown[];

function start(): Scratch {
  const scratch = new Scratch({ calculation: { recordedCells: RECORDED } });
  scratch.apply([["AddTable", "T", [{ id: "A", type: "Int", isFormula: false }]]]);
  scratch.apply([["BulkAddRecord", "T", ids, { A: ids }]]);
  return scratch;
}

/** Returns the readable states with whether they equal the original, and the refusals. */
function readAll(scratch: Scratch, contents: ReadonlyMap<number, unknown>): unknown[] {
  return listStates(scratch.document.db).map((state) => {
    const path = join(tempFolder(), "past.grist");
    try {
      writePastFile(scratch.document.path, path, state, { recordedCells: RECORDED });
      using db = new Database(path);
      return [state.n, !contents.has(state.n) || Bun.deepEquals(contentOf(db), contents.get(state.n))];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return [state.n, error.reason, error.details?.["oldestState"]];
    }
  });
}

const ADD = ["AddColumn", "T", "F", { type: "Int", isFormula: true, formula: "$A + 1" }];

const CASES: readonly (readonly [name: string, changes: readonly Change[], refused: readonly number[]])[] = [
  ["a new formula", [ADD], []],
  ["another formula", [ADD, ["ModifyColumn", "T", "F", { formula: "$A + 2" }]], [4]],
  [
    "another formula of a renamed column",
    [
      ADD,
      ["ModifyColumn", "T", "F", { formula: "$A + 2" }],
      ["RenameColumn", "T", "F", "G"],
      ["RenameTable", "T", "U"],
    ],
    [4],
  ],
  ["a removed formula", [ADD, ["RemoveColumn", "T", "F"]], [4]],
  ["a removed table", [ADD, ["RemoveTable", "T"]], []],
  ["all cells that a formula reads", [ADD, ["BulkUpdateRecord", "T", ids, { A: ids.map((id) => id * 2) }]], [4]],
  ["few cells that a formula reads", [ADD, ["BulkUpdateRecord", "T", [5, 6], { A: [1, 2] }]], []],
  ["rows of an empty table", [ADD, ["BulkRemoveRecord", "T", ids], ["BulkAddRecord", "T", ids, { A: ids }]], []],
  ["data in place of results", [ADD, ["ModifyColumn", "T", "F", { isFormula: false }]], []],
  [
    "results in place of data",
    [
      ADD,
      ["ModifyColumn", "T", "F", { isFormula: false }],
      ["ModifyColumn", "T", "F", { isFormula: true, formula: "$A * 3" }],
    ],
    [],
  ],
];

test.each(CASES)("%s", (_name, changes, refused) => {
  using scratch = start();
  const contents = new Map<number, unknown>();
  const newest = () => listStates(scratch.document.db)[0]?.n ?? 0;
  contents.set(newest(), scratch.content());
  for (const change of changes) {
    scratch.apply([change]);
    contents.set(newest(), scratch.content());
  }
  const expected = listStates(scratch.document.db).map(({ n }) =>
    refused.includes(n) ? [n, "history.incomplete", n + 1] : [n, true],
  );
  expect(readAll(scratch, contents)).toEqual(expected);
});

test("damaged, foreign and too large entries are refused, and later states are read", () => {
  using scratch = start();
  for (let i = 0; i < 3; i++) scratch.apply([["AddRecord", "T", null, { A: i }]]);
  const { db } = scratch.document;
  const [newest, , damaged] = listStates(db);
  db.run("update _gristsys_ActionHistory set body = x'00' where actionNum = ?", damaged?.n ?? 0);
  const codes = readAll(scratch, new Map()).map((found) => (found as unknown[])[1]);
  expect(codes).toEqual([
    true,
    true,
    true,
    ...Array.from({ length: (newest?.n ?? 0) - 3 }, () => "history.incomplete"),
  ]);
  const state = listStates(db)[2] ?? { n: 0, h: "" };
  expect(() => writePastFile(scratch.document.path, join(tempFolder(), "a"), state, { maxChangeBytes: 10 })).toThrow(
    "oldest state after it that can be read is",
  );
  expect(() => writePastFile(scratch.document.path, join(tempFolder(), "a"), { n: 2, h: "other" })).toThrow("replaced");
});

/** Adds a state with these actions, without applying them, and returns the refusal or the first row of the state before. */
function readBeforeForeign(stored: readonly unknown[], undo: readonly unknown[]): unknown {
  using scratch = new Scratch();
  scratch.apply([["AddTable", "T", [{ id: "A", type: "Int", isFormula: false }]]]);
  scratch.apply([["AddRecord", "T", 1, { A: 7 }]]);
  const { db, path: from } = scratch.document;
  const [state = { n: 0, h: "" }] = listStates(db);
  db.transaction(() => appendState(db, { time: 1, user: "x", userActions: [], stored, calc: [], undo }));
  const path = join(tempFolder(), "past.grist");
  try {
    writePastFile(from, path, state);
    using past = new Database(path);
    return past.values("select A from T");
  } catch (error) {
    return error instanceof AppError ? error.reason : error;
  }
}

const UPDATE = [["BulkUpdateRecord", "T", [1, 1], { A: [5, 7] }]];

test.each([
  [
    "a cell that was computed twice gets its first value",
    UPDATE,
    [["BulkUpdateRecord", "T", [1, 1], { A: [3, 5] }]],
    [[3]],
  ],
  ["tables without metadata are refused", [], [["AddTable", "Lost", []]], "history.incomplete"],
  ["metadata without a table is refused", [], [["RemoveTable", "T"]], "history.incomplete"],
  ["unknown actions are refused", [], [["Explode", "T"]], "history.incomplete"],
  ["actions on missing tables are refused", [], [["BulkRemoveRecord", "Nothing", [1]]], "history.incomplete"],
  [
    "cells that are only partly recorded are refused",
    [["BulkUpdateRecord", "T", [], { A: [] }, { rows: 9 }]],
    [],
    "history.incomplete",
  ],
])("of other programs: %s", (_name, stored, undo, expected) => {
  expect(readBeforeForeign(stored, undo)).toEqual(expected);
});
