import { expect, test } from "bun:test";
import { quoteSqlName } from "../../../../src/web/pages/sql/client/quote-name.ts";
import { findParameters, parseParameterValue } from "../../../../src/web/pages/sql/client/parameters.ts";

test.each([
  ["select 1", []],
  ["select ?, ?", ["?1", "?2"]],
  ["select ?2", ["?1", "?2"]],
  ["select :a, :b, :a, @c, $d", [":a", ":b", "@c", "$d"]],
  ["select '?', \"?\", `?`, [?] -- ?\n, /* ? */ ?", ["?1"]],
  ["select 'it''s ?' where a = ?", ["?1"]],
  ["select ?999999", Array.from({ length: 50 }, (_, at) => `?${at + 1}`)],
] as const)("the parameters of %s", (sql, names) => {
  expect(findParameters(sql)).toEqual([...names]);
});

test.each([
  ["", null],
  ["  ", null],
  ["null", null],
  ["12", 12],
  ["-1.5e3", -1500],
  [".5", 0.5],
  ["true", true],
  ["false", false],
  ["12.5.1", "12.5.1"],
  ["'12'", "12"],
  ['"null"', "null"],
  ["'", "'"],
  [" bread ", " bread "],
] as const)("parses the typed value %p", (typed, value) => {
  expect(parseParameterValue(typed)).toBe(value);
});

test("quotes names where needed", () => {
  expect(["Stock", "Order", "a b", 'a"b', "Äpfel", "_x1"].map(quoteSqlName)).toEqual([
    "Stock",
    '"Order"',
    '"a b"',
    '"a""b"',
    '"Äpfel"',
    "_x1",
  ]);
});
