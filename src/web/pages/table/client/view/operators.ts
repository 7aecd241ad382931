/** The operators that people choose for conditions, by what columns hold. */

/** What a column holds, as far as conditions differ. */
export type FieldKind =
  | "text"
  | "number"
  | "date"
  | "checkbox"
  | "choice"
  | "reference"
  | "choices"
  | "references"
  | "files"
  | "any";

/** How many values an operator takes. */
const VALUE_COUNTS = {
  contains: "one",
  doesNotContain: "one",
  is: "one",
  isNot: "one",
  startsWith: "one",
  endsWith: "one",
  matches: "one",
  gt: "one",
  gte: "one",
  lt: "one",
  lte: "one",
  between: "two",
  within: "one",
  isChecked: "none",
  isNotChecked: "none",
  isAnyOf: "many",
  isNoneOf: "many",
  hasAnyOf: "many",
  hasAllOf: "many",
  hasNoneOf: "many",
  hasOtherThan: "many",
  isEmpty: "none",
  isNotEmpty: "none",
} as const;

export type Operator = keyof typeof VALUE_COUNTS;

export const valueCount = (operator: Operator): "none" | "one" | "two" | "many" => VALUE_COUNTS[operator];

const EMPTY = ["isEmpty", "isNotEmpty"] as const;

/** The operators that each kind offers, the usual one first. */
export const OPERATORS: Readonly<Record<FieldKind, readonly Operator[]>> = {
  text: [
    "contains",
    "doesNotContain",
    "is",
    "isNot",
    "startsWith",
    "endsWith",
    "matches",
    "isAnyOf",
    "isNoneOf",
    ...EMPTY,
  ],
  number: ["is", "isNot", "gt", "gte", "lt", "lte", "between", "isAnyOf", "isNoneOf", ...EMPTY],
  date: ["is", "lt", "gt", "lte", "gte", "between", "within", "isAnyOf", "isNoneOf", ...EMPTY],
  checkbox: ["isChecked", "isNotChecked", ...EMPTY],
  choice: ["isAnyOf", "isNoneOf", "contains", ...EMPTY],
  reference: ["isAnyOf", "isNoneOf", "contains", ...EMPTY],
  choices: ["hasAnyOf", "hasAllOf", "hasNoneOf", "hasOtherThan", ...EMPTY],
  references: ["hasAnyOf", "hasAllOf", "hasNoneOf", "hasOtherThan", ...EMPTY],
  files: [...EMPTY],
  any: ["contains", "doesNotContain", "is", "isNot", "isAnyOf", "isNoneOf", ...EMPTY],
};
