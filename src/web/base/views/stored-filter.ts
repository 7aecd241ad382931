/** Filters of columns in the form in which documents store them. */
import { jsonObject } from "./metadata-values.ts";

/** A step from a day to another: some units further, then to the unit's first day, or its last. */
export interface RelativeStep {
  readonly quantity: number;
  readonly unit: "day" | "week" | "month" | "year";
  readonly endOf?: boolean;
}

/** A number, or the day that steps lead to from today. */
export type StoredBound = number | readonly RelativeStep[];

/** Bounds decide, if there are any; else the lists. */
export interface StoredFilter {
  readonly included?: readonly unknown[];
  readonly excluded?: readonly unknown[];
  readonly min?: StoredBound;
  readonly max?: StoredBound;
}

const UNITS: ReadonlySet<unknown> = new Set(["day", "week", "month", "year"]);

/** Returns null for texts that are no filter. */
export function parseStoredFilter(text: string): StoredFilter | null {
  const { included, excluded, min, max } = jsonObject(text);
  if (isBounded({ min, max }))
    return [min, max].every((bound) => bound === undefined || bound === null || isBound(bound))
      ? { ...(isBound(min) && { min }), ...(isBound(max) && { max }) }
      : null;
  if (included !== undefined) return Array.isArray(included) ? { included } : null;
  if (excluded !== undefined) return Array.isArray(excluded) ? { excluded } : null;
  return {};
}

const isBounded = ({ min, max }: { min: unknown; max: unknown }): boolean => min !== undefined || max !== undefined;

const isBound = (bound: unknown): bound is StoredBound =>
  typeof bound === "number" || (Array.isArray(bound) && bound.every(isStep));

function isStep(step: unknown): step is RelativeStep {
  const { quantity, unit } = (step ?? {}) as Partial<Record<string, unknown>>;
  return Number.isSafeInteger(quantity) && UNITS.has(unit);
}

export const selectsAll = ({ included, excluded, min, max }: StoredFilter): boolean =>
  min === undefined && max === undefined && included === undefined && (excluded ?? []).length === 0;

/** Returns a text that is equal for filters that people choose alike: neither the order of lists matters, nor which empty value they have. */
export function storedFilterKey(filter: StoredFilter): string {
  const { included, excluded, min, max } = filter;
  if (min !== undefined || max !== undefined) return JSON.stringify([min ?? null, max ?? null].map(boundKey));
  if (selectsAll(filter)) return "";
  const list = [
    ...new Set((included ?? excluded ?? []).map((value) => JSON.stringify(value === "" ? null : value))),
  ].toSorted();
  return `${included ? "in" : "ex"}:${list.join()}`;
}

const boundKey = (bound: StoredBound | null): unknown =>
  typeof bound === "number" || bound === null
    ? bound
    : bound.map(({ quantity, unit, endOf }) => [quantity, unit, endOf === true]);
