/** Spans of days by the names of the API, as the steps from today that documents store. */
import type { RelativeStep, StoredBound, StoredFilter } from "./stored-filter.ts";

const DAYS: ReadonlyMap<string, number> = new Map([
  ["yesterday", -1],
  ["today", 0],
  ["tomorrow", 1],
]);
const OFFSETS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };
const UNITS = { Week: "week", Month: "month", Year: "year" } as const;

/** Returns null for names that have no such form: documents know no quarters. */
export function spanBounds(name: string): { first: RelativeStep[]; last: RelativeStep[] } | null {
  const day = DAYS.get(name);
  if (day !== undefined) return { first: days(day), last: days(day) };
  const [, direction, count] = /^(last|next)([1-9]\d{0,3})days$/.exec(name) ?? [];
  if (count !== undefined) {
    const others = Number(count) - 1;
    return direction === "last" ? { first: days(-others), last: days(0) } : { first: days(0), last: days(others) };
  }
  const [, which = "", unitName = ""] = /^(last|this|next)(Week|Month|Year)$/.exec(name) ?? [];
  const quantity = OFFSETS[which];
  const unit = UNITS[unitName as keyof typeof UNITS];
  if (quantity === undefined || unit === undefined) return null;
  return { first: [{ quantity, unit }], last: [{ quantity, unit, endOf: true }] };
}

// Zero has a sign otherwise.
const days = (quantity: number): RelativeStep[] => [{ quantity: quantity === 0 ? 0 : quantity, unit: "day" }];

const NAMES = [
  ...DAYS.keys(),
  ...Object.keys(OFFSETS).flatMap((which) => Object.keys(UNITS).map((unit) => which + unit)),
];

/** Returns the name of a stored range; null if it has none. */
export function spanName({ min, max }: StoredFilter): string | null {
  const matches = (name: string): boolean => {
    const span = spanBounds(name);
    return span !== null && isEqual(span.first, min) && isEqual(span.last, max);
  };
  const counted = [countedName(min, max)].filter((name) => name !== null);
  return [...NAMES, ...counted].find(matches) ?? null;
}

function countedName(min: StoredBound | undefined, max: StoredBound | undefined): string | null {
  const [first, last] = [dayCount(min), dayCount(max)];
  if (first === null || last === null || (first !== 0 && last !== 0)) return null;
  return first < 0 ? `last${1 - first}days` : `next${last + 1}days`;
}

function dayCount(bound: StoredBound | undefined): number | null {
  const [only, ...others] = typeof bound === "object" ? bound : [];
  return only?.unit === "day" && others.length === 0 ? only.quantity : null;
}

const isEqual = (a: readonly RelativeStep[], b: StoredBound | undefined): boolean =>
  typeof b === "object" &&
  a.length === b.length &&
  a.every(({ quantity, unit, endOf = false }, at) => {
    const other = b[at];
    return (
      other?.quantity === quantity && other.unit === unit && (other.endOf ?? false) === (unit === "day" ? false : endOf)
    );
  });
