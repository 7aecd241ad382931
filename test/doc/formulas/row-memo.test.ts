import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { recalculateDocument } from "../../../src/doc/actions/apply-user-actions.ts";
import type { CalculationLimits } from "../../../src/doc/formulas/calculation-limits.ts";
import { FORMULA_LIMITS } from "../../../src/doc/document.ts";
import { ANN, Scratch } from "../actions/scratch.ts";

const ROWS = 400;
const KEYS = 7;
/** Never and always look for results of rows with equal values. */
const NEVER: Partial<CalculationLimits> = { compiledCells: Infinity };
const ALWAYS: Partial<CalculationLimits> = { compiledCells: 1, blockRows: 50, bufferedCells: 60 };

function newScratch(calculation: Partial<CalculationLimits>, changeSteps?: number): Scratch {
  const { change } = FORMULA_LIMITS;
  const formulas =
    changeSteps === undefined ? FORMULA_LIMITS : { ...FORMULA_LIMITS, change: { ...change, steps: changeSteps } };
  const scratch = new Scratch({ calculation, formulas });
  scratch.do("AddTable", "People", [{ id: "Name" }, { id: "Age", type: "Int" }]);
  scratch.do("BulkAddRecord", "People", [null, null], { Name: ["ann", "bob"], Age: [10, 20] });
  scratch.do("AddTable", "T", [{ id: "Key" }, { id: "N", type: "Int" }, { id: "P", type: "Ref:People" }]);
  const rows = Array.from({ length: ROWS }, (_, i) => i);
  scratch.do(
    "BulkAddRecord",
    "T",
    rows.map(() => null),
    {
      Key: rows.map((i) => `k${i % KEYS}`),
      N: rows.map((i) => i % 5),
      P: rows.map((i) => i % 3),
    },
  );
  return scratch;
}

const FORMULAS = [
  "len(T.lookupRecords(Key=$Key))",
  "SUM(T.lookupRecords(Key=$Key, N=$N).N)",
  "T.lookupOne(Key=$Key, sort_by='-N').id",
  "T.lookupRecords(Key=$Key, order_by='-N')",
  "len([r for r in T.all if r.Key == $Key])",
  "$P.Name + $Key if $P else 'none'",
  "1 / $N",
  "[$Key] * $N",
  "sum(r.F0 for r in T.lookupRecords(Key=$Key))",
];

const add = (formula: string, id: string) => ["AddColumn", "T", id, { type: "Any", formula, isFormula: true }];

describe("results of rows with equal values", () => {
  let always: Scratch;
  let never: Scratch;
  beforeEach(() => {
    always = newScratch(ALWAYS);
    never = newScratch(NEVER);
  });
  afterEach(() => {
    always[Symbol.dispose]();
    never[Symbol.dispose]();
  });

  test("equal those of evaluations, now and after changes", () => {
    for (const scratch of [always, never]) {
      scratch.apply([add("$N * 2", "F0"), ...FORMULAS.map((formula, i) => add(formula, `F${i + 1}`))]);
    }
    expect(always.content()).toEqual(never.content());
    const changes = [
      ["UpdateRecord", "T", 3, { Key: "k1" }],
      ["UpdateRecord", "T", 9, { N: 17 }],
      ["BulkUpdateRecord", "T", [1, 2, 3, 4], { P: [2, 2, 1, 0] }],
      ["UpdateRecord", "People", 2, { Name: "cy" }],
      ["RemoveRecord", "T", 12],
      ["AddRecord", "T", null, { Key: "k2", N: 3 }],
      ["AddRecord", "T", null, { Key: "new", N: 3 }],
      ["ModifyColumn", "T", "F0", { formula: "$N * 3" }],
    ];
    for (const change of changes) {
      for (const scratch of [always, never]) scratch.apply([change]);
      expect(always.content(), JSON.stringify(change)).toEqual(never.content());
      recalculateDocument(always.document, { user: ANN, nowMs: 0 }, { persist: true });
      expect(always.content(), JSON.stringify(change)).toEqual(never.content());
    }
  });

  test("are not used for inputs whose cells do not tell all of their value", () => {
    const formulas = ["1 if $id % 2 else 1.0", "str($F1) + str(len(T.lookupRecords(Key='k1')))"];
    for (const scratch of [always, never]) scratch.apply(formulas.map((formula, i) => add(formula, `F${i + 1}`)));
    expect(Object.values(always.rows("T", "F2")).slice(0, 3)).toEqual([["157"], ["1.057"], ["157"]]);
    expect(always.content()).toEqual(never.content());
  });

  test("are not used where a formula reads its own column, its row, or the clock", () => {
    const formulas = [
      "(PREVIOUS(rec, order_by=None).Own or 0) + $N",
      "$id if $Key else 0",
      "len({UUID() for _ in T.lookupRecords(Key=$Key)}) + rec.id",
    ];
    for (const scratch of [always, never]) {
      for (const [i, formula] of formulas.entries()) scratch.apply([add(formula, i === 0 ? "Own" : `G${i}`)]);
    }
    expect(always.content()).toEqual(never.content());
    always.apply([add("UUID() + $Key", "U")]);
    const ids = Object.values(always.rows("T", "U")).map(([id]) => id);
    expect(new Set(ids).size).toBe(ROWS);
  });
});

test("results of rows with equal values are charged like evaluations", () => {
  const formula = "len([r for r in T.all if r.Key == $Key])";
  const errorsWith = (calculation: Partial<CalculationLimits>): number => {
    using scratch = newScratch(calculation, 400_000);
    scratch.apply([add(formula, "F")]);
    return Object.values(scratch.rows("T", "F")).filter(([cell]) => Array.isArray(cell)).length;
  };
  const expected = errorsWith(NEVER);
  expect(expected).toBeGreaterThan(10);
  expect(expected).toBeLessThan(ROWS - 10);
  expect(errorsWith(ALWAYS)).toBe(expected);
});
