/** Filters in the form in which documents save them, as conditions that people can choose. */
import { spanBounds, spanName } from "../../../../base/views/relative-spans.ts";
import { parseStoredFilter, type StoredBound, type StoredFilter } from "../../../../base/views/stored-filter.ts";
import type { FieldKind, Operator } from "./operators.ts";
import { SPANS } from "./span-names.ts";

export interface SavedCondition {
  readonly operator: Operator;
  readonly values: readonly unknown[];
}

/** Returns null for filters that no condition expresses. */
export function savedCondition(kind: FieldKind, saved: unknown): SavedCondition | null {
  const filter = parseStoredFilter(JSON.stringify(saved) ?? "");
  if (!filter) return null;
  const { included, excluded } = filter;
  if (filter.min !== undefined || filter.max !== undefined) {
    return kind === "number" ? numberRange(filter) : kind === "date" ? dateRange(filter) : null;
  }
  const list = included ?? excluded;
  return list && list.length > 0 ? listCondition(kind, list, included !== undefined) : null;
}

const isEmpty = (kind: FieldKind, value: unknown): boolean =>
  value === null || value === "" || (kind === "reference" && value === 0);

function listCondition(kind: FieldKind, list: readonly unknown[], isIncluded: boolean): SavedCondition | null {
  const filled = list.filter((value) => !isEmpty(kind, value));
  if (filled.length === 0) return { operator: isIncluded ? "isEmpty" : "isNotEmpty", values: [] };
  const hasEmpty = filled.length < list.length;
  if (kind === "checkbox") {
    if (hasEmpty || filled.length > 1 || filled[0] !== true) return null;
    return { operator: isIncluded ? "isChecked" : "isNotChecked", values: [] };
  }
  if (kind === "choices" || kind === "references")
    return hasEmpty ? null : { operator: isIncluded ? "hasAnyOf" : "hasOtherThan", values: filled };
  if (kind === "files") return null;
  return { operator: isIncluded ? "isAnyOf" : "isNoneOf", values: hasEmpty ? [...filled, null] : filled };
}

function numberRange({ min, max }: StoredFilter): SavedCondition | null {
  if (typeof min === "object" || typeof max === "object") return null;
  return range(min, max);
}

function range(min: unknown, max: unknown): SavedCondition {
  if (min !== undefined && max !== undefined) return { operator: "between", values: [min, max] };
  return min === undefined ? { operator: "lte", values: [max] } : { operator: "gte", values: [min] };
}

function dateRange(filter: StoredFilter): SavedCondition | null {
  const span = spanName(filter);
  if (span !== null) return { operator: "within", values: [span] };
  const [min, max] = [dayText(filter.min, "first"), dayText(filter.max, "last")];
  if (min === null || max === null) return null;
  return min !== undefined && min === max ? { operator: "is", values: [min] } : range(min, max);
}

/** Returns a day in ISO form, or the name of the span that begins or ends with it; null if it has neither. */
function dayText(bound: StoredBound | undefined, end: "first" | "last"): string | null | undefined {
  if (bound === undefined) return undefined;
  if (typeof bound === "number") {
    const day = new Date(bound * 1000);
    return Number.isNaN(day.getTime()) ? null : day.toISOString().slice(0, 10);
  }
  const text = JSON.stringify(bound);
  return SPANS.find((name) => JSON.stringify(spanBounds(name)?.[end]) === text) ?? null;
}
