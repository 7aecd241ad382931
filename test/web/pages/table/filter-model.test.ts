import { describe, expect, test } from "bun:test";
import type { ViewFilter } from "../../../../src/web/base/view-state.ts";
import {
  countConditions,
  type FieldKind,
  filteredColumns,
  fromFilter,
  type Group,
  isComplete,
  type Operator,
  OPERATORS,
  type Part,
  toFilter,
  valueCount,
  withoutPart,
} from "../../../../src/web/pages/table/client/view/filter-model.ts";

/** Columns are called by what they hold: `text`, `number2`, `Customer.text`. */
const kindOf = (path: string): FieldKind | null => {
  const name = path.split(".").at(-1)?.replace(/\d+$/, "") ?? "";
  return Object.hasOwn(OPERATORS, name) ? (name as FieldKind) : null;
};

const condition = (path: string, operator: Operator, ...values: unknown[]): Part => ({
  type: "condition",
  path,
  kind: kindOf(path) ?? "text",
  operator,
  values,
});
const custom = (filter: ViewFilter): Part => ({ type: "custom", filter });
const all = (...parts: Part[]): Group => ({ type: "group", match: "all", parts });
const any = (...parts: Part[]): Group => ({ type: "group", match: "any", parts });

const empty = (path: string): ViewFilter => ({ [path]: { empty: true } });

