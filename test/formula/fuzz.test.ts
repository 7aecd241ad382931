import { expect, test } from "bun:test";
import { columnType } from "../../src/values/column-type.ts";
import { pythonToCell } from "../../src/formula/python-to-cell.ts";
import { cellToPython } from "../../src/formula/cell-to-python.ts";
import { withCellBudget, withChangeBudget } from "../../src/formula/runtime/budget.ts";
import { PyError } from "../../src/formula/runtime/errors.ts";
import { compileFormula } from "../../src/formula/formula.ts";
import { pyStr } from "../../src/formula/runtime/values.ts";
import { rowOf } from "./evaluate.ts";
import { RandomFormulas, randomNumbers } from "./random-formula.ts";

const SEED = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000_000);
const COUNT = Number(process.env["QUERN_TEST_FORMULAS"] ?? 1500);
const LIMITS = { steps: 200_000, bytes: 1_000_000 };
/** More processor time than a formula needs to exhaust its budget. */
const MAX_MS = 2000;
const TIMEOUT_MS = 10_000 + COUNT * 20;

const CELLS = new Map<string, ReturnType<typeof cellToPython>>([
  ["Int", 5n],
  ["Num", 2.5],
  ["Text", "text"],
  ["Flag", true],
  ["Date", cellToPython(0, columnType("Date"))],
  ["Choices", cellToPython(["L", "a"], columnType("ChoiceList"))],
  ["Strange", cellToPython("odd", columnType("Int"))],
]);
const TYPES = ["Any", "Text", "Int", "Numeric", "Bool", "Date", "DateTime:UTC", "ChoiceList", "Ref:T", "RefList:T"];

const row = rowOf((colId) => {
  const cell = CELLS.get(colId);
  if (cell === undefined) throw new PyError(colId === "Error" ? "KeyError" : "AttributeError", colId);
  return cell;
});

/** Compiles, evaluates and converts; throws on errors other than PyError and when it takes too long. */
function evaluateCatching(text: string, type: string): "value" | "error" {
  const before = process.cpuUsage();
  try {
    return withChangeBudget({ cell: LIMITS, change: { steps: 500_000, bytes: 3_000_000 } }, () => {
      const value = compileFormula(text, { isTable: () => false }).run(row);
      JSON.stringify(pythonToCell(value, columnType(type)));
      withCellBudget(undefined, () => pyStr(value));
      return "value";
    });
  } catch (error) {
    if (error instanceof PyError) return "error";
    throw new Error(`QUERN_TEST_SEED=${SEED}: ${JSON.stringify(text)}`, { cause: error });
  } finally {
    const { user, system } = process.cpuUsage(before);
    const elapsedMs = (user + system) / 1000;
    if (elapsedMs > MAX_MS)
      console.log(`QUERN_TEST_SEED=${SEED}: ${elapsedMs.toFixed(0)} ms for ${JSON.stringify(text)}`);
    expect(elapsedMs).toBeLessThan(MAX_MS);
  }
}

function tryMany(makeText: (formulas: RandomFormulas) => string): number {
  const formulas = new RandomFormulas(randomNumbers(SEED));
  let values = 0;
  for (let round = 0; round < COUNT; round++) {
    if (evaluateCatching(makeText(formulas), TYPES[round % TYPES.length] ?? "Any") === "value") values++;
  }
  return values;
}

test(
  `random formulas give a value or an error (QUERN_TEST_SEED=${SEED})`,
  () => {
    const values = tryMany((formulas) => formulas.formula());
    if (COUNT > 10_000) console.log(`${values} of ${COUNT} random formulas gave a value`);
    // Both outcomes must occur, or the grammar tests nothing.
    expect(values).toBeGreaterThan(COUNT / 25);
    expect(values).toBeLessThan(COUNT);
  },
  TIMEOUT_MS,
);

test(
  "corrupted formulas give a value or an error",
  () => tryAll((formulas) => formulas.corrupt(formulas.formula())),
  TIMEOUT_MS,
);
test("random characters give a value or an error", () => tryAll((formulas) => formulas.characters()), TIMEOUT_MS);
test("random bytes give a value or an error", () => tryAll((formulas) => formulas.bytes()), TIMEOUT_MS);

function tryAll(makeText: (formulas: RandomFormulas) => string): void {
  expect(tryMany(makeText)).toBeLessThanOrEqual(COUNT);
}
