import { expect, test } from "bun:test";
import { parseFloatText } from "../../src/values/python-number.ts";
import {
  floatText,
  generalText,
  numberAsText,
  numberText,
  pythonRepr,
  pythonText,
  tupleText,
} from "../../src/values/python-text.ts";

test.each<[number, string]>([
  [1, "1.0"],
  [-12, "-12.0"],
  [0, "0.0"],
  [-0, "-0.0"],
  [0.1, "0.1"],
  [0.1 + 0.2, "0.30000000000000004"],
  [1 / 3, "0.3333333333333333"],
  [123456.789, "123456.789"],
  [9_999_999_999_999_998, "9999999999999998.0"],
  [1e16, "1e+16"],
  [1.5e300, "1.5e+300"],
  [0.0001, "0.0001"],
  [0.00012345, "0.00012345"],
  [0.00001, "1e-05"],
  [-2.5e-7, "-2.5e-07"],
  [5e-324, "5e-324"],
  [Infinity, "inf"],
  [-Infinity, "-inf"],
  [NaN, "nan"],
])("the float %p is %s", (value, text) => {
  expect(floatText(value)).toBe(text);
});

test.each<[number, string]>([
  [0.1 + 0.2, "0.3"],
  [1 / 3, "0.333333333333333"],
  [2 / 3, "0.666666666666667"],
  [100, "100"],
  [1e15, "1e+15"],
  [123456789012345.6, "123456789012346"],
  [1e-5, "1e-05"],
  [0.0001, "0.0001"],
  [1.25e20, "1.25e+20"],
  [-0.5, "-0.5"],
  [9.999999999999999e22, "1e+23"],
])("%p has the fifteen digits %s", (value, text) => {
  expect(generalText(value)).toBe(text);
});

test.each<[number, string]>([
  [1e15, "1000000000000000"],
  [2 ** 53 - 1, "9007199254740991"],
  [2 ** 53, "9.00719925474099e+15"],
  [2.5, "2.5"],
  [-3, "-3"],
  [-0, "0"],
])("%p becomes the text %s", (value, text) => {
  expect(numberAsText(value)).toBe(text);
});

test.each<[number, string]>([
  [7, "7"],
  [-(2 ** 31), "-2147483648"],
  [2 ** 31, "2147483648.0"],
  [7.5, "7.5"],
])("%p inside a list is %s", (value, text) => {
  expect(numberText(value)).toBe(text);
});

const VALUES: [value: unknown, repr: string, text?: string][] = [
  [null, "None"],
  [true, "True"],
  ["plain", "'plain'", "plain"],
  ["it's", '"it\'s"', "it's"],
  ['say "hi"', "'say \"hi\"'", 'say "hi"'],
  [`both ' and "`, `'both \\' and "'`, `both ' and "`],
  ["a\\b\n\t", String.raw`'a\\b\n\t'`, "a\\b\n\t"],
  ["\u0000\u007f\u00a0", String.raw`'\x00\x7f\xa0'`, "\u0000\u007f\u00a0"],
  ["\u2028é日😀", "'\\u2028é日😀'", "\u2028é日😀"],
  [["L"], "[]"],
  [["L", 1, "x", null, 2.5], "[1, 'x', None, 2.5]"],
  [["L", ["L", "a"], ["d", 1_714_608_000]], "[['a'], datetime.date(2024, 5, 2)]"],
  [["O", { a: 1, b: ["L", false] }], "{'a': 1, 'b': [False]}"],
  [["O", {}], "{}"],
  [["d", -86_400], "datetime.date(1969, 12, 31)", "1969-12-31"],
  [
    ["D", 1_714_608_000, "Asia/Kolkata"],
    "datetime.datetime(2024, 5, 2, 5, 30, tzinfo=Asia/Kolkata)",
    "2024-05-02 05:30:00+05:30",
  ],
  [
    ["D", 1_714_608_000.25, "UTC"],
    "datetime.datetime(2024, 5, 2, 0, 0, 0, 250000, tzinfo=UTC)",
    "2024-05-02 00:00:00.250000+00:00",
  ],
  [
    ["D", -3_000_000_000, "America/New_York"],
    "datetime.datetime(1874, 12, 7, 13, 43, 58, tzinfo=America/New_York)",
    "1874-12-07 13:43:58-04:56:02",
  ],
  [["R", "People", 3], "People[3]"],
  [["r", "People", [3, 4]], "People[[3, 4]]"],
  [["C"], "CENSORED"],
  [["U", "range(3)"], "range(3)"],
];

for (const [value, repr, text = repr] of VALUES) {
  test(`${JSON.stringify(value)} is ${repr} inside a list, and ${text} alone`, () => {
    expect(pythonRepr(value)).toBe(repr);
    expect(pythonText(value)).toBe(text);
  });
}

test("a tuple of one has a comma", () => {
  expect([tupleText([]), tupleText(["a"]), tupleText(["a", 2])]).toEqual(["()", "('a',)", "('a', 2)"]);
});

test.each<[string, number | undefined]>([
  ["12", 12],
  [" \t12.5\n", 12.5],
  ["-.5e-3", -0.0005],
  ["5.", 5],
  ["1_000_000", 1e6],
  ["1_0.0_1", 10.01],
  ["٣٤", 34],
  ["１２．５", undefined],
  ["𝟙𝟚", 12],
  ["iNf", Infinity],
  ["-Infinity", -Infinity],
  ["+nan", NaN],
  ["1e400", Infinity],
  ["", undefined],
  [" ", undefined],
  ["_1", undefined],
  ["1_", undefined],
  ["1__0", undefined],
  ["1_.5", undefined],
  ["0x10", undefined],
  ["1,000", undefined],
  ["1 000", undefined],
  ["1e", undefined],
  [".", undefined],
  ["--1", undefined],
  ["infinit", undefined],
])("the text %j is the number %p", (text, value) => {
  expect(parseFloatText(text)).toEqual(value as number);
});