/** Every operator of every kind; negative ones keep empty cells. */
const CONDITIONS: readonly [kind: FieldKind, operator: Operator, values: readonly unknown[], filter: ViewFilter][] = [
  ["text", "contains", ["berg"], { text: { contains: "berg" } }],
  ["text", "doesNotContain", ["berg"], { or: [{ not: { text: { contains: "berg" } } }, empty("text")] }],
  ["text", "is", ["Oslo"], { text: { eq: "Oslo" } }],
  ["text", "isNot", ["Oslo"], { or: [{ text: { ne: "Oslo" } }, empty("text")] }],
  ["text", "startsWith", ["A"], { text: { startsWith: "A" } }],
  ["text", "endsWith", ["z"], { text: { endsWith: "z" } }],
  ["text", "matches", ["^A\\d+"], { text: { matches: "^A\\d+" } }],
  ["text", "isAnyOf", ["a", ""], { text: ["a", ""] }],
  ["text", "isNoneOf", ["a", "b"], { or: [{ text: { nin: ["a", "b"] } }, empty("text")] }],
  ["text", "isNoneOf", ["a", null], { text: { nin: ["a"] } }],
  ["text", "isEmpty", [], empty("text")],
  ["text", "isNotEmpty", [], { text: { empty: false } }],
  ["number", "is", [0], { number: { eq: 0 } }],
  ["number", "isNot", [5], { or: [{ number: { ne: 5 } }, empty("number")] }],
  ["number", "gt", [1000], { number: { gt: 1000 } }],
  ["number", "gte", [1], { number: { gte: 1 } }],
  ["number", "lt", [-1.5], { number: { lt: -1.5 } }],
  ["number", "lte", [1], { number: { lte: 1 } }],
  ["number", "between", [1, 4], { number: { gte: 1, lte: 4 } }],
  ["number", "isAnyOf", [1, null], { number: [1, null] }],
  ["number", "isNoneOf", [1], { or: [{ number: { nin: [1] } }, empty("number")] }],
  ["number", "isEmpty", [], empty("number")],
  ["number", "isNotEmpty", [], { number: { empty: false } }],
  ["date", "is", ["2026-05-31"], { date: { eq: "2026-05-31" } }],
  ["date", "lt", ["today"], { date: { lt: "today" } }],
  ["date", "gt", ["2026-05-31"], { date: { gt: "2026-05-31" } }],
  ["date", "lte", ["2026-05-31"], { date: { lte: "2026-05-31" } }],
  ["date", "gte", ["2026-05-31"], { date: { gte: "2026-05-31" } }],
  ["date", "between", ["2026-05-01", "2026-05-31"], { date: { gte: "2026-05-01", lte: "2026-05-31" } }],
  ["date", "within", ["last7days"], { date: { within: "last7days" } }],
  ["date", "isAnyOf", [86_400], { date: [86_400] }],
  ["date", "isNoneOf", [86_400], { or: [{ date: { nin: [86_400] } }, empty("date")] }],
  ["date", "isEmpty", [], empty("date")],
  ["date", "isNotEmpty", [], { date: { empty: false } }],
  ["checkbox", "isChecked", [], { checkbox: { eq: true } }],
  ["checkbox", "isNotChecked", [], { or: [{ checkbox: { ne: true } }, empty("checkbox")] }],
  ["checkbox", "isEmpty", [], empty("checkbox")],
  ["checkbox", "isNotEmpty", [], { checkbox: { empty: false } }],
  ["choice", "isAnyOf", ["New", "Shipped"], { choice: ["New", "Shipped"] }],
  ["choice", "isNoneOf", ["New"], { or: [{ choice: { nin: ["New"] } }, empty("choice")] }],
  ["choice", "contains", ["ship"], { choice: { contains: "ship" } }],
  ["choice", "isEmpty", [], empty("choice")],
  ["choice", "isNotEmpty", [], { choice: { empty: false } }],
  ["reference", "isAnyOf", [3], { reference: [3] }],
  ["reference", "isNoneOf", [3, 4], { or: [{ reference: { nin: [3, 4] } }, empty("reference")] }],
  ["reference", "contains", ["burg"], { reference: { contains: "burg" } }],
  ["reference", "isEmpty", [], empty("reference")],
  ["reference", "isNotEmpty", [], { reference: { empty: false } }],
  ["choices", "hasAnyOf", ["a", "b"], { choices: { hasAny: ["a", "b"] } }],
  ["choices", "hasAllOf", ["a"], { choices: { hasAll: ["a"] } }],
  ["choices", "hasNoneOf", ["a"], { or: [{ not: { choices: { hasAny: ["a"] } } }, empty("choices")] }],
  ["choices", "isEmpty", [], empty("choices")],
  ["choices", "isNotEmpty", [], { choices: { empty: false } }],
  ["references", "hasAnyOf", [1], { references: { hasAny: [1] } }],
  ["references", "hasAllOf", [1, 2], { references: { hasAll: [1, 2] } }],
  ["choices", "hasOtherThan", ["a"], { choices: { saved: { excluded: ["a"] } } }],
  ["references", "hasOtherThan", [1], { references: { saved: { excluded: [1] } } }],
  ["references", "hasNoneOf", [1], { or: [{ not: { references: { hasAny: [1] } } }, empty("references")] }],
  ["references", "isEmpty", [], empty("references")],
  ["references", "isNotEmpty", [], { references: { empty: false } }],
  ["files", "isEmpty", [], empty("files")],
  ["files", "isNotEmpty", [], { files: { empty: false } }],
  ["any", "contains", ["a"], { any: { contains: "a" } }],
  ["any", "doesNotContain", ["a"], { or: [{ not: { any: { contains: "a" } } }, empty("any")] }],
  ["any", "is", [5], { any: { eq: 5 } }],
  ["any", "isNot", [5], { not: { any: { eq: 5 } } }],
  ["any", "isAnyOf", [5, "a"], { any: [5, "a"] }],
  ["any", "isNoneOf", [5, null], { not: { any: [5, null] } }],
  ["any", "isEmpty", [], empty("any")],
  ["any", "isNotEmpty", [], { any: { empty: false } }],
];

