import { describe, expect, test } from "bun:test";
import { columnType } from "../../src/values/column-type.ts";
import type { CellValue } from "../../src/values/cell.ts";
import { cellToPython } from "../../src/formula/cell-to-python.ts";
import { computeCell } from "../../src/formula/compute-cell.ts";
import { PyError } from "../../src/formula/runtime/errors.ts";
import { compileFormula } from "../../src/formula/formula.ts";
import { pyRepr } from "../../src/formula/runtime/values.ts";
import { rowOf } from "./evaluate.ts";

describe("converts cells to Python values", () => {
  const cases: [type: string, cell: CellValue, expected: string][] = [
    ["Text", "a", "'a'"],
    ["Text", null, "None"],
    ["Text", 5, "AltText('5')"],
    ["Choice", "red", "'red'"],
    ["Int", 7, "7"],
    ["Int", null, "None"],
    ["Int", "seven", "AltText('seven')"],
    ["Int", 1.5, "AltText('1.5')"],
    ["Numeric", 7, "7.0"],
    ["Numeric", "7", "AltText('7')"],
    ["Bool", true, "True"],
    ["Bool", "maybe", "AltText('maybe')"],
    ["Date", 86_400, "datetime.date(1970, 1, 2)"],
    ["Date", "soon", "AltText('soon')"],
    ["Date", -62_135_596_800, "datetime.date(1, 1, 1)"],
    ["ChoiceList", null, "()"],
    ["ChoiceList", ["L", "a", "b"], "('a', 'b')"],
    ["ChoiceList", "a", "AltText('a')"],
    ["Any", 5, "5"],
    ["Any", 5.5, "5.5"],
    ["Any", ["L", 1, ["L", "x", null]], "[1, ['x', None]]"],
    ["Any", ["d", 0], "datetime.date(1970, 1, 1)"],
    ["Any", ["E", "ValueError"], "ValueError"],
    ["Int", ["E", "InvalidTypedValue", "Date", "soon"], "InvalidTypedValue"],
    ["Any", ["R", "People", 1], "NameError"],
    ["Ref:People", 1, "NameError"],
    ["DateTime:UTC", 1, "datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=tzinfo(UTC))"],
  ];
  test.each(cases)("%s %j", (type, cell, expected) => {
    let result: string;
    try {
      result = pyRepr(cellToPython(cell, columnType(type)));
    } catch (error) {
      result = error instanceof PyError ? error.typeName : String(error);
    }
    expect(result).toBe(expected);
  });
});

