import { expect, test } from "bun:test";
import { readTsv, writeTsv } from "../../../src/web/client/table/tsv.ts";

test.each([
  ["a", [["a"]]],
  [
    "a\tb\nc\td",
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
  [
    "a\tb\r\nc\td\r\n",
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
  [
    "\t\n\t",
    [
      ["", ""],
      ["", ""],
    ],
  ],
  ["a\n\nb\n", [["a"], [""], ["b"]]],
  [
    '"two\nlines"\t"a ""quote"""\nx\ty',
    [
      ["two\nlines", 'a "quote"'],
      ["x", "y"],
    ],
  ],
  ['5" pipe\t"open', [['5" pipe', '"open']]],
  ['"a"b\tc', [['"a"b', "c"]]],
])("%j is read", (text, cells) => {
  expect(readTsv(text)).toEqual(cells);
});

test("what is written reads the same", () => {
  const cells = [
    ["a", "", 'say "no"'],
    ["two\nlines", "tab\there", "\r"],
  ];
  expect(readTsv(writeTsv(cells))).toEqual(cells);
});