describe("each condition has a filter, and each filter its condition", () => {
  test.each(CONDITIONS)("%s %s %j", (kind, operator, values, filter) => {
    const group = all(condition(kind, operator, ...values));
    expect(toFilter(group)).toEqual(filter);
    expect(fromFilter(filter, kindOf)).toEqual(group);
    // Below another table, and beside another condition.
    const path = `Customer.${kind}`;
    const elsewhere = all(condition(path, operator, ...values), condition("text2", "is", "x"));
    expect(fromFilter(toFilter(elsewhere), kindOf)).toEqual(elsewhere);
  });
  test("every operator that a kind offers is among them", () => {
    const offered = Object.entries(OPERATORS).flatMap(([kind, operators]) =>
      operators.map((each) => `${kind} ${each}`),
    );
    expect(new Set(CONDITIONS.map(([kind, operator]) => `${kind} ${operator}`))).toEqual(new Set(offered));
  });
});

/** Filters with the same meaning as one of a condition. */
test.each([
  [{ choice: { in: ["New"] } }, all(condition("choice", "isAnyOf", "New"))],
  [{ number: { ne: 5 } }, all(condition("number", "isNoneOf", 5, null))],
  [{ text: { nin: ["a"] } }, all(condition("text", "isNoneOf", "a", null))],
  [{ checkbox: [true] }, all(condition("checkbox", "isChecked"))],
  [{ checkbox: [false] }, all(condition("checkbox", "isAnyOf", false))],
  [{ choices: { has: "a" } }, all(condition("choices", "hasAnyOf", "a"))],
  [{ number: { gt: 1, lt: 5 } }, all(condition("number", "gt", 1), condition("number", "lt", 5))],
  [
    { number: { gte: 1, lte: 5, empty: false } },
    all(condition("number", "between", 1, 5), condition("number", "isNotEmpty")),
  ],
  [
    { and: [{ text: { eq: "a" } }, { number: { gt: 1 } }] },
    all(condition("text", "is", "a"), condition("number", "gt", 1)),
  ],
] as const)("reads %j", (filter, group) => {
  expect(fromFilter(filter, kindOf)).toEqual(group);
});

describe("groups", () => {
  const A = condition("text", "is", "a");
  const B = condition("number", "gt", 1);
  const C = condition("checkbox", "isNotChecked");
  test.each([
    ["nothing", all(), {}],
    ["alternatives", any(A, B), { or: [toFilter(all(A)), toFilter(all(B))] }],
    [
      "one alternative among conditions",
      all(A, any(B, C)),
      { text: { eq: "a" }, or: [{ number: { gt: 1 } }, toFilter(all(C))] },
    ],
    ["conditions as an alternative", any(A, all(B, C)), { or: [{ text: { eq: "a" } }, toFilter(all(B, C))] }],
    ["two levels", all(A, any(B, all(A, C))), null],
    [
      "several of a column",
      all(A, condition("text", "is", "b")),
      { and: [{ text: { eq: "a" } }, { text: { eq: "b" } }] },
    ],
    ["two groups", all(any(A, B), any(B, C)), null],
    ["a negation beside a group", all(C, any(A, B)), null],
  ] as const)("of %s", (_, group, filter) => {
    if (filter) expect(toFilter(group)).toEqual(filter);
    expect(fromFilter(toFilter(group), kindOf)).toEqual(group);
  });
  test("deeper ones are custom conditions, which stay as they are", () => {
    const filter = toFilter(all(A, any(B, all(A, any(B, all(A, C))))));
    const group = fromFilter(filter, kindOf);
    expect(JSON.stringify(group)).toContain('"type":"custom"');
    expect(toFilter(group)).toEqual(filter);
  });
  test("are counted by their conditions, and lose parts", () => {
    expect(countConditions(all(A, any(B, C)))).toBe(3);
    expect(toFilter(withoutPart(all(A, B), 0))).toEqual({ number: { gt: 1 } });
  });
});