describe("converts results to cells of the column type", () => {
  /** Undefined for unknown values. */
  const cases: [type: string, formula: string, cell: CellValue][] = [
    ["Any", "2 ** 31 - 1", 2_147_483_647],
    ["Any", "-2 ** 31 - 1", ["U", "-2147483649"]],
    ["Any", "[1, (2.5, None, 2 ** 40)]", ["L", 1, ["L", 2.5, null, ["U", "1099511627776"]]]],
    ["Any", "1 / 0", ["E", "ZeroDivisionError"]],
    ["Any", "$Due", ["d", 86_400]],
    ["Any", "len", ["U", "<built-in function len>"]],
    ["Any", "$Wrong", "soon"],
    ["Any", "$Wrong.year", ["E", "InvalidTypedValue", "Date", "soon"]],
    ["Any", "$Fails", ["E", "KeyError"]],
    ["Any", "", null],
    ["Any", "open('1')", ["E", "NotImplementedError"]],
    [
      "Any",
      "{'a': [1, {'__proto__': 2}]}",
      ["O", Object.fromEntries([["a", ["L", 1, ["O", Object.fromEntries([["__proto__", 2]])]]]])],
    ],
    ["Any", "{1: 2}", ["U", "{1: 2}"]],
    ["Any", "{2, 1}", ["U", "{1, 2}"]],
    ["Any", "range(3)", ["U", "range(0, 3)"]],
    ["Any", "b'\\xc3\\xa9'", "é"],
    ["Any", "b'\\xff'", ["U", "b'\\xff'"]],
    ["Any", "[KeyError('x')]", ["L", ["E", "KeyError"]]],
    ["ChoiceList", "{'a': 1, 2: 3}", ["L", "a", "2"]],
    ["Text", "b'\\xc3\\xa9'", "é"],
    ["Text", "", ""],
    ["Text", "None", null],
    ["Text", "5.0", "5"],
    ["Text", "2 / 3", "0.666666666666667"],
    ["Text", "1e17", "1e+17"],
    ["Text", "123456.7891234567", "123456.789123457"],
    ["Text", "True", "True"],
    ["Text", "[1, 'a']", "[1, 'a']"],
    ["Text", "$Due", "1970-01-02"],
    ["Choice", "-0.0", "0"],
    ["Int", "7.9", 7],
    ["Int", "'-7.9'", -7],
    ["Int", "''", null],
    ["Int", "True", 1],
    ["Int", "2 ** 31", "2147483648"],
    ["Int", "'many'", "many"],
    ["Int", "[1]", "[1]"],
    ["Int", "float('nan')", "nan"],
    ["Int", "", 0],
    ["Numeric", "7", 7],
    ["Numeric", "' 7.5 '", 7.5],
    ["Numeric", "'1,000'", "1,000"],
    ["Numeric", "10 ** 400", `1${"0".repeat(400)}`],
    ["Numeric", "10 ** 5000", ["E", "ValueError"]],
    ["Bool", "[]", false],
    ["Bool", "0.5", true],
    ["Bool", "'YES'", true],
    ["Bool", "'No'", false],
    ["Bool", "'perhaps'", "perhaps"],
    ["Bool", "[0]", "[0]"],
    ["Date", "$Due", 86_400],
    ["Date", "86400.5", 86_400.5],
    ["Date", "True", 1],
    ["Date", "'2020-02-29T10:30'", 1_582_934_400],
    ["Date", "'20200229'", 1_582_934_400],
    ["Date", "'2020-02'", 1_580_515_200],
    ["Date", "'2021-02-29'", "2021-02-29"],
    ["Date", "'29.2.2020'", "29.2.2020"],
    ["DateTime:UTC", "$Due", 86_400],
    ["DateTime:Europe/Berlin", "$Due", 82_800],
    ["DateTime:Europe/Berlin", "12.5", 12.5],
    ["ChoiceList", "['a', 1, None]", ["L", "a", "1", "None"]],
    ["ChoiceList", '\'["a", "b"]\'', ["L", "a", "b"]],
    ["ChoiceList", "'a, b'", "a, b"],
    ["ChoiceList", "()", null],
    ["Ref:People", "2", 2],
    ["Ref:People", "2.0", "2.0"],
    ["Ref:People", "[5, 6]", 5],
    ["Ref:People", "None", 0],
    ["RefList:People", "(2, 1)", ["L", 2, 1]],
    ["RefList:People", "'[2]'", ["L", 2]],
    ["RefList:People", "{2: 'b', 1: 'a'}", ["L", 2, 1]],
    ["RefList:People", "[2, 'x']", "[2, 'x']"],
  ];
  const row = new Map<string, [type: string, cell: CellValue]>([
    ["Due", ["Date", 86_400]],
    ["Wrong", ["Date", "soon"]],
    ["Fails", ["Any", ["E", "KeyError", "message"]]],
  ]);
  test.each(cases)("%s: %s", (type, formula, cell) => {
    const read = (colId: string) => {
      const [columnTypeText, value] = row.get(colId) ?? ["Any", null];
      return cellToPython(value, columnType(columnTypeText));
    };
    expect(computeCell(compileFormula(formula), rowOf(read), columnType(type)).cell).toEqual(cell);
  });
});
