/** Filters by the value of a cell. */
import { type CellValue, isErrorCell } from "../../../../../values/cell.ts";
import type { ViewFilter } from "../../../../base/view-state.ts";
import { isInvalidValue, listItems, type Column } from "../columns/columns.ts";
import { type Condition, type FieldKind, fromFilter, type Group, type KindOf, toFilter } from "../view/filter-model.ts";

/** Returns the condition that selects the rows with a value, or the other ones; null for values that filters cannot compare. */
export function valueCondition(
  value: CellValue,
  { column, kind, excludes }: { column: Column; kind: FieldKind; excludes: boolean },
): Condition | null {
  const condition = (operator: Condition["operator"], values: readonly unknown[] = []): Condition => ({
    type: "condition",
    path: column.id,
    kind,
    operator,
    values,
  });
  if (isErrorCell(value) || isInvalidValue(column, value)) return null;
  const items = listItems(value);
  const isList = Array.isArray(value) && value[0] === "L";
  const isEmpty = value === null || value === "" || (kind === "reference" && value === 0) || (isList && !items.length);
  if (isEmpty) return condition(excludes ? "isNotEmpty" : "isEmpty");
  if (kind === "checkbox") return condition((value === true) === excludes ? "isNotChecked" : "isChecked");
  if (kind === "choices" || kind === "references") {
    return isList ? condition(excludes ? "hasNoneOf" : "hasAllOf", items) : null;
  }
  if (kind === "files" || typeof value === "object") return null;
  return condition(excludes ? "isNoneOf" : "isAnyOf", [value]);
}

/** Adds a condition to a filter. Excluded values of a column are collected in one condition. */
export function withCondition(filter: ViewFilter, condition: Condition, kindOf: KindOf): ViewFilter {
  const group = fromFilter(filter, kindOf);
  const all: Group = group.match === "any" ? { type: "group", match: "all", parts: [group] } : group;
  const { path, operator } = condition;
  const isCollected = operator === "isNoneOf" || operator === "hasNoneOf";
  const parts = all.parts.map((part) => {
    const isSame = isCollected && part.type === "condition" && part.path === path && part.operator === operator;
    return isSame ? { ...part, values: [...new Set([...part.values, ...condition.values])] } : part;
  });
  const isAdded = parts.every((part, at) => part === all.parts[at]);
  return toFilter({ ...all, parts: isAdded ? [...parts, condition] : parts });
}
