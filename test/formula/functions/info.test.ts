import { describe, expect, test } from "bun:test";
import { withContext } from "../../../src/formula/runtime/evaluation-context.ts";
import { AltText } from "../../../src/formula/runtime/values.ts";
import { evaluate } from "../evaluate.ts";
import { testTables } from "./table.ts";

testTables(
  {
    types: [
      ["ISERR([][1])", "True"],
      ["ISERR(NA())", "False"],
      ["ISERROR(NA())", "True"],
      ["ISERROR($Wrong)", "True"],
      ["ISERR($Wrong)", "False"],
      ["ISLOGICAL(0)", "False"],
      ["ISNA(NA())", "True"],
      ["ISNUMBER(False)", "True"],
      ["ISNUMBER('1')", "False"],
      ["ISNUMBER($Wrong)", "False"],
      ["ISTEXT($Wrong)", "True"],
      ["ISNONTEXT(1)", "True"],
      ["ISREF(1)", "False"],
      ["ISREFLIST([1])", "False"],
      ["N(True)", "True"],
      ["N('5')", "0"],
      ["N(DATE(1900, 1, 1))", "2.0"],
      ["PEEK(2 * 3)", "6"],
      ["ISBLANK('')", "NotImplementedError"],
      ["TYPE()", "TypeError"],
    ],
    addresses: [
      ["ISEMAIL('first.last+tag@mail.example.org')", "True"],
      ["ISEMAIL('first@example')", "False"],
      ["ISEMAIL('first..last@example.org')", "False"],
      ["ISEMAIL('@example.org')", "False"],
      ["ISEMAIL('first@example.org, second@example.org')", "False"],
      ["ISEMAIL(5)", "TypeError"],
      ["ISURL('https://quern.example/a?b=c#d')", "True"],
      ["ISURL('quern.example')", "True"],
      ["ISURL('file:///etc/hosts')", "False"],
      ["ISURL('just words')", "False"],
      ["ISURL(5)", "AttributeError"],
    ],
    "look-ups": [
      ["CONTAINS(1, match_empty='').match_empty", "''"],
      ["CONTAINS(1, match_empty=[])", "TypeError"],
      ["VLOOKUP('People', Name='x')", "AttributeError"],
      ["VLOOKUP('People', 'x')", "TypeError"],
      ["SELF_HYPERLINK(key=1)", "TypeError"],
      ["SELF_HYPERLINK(1, 2, 3)", "TypeError"],
      ["SELF_HYPERLINK()", "None"],
      ["HYPERLINK('http://quern.example', 'x')", "NotImplementedError"],
      ["CHOOSE(1)", "TypeError"],
    ],
  },
  { Wrong: new AltText("soon", "Date") },
);

describe("SELF_HYPERLINK", () => {
  const context = { nowMs: 0, timezone: "UTC", random: Math.random, documentUrl: "https://quern.example/doc/abc" };
  test.each([
    ["SELF_HYPERLINK()", "'https://quern.example/doc/abc'"],
    ["SELF_HYPERLINK('Go', page=3)", "'Go https://quern.example/doc/abc/p/3'"],
    ["SELF_HYPERLINK(LinkKey_Id='a b')", "'https://quern.example/doc/abc?Id_=a%20b'"],
  ])("%s", (formula, result) => {
    expect(withContext(context, () => evaluate(formula))).toBe(result);
  });
});
