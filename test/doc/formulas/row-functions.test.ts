import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Scratch } from "../actions/scratch.ts";

const ROWS = 300;
const numbers = Array.from({ length: ROWS }, (_, index) => index);

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.do("AddTable", "T", [
    { id: "X", type: "Numeric" },
    { id: "Y", type: "Int" },
    { id: "Name", type: "Text" },
  ]);
  scratch.do(
    "BulkAddRecord",
    "T",
    numbers.map(() => null),
    {
      X: numbers.map((n) => (n % 10 === 3 ? null : n / 2)),
      Y: numbers.map((n) => (n % 7 === 5 ? "seven" : n)),
      Name: numbers.map((n) => `name ${n}`),
    },
  );
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const addFormulas = (formulas: Record<string, string>) =>
  scratch.apply(Object.entries(formulas).map(([id, formula]) => ["AddColumn", "T", id, { type: "Any", formula }]));

const cells = (column: string): unknown[] => Object.values(scratch.rows("T", column)).map(([cell]) => cell);

describe("formulas over many rows", () => {
  test("tell ints from floats in the results of untyped formulas", () => {
    addFormulas({ Float: "$X * 2", Whole: "$id + 1", Text: "str($Float) + ' ' + str($Whole)" });
    const expected = numbers.map((n) => (n % 10 === 3 ? ["E", "TypeError"] : `${n}.0 ${n + 2}`));
    expect(cells("Text")).toEqual(expected);
  });

  test("use bools among the floats of untyped formulas as ints", () => {
    addFormulas({ Mixed: "$X * 2 if $id > 10 else True", Twice: "$Mixed * 2", Text: "str($Twice)" });
    const expected = numbers.map((n) => (n < 10 ? "2" : n % 10 === 3 ? ["E", "TypeError"] : `${n * 2}.0`));
    expect(cells("Text")).toEqual(expected);
  });

  test("have the errors of empty cells, of zero and of texts in cells of another type", () => {
    addFormulas({ Quotient: "100 / ($X + $Y)" });
    const expected = numbers.map((n) => {
      if (n % 10 === 3 || n % 7 === 5) return ["E", "TypeError"];
      return n === 0 ? ["E", "ZeroDivisionError"] : 100 / (n / 2 + n);
    });
    expect(cells("Quotient")).toEqual(expected);
  });

  test("that read each other in a circle fail", () => {
    addFormulas({ First: "$Second + 1", Second: "$First + 1" });
    expect(new Set(cells("First").map(String))).toEqual(new Set(["E,CircularRefError"]));
  });

  test("follow a change of one cell and of all", () => {
    addFormulas({ Label: "f'{$Name}: {$Y}' if $X else $Name.upper()" });
    expect(cells("Label").slice(0, 4)).toEqual(["NAME 0", "name 1: 1", "name 2: 2", "NAME 3"]);
    scratch.do("UpdateRecord", "T", 2, { X: 0 });
    expect(cells("Label").slice(0, 4)).toEqual(["NAME 0", "NAME 1", "name 2: 2", "NAME 3"]);
    scratch.do("ModifyColumn", "T", "Label", { formula: "$Name[5:] + '!'" });
    expect(cells("Label").slice(0, 3)).toEqual(["0!", "1!", "2!"]);
  });
});
