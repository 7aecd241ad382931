import { describe, expect, test } from "bun:test";
import { compileRowFunction, FALLBACK } from "../../../src/formula/codegen/row-function.ts";
import { computeCell } from "../../../src/formula/compute-cell.ts";
import { compileFormula } from "../../../src/formula/formula.ts";
import {
  type ChangeLimits,
  type FormulaLimits,
  TimeExceeded,
  withChangeBudget,
} from "../../../src/formula/runtime/budget.ts";
import { columnType } from "../../../src/values/column-type.ts";
import { rowOf } from "../evaluate.ts";
import { randomNumbers } from "../random-formula.ts";
import { compareResults } from "./compare.ts";
import { RandomRowFormulas } from "./random-row-formulas.ts";
import { COLUMNS, randomRow, RandomRows, RESULT_TYPES } from "./random-rows.ts";

const TEXT = columnType("Text");

function compile(text: string) {
  const formula = compileFormula(text, { isTable: () => false });
  const compiled = compileRowFunction(formula, { columns: COLUMNS, resultType: TEXT });
  if (!compiled) throw new Error(`${text} is not compiled`);
  return { formula, compiled };
}

const limitsOf = (cell: { steps: number; bytes: number }): FormulaLimits => ({
  cell,
  change: { steps: 1e9, bytes: 1e9 },
});

describe("limits of row functions", () => {
  test("are reached at the same cell as by the interpreter, for random formulas and limits", () => {
    const differences: string[] = [];
    for (let index = 0; index < 1500; index++) {
      const random = new RandomRows(randomNumbers(index));
      const text = new RandomRowFormulas(random).formula();
      const rows = Array.from({ length: 8 }, (_, id) => randomRow(random, id + 1));
      const few = { steps: random.below(40), bytes: random.below(150) };
      const limits =
        index % 2 === 0 ? limitsOf(few) : { cell: { steps: 1e9, bytes: 1e9 }, change: { ...few, timeMs: Infinity } };
      const { difference } = compareResults(text, { columns: COLUMNS, type: random.pick(RESULT_TYPES), rows, limits });
      if (difference !== undefined) differences.push(`formula ${index}: ${difference}`);
    }
    expect(differences).toEqual([]);
  });

  test.each([
    // The call and six bytes per character; the concatenation of 5 and 3 characters.
    ["'big: ' + $Text.upper()", ["abc"], { steps: 6 + (16 + 18 + 16) / 64, bytes: 16 + 18 + 16 }],
    ["$Text.replace('b', 'xy')", ["abc"], { steps: 6 + 0.5 + (32 + 10) / 64, bytes: 32 + 10 }],
  ])("%s is evaluated within its exact costs, and no less", (text, values, { steps, bytes }) => {
    const { compiled } = compile(text);
    const evaluate = (limits: FormulaLimits) => withChangeBudget(limits, () => compiled.evaluate(values));
    expect(evaluate(limitsOf({ steps, bytes }))).toBeString();
    expect(evaluate(limitsOf({ steps: steps - 1 / 64, bytes }))).toBe(FALLBACK);
    expect(evaluate(limitsOf({ steps, bytes: bytes - 1 }))).toBe(FALLBACK);
    expect(evaluate({ cell: { steps: 1e9, bytes: 1e9 }, change: { steps: steps - 1 / 64, bytes } })).toBe(FALLBACK);
  });

  test.each([
    ["'big: ' + $Text.upper()", false],
    ["$Text.replace('b', 'xy')", false],
    ["'big: ' + $Text.upper()", true],
    ["$Text.replace('b', 'xy')", true],
  ])("a change that takes too long ends in the interpreter: %s, refused: %p", (text, refusesOverTime) => {
    const { formula, compiled } = compile(text);
    let now = 0;
    const limits: ChangeLimits = {
      cell: { steps: 1e6, bytes: 1e6 },
      change: { steps: 1e9, bytes: 1e9, timeMs: 1000 },
      elapsed: () => now,
      refusesOverTime,
    };
    const row = rowOf(() => "abc");
    withChangeBudget(limits, () => {
      let evaluated = 0;
      let result = compiled.evaluate(["abc"]);
      for (; result !== FALLBACK && evaluated < 1e6; evaluated++) {
        now += 0.1;
        result = compiled.evaluate(["abc"]);
      }
      // About one clock read per 25,000 steps.
      expect(evaluated).toBeWithin(9_000, 12_000);
      const interpret = () => computeCell(formula, row, TEXT).cell;
      if (refusesOverTime) return expect(interpret).toThrow(TimeExceeded);
      expect(interpret()).toEqual(["E", "TimeoutError"]);
      expect(compiled.evaluate(["abc"])).toBe(FALLBACK);
    });
  });
});
