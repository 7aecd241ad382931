import { describe, expect, test } from "bun:test";
import { randomNumbers } from "../random-formula.ts";
import { compareResults } from "./compare.ts";
import { RandomRowFormulas } from "./random-row-formulas.ts";
import { COLUMNS, randomRow, RandomRows, RESULT_TYPES } from "./random-rows.ts";

/** `QUERN_TEST_ROW_FORMULAS=100000` compares more formulas, `QUERN_TEST_SEED=7` others. */
const FORMULAS = Number(process.env["QUERN_TEST_ROW_FORMULAS"] ?? 2000);
const SEED = Number(process.env["QUERN_TEST_SEED"] ?? 1);
const ROWS_PER_FORMULA = 12;

describe("row functions", () => {
  test.each([
    ["a constant int that becomes a float", "float(1)", "Ref:Other"],
    ["an int that equals a float", "1 in (1.0, $Num) and $Int in [1.0]", "Any"],
    ["a list with None and bools", "$Text in (1, None) or None in ($Text, $Int)", "Any"],
    ["a list that may have the same None", "$Flag in ['a', $Text, True]", "Any"],
    ["None in arithmetic", "x = $Num * $Price\nreturn x + 1", "Numeric"],
    ["None among texts", "f'{$Any}' + ($Name + $Text).upper() + $Choice.lower()", "Text"],
    ["divisions by zero", "$Num / ($Int + len($Text)) // $Int", "Numeric"],
    ["an error that is caught", "IFERROR($Num / $Flag + $Price, $Int)", "Any"],
    ["an error after the error of a cell", "$Any + ($Num * $Price < 3)", "Any"],
    ["percent formats", "'%s: %s%%' % ($Name, $Int) + '%.1f' % $Num + $Text % ()", "Text"],
    ["numbers or formats", "(($Ints % $Int) or IF($Flag, 7.5, -0.0))", "Any"],
    ["ints beyond 2^53", "str($Int * $Int * $Int) + str($Int + 9007199254740991)", "Text"],
    ["the truth of NaN", "x = $Num - $Num if $Flag else None\nreturn 'yes' if x else 'no'", "Text"],
    ["a zero of either sign", "-$Int * 0 + -$Num * 0", "Any"],
    ["a float without decimal places as a text", "str($Num) + str($Int) + f'{$Any}'", "Text"],
    ["a text longer than a result may be without being charged", "$Name + $Text", "Text"],
    ["characters beyond the basic plane", "$Text[1:] + $Name[-1] + LEFT($Text, 2) + MID($Name, 2, 1)", "Text"],
  ])("agree with the interpreter on %s", (_, formula, type) => {
    const random = new RandomRows(randomNumbers(SEED));
    const rows = Array.from({ length: 300 }, (_, id) => randomRow(random, id + 1));
    const outcome = compareResults(formula, { columns: COLUMNS, type, rows });
    expect(outcome).toMatchObject({ isCompiled: true, difference: undefined });
    expect(outcome.evaluated).toBeGreaterThan(0);
  });

  test("give the results, types and costs of the interpreter for random formulas and rows", () => {
    const differences: string[] = [];
    let compiled = 0;
    let evaluated = 0;
    for (let index = 0; index < FORMULAS && differences.length < 5; index++) {
      const random = new RandomRows(randomNumbers(SEED * 1_000_003 + index));
      const text = index % 10 === 0 ? random.formula() : new RandomRowFormulas(random).formula();
      const rows = Array.from({ length: ROWS_PER_FORMULA }, (_, id) => randomRow(random, id + 1));
      const outcome = compareResults(text, { columns: COLUMNS, type: random.pick(RESULT_TYPES), rows });
      if (outcome.difference !== undefined) differences.push(`formula ${index}: ${outcome.difference}`);
      if (outcome.isCompiled) compiled++;
      evaluated += outcome.evaluated;
    }
    expect(differences).toEqual([]);
    // Otherwise the formulas would show nothing.
    expect(compiled).toBeGreaterThan(FORMULAS / 5);
    expect(evaluated).toBeGreaterThan(FORMULAS);
    if (process.env["QUERN_TEST_ROW_FORMULAS"]) console.log({ compiled, evaluated });
  });
});
