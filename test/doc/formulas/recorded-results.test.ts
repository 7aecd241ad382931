import { afterEach, beforeEach, expect, test } from "bun:test";
import { summarise } from "../../../src/doc/events/change-summary.ts";
import { changesBetween, findStateRange } from "../../../src/doc/history/compare-states.ts";
import { describeStates } from "../../../src/doc/history/states-page.ts";
import { undoOf } from "../../../src/doc/history/undo.ts";
import { newestState } from "../../../src/doc/history.ts";
import { ANN, Scratch } from "../actions/scratch.ts";

/** More than an action records in any case. */
const ROWS = 1500;

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch({ calculation: { blockRows: 100, bufferedCells: 100, recordedCells: 1200 } });
  scratch.do("AddTable", "T", [
    { id: "A", type: "Int" },
    { id: "B", type: "Int" },
  ]);
  const rows = Array.from({ length: ROWS }, (_, i) => i);
  scratch.do(
    "BulkAddRecord",
    "T",
    rows.map(() => null),
    { A: rows, B: rows.map((i) => i * 2) },
  );
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const undoLast = () => {
  const undo = undoOf(scratch.document, newestState(scratch.document.db)?.actionNum ?? 0, ANN);
  scratch.apply([["ApplyUndoActions", undo]], { restores: true });
};

const cellsOf = (column: string): unknown[] => Object.values(scratch.rows("T", column)).map(([cell]) => cell);

test("of many results the history contains the first ones, and how many there were", () => {
  const { stored, calculated, undo } = scratch.apply([["AddColumn", "T", "F", { type: "Int", formula: "$A + 1" }]]);
  const [update] = calculated;
  expect(stored.map(([name]) => name)).toContain("AddColumn");
  expect(calculated).toHaveLength(1);
  expect(update?.slice(0, 2)).toEqual(["BulkUpdateRecord", "T"]);
  expect(update?.[2]).toHaveLength(1200);
  expect(update?.[4]).toEqual({ rows: ROWS });
  expect(undo.at(-1)?.[2]).toHaveLength(1200);
  expect(cellsOf("F")).toEqual(cellsOf("A").map((a) => Number(a) + 1));
});

test("changes with many results are undone, and the undo is undone", () => {
  const before = scratch.content();
  scratch.apply([["AddColumn", "T", "F", { type: "Int", formula: "$A + 1", isFormula: true }]]);
  const added = scratch.content();
  scratch.apply([["ModifyColumn", "T", "F", { formula: "$B * 3" }]]);
  undoLast();
  expect(scratch.content()).toEqual(added);
  const { undo } = scratch.apply([["RemoveColumn", "T", "F"]]);
  expect(undo.find(([name]) => name === "BulkUpdateRecord")?.[2]).toHaveLength(1200);
  undoLast();
  expect(scratch.content()).toEqual(added);
  scratch.apply([["RemoveColumn", "T", "F"]]);
  expect(scratch.content()).toEqual(before);
});

test("data that results of a formula replaced are recorded completely", () => {
  const { undo } = scratch.apply([["ModifyColumn", "T", "B", { isFormula: true, formula: "-$A - 1" }]]);
  expect(undo.at(-1)?.[2]).toHaveLength(ROWS);
  undoLast();
  expect(cellsOf("B")).toEqual(Array.from({ length: ROWS }, (_, i) => i * 2));
});

test("results of trigger formulas are recorded completely", () => {
  const { ref } = scratch.column("T", "A");
  scratch.do("AddColumn", "T", "S", { type: "Int", isFormula: false, formula: "$A + 1", recalcDeps: ["L", ref] });
  const ids = Array.from({ length: ROWS }, (_, i) => i + 1);
  const { calculated } = scratch.apply([["BulkUpdateRecord", "T", ids, { A: ids.map((id) => id * 7) }]]);
  expect(calculated[0]?.[2]).toHaveLength(ROWS);
  undoLast();
  expect(cellsOf("S")).toEqual(ids.map(() => 0));
});

test("change events report all cells of the column", () => {
  const { calculated } = scratch.apply([["AddColumn", "T", "F", { type: "Int", formula: "$A + 1" }]]);
  const [table] = [...summarise(calculated).tables.all];
  expect([table?.extent, [...(table?.columns ?? [])]]).toEqual(["cells", ["F"]]);
});

test("a comparison says that it may be incomplete, and the list of states counts all rows", () => {
  scratch.apply([["AddColumn", "T", "F", { type: "Int", formula: "$A + 1" }]]);
  scratch.apply([["ModifyColumn", "T", "F", { formula: "$A + 2" }]]);
  const [state] = describeStates(scratch.document.db, { before: null, limit: 1 }).states;
  const [table] = state?.tables ?? [];
  expect(table).toMatchObject({ table: "T", updated: ROWS, columns: { changes: [{ column: "F", cells: ROWS }] } });
  const { db } = scratch.document;
  const changes = changesBetween(db, findStateRange(db, { left: "HEAD~1", right: "HEAD" }), { maxRows: ROWS });
  expect([...changes.all].map(({ after, changes: { isTruncated } }) => [after, isTruncated])).toContainEqual([
    "T",
    true,
  ]);
});
