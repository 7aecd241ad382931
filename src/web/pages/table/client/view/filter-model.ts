/**
 * Conditions on rows as people choose them, and their translation into filters of the API and back (docs/filtering.md). A filter that
 * has no such form is kept as it is, as a custom condition.
 */
import type { ViewFilter } from "../../../../base/view-state.ts";
import { type FieldKind, type Operator, OPERATORS, valueCount } from "./operators.ts";
import { savedCondition } from "./saved-conditions.ts";

export { OPERATORS, valueCount };
export type { FieldKind, Operator };

export interface Condition {
  readonly type: "condition";
  /** A column id, or a path through references: `Customer.City`. */
  readonly path: string;
  readonly kind: FieldKind;
  readonly operator: Operator;
  /** As the API takes them. */
  readonly values: readonly unknown[];
}

export interface CustomCondition {
  readonly type: "custom";
  readonly filter: ViewFilter;
}

export interface Group {
  readonly type: "group";
  readonly match: "all" | "any";
  readonly parts: readonly Part[];
}

export type Part = Condition | CustomCondition | Group;

/** Groups in the outermost one, and groups in those. */
export const MAX_DEPTH = 2;
/** More values than this belong into a group, or into a column. */
export const MAX_VALUES = 200;

/** Returns what a column holds; null for unknown columns. */
export type KindOf = (path: string) => FieldKind | null;

export function isComplete({ operator, values }: Condition): boolean {
  const count = valueCount(operator);
  if (count === "none") return true;
  if (count === "many") return values.length > 0;
  return values.length >= (count === "two" ? 2 : 1) && values.every((value) => value !== "" && value !== undefined);
}

/** Returns the filter of a group; incomplete conditions are left out. An empty filter selects all rows. */
export function toFilter({ match, parts }: Group): ViewFilter {
  const filters = parts.map(partFilter).filter((filter) => Object.keys(filter).length > 0);
  if (match === "any" && filters.length > 1) return { or: filters };
  const keys = filters.flatMap((filter) => Object.keys(filter));
  // Several conditions of a column would replace one another.
  if (new Set(keys).size < keys.length) return { and: filters };
  return Object.assign({}, ...filters) as ViewFilter;
}

function partFilter(part: Part): ViewFilter {
  if (part.type === "custom") return part.filter;
  if (part.type === "group") return toFilter(part);
  return isComplete(part) ? conditionFilter(part) : {};
}

/** Operators with one operator of the API. */
const API_OPERATORS: Partial<Readonly<Record<Operator, string>>> = {
  is: "eq",
  contains: "contains",
  startsWith: "startsWith",
  endsWith: "endsWith",
  matches: "matches",
  gt: "gt",
  gte: "gte",
  lt: "lt",
  lte: "lte",
  within: "within",
  hasAnyOf: "hasAny",
  hasAllOf: "hasAll",
};

function conditionFilter(condition: Condition): ViewFilter {
  const { path, operator, values } = condition;
  const [value, end] = values;
  const name = API_OPERATORS[operator];
  if (name !== undefined) return { [path]: { [name]: valueCount(operator) === "many" ? values : value } };
  if (operator === "between") return { [path]: { gte: value, lte: end } };
  if (operator === "isChecked") return { [path]: { eq: true } };
  if (operator === "hasOtherThan") return { [path]: { saved: { excluded: values } } };
  if (operator === "isAnyOf") return { [path]: values };
  if (operator === "isEmpty" || operator === "isNotEmpty") return { [path]: { empty: operator === "isEmpty" } };
  return negativeFilter(condition);
}

/** Negative operators keep empty cells, which the API's leave out. */
function negativeFilter({ path, kind, operator, values }: Condition): ViewFilter {
  const [value] = values;
  const own = (condition: unknown): ViewFilter => ({ [path]: condition });
  const orEmpty = (filter: ViewFilter): ViewFilter => ({ or: [filter, own({ empty: true })] });
  if (operator === "isNoneOf") return noneOf(path, kind, values);
  if (operator === "doesNotContain") return orEmpty({ not: own({ contains: value }) });
  if (operator === "hasNoneOf") return orEmpty({ not: own({ hasAny: values }) });
  // In columns of any type, values are compared with cells of their own type only.
  if (kind === "any") return { not: own({ eq: value }) };
  return orEmpty(own({ ne: operator === "isNotChecked" ? true : value }));
}

