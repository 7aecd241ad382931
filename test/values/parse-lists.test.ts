import { describe, expect, test } from "bun:test";
import type { CellValue } from "../../src/values/cell.ts";
import { columnType, type ConvertContext, type ParseSettings } from "../../src/values/column-type.ts";
import { joinRow, splitRow } from "../../src/values/csv-row.ts";
import { displayText } from "../../src/values/display-text.ts";
import { cpuMs } from "../helpers/cpu-time.ts";

const EN: ParseSettings = { locale: "en-US", timezone: "UTC" };

test.each<[string, string[] | null]>([
  ["", null],
  ["  ", null],
  [", ,,", null],
  ["\r\n", null],
  ["red", ["red"]],
  [" red ", ["red"]],
  ["red,green", ["red", "green"]],
  ["red ,  green,", ["red", "green"]],
  ["red,red,Red", ["red", "red", "Red"]],
  ["red\ngreen\r\nblue, pink", ["red", "green", "blue", "pink"]],
  ['"red, green",blue', ["red, green", "blue"]],
  ['"say ""hi"""', ['say "hi"']],
  ['"open, end', ["open", "end"]],
  ['a "quoted" word', ['a "quoted" word']],
  ['["red","green"]', ["red", "green"]],
  ['[ "red" , 0, 5, null, false, "", true, " "]', ["red", "0", "5", "true"]],
  ["[]", null],
  ["[null]", null],
  ['[["x"],["y","z"],{"k":[1,"v"]}]', ["x", "y, z", '{"k": [1, "v"]}']],
  ['["red"', ['["red']],
  ["[red]", ["[red]"]],
  ['{"a":1}', ['{"a":1}']],
])("the choices in %j are %j", (text, choices) => {
  const type = columnType("ChoiceList");
  const value: CellValue = choices && ["L", ...choices];
  expect(type.parse(text, EN)).toEqual(value);
  expect(type.convert(type.parse(text, EN))).toEqual(value);
});

test("parses choices in linear time", () => {
  const text = '",a'.repeat(100_000);
  expect(cpuMs(() => columnType("ChoiceList").parse(text, EN))).toBeLessThan(500);
});

describe("references", () => {
  /** Row ids by displayed value. */
  const names = new Map<unknown, number>([
    ["Ann", 1],
    ["Bob", 2],
    ["Roe, Jane", 3],
    ["12", 4],
    [20, 5],
  ]);
  const settings: ParseSettings = { ...EN, lookUp: (text) => names.get(text) };
  const context: ConvertContext = { lookUp: (value) => names.get(value) };
  const read = (name: string, text: string) => {
    const type = columnType(name);
    return type.convert(type.parse(text, settings), context);
  };

  test.each<[string, CellValue]>([
    ["", 0],
    ["Ann", 1],
    ["Roe, Jane", 3],
    ["12", 4],
    [" Ann", " Ann"],
    ["ann", "ann"],
    ["1", "1"],
    ["[1]", "[1]"],
    [" ", " "],
  ])("one: %j is %j", (text, value) => {
    expect(read("Ref:People", text)).toEqual(value);
  });

  test.each<[string, CellValue]>([
    ["", null],
    ["Ann", ["L", 1]],
    [" Ann ", ["L", 1]],
    ["Bob, Ann, Bob", ["L", 2, 1, 2]],
    ['"Roe, Jane", 12', ["L", 3, 4]],
    ["Roe, Jane", "Roe, Jane"],
    ["Ann, Zoe", "Ann, Zoe"],
    ['["Ann", "Roe, Jane"]', ["L", 1, 3]],
    ['["Ann", "Zoe"]', '["Ann", "Zoe"]'],
    ["[20]", ["L", 5]],
    ["[12]", "[12]"],
    ["[1, 2]", "[1, 2]"],
    ["[]", null],
    [" ", " "],
  ])("several: %j is %j", (text, value) => {
    expect(read("RefList:People", text)).toEqual(value);
  });

  test.each<[string, CellValue]>([
    ["", null],
    ["12", ["L", 4]],
    ["7", "7"],
    ["[7]", ["L", 7]],
    ["[1,2]", ["L", 1, 2]],
    ["[-1]", "[-1]"],
  ])("attachments: %j is %j", (text, value) => {
    expect(read("Attachments", text)).toEqual(value);
  });

  test("keeps texts without a table to search", () => {
    expect(columnType("Ref:People").parse("Ann", EN)).toBe("Ann");
    expect(columnType("RefList:People").parse("Ann", EN)).toBe("Ann");
  });
});

test.each<[string[], string]>([
  [[], ""],
  [["a", "b c"], "a, b c"],
  [["a,b", 'c"d', " e", "f\ng"], '"a,b", "c""d", " e", "f\ng"'],
])("%j in one line is %j", (cells, line) => {
  expect(joinRow(cells)).toBe(line);
});

test("round-trips the cells of a line", () => {
  const cells = ["plain", "with, comma", 'with "quotes" inside', "x"];
  expect(splitRow(joinRow(cells))).toEqual(cells);
});

test.each<[unknown, string]>([
  ["text", "text"],
  [5, "5"],
  [true, "true"],
  [null, "null"],
  [["a", "b,c", 1], 'a, "b,c", 1'],
  [[["a"], 1], '"[""a""]", 1'],
  [{ a: [1, "x"], b: null }, '{"a": [1, "x"], "b": null}'],
])("%j is shown as %j", (value, text) => {
  expect(displayText(value)).toBe(text);
});
