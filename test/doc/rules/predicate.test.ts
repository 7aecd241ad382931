import { describe, expect, test } from "bun:test";
import {
  compilePredicate,
  RowRequiredError,
  type RuleContext,
  RuleError,
} from "../../../src/doc/rules/predicates/compile-predicate.ts";
import type { RowCells } from "../../../src/doc/rules/access-types.ts";
import { parsePredicate } from "../../../src/doc/rules/predicates/parse-predicate.ts";
import { columnsRead, unknownName } from "../../../src/doc/rules/predicates/predicate.ts";
import { parsedFormulaText } from "../../../src/doc/rules/predicates/predicate-json.ts";
import { createRuleUser } from "../../../src/doc/rules/user-attributes.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { ANN, Scratch } from "../actions/scratch.ts";

describe("the stored form of a formula", () => {
  test.each([
    ["", ""],
    ["$Size >= 1.50", '["GtE", ["Attr", ["Name", "rec"], "Size"], ["Const", 1.5]]'],
    [
      "rec.A and newRec.B and not user.C",
      '["And", ["Attr", ["Name", "rec"], "A"], ["Attr", ["Name", "newRec"], "B"], ["Not", ["Attr", ["Name", "user"], "C"]]]',
    ],
    ["(OWNER or EDITOR) or VIEWER", '["Or", ["Or", ["Name", "OWNER"], ["Name", "EDITOR"]], ["Name", "VIEWER"]]'],
    ["OWNER or (EDITOR or VIEWER)", '["Or", ["Name", "OWNER"], ["Or", ["Name", "EDITOR"], ["Name", "VIEWER"]]]'],
    [
      "1 + 2 * 3 - 4 / 5 % 6",
      '["Sub", ["Add", ["Const", 1], ["Mult", ["Const", 2], ["Const", 3]]], ["Mod", ["Div", ["Const", 4], ["Const", 5]], ["Const", 6]]]',
    ],
    ["None is not True", '["IsNot", ["Const", null], ["Const", true]]'],
    ["rec.X not in ('a', 2.0)", '["NotIn", ["Attr", ["Name", "rec"], "X"], ["List", ["Const", "a"], ["Const", 2.0]]]'],
    ["user.Email.upper()", '["Call", ["Attr", ["Attr", ["Name", "user"], "Email"], "upper"]]'],
    ["'#é\\n' == \"\"  #  why  ", '["Comment", ["Eq", ["Const", "#\\u00e9\\n"], ["Const", ""]], "why"]'],
    ["(rec.A ==\n  1) # one\n# two", '["Comment", ["Eq", ["Attr", ["Name", "rec"], "A"], ["Const", 1]], "one"]'],
  ])("%j", (formula, stored) => {
    expect(parsedFormulaText(formula)).toBe(stored);
  });

  test.each([
    "rec.A ==",
    "1 < rec.A < 3",
    "-1",
    "rec['A']",
    "1 if OWNER else 2",
    "lambda: 1",
    "{}",
    "{1: 2}",
    "[x for x in user]",
    "# nothing else",
    " ",
    "return OWNER",
    "OWNER; EDITOR",
    "a = 1",
    "rec.A ** 2",
    "f(x=1)",
    "f(*user)",
    "rec.A | 1",
    "b'a'",
    "f'{user}'",
    "~1",
    "2j",
    "(yield)",
  ])("%j is refused", (formula) => {
    expect(() => parsedFormulaText(formula)).toThrow(/access rule/i);
  });
});

test("finds the names and columns of a formula", () => {
  const { predicate } = parsePredicate("rec.A and (newRec.B in [user.C, $D] or len(rec.E.lower()))");
  expect(unknownName(predicate)).toBe("len");
  expect([...columnsRead(predicate)]).toEqual(["A", "B", "D", "E"]);
  expect(unknownName(parsePredicate("rec.A == OWNER or user.B").predicate)).toBeNull();
});