const isEmptyValue = (value: unknown): boolean => value === null || value === "";

function noneOf(path: string, kind: FieldKind, values: readonly unknown[]): ViewFilter {
  if (kind === "any") return { not: { [path]: values } };
  const others = values.filter((value) => !isEmptyValue(value));
  // Comparisons take no empty values, and leave empty cells out.
  if (others.length < values.length) return { [path]: others.length > 0 ? { nin: others } : { empty: false } };
  return { or: [{ [path]: { nin: others } }, { [path]: { empty: true } }] };
}

/** Returns the conditions of a filter, in a group. */
export function fromFilter(filter: ViewFilter, kindOf: KindOf): Group {
  // The alternatives of a filter without anything else are in the outermost group.
  const isAlternatives = Object.keys(filter).length === 1 && "or" in filter;
  const parts = partsOf(filter, { kindOf, depth: isAlternatives ? -1 : 0 });
  const [only] = parts;
  return isAlternatives && only?.type === "group" ? only : { type: "group", match: "all", parts };
}

interface Place {
  readonly kindOf: KindOf;
  /** Of the group that the parts are in. */
  readonly depth: number;
}

/** The conditions that all have to be met. */
function partsOf(filter: ViewFilter, place: Place): Part[] {
  return Object.entries(filter).flatMap(([key, value]): readonly Part[] => {
    const custom: Part = { type: "custom", filter: { [key]: value } };
    const filters = Array.isArray(value) && value.every(isFilter) ? value : null;
    if (key === "and") return filters ? filters.flatMap((each) => partsOf(each, place)) : [custom];
    if (key === "or") return [(filters && (negationOf(value, place) ?? anyOf(filters, place))) ?? custom];
    if (key === "not") return [negationOf({ not: value }, place) ?? custom];
    return columnParts(key, value, place);
  });
}

const isFilter = (value: unknown): value is ViewFilter =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a group of alternatives; null where groups would be nested too deeply. */
function anyOf(filters: readonly ViewFilter[], place: Place): Part | null {
  const depth = place.depth + 1;
  if (depth > MAX_DEPTH || filters.length === 0) return null;
  const parts = filters.map((filter): Part => {
    const [only, ...others] = partsOf(filter, { ...place, depth });
    if (only && others.length === 0) return only;
    if (!only || depth === MAX_DEPTH) return { type: "custom", filter };
    return { type: "group", match: "all", parts: partsOf(filter, { ...place, depth: depth + 1 }) };
  });
  return { type: "group", match: "any", parts };
}

/** The operators that are sent as several conditions. */
const NEGATIONS: readonly Operator[] = ["isNot", "doesNotContain", "isNotChecked", "isNoneOf", "hasNoneOf"];

/** Returns the condition with a negative operator that has this form; null if there is none. */
function negationOf(form: unknown, { kindOf }: Place): Condition | null {
  const filter = (Array.isArray(form) ? { or: form } : form) as ViewFilter;
  const text = JSON.stringify(filter);
  const inner = (Array.isArray(form) ? form[0] : filter["not"]) as ViewFilter | undefined;
  const first = inner && isFilter(inner["not"]) ? inner["not"] : inner;
  const [[path, condition] = []] = Object.entries(first ?? {});
  const kind = path === undefined ? null : kindOf(path);
  if (path === undefined || kind === null) return null;
  const operands = Array.isArray(condition) ? [condition] : Object.values(condition ?? {});
  for (const operator of NEGATIONS) {
    if (!OPERATORS[kind].includes(operator)) continue;
    const [operand] = operands as unknown[];
    const values = operator === "isNotChecked" ? [] : Array.isArray(operand) ? operand : [operand];
    const found: Condition = { type: "condition", path, kind, operator, values };
    if (isComplete(found) && JSON.stringify(conditionFilter(found)) === text) return found;
  }
  return null;
}

