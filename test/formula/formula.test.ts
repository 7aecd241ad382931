import { describe, expect, test } from "bun:test";
import { isNotSupported, PyError } from "../../src/formula/runtime/errors.ts";
import { compileFormula } from "../../src/formula/formula.ts";
import { prepareSource } from "../../src/formula/parser/source.ts";
import { withChangeBudget } from "../../src/formula/runtime/budget.ts";
import { rowOf } from "./evaluate.ts";

const noRow = rowOf(() => null);

test("compiled formulas list the columns they read", () => {
  const formula = compileFormula("IF($B, rec.A, f'{$C + $B}') # $D");
  expect([...formula.reads.columns]).toEqual(["B", "A", "C"]);
});

describe("supported Python", () => {
  test.each([
    ["$A + 1", true],
    ["1 +", true],
    ["unknown(1)", true],
    ["", true],
    ["People.lookupOne(Name=$A)", true],
    ["[a for a in $A]", true],
    ["x = 1\nreturn x", true],
    ["match $A:\n  case int() if $B:\n    return 1", true],
    ["{'a': 1}", true],
    ["f(*$A)", true],
    ["rec", true],
    ["import os\nos.getcwd()", false],
    ["open('x')", false],
    ["exec('1')", false],
    ["eval('1')", true],
    ["global x\nx = 1\nx", true],
  ])("%s", (text, supported) => {
    expect(compileFormula(text).supported).toBe(supported);
  });

  test("raises an error that names the unsupported feature", () => {
    const { run } = compileFormula("import os\nos.name");
    expect(() => run(rowOf(() => null))).toThrow("module os");
    expect(errorOf(() => run(rowOf(() => null)))).toSatisfy(isNotSupported);
  });

  test("resolves a name to the table before the function", () => {
    const { run } = compileFormula("SUM(1)", { isTable: (name) => name === "SUM" });
    expect(errorOf(() => run(rowOf(() => null))).typeName).toBe("TypeError");
    expect(compileFormula("SUM(1)", { isTable: () => false }).run(rowOf(() => null))).toBe(1n);
  });
});

describe("budgets end formulas", () => {
  const limits = { steps: 100_000, bytes: 1_000_000 };
  test.each([
    ["'x' * 10 ** 9", "MemoryError"],
    ["'x' * 10 ** 30", "OverflowError"],
    ["[0] * 10 ** 7", "MemoryError"],
    ["9 ** 9 ** 9", "MemoryError"],
    ["1 << 10 ** 12", "MemoryError"],
    ["f'{1:999999999}'", "MemoryError"],
    ["'x'.ljust(10 ** 9)", "MemoryError"],
    ["('x' * 1000).replace('x', 'y' * 10000)", "MemoryError"],
    ["('x' * 1000).join(['y'] * 10000)", "MemoryError"],
    ["str([[[[[1] * 99] * 99] * 99] * 99])", "TimeoutError"],
    ["[[[[1] * 99] * 99] * 99] == [[[[1] * 99] * 99] * 99]", "TimeoutError"],
    ["(7 ** 100000) ** 3 % 5", "TimeoutError"],
    ["IFERROR('x' * 10 ** 9, 'caught')", "MemoryError"],
    ["str(10 ** 5000)", "ValueError"],
    ["while True: pass\nreturn 1", "TimeoutError"],
    [
      "while True:\n  try:\n    while True: pass\n  except BaseException: pass\n  finally:\n    continue\nreturn 1",
      "TimeoutError",
    ],
    ["x = []\nwhile True: x.append(x * 10)\nreturn 1", "MemoryError"],
    ["def g():\n  try:\n    yield 'x' * 10 ** 9\n  finally:\n    return\nlist(g())", "MemoryError"],
    ["def g():\n  try:\n    yield sum(range(10 ** 12))\n  finally:\n    return 1\nlist(g())", "TimeoutError"],
    ["d = {}\nfor i in range(10 ** 9): d[i] = i\nreturn 1", "MemoryError"],
    ["s = ''\nfor i in range(10 ** 9): s += 'abc'\nreturn 1", "MemoryError"],
    ["import itertools\nlist(itertools.count())", "TimeoutError"],
    ["import itertools\n5 in itertools.cycle('b')", "TimeoutError"],
    ["import itertools\nlen(list(itertools.product('ab', repeat=40)))", "MemoryError"],
    ["sum(range(10 ** 12))", "TimeoutError"],
    ["{i for i in range(10 ** 12)}", "MemoryError"],
    ["def g():\n  while True: yield 1\nmax(g())", "TimeoutError"],
    ["math.factorial(10 ** 9)", "MemoryError"],
    ["'%999999999d' % 1", "MemoryError"],
    ["'{:999999999}'.format('x')", "MemoryError"],
    ["bytes(10 ** 12)", "MemoryError"],
    ["def f(n): return f(n + 1)\nf(1)", "RecursionError"],
    ["re.match('(a+)+$', 'a' * 40 + 'b')", "TimeoutError"],
    ["sorted(range(10 ** 9))", "MemoryError"],
  ])("%s", (text, name) => {
    const formula = compileFormula(text, { limits });
    expect(errorOf(() => formula.run(rowOf(() => null))).typeName).toBe(name);
  });

  test("gives nested evaluations their own budget", () => {
    const inner = compileFormula("'x' * 300000", { limits });
    const outer = compileFormula("len($A) + len($B) + len('y' * 300000)", { limits });
    expect(outer.run(rowOf(() => inner.run(noRow)))).toBe(900_000n);
  });

  test("limits the cells of a change to its common budget", () => {
    const formula = compileFormula("sum(range(30000))");
    const cost = { cell: limits, change: { steps: 150_000, bytes: 1_000_000 } };
    const names = withChangeBudget(cost, () =>
      Array.from({ length: 6 }, () => {
        try {
          return typeof formula.run(noRow);
        } catch (error) {
          return error instanceof PyError ? error.typeName : "other";
        }
      }),
    );
    expect(names[0]).toBe("bigint");
    expect(names.slice(-2)).toEqual(["TimeoutError", "TimeoutError"]);
    expect(formula.run(noRow)).toBe(449_985_000n);
  });

  test.each(["(", "-", "not ", "[", "1+", "1 if 1 else "])("rejects %p repeated 20,000 times", (text) => {
    const formula = compileFormula(`${text.repeat(20_000)}1`);
    expect(errorOf(() => formula.run(rowOf(() => null))).typeName).toMatch("SyntaxError");
  });
});

test("maps offsets of the prepared source to the original formula", () => {
  const original = "  if $A:\r\n    $B\r\n";
  const source = prepareSource(original);
  expect(source.text).toBe("if $A:\n  $B\n");
  expect(source.maskedCode).toBe("if _A:\n  _B\n");
  expect(source.toOriginal(source.text.indexOf("$B"))).toBe(original.indexOf("$B"));
});

function errorOf(work: () => unknown): PyError {
  try {
    work();
  } catch (error) {
    if (error instanceof PyError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
