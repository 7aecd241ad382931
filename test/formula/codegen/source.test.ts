import { describe, expect, test } from "bun:test";
import { compileRowFunction, generateRowFunction, type RowColumn } from "../../../src/formula/codegen/row-function.ts";
import { HELPERS } from "../../../src/formula/codegen/helpers.ts";
import { compileFormula } from "../../../src/formula/formula.ts";
import { columnType } from "../../../src/values/column-type.ts";
import { cpuMs } from "../../helpers/cpu-time.ts";
import { randomNumbers } from "../random-formula.ts";
import { RandomRowFormulas } from "./random-row-formulas.ts";
import { COLUMNS, RandomRows } from "./random-rows.ts";

const numeric: RowColumn = { type: columnType("Numeric"), isFormula: false };
const text: RowColumn = { type: columnType("Text"), isFormula: false };

function generate(formula: string, columns: ReadonlyMap<string, RowColumn> = COLUMNS, type = "Any") {
  const { tree } = compileFormula(formula, { isTable: () => false });
  return tree && generateRowFunction(tree, { columns, resultType: columnType(type) });
}

/** Words of JavaScript and of the code around a row function, and functions that it calls. */
const KEYWORDS =
  "use strict const let function return if else for typeof instanceof null true false undefined new of " +
  "row rows list first results result length evaluate evaluateRows r i s b K H from number string boolean " +
  "Number String Math isSafeInteger isInteger trunc min includes False True None checked try catch error " +
  "BigInt abs toUpperCase toLowerCase startsWith endsWith slice at E AttributeError TypeError " +
  "ZeroDivisionError";
const ALLOWED = new Set([...KEYWORDS.split(" "), ...Object.keys(HELPERS)]);

/** Returns the words of a source that are neither allowed nor numbered identifiers or numbers. */
function foreignWords(source: string): string[] {
  const words = source.match(/[\w$\\]+|[^\x20-\x7e\n]/g) ?? [];
  return words.filter((word) => !ALLOWED.has(word) && !/^(?:[ktcv]?\d+)$/.test(word));
}

describe("formulas that are long or deeply nested", () => {
  test.each([
    ["a sum", `$Num${" + $Num".repeat(20_000)}`],
    ["a concatenation of different texts", Array.from({ length: 20_000 }, (_, n) => `'${n}'`).join(" + ")],
    ["conditions", `${"1 if $Flag else ".repeat(3000)}2`],
    ["parentheses", `${"-(".repeat(3000)}$Num${")".repeat(3000)}`],
    ["branches", `if $Num: return 1\n${"elif $Num: return 2\n".repeat(5000)}return 3`],
    ["assignments", `${"x = $Num\n".repeat(20_000)}return x`],
  ])("are compiled or left to the interpreter: %s", (_, formula) => {
    const compiled = compileFormula(formula, { isTable: () => false });
    const options = { columns: COLUMNS, resultType: columnType("Any") };
    const run = () => compileRowFunction(compiled, options)?.evaluate([1, 1]);
    expect(cpuMs(() => expect(run).not.toThrow())).toBeLessThan(5000);
  });
});

describe("the source of a row function", () => {
  test.each([
    "'quote\\' + process.exit() // ' + $Text",
    '"${globalThis}`" + $Text',
    "'\u2028\u2029\\n*/' + $Text",
    "'constructor' + $Text",
    "__proto__ = $Num\nreturn __proto__ * 2",
    "constructor = $Text\nreturn constructor + 'secret'",
    "globalThis = $Num\nK = 1\nH = 2\nF = 3\nreturn globalThis + K + H + F",
    "return $Num * 12345678",
    "ünïcode = $Num\nreturn ünïcode",
    "x = $Num # comment\nreturn x",
    "f'secret {$Num:.3f} {$Text!s}'",
    "$Text.replace('secret', '`')[1:7].center(77)",
    "CONCAT('secret', SUBSTITUTE($Text, '\"', '*/'))",
    "secret if $Num else 1",
  ])("contains no text of the formula: %j", (formula) => {
    const generated = generate(formula);
    if (formula.startsWith("secret")) return expect(generated).toBeUndefined();
    expect(generated).toBeDefined();
    expect(foreignWords(generated?.source ?? "")).toEqual([]);
    expect(generated?.source).not.toContain("12345678");
  });

  test.each(["constructor", "__proto__", "toString", "hasOwnProperty", "length", "then"])(
    "contains no id of a column: %s",
    (id) => {
      const columns = new Map([[id, numeric] as const, ["Other", text] as const]);
      const generated = generate(`$${id} * 2`, columns);
      expect(generated?.reads).toEqual([id]);
      expect(foreignWords(generated?.source ?? "")).toEqual([]);
      // Properties of all objects are not columns.
      expect(generate(`$${id} * 2`, new Map([["Other", text]]))).toBeUndefined();
    },
  );

  test("contains no text of random formulas", () => {
    const foreign = Array.from({ length: 3000 }, (_, seed) => {
      const random = new RandomRows(randomNumbers(seed));
      return foreignWords(generate(new RandomRowFormulas(random).formula())?.source ?? "");
    });
    expect(foreign.flat()).toEqual([]);
  });
});