const OPERATOR_OF: ReadonlyMap<string, Operator> = new Map(
  Object.entries(API_OPERATORS).map(([operator, name]) => [name, operator as Operator]),
);

function columnParts(path: string, condition: unknown, { kindOf }: Place): Part[] {
  const kind = kindOf(path);
  const custom = (each: unknown): Part => ({ type: "custom", filter: { [path]: each } });
  if (kind === null) return [custom(condition)];
  const part = (operator: Operator, values: readonly unknown[]): Part => ({
    type: "condition",
    path,
    kind,
    operator,
    values,
  });
  if (Array.isArray(condition)) {
    if (kind === "checkbox" && condition.length === 1 && condition[0] === true) return [part("isChecked", [])];
    return condition.length > 0 ? [part("isAnyOf", condition)] : [custom(condition)];
  }
  if (!isFilter(condition) || Object.keys(condition).length === 0) return [custom(condition)];
  const { gte, lte, ...others } = condition as Record<string, unknown>;
  const isRange = gte !== undefined && lte !== undefined && OPERATORS[kind].includes("between");
  const operators = Object.entries(isRange ? others : condition);
  return [
    ...(isRange ? [part("between", [gte, lte])] : []),
    ...operators.map(([name, operand]) => operatorPart(name, operand, { kind, part, custom })),
  ];
}

interface PartForms {
  readonly kind: FieldKind;
  readonly part: (operator: Operator, values: readonly unknown[]) => Part;
  readonly custom: (condition: unknown) => Part;
}

function operatorPart(name: string, operand: unknown, { kind, part, custom }: PartForms): Part {
  const offered = OPERATORS[kind];
  if (name === "saved") {
    const saved = savedCondition(kind, operand);
    return saved && offered.includes(saved.operator) ? part(saved.operator, saved.values) : custom({ saved: operand });
  }
  if (name === "empty" && typeof operand === "boolean") return part(operand ? "isEmpty" : "isNotEmpty", []);
  if (name === "eq" && operand === true && kind === "checkbox") return part("isChecked", []);
  // They leave empty cells out.
  const excluded: unknown = name === "ne" ? [operand] : name === "nin" ? operand : null;
  if (Array.isArray(excluded) && excluded.length > 0 && offered.includes("isNoneOf") && kind !== "any")
    return part("isNoneOf", [...(excluded as unknown[]), null]);
  if (name === "in" && Array.isArray(operand) && operand.length > 0 && offered.includes("isAnyOf")) {
    // References are compared by the texts that they show, too.
    const isStored = operand.every((value) => typeof value === (kind === "reference" ? "number" : "string"));
    if (isStored && ["text", "choice", "reference"].includes(kind)) return part("isAnyOf", operand);
  }
  if (name === "has" && offered.includes("hasAnyOf")) return part("hasAnyOf", [operand]);
  const operator = OPERATOR_OF.get(name);
  if (operator === undefined || !offered.includes(operator)) return custom({ [name]: operand });
  if (valueCount(operator) !== "many")
    return isFilter(operand) ? custom({ [name]: operand }) : part(operator, [operand]);
  return Array.isArray(operand) && operand.length > 0 ? part(operator, operand) : custom({ [name]: operand });
}

/** Returns a group without one of its parts. */
export const withoutPart = (group: Group, at: number): Group => ({
  ...group,
  parts: group.parts.filter((_, index) => index !== at),
});

/** Counts the conditions in groups and outside of them. */
export const countConditions = (part: Part): number =>
  part.type === "group" ? part.parts.reduce((sum, each) => sum + countConditions(each), 0) : 1;

/** Ids of the columns that a filter has conditions on. */
export function filteredColumns(filter: ViewFilter): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (each: unknown): void => {
    if (Array.isArray(each)) each.forEach(add);
    else if (isFilter(each))
      for (const [key, value] of Object.entries(each)) {
        if (key === "and" || key === "or" || key === "not") add(value);
        else found.add(key.split(".", 1)[0] ?? key);
      }
  };
  add(filter);
  return found;
}