/** What has no condition is kept. */
test.each<ViewFilter>([
  { unknown: { eq: 1 } },
  { "Customer.unknown": ["a"] },
  { text: { gt: "a" } },
  { number: { contains: "a" } },
  { choice: { startsWith: "a" } },
  { reference: { in: ["Acme"] } },
  { text: [] },
  { not: { text: { eq: "a" }, number: { gt: 1 } } },
  { not: { or: [{ text: { eq: "a" } }] } },
  { or: [] },
  { or: "a" },
  { and: [1] },
  { text: {} },
  { text: 5 },
  { text: { eq: { a: 1 } } },
])("keeps %j as a custom condition", (filter) => {
  expect(fromFilter(filter, kindOf)).toEqual(all(custom(filter)));
  expect(toFilter(fromFilter(filter, kindOf))).toEqual(filter);
});

test("incomplete conditions are left out", () => {
  for (const [kind, operator] of CONDITIONS) {
    const given = condition(kind, operator);
    expect(given.type === "condition" && isComplete(given)).toBe(valueCount(operator) === "none");
  }
  const group = all(condition("text", "contains", ""), condition("number", "between", 1), condition("text", "is", "a"));
  expect(toFilter(group)).toEqual({ text: { eq: "a" } });
});

test("the columns of a filter are found in groups, too", () => {
  const filter = { A: ["x"], or: [{ "B.City": { eq: 1 } }, { not: { C: { gt: 1 } } }], and: [{ D: [{ E: 1 }] }] };
  expect([...filteredColumns(filter)]).toEqual(["A", "B", "C", "D"]);
});

describe("filters that documents save", () => {
  const day = Date.UTC(2026, 4, 31) / 1000;
  const steps = (quantity: number, unit: string, endOf?: true) => [{ quantity, unit, ...(endOf && { endOf }) }];
  test.each<[path: string, saved: object, operator: Operator, values: readonly unknown[]]>([
    ["text", { included: ["a", ""] }, "isAnyOf", ["a", null]],
    ["text", { excluded: ["a"] }, "isNoneOf", ["a"]],
    ["text", { excluded: ["", null] }, "isNotEmpty", []],
    ["number", { min: 1, max: 4 }, "between", [1, 4]],
    ["number", { min: 1 }, "gte", [1]],
    ["number", { max: 0 }, "lte", [0]],
    ["date", { min: day, max: day }, "is", ["2026-05-31"]],
    ["date", { min: day, max: day + 86_400 }, "between", ["2026-05-31", "2026-06-01"]],
    ["date", { min: steps(-6, "day"), max: steps(0, "day") }, "within", ["last7days"]],
    ["date", { min: steps(0, "month"), max: steps(0, "month", true) }, "within", ["thisMonth"]],
    ["date", { min: steps(0, "day") }, "gte", ["today"]],
    ["date", { max: steps(0, "year", true) }, "lte", ["thisYear"]],
    ["checkbox", { included: [true] }, "isChecked", []],
    ["checkbox", { excluded: [true] }, "isNotChecked", []],
    ["reference", { excluded: [3, 0] }, "isNoneOf", [3, null]],
    ["choices", { included: ["a"] }, "hasAnyOf", ["a"]],
    ["choices", { excluded: ["a"] }, "hasOtherThan", ["a"]],
    ["choices", { included: [null, ""] }, "isEmpty", []],
    ["any", { excluded: [1] }, "isNoneOf", [1]],
  ])("%s %j", (path, saved, operator, values) => {
    expect(fromFilter({ [path]: { saved } }, kindOf)).toEqual(all(condition(path, operator, ...values)));
  });

  test.each<[path: string, saved: object]>([
    ["text", { min: 1 }],
    ["number", { min: steps(0, "day") }],
    ["date", { min: steps(-3, "week") }],
    ["date", { min: [...steps(0, "week"), ...steps(2, "day")] }],
    ["checkbox", { included: [false] }],
    ["choices", { excluded: ["a", null] }],
    ["files", { included: [1] }],
    ["text", { included: "a" }],
  ])("%s %j has no such form", (path, saved) => {
    expect(fromFilter({ [path]: { saved } }, kindOf)).toEqual(all(custom({ [path]: { saved } })));
  });
});
