import { describe, expect, test } from "bun:test";
import { withContext } from "../../src/formula/runtime/evaluation-context.ts";
import { PyError } from "../../src/formula/runtime/errors.ts";
import { compileFormula } from "../../src/formula/formula.ts";
import { evaluate, rowOf } from "./evaluate.ts";
import { STEP_PROGRAMS } from "./step-programs.ts";

/** So many that what a program prepares, and compiling it, do not count. */
const STEPS = 60_000;
const noRow = rowOf(() => null);

/** Nanoseconds that a step of an endless program takes. */
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
  // Anything else measures something else.
  expect([formula, ended]).toEqual([formula, "TimeoutError"]);
  return (ms * 1e6) / STEPS;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

describe("steps are counted by what they cost", () => {
  test("no program takes more than 5 times as long for a step as the median of all", () => {
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
      // What is interrupted by other work is measured again: the best of many rounds is what the program takes.
      for (const program of STEP_PROGRAMS) {
        const isDoubtful = (ns = 0): boolean => ns > limit && ns < 10 * limit;
        for (let round = 0; round < 60 && isDoubtful(best.get(program[0])); round++) takeBest(...program);
      }
      const off = [...best]
        .filter(([, ns]) => ns > limit)
        .map(([statement, ns]) => `${statement}: ${ns / limit} times 5`);
      expect(off).toEqual([]);
    });
  });
});

describe("eval within eval", () => {
  test.each([
    ["x = 'eval(x)'\nreturn eval(x)", "RecursionError"],
    ["x = '(lambda: eval(x))()'\nreturn eval(x)", "RecursionError"],
    ["x = 'sum(eval(x) for _ in (1,))'\nreturn eval(x)", "RecursionError"],
    ["x = 'eval(x)'\ntry:\n  eval(x)\nexcept RecursionError:\n  return 'caught'", "'caught'"],
    ["x = '1'\nfor _ in range(100): x = f'eval({x!r})'[:400] if len(x) < 100 else x\nreturn eval(x)", "1"],
  ])("is limited in depth: %j", (formula, result) => {
    expect(evaluate(formula)).toBe(result);
  });
});
