import { expect, test } from "bun:test";
import { columnType } from "../../src/values/column-type.ts";
import { pythonToCell } from "../../src/formula/conversion.ts";
import { cellToPython } from "../../src/formula/cells.ts";
import { PyError } from "../../src/formula/errors.ts";
import { compileFormula } from "../../src/formula/formula.ts";
import { pyStr } from "../../src/formula/values.ts";
import { rowOf } from "./evaluate.ts";

const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000_000);
const LIMITS = { steps: 200_000, bytes: 1_000_000 };

/** Numbers from 0 to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomNumbers(SEED);
const pick = <T>(from: readonly [T, ...T[]]): T => from[Math.floor(random() * from.length)] ?? from[0];

const ATOMS = [
  ..."0 1 -3 7.5 1e308 2147483648 99999999999999999999 True None 'a' '' 'ß😀' '\\ud800' [] [1,2] (1,'b')".split(" "),
  ..."$Int $Num $Text $Flag $Date $Choices $Strange $Error $Missing $constructor $__proto__ rec.toString".split(" "),
  ..."len str SUM IF int unknown constructor __proto__ toString hasOwnProperty".split(" "),
] as unknown as [string, ...string[]];
const SIGNS: [string, ...string[]] = [
  "+",
  "-",
  "*",
  "/",
  "//",
  "%",
  "**",
  "<<",
  ">>",
  "&",
  "|",
  "<",
  "==",
  "in",
  "is",
  "and",
];
const ATTRIBUTES: [string, ...string[]] = [
  "upper",
  "split",
  "year",
  "constructor",
  "__class__",
  "__proto__",
  "prototype",
  "length",
  "items",
  "call",
  "text",
];

function expression(depth: number): string {
  if (depth === 0) return pick(ATOMS);
  const inner = () => expression(depth - 1);
  const forms: [() => string, ...(() => string)[]] = [
    () => `(${inner()} ${pick(SIGNS)} ${inner()})`,
    () => `${inner()} ${pick(SIGNS)} not ${inner()}`,
    () => `(${inner()} if ${inner()} else ${inner()})`,
    () => `(${inner()}).${pick(ATTRIBUTES)}(${inner()})`,
    () => `(${inner()}).${pick(ATTRIBUTES)}`,
    () => `(${inner()})[${inner()}]`,
    () => `(${inner()})[${inner()}:${inner()}]`,
    () => `f'{(${inner().replaceAll("'", '"')})!r:>${Math.floor(random() * 30)}}'`,
    () => `${pick(["len", "str", "int", "float", "round", "abs", "min", "max", "sum", "sorted", "chr"])}(${inner()})`,
    () => `${pick(["IF", "IFERROR", "SUM", "ROUND", "CONCAT", "LEFT", "RIGHT"])}(${inner()}, ${inner()}, ${inner()})`,
    () => `[${inner()}, ${inner()}]`,
    () => `'ab'.${pick(["find", "replace", "join", "center", "count", "rsplit"])}(${inner()}, ${inner()})`,
  ];
  return pick(forms)();
}

const CELLS = new Map<string, ReturnType<typeof cellToPython>>([
  ["Int", 5n],
  ["Num", 2.5],
  ["Text", "text"],
  ["Flag", true],
  ["Date", cellToPython(0, columnType("Date"))],
  ["Choices", cellToPython(["L", "a"], columnType("ChoiceList"))],
  ["Strange", cellToPython("odd", columnType("Int"))],
]);
const TYPES: [string, ...string[]] = [
  "Any",
  "Text",
  "Int",
  "Numeric",
  "Bool",
  "Date",
  "ChoiceList",
  "Ref:T",
  "RefList:T",
];

/** Compiles, evaluates and converts; anything but a value or a PyError is thrown on. */
function tryOut(text: string): "value" | "error" {
  try {
    const value = compileFormula(text, { limits: LIMITS, isTable: () => false }).run(
      rowOf((colId) => {
        const cell = CELLS.get(colId);
        if (cell === undefined) throw new PyError(colId === "Error" ? "KeyError" : "AttributeError", colId);
        return cell;
      }),
    );
    pyStr(value);
    JSON.stringify(pythonToCell(value, columnType(pick(TYPES))));
    return "value";
  } catch (error) {
    if (error instanceof PyError) return "error";
    throw new Error(`seed ${SEED}: ${JSON.stringify(text)}`, { cause: error });
  }
}

test(`random expressions give a value or an error (seed ${SEED})`, () => {
  console.log(`fuzz seed ${SEED}; set SEED to repeat`);
  let values = 0;
  for (let round = 0; round < 4000; round++) {
    if (tryOut(expression(1 + Math.floor(random() * 4))) === "value") values++;
  }
  // Both happen; otherwise the grammar tests nothing.
  expect(values).toBeGreaterThan(200);
});

test("random characters give a value or an error", () => {
  const alphabet = Array.from("$aA_19.,:;()[]{}'\"\\\n\t #+-*/%=<>!fbrN \u00e9\ud83d\u0000notinif");
  for (let round = 0; round < 4000; round++) {
    const length = 1 + Math.floor(random() * 40);
    tryOut(Array.from({ length }, () => pick(alphabet as [string, ...string[]])).join(""));
  }
});
