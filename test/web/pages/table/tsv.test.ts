import { expect, test } from "bun:test";
import { parseTsv, formatTsv } from "../../../../src/web/pages/table/client/clipboard/tsv.ts";

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
])("parses %j", (text, cells) => {
  expect(parseTsv(text)).toEqual(cells);
});

test("formatted cells survive the round trip", () => {
  const cells = [
    ["a", "", 'say "no"'],
    ["two\nlines", "tab\there", "\r"],
  ];
  expect(parseTsv(formatTsv(cells))).toEqual(cells);
});
