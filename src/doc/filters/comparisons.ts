import {
  booleanCondition,
  emptyCondition,
  type FilterField,
  type Interval,
  listCondition,
  numberCondition,
  textCondition,
  textsCondition,
} from "./cell-conditions.ts";
import { any, type Condition, constant, not } from "./condition.ts";
import type { DateSpan } from "./date-spans.ts";
import { type Comparison, typeOf } from "./filter-table.ts";
import { itemTests } from "./list-items.ts";
import {
  cellKindOf,
  checkOperator,
  type EqualityOperator,
  invalidOperand,
  type ListOperator,
  type OrderOperator,
  type TextOperator,
} from "./operators.ts";
import { operandList, readBoolean, readDate, readNumber, readSpan, readText } from "./operands.ts";
import { referencedIds, referencesByText } from "./references.ts";
import { compileSaved } from "./saved-filter.ts";
import { textOrderTest, textTest } from "./text-tests.ts";

/** Compiles a comparison. @throws AppError `invalid` when the operator or the operand does not fit the column */
export function compileComparison(comparison: Comparison): Condition {
  const { field, name, operand } = comparison;
  checkOperator(name, typeOf(field));
  const { operator } = name;
  switch (operator) {
    case "eq":
    case "ne":
    case "in":
    case "nin":
      return compileEquality(comparison, operator);
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return compileOrder(comparison, operator);
    case "contains":
    case "startsWith":
    case "endsWith":
    case "matches":
      return compileText(comparison, operator);
    case "empty": {
      if (typeof operand !== "boolean") throw invalidOperand(name, "must be true or false");
      return operand ? emptyCondition(field) : not(emptyCondition(field));
    }
    case "has":
    case "hasAny":
    case "hasAll":
      return compileItems(comparison, operator);
    case "within":
      return numberCondition(field, { values: new Set(), intervals: [intervalOf(readSpan(comparison))] });
    case "saved":
      return compileSaved(comparison);
    default:
      return operator satisfies never;
  }
}

function compileEquality(comparison: Comparison, operator: EqualityOperator): Condition {
  const { table, field, name } = comparison;
  const negated = operator === "ne" || operator === "nin";
  const operands = operator === "in" || operator === "nin" ? operandList(comparison) : [comparison.operand];
  const kind = cellKindOf(typeOf(field));
  switch (kind) {
    case "number": {
      const values = new Set(operands.map((operand) => readNumber({ ...comparison, operand })));
      return numberCondition(field, { values, intervals: [] }, negated);
    }
    case "date": {
      const spans = operands.map((operand) => readDate({ ...comparison, operand }));
      const values = new Set(spans.flatMap((span) => (span.kind === "moment" ? [span.at] : [])));
      const intervals = spans.filter((span) => span.kind === "days").map(intervalOf);
      return numberCondition(field, { values, intervals }, negated);
    }
    case "ref":
      return numberCondition(field, { intervals: [], ...referencedIds(comparison, operands) }, negated);
    case "bool": {
      const values = new Set(operands.map((operand) => readBoolean({ ...comparison, operand })));
      return booleanCondition(field, new Set([true, false].filter((value) => values.has(value) !== negated)));
    }
    case "text": {
      const texts = operands.map((operand) => readText({ ...comparison, operand }));
      return textsCondition(field, new Set(texts), negated);
    }
    case "choices":
    case "refs":
      return compileLists({ table, field, name, operand: operands }, negated);
    case "any":
      return compileAny(comparison, { operands, negated });
    default:
      return kind satisfies never;
  }
}

/** Cells of a column without a type: each operand is compared with cells of its own type. */
function compileAny(
  { table, field, name }: Comparison,
  { operands, negated }: { operands: readonly unknown[]; negated: boolean },
): Condition {
  const numbers = operands.filter((operand) => typeof operand === "number");
  const texts = operands.filter((operand) => typeof operand === "string");
  const booleans = operands.filter((operand) => typeof operand === "boolean");
  const lists = operands.filter((operand) => Array.isArray(operand));
  const count = numbers.length + texts.length + booleans.length + lists.length;
  if (count < operands.length || texts.includes(""))
    throw invalidOperand(
      name,
      "must be a number, a text, true, false or a list; for empty cells use the operator empty",
    );
  const parts: Condition[] = [];
  if (numbers.length > 0) parts.push(numberCondition(field, { values: new Set(numbers), intervals: [] }, negated));
  if (texts.length > 0) parts.push(textsCondition(field, new Set(texts), negated));
  if (booleans.length > 0) {
    const allowed = [true, false].filter((value) => booleans.includes(value) !== negated);
    parts.push(booleanCondition(field, new Set(allowed)));
  }
  if (lists.length > 0) parts.push(compileLists({ table, field, name, operand: lists }, negated));
  return parts.length === 0 ? withoutOperands(field, negated) : any(parts);
}

