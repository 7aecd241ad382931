import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { recalculateDocument, type UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import type { FormulaLimits } from "../../../src/doc/document.ts";
import { findFormulaErrors } from "../../../src/doc/formulas/formula-errors.ts";
import { refreshClock } from "../../../src/doc/formulas/clock-formulas.ts";
import { FORMULA_LIMITS } from "../../../src/formula/runtime/budget.ts";
import { openDocumentFile } from "../../../src/doc/open-document.ts";
import { importDocumentFile } from "../../../src/doc/import-document.ts";
import { Database } from "../../../src/sqlite/database.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { columnType } from "../../../src/values/column-type.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { OldDocument } from "../old-document.ts";
import { ANN, Scratch } from "../actions/scratch.ts";
import { addingRules } from "../rules/ruled.ts";
import { SECOND, TickingClock } from "../../helpers/clock.ts";

const LIMITS: FormulaLimits = {
  ...FORMULA_LIMITS,
  cell: { ...FORMULA_LIMITS.cell, steps: Number.MAX_SAFE_INTEGER },
};
const LONG = "sum(1 for _ in range(1000000))";
const TIMEOUT: CellValue = ["E", "TimeoutError"];

/** Creates a document whose clock advances by a second with each reading. */
function timed({ rows = 1, limits = LIMITS }: { rows?: number; limits?: FormulaLimits } = {}) {
  const clock = new TickingClock(0);
  const scratch = new Scratch({ clock, formulas: limits });
  scratch.do("AddTable", "T", [{ id: "N", type: "Int" }]);
  scratch.do(
    "BulkAddRecord",
    "T",
    Array.from({ length: rows }, () => null),
    { N: Array.from({ length: rows }, () => 1) },
  );
  clock.tickMs = SECOND;
  return { scratch, clock, [Symbol.dispose]: () => scratch[Symbol.dispose]() };
}

/** Like `timed`, with a cell whose formula exceeded its time limit. */
function offending() {
  const context = timed();
  context.scratch.apply([["AddColumn", "T", "Slow", { formula: LONG, isFormula: true, type: "Any" }]], { isJob: true });
  expect(context.scratch.rows("T", "Slow")).toEqual({ 1: [TIMEOUT] });
  return context;
}

function refusal(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
}

describe("refuses a change whose formulas take too long", () => {
  test("when one cell exceeds its limit, naming column and row, without side effects", () => {
    using context = timed({ rows: 3 });
    const { scratch } = context;
    scratch.do("AddColumn", "T", "Slow", { formula: "sum(1 for _ in range($N))", isFormula: true, type: "Any" });
    const before = scratch.content();
    expect(refusal(() => scratch.do("UpdateRecord", "T", 2, { N: 1_000_000 }))).toMatchObject({
      code: "invalid",
      message: 'A formula takes longer than 5 s (column "Slow" of table "T", row 2)',
      reason: "formula.time_limit",
      details: { table: "T", column: "Slow", row: 2 },
    });
    expect(scratch.content()).toEqual(before);
    scratch.do("UpdateRecord", "T", 2, { N: 5 });
    expect(scratch.rows("T", "Slow")).toEqual({ 1: [1], 2: [5], 3: [1] });
  });

  test("when all cells together exceed the limit of the change", () => {
    using context = timed({ rows: 500 });
    const { scratch } = context;
    const formula = "sum(1 for _ in range(5000))";
    const refused = refusal(() => scratch.do("AddColumn", "T", "Slow", { formula, isFormula: true, type: "Any" }));
    expect(refused).toMatchObject({
      code: "invalid",
      message: expect.stringMatching(
        /^The formulas that this change affects take longer than 30 s in total; evaluation stopped at column "Slow" of table "T", row \d+$/,
      ),
    });
    expect(scratch.column("T", "Slow")).toEqual({});
  });

  test("when a formula that the cell reads is too slow, naming that formula", () => {
    using context = timed();
    const refused = refusal(() =>
      context.scratch.apply([
        ["AddColumn", "T", "First", { formula: "$Later + 1", isFormula: true, type: "Any" }],
        ["AddColumn", "T", "Later", { formula: LONG, isFormula: true, type: "Any" }],
      ]),
    );
    expect(refused).toMatchObject({ details: { column: "Later", row: 1 } });
  });

  test("even when the formula catches all exceptions", () => {
    using context = timed();
    const formula = `while True:\n  try:\n    while True: pass\n  except BaseException:\n    pass\n  finally:\n    continue\nreturn 1`;
    const refused = refusal(() =>
      context.scratch.do("AddColumn", "T", "Slow", { formula, isFormula: true, type: "Any" }),
    );
    expect(refused).toMatchObject({ details: { column: "Slow", row: 1 } });
  });

  test("without naming the cell to callers whose read access is limited by rules", () => {
    using context = timed();
    const { scratch } = context;
    scratch.do("AddColumn", "T", "Secret", { formula: "sum(1 for _ in range($N))", isFormula: true, type: "Any" });
    scratch.apply(addingRules({ "T:Secret": [{ formula: "user.Access != OWNER", permissions: "-R" }] }));
    const slow: UserAction[] = [["UpdateRecord", "T", 1, { N: 1_000_000 }]];
    expect(refusal(() => scratch.apply(slow, { role: "editors" }))).toMatchObject({
      code: "invalid",
      message: "A formula takes longer than 5 s",
      reason: "formula.time_limit",
      details: {},
    });
    expect(refusal(() => scratch.apply(slow))).toMatchObject({ details: { column: "Secret" } });
  });

  test("by its own time, not by that of other changes in the same transaction", () => {
    using context = timed({ rows: 300 });
    const { scratch, clock } = context;
    scratch.do("AddColumn", "T", "Slow", { formula: "sum(1 for _ in range($N))", isFormula: true, type: "Any" });
    const ids = Array.from({ length: 300 }, (_, index) => index + 1);
    const change = (n: number) => scratch.do("BulkUpdateRecord", "T", ids, { N: ids.map(() => n) });
    clock.tickMs = 0;
    clock.looks = 0;
    change(5000);
    // Each takes two thirds of the limit of a change.
    clock.tickMs = Math.floor((20 * SECOND) / clock.looks);
    scratch.document.db.transaction(() => {
      for (const n of [5001, 5002, 5003]) change(n);
    });
    expect(scratch.rows("T", "Slow")["300"]).toEqual([5003]);
  });
});

describe("stores TimeoutError in a cell that exceeds its limit, without refusing", () => {
  test("when a document with formulas that read the clock is opened", () => {
    using context = timed({ rows: 2 });
    const { scratch, clock } = context;
    clock.tickMs = 0;
    const formula = `NOW() and ${LONG} and $id`;
    scratch.do("AddColumn", "T", "Slow", { formula, isFormula: true, type: "Any" });
    scratch.do("AddColumn", "T", "Quick", { formula: "NOW().year", isFormula: true, type: "Any" });
    expect(scratch.rows("T", "Slow")).toEqual({ 1: [1], 2: [2] });
    clock.tickMs = SECOND;
    refreshClock(scratch.document);
    expect(scratch.rows("T", "Slow", "Quick")).toEqual({ 1: [TIMEOUT, 2026], 2: [TIMEOUT, 2026] });
  });

  test("when a change is undone", () => {
    using context = timed();
    const { scratch, clock } = context;
    clock.tickMs = 0;
    scratch.do("AddColumn", "T", "Slow", { formula: "sum(1 for _ in range($N))", isFormula: true, type: "Any" });
    scratch.do("UpdateRecord", "T", 1, { N: 1_000_000 });
    const { undo } = scratch.apply([["UpdateRecord", "T", 1, { N: 2 }]]);
    clock.tickMs = SECOND;
    scratch.apply([["ApplyUndoActions", undo]]);
    expect(scratch.rows("T", "N", "Slow")).toEqual({ 1: [1_000_000, TIMEOUT] });
  });

  test("when rows are imported or all formulas recalculated, within the time limit of a job", () => {
    using context = timed({ rows: 500 });
    const { scratch, clock } = context;
    const formula = `${LONG} if $id == 7 else sum(1 for _ in range(5000))`;
    const before = clock.elapsed();
    scratch.apply([["AddColumn", "T", "Slow", { formula, isFormula: true, type: "Any" }]], { isJob: true });
    expect(clock.elapsed() - before).toBeGreaterThan(30 * SECOND);
    expect(scratch.rows("T", "Slow")).toMatchObject({ 6: [5000], 7: [TIMEOUT], 8: [5000], 500: [5000] });
    recalculateDocument(scratch.document, { user: ANN, nowMs: 0 }, { persist: true });
    expect(scratch.rows("T", "Slow")).toMatchObject({ 6: [5000], 7: [TIMEOUT], 8: [5000], 500: [5000] });
  });

  test("in all following cells once the time limit of a job is exceeded", () => {
    using context = timed({ rows: 400, limits: { ...LIMITS, jobTimeMs: 20 * SECOND } });
    const { scratch, clock } = context;
    const formula = "sum(1 for _ in range(5000))";
    scratch.apply([["AddColumn", "T", "Slow", { formula, isFormula: true, type: "Any" }]], { isJob: true });
    expect(scratch.rows("T", "Slow")).toMatchObject({ 1: [5000], 399: [TIMEOUT], 400: [TIMEOUT] });
    expect(clock.elapsed()).toBeLessThan(60 * SECOND);
  });

  test("when a document of an older version is migrated or imported", () => {
    const folder = tempFolder();
    const [from, to] = [join(folder, "old.grist"), join(folder, "new.grist")];
    {
      using old = new OldDocument(from, { storage: 6, schema: 17 });
      const formula = "while $A > 1: pass\nreturn $A";
      old.table(
        "T",
        [
          { id: "A", type: "Int" },
          { id: "B", type: "Any", formula, sql: null },
        ],
        [{ A: 1 }, { A: 2 }],
      );
    }
    const formulas: FormulaLimits = { ...LIMITS, cell: { ...LIMITS.cell, timeMs: 20 } };
    const cellsOf = (path: string) => {
      using db = new Database(path, { readonly: true });
      return db.values("select B from T").map(([cell = null]) => columnType("Any").decode(cell));
    };
    importDocumentFile(from, to, { formulas });
    expect(cellsOf(to)).toEqual([1, TIMEOUT]);
    openDocumentFile(from, { formulas }).close();
    expect(cellsOf(from)).toEqual([1, TIMEOUT]);
  });

  test("when formula errors are explained, in bounded time", () => {
    using context = timed({ rows: 50 });
    const { scratch, clock } = context;
    scratch.apply([["AddColumn", "T", "Slow", { formula: `${LONG}; 1/0`, isFormula: true, type: "Any" }]], {
      isJob: true,
    });
    scratch.do("AddColumn", "T", "Zero", { formula: "len([1]) / 0", isFormula: true, type: "Any" });
    const before = clock.elapsed();
    const { errors } = findFormulaErrors(scratch.document, { limit: 51 });
    expect(errors.map(({ error }) => error)).toEqual([
      ...Array.from({ length: 50 }, () => "TimeoutError"),
      "ZeroDivisionError",
    ]);
    expect(errors.at(0)).toMatchObject({ detail: "the formula takes too long", line: 1 });
    expect(errors.at(-1)).toMatchObject({ detail: null, line: null });
    expect(clock.elapsed() - before).toBeLessThan(10 * SECOND);
  });
});

describe("does not evaluate a slow formula when it is changed or removed", () => {
  const cases: [name: string, ...actions: UserAction[]][] = [
    ["another formula", ["ModifyColumn", "T", "Slow", { formula: "$N + 1" }]],
    ["no formula", ["ModifyColumn", "T", "Slow", { isFormula: false, formula: "" }]],
    ["a data column with its values", ["ModifyColumn", "T", "Slow", { isFormula: false }]],
    ["its column removed", ["RemoveColumn", "T", "Slow"]],
    ["its column renamed and removed", ["RenameColumn", "T", "Slow", "Quick"], ["RemoveColumn", "T", "Quick"]],
    ["its row removed", ["RemoveRecord", "T", 1]],
    ["its table removed", ["RemoveTable", "T"]],
  ];
  test.each(cases)("%s", (_name, ...actions) => {
    using context = offending();
    context.clock.looks = 0;
    context.scratch.apply(actions);
    // The clock is read every few thousand steps: only the readings at the start of a recalculation remain.
    expect(context.clock.looks).toBeLessThan(3 * actions.length + 3);
  });

  test("a change of a formula that reads its cells", () => {
    using context = offending();
    const { scratch, clock } = context;
    scratch.do("AddColumn", "T", "Reader", { formula: "IFERROR($Slow, 'none')", isFormula: true, type: "Any" });
    expect(scratch.rows("T", "Reader")).toEqual({ 1: ["none"] });
    clock.looks = 0;
    scratch.do("ModifyColumn", "T", "Reader", { formula: "$Slow" });
    expect(scratch.rows("T", "Reader")).toEqual({ 1: [TIMEOUT] });
    expect(clock.looks).toBeLessThan(6);
  });
});