const CELLS: Record<string, CellValue> = {
  id: 7,
  Text: "Oak",
  Empty: "",
  One: 1,
  Zero: 0,
  Yes: true,
  Nil: null,
  Tags: ["L", "red", "blue"],
  NoTags: ["L"],
  Day: 86400,
  AnyDay: ["d", 86400],
  AnyTime: ["D", 90000, "UTC"],
  Failed: ["E", "ValueError"],
  Other: ["R", "Table1", 1],
};
const row: RowCells = (column) => (Object.hasOwn(CELLS, column) ? CELLS[column] : undefined);

using scratch = new Scratch();
const { attributes: user } = createRuleUser({ ...ANN, linkKey: { Code: "17" } }, [], {
  db: scratch.document.db,
  schema: scratch.document.schema,
});

const answer = (formula: string, about: Omit<RuleContext, "user"> = { rec: row, newRec: row }): boolean =>
  compilePredicate(parsePredicate(formula).predicate)({ user, ...about });

describe("a condition holds", () => {
  test.each([
    "rec.Text == 'Oak'",
    "rec.Text.lower() == 'oak'",
    "'ak' in rec.Text",
    "rec.Text in ['Elm', 'Oak']",
    "rec.Text in ('Oak',)",
    "rec.One == 1.0",
    "rec.One != '1'",
    "rec.Yes",
    "rec.Yes == True",
    "rec.Yes != 1",
    "not rec.Empty",
    "not rec.Zero",
    "rec.Nil == None",
    "rec.Nil is None",
    "rec.Nil >= 0",
    "'red' in rec.Tags",
    "'Red' not in rec.Tags",
    "rec.NoTags",
    "rec.Tags != rec.Tags",
    "rec.Day == rec.AnyDay",
    "rec.AnyTime > rec.Day",
    "rec.id == 7",
    "rec == rec",
    "rec.Lost == rec.Gone",
    "rec.Lost != None",
    "not rec.Lost",
    "rec.Text.Length == rec.Lost",
    "rec.One.Name == rec.Lost",
    "rec.Failed",
    "rec.Failed != rec.Failed",
    "rec.Other != 1",
    "'x' not in rec.Nil",
    "not 'x' in rec.Nil",
    "1 in '21'",
    "'a' + 1 == 'a1'",
    "rec.One + rec.One == 2",
    "'6' * '7' == 42",
    "7 % 4 == 3",
    "1 / 2 == 0.5",
    "rec.Nil + 1 == 1",
    "'b' > 'a'",
    "'10' < 9 or True",
    "user.Access == OWNER",
    "user.Email == 'ann@example.com'",
    "user.Name == 'Ann'",
    "user.UserID == 5",
    "user.UserRef == 'ann-ref'",
    "user.IsLoggedIn",
    "user.Origin == None",
    "user.ShareRef == None",
    "user.LinkKey.Code == '17'",
    "user.LinkKey.Other == user.Unknown",
    "user.LinkKey.toString == user.Unknown",
    "True or user.Unknown.More",
    "not (False and user.Unknown.More)",
    "12345678901234567890 > 1",
  ])("%s", (formula) => expect(answer(formula)).toBe(true));
});

describe("a condition fails", () => {
  test.each([
    "rec.One.lower() == 'a'",
    "rec.Nil.X",
    "user.Unknown.More",
    "rec.Lost.X",
    "rec.Text()",
    "rec.Text.title()",
    "1 in rec.One",
    "rec.Failed + 1 == 1",
    "1 in [1] and 1 in user",
    "rec.Other < 1",
    "len(rec.Text)",
  ])("%s", (formula) => expect(() => answer(formula)).toThrow(RuleError));
});

test("throws without a row where the condition depends on it", () => {
  for (const formula of [
    "rec.One == 1",
    "newRec.One == 1",
    "rec == None",
    "user.Access == OWNER and rec.One",
    "$One",
  ]) {
    expect(() => answer(formula, {})).toThrow(RowRequiredError);
  }
  expect(answer("user.Access == EDITOR and rec.One == 1", {})).toBe(false);
  expect(answer("user.Access == OWNER or rec.One == 1", {})).toBe(true);
});

test("distinguishes the rows before and after a change", () => {
  const about = { rec: row, newRec: (column: string) => (column === "One" ? 2 : row(column)) };
  expect(answer("rec.One == 1 and newRec.One == 2 and rec.Text == newRec.Text", about)).toBe(true);
});
