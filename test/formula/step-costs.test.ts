import { describe, expect, test } from "bun:test";
import { withContext } from "../../src/formula/runtime/evaluation-context.ts";
import { PyError } from "../../src/formula/runtime/errors.ts";
import { compileFormula } from "../../src/formula/formula.ts";
import { evaluate, rowOf } from "./evaluate.ts";
import { STEP_PROGRAMS } from "./step-programs.ts";

/** Large enough that compilation and setup are negligible. */
const STEPS = 60_000;
const noRow = rowOf(() => null);

/** Returns the nanoseconds per step of an endless program. */
function measure(formula: string): number {
  const compiled = compileFormula(formula, { isTable: () => false, limits: { steps: STEPS, bytes: 1e12 } });
  const start = performance.now();
  let ended = "without an error";
  try {
    compiled.run(noRow);
  } catch (error) {
    ended = error instanceof PyError ? error.typeName : String(error);
  }
  const ms = performance.now() - start;
  // Any other outcome would measure something else.
  expect([formula, ended]).toEqual([formula, "TimeoutError"]);
  return (ms * 1e6) / STEPS;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

describe("steps match their costs", () => {
  test("no program takes more than 5 times the median duration per step", () => {
    const context = { nowMs: 1.7e12, timezone: "Europe/Berlin", random: Math.random };
    const best = new Map<string, number>();
    const takeBest = (statement: string, formula: string): number => {
      const ns = Math.min(best.get(statement) ?? Infinity, measure(formula));
      best.set(statement, ns);
      return ns;
    };
    withContext(context, () => {
      for (let round = 0; round < 2; round++) for (const program of STEP_PROGRAMS) takeBest(...program);
      const limit = 5 * median([...best.values()]);
      // Interrupted measurements are repeated: the best of many rounds is the actual duration.
      for (const program of STEP_PROGRAMS) {
        const isNearLimit = (ns = 0): boolean => ns > limit && ns < 10 * limit;
        for (let round = 0; round < 60 && isNearLimit(best.get(program[0])); round++) takeBest(...program);
      }
      const slow = [...best]
        .filter(([, ns]) => ns > limit)
        .map(([statement, ns]) => `${statement}: ${ns / limit} times 5`);
      expect(slow).toEqual([]);
    });
  });
});

describe("nested eval", () => {
  test.each([
    ["x = 'eval(x)'\nreturn eval(x)", "RecursionError"],
    ["x = '(lambda: eval(x))()'\nreturn eval(x)", "RecursionError"],
    ["x = 'sum(eval(x) for _ in (1,))'\nreturn eval(x)", "RecursionError"],
    ["x = 'eval(x)'\ntry:\n  eval(x)\nexcept RecursionError:\n  return 'caught'", "'caught'"],
    ["x = '1'\nfor _ in range(100): x = f'eval({x!r})'[:400] if len(x) < 100 else x\nreturn eval(x)", "1"],
  ])("has limited depth: %j", (formula, result) => {
    expect(evaluate(formula)).toBe(result);
  });
});