/** No cell is in an empty list; all but empty ones are not in it. */
const withoutOperands = (field: FilterField, negated: boolean): Condition =>
  negated ? not(emptyCondition(field)) : constant(false);

/** Compares whole lists, with the same items in the same order. */
function compileLists(comparison: Comparison, negated: boolean): Condition {
  const { field, name, operand } = comparison;
  const lists = (operand as readonly unknown[]).map((list) => {
    if (!Array.isArray(list) || list.length === 0) throw invalidOperand(name, "must be a non-empty list of items");
    return itemTests({ ...comparison, operand: list });
  });
  return listCondition(field, (items) => {
    let isUnknown = false;
    for (const { tests } of lists) {
      if (tests.length !== items.length) continue;
      const results = tests.map((test, at) => test(items[at]));
      if (results.every((result) => result === true)) return !negated;
      if (!results.includes(false)) isUnknown = true;
    }
    return isUnknown ? undefined : negated;
  });
}

function compileItems(comparison: Comparison, operator: ListOperator): Condition {
  const { field } = comparison;
  const operand = operator === "has" ? [comparison.operand] : operandList(comparison);
  const { tests, searched } = itemTests({ ...comparison, operand });
  const isAll = operator === "hasAll";
  const wanted = isAll ? searched.slice(0, 1) : searched;
  return listCondition(
    field,
    (items) => {
      const results = tests.map((test) => {
        const found = items.map(test);
        return found.includes(true) ? true : found.includes(undefined) ? undefined : false;
      });
      const decisive = !isAll;
      if (results.includes(decisive)) return decisive;
      return results.includes(undefined) ? undefined : !decisive;
    },
    searched.length === tests.length ? wanted : [],
  );
}

function compileOrder(comparison: Comparison, operator: OrderOperator): Condition {
  const { field, operand } = comparison;
  const kind = cellKindOf(typeOf(field));
  if (kind === "date") {
    return numberCondition(field, { values: new Set(), intervals: [orderInterval(operator, readDate(comparison))] });
  }
  const isText = kind === "text" || (kind === "any" && typeof operand === "string");
  if (isText) return textCondition(field, textOrderTest(operator, readText(comparison)));
  const span: DateSpan = { kind: "moment", at: readNumber(comparison) };
  return numberCondition(field, { values: new Set(), intervals: [orderInterval(operator, span)] });
}

/** Returns the numbers after or before a moment or day; a day as a whole. */
function orderInterval(operator: OrderOperator, span: DateSpan): Interval {
  const start = span.kind === "moment" ? span.at : span.from;
  // A moment ends when it begins: it is included at both ends.
  const isMoment = span.kind === "moment";
  const end = isMoment ? span.at : span.to;
  switch (operator) {
    case "gt":
      return { lower: { value: end, inclusive: !isMoment }, upper: null };
    case "gte":
      return { lower: { value: start, inclusive: true }, upper: null };
    case "lt":
      return { lower: null, upper: { value: start, inclusive: false } };
    case "lte":
      return { lower: null, upper: { value: end, inclusive: isMoment } };
    default:
      return operator satisfies never;
  }
}

const intervalOf = (span: DateSpan): Interval =>
  span.kind === "moment"
    ? { lower: { value: span.at, inclusive: true }, upper: { value: span.at, inclusive: true } }
    : { lower: { value: span.from, inclusive: true }, upper: { value: span.to, inclusive: false } };

function compileText(comparison: Comparison, operator: TextOperator): Condition {
  const { table, field, name } = comparison;
  const test = textTest({ name: { ...name, operator }, budget: table.budget }, readText(comparison));
  if (field && cellKindOf(field.type) === "ref") return referencesByText(table, field, test);
  return textCondition(field, test);
}
