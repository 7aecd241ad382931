import type * as Re2 from "re2js";
import type { CellRange } from "../indexes/cell-range.ts";
import { isInRange } from "../indexes/cell-range.ts";
import { tooComplex } from "./parse-filter.ts";
import { type ComparisonName, invalidOperand, type OrderOperator, type TextOperator } from "./operators.ts";
import type { FilterBudget } from "./filter-budget.ts";
import type { SqlCondition } from "./sql-condition.ts";
import type { TextTest } from "./cell-conditions.ts";

/** Tests of texts. */

/** Letters whose lower case contains an ASCII letter, but which are none themselves: Kelvin sign, dotted I. */
const NEVER_FOLDED = /[\u0130\u212A]/;

/**
 * Returns the text in lower case, each character alone, so that a part of a text is also a part of the folded text.
 * ASCII letters come from ASCII letters only: SQLite decides about them.
 */
export function foldCase(text: string): string {
  if (!NEVER_FOLDED.test(text)) return lowerCase(text);
  return text
    .split(/([\u0130\u212A])/)
    .map((part) => (NEVER_FOLDED.test(part) ? part : lowerCase(part)))
    .join("");
}

/** A sigma at the end of a word has a lower case of its own. */
const lowerCase = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");

/** Texts of these characters are found by SQLite. */
const PLAIN_ASCII = /^[ -~]+$/;
const ASCII_RUNS = /[ -~]+/g;

export const MAX_PATTERN_LENGTH = 1000;
/** Bounds the steps for each character of a text. */
const MAX_PROGRAM_SIZE = 2000;
/** Only the beginning of longer texts is searched for a pattern. */
export const MAX_SEARCHED_LENGTH = 65_536;

/** Returns the test of an operator that looks for a text, whatever its case, or for a pattern. */
export function textTest(
  { name, budget }: { name: ComparisonName & { operator: TextOperator }; budget: FilterBudget },
  operand: string,
): TextTest {
  switch (name.operator) {
    case "contains":
      return partTest(operand, { test: (text, part) => text.includes(part), sql: containsSql });
    case "startsWith":
      return partTest(operand, { test: (text, part) => text.startsWith(part), sql: startsWithSql });
    case "endsWith":
      return partTest(operand, { test: (text, part) => text.endsWith(part), sql: endsWithSql });
    case "matches":
      return patternTest({ name, budget }, operand);
    default:
      return name.operator satisfies never;
  }
}

type PartSql = (name: string, part: string) => SqlCondition;

const containsSql: PartSql = (name, part) => ({ sql: `instr(lower(${name}), ?) > 0`, args: [part] });
/** Functions of texts end at a NUL character, which no part has. */
const startsWithSql: PartSql = (name, part) => ({ sql: `lower(substr(${name}, 1, ?)) = ?`, args: [part.length, part] });
/** Compares bytes. */
const endsWithSql: PartSql = (name, part) => ({
  sql: `substr(cast(lower(${name}) as blob), -?) = cast(? as blob)`,
  args: [part.length, part],
});

function partTest(
  operand: string,
  { test, sql }: { test: (text: string, part: string) => boolean; sql: PartSql },
): TextTest {
  const part = foldCase(operand);
  const testText = (text: string): boolean => test(foldCase(text), part);
  if (PLAIN_ASCII.test(part)) return { test: testText, exact: (name) => sql(name, part) };
  const [longest] = (part.match(ASCII_RUNS) ?? []).toSorted((a, b) => b.length - a.length);
  return {
    test: testText,
    exact: null,
    prefilter: longest === undefined ? undefined : (name) => containsSql(name, longest),
  };
}

/** Loaded on first use: most documents are never searched for a pattern. */
const loadRe2 = (): typeof Re2 => require("re2js") as typeof Re2;

function patternTest({ name, budget }: { name: ComparisonName; budget: FilterBudget }, operand: string): TextTest {
  if (operand.length > MAX_PATTERN_LENGTH)
    throw invalidOperand(name, `must have at most ${MAX_PATTERN_LENGTH} characters`);
  const { RE2JS } = loadRe2();
  let pattern: Re2.RE2JS;
  try {
    pattern = RE2JS.compile(operand);
  } catch {
    throw invalidOperand(name, "is not a valid regular expression; its syntax is that of RE2");
  }
  if (pattern.programSize() > MAX_PROGRAM_SIZE) throw tooComplex(`${name.column}: the regular expression is too large`);
  return {
    test(text) {
      budget.check();
      return pattern.test(text.slice(0, MAX_SEARCHED_LENGTH));
    },
    exact: null,
  };
}

/** Returns the test of an operator that compares texts in the order of sorting. */
export function textOrderTest(operator: OrderOperator, operand: string): TextTest {
  const bound = { value: operand, inclusive: operator === "gte" || operator === "lte" };
  const range: CellRange =
    operator === "gt" || operator === "gte"
      ? { kind: "text", lower: bound, upper: null }
      : { kind: "text", lower: null, upper: bound };
  return { test: (text) => isInRange(range, text), exact: null, lookup: { kind: "range", range } };
}
