import { afterEach, beforeEach, expect, test } from "bun:test";
import { FORMULA_LIMITS } from "../../../src/formula/runtime/budget.ts";
import { Scratch } from "../actions/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  const change = { ...FORMULA_LIMITS.change, bytes: 1024 ** 3 };
  scratch = new Scratch({ formulas: { ...FORMULA_LIMITS, change } });
  scratch.do("AddTable", "T", [{ id: "N", type: "Int" }]);
  scratch.do("AddRecord", "T", null, { N: 1 });
});
afterEach(() => scratch[Symbol.dispose]());

const nested = (levels: number, around: string): string => `x = 1\nfor _ in range(${levels}): x = ${around}\nreturn x`;

test.each([
  ["Any", nested(900, "[x]"), "ValueError"],
  ["Any", nested(5000, "(x,)"), "ValueError"],
  ["Any", nested(900, "{'a': x}"), "ValueError"],
  ["Any", nested(101, "[x]"), "ValueError"],
  ["Any", nested(90_000, "[x]"), "RecursionError"],
  ["Text", "'x' * 20000000", "MemoryError"],
  ["Any", "['x' * 1000000] * 1000", "MemoryError"],
  ["Any", "{'a': ['x' * 1000000] * 2000}", "MemoryError"],
  ["ChoiceList", "['x' * 20000000] * 20", "MemoryError"],
])("stores an error for a result that is too large or too deeply nested: %s %j", (type, formula, error) => {
  scratch.do("AddColumn", "T", "F", { type, formula, isFormula: true });
  expect(scratch.rows("T", "F")).toEqual({ 1: [["E", error]] });
});

test("stores a result within the limits", () => {
  scratch.do("AddColumn", "T", "Deep", { type: "Any", formula: nested(100, "[x]"), isFormula: true });
  scratch.do("AddColumn", "T", "Dicts", { type: "Any", formula: nested(100, "{'a': x}"), isFormula: true });
  scratch.do("AddColumn", "T", "Long", { type: "Text", formula: "'x' * 15000000", isFormula: true });
  const [deep, dicts, long] = scratch.rows("T", "Deep", "Dicts", "Long")["1"] ?? [];
  expect(JSON.stringify(deep)).toBe(`${'["L",'.repeat(100)}1${"]".repeat(100)}`);
  expect(JSON.stringify(dicts)).toStartWith('["O",{"a":["O",{"a":');
  expect(String(long)).toHaveLength(15_000_000);
});

test("stores errors in the last cells when the results of one change exceed the memory limit", () => {
  const rows = Array.from({ length: 20 }, () => null);
  scratch.do("BulkAddRecord", "T", rows, {});
  scratch.do("AddColumn", "T", "F", { type: "Text", formula: "'x' * 10000000", isFormula: true });
  const cells = Object.values(scratch.rows("T", "F")).map(([cell]) => (typeof cell === "string" ? "text" : cell));
  expect(cells.at(0)).toBe("text");
  expect(cells.at(-1)).toEqual(["E", "MemoryError"]);
});
