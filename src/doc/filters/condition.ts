import type { CellValue } from "../../values/cell.ts";
import type { CellRange, RangeBound } from "../indexes/cell-range.ts";
import type { ColumnCondition } from "../read/cell-filter.ts";
import { allOf, anyOf, MATCH_ALL, MATCH_NONE, notOf, type SqlCondition } from "./sql-condition.ts";

/** Whether a row matches; undefined when that depends on a cell that is hidden from the caller. */
export type Truth = boolean | undefined;

/** The cells of a row as `ColumnType.decodeRaw` returns them; undefined for a cell that is hidden from the caller. */
export type FilterCells = (column: string) => CellValue | undefined;

/**
 * A part of a filter, compiled for a table and a caller. Two SQL conditions enclose the rows that match; `matches`
 * decides about the rows between them.
 */
export interface Condition {
  /** True for all rows that match, and possibly for others. */
  readonly upper: SqlCondition;
  /** True only for rows that match. */
  readonly lower: SqlCondition;
  /** True for exactly the rows that match, if `nativeColumns` contain no marshalled cells; null if there is none. */
  readonly exact: SqlCondition | null;
  /** Columns in which `exact` requires that all cells are stored as plain numbers and texts. */
  readonly nativeColumns: ReadonlySet<string>;
  /** Stored columns that `matches` reads, without the id. */
  readonly columns: ReadonlySet<string>;
  /** Cells among which are those of all matching rows. */
  readonly lookups: readonly ColumnCondition[];
  matches(cells: FilterCells): Truth;
}

const NO_COLUMNS: ReadonlySet<string> = new Set();

/** Returns a condition with the same result for all rows. */
export const constant = (result: boolean): Condition => {
  const sql = result ? MATCH_ALL : MATCH_NONE;
  return {
    upper: sql,
    lower: sql,
    exact: sql,
    nativeColumns: NO_COLUMNS,
    columns: NO_COLUMNS,
    lookups: [],
    matches: () => result,
  };
};

export function all(parts: readonly Condition[]): Condition {
  const [single] = parts;
  if (single && parts.length === 1) return single;
  return {
    ...combined(parts, allOf),
    lookups: mergeRanges(parts.flatMap(({ lookups }) => lookups)),
    matches(cells) {
      let result: Truth = true;
      for (const part of parts) {
        const truth = part.matches(cells);
        if (truth === false) return false;
        if (truth === undefined) result = undefined;
      }
      return result;
    },
  };
}

export function any(parts: readonly Condition[]): Condition {
  const [single] = parts;
  if (single && parts.length === 1) return single;
  return {
    ...combined(parts, anyOf),
    lookups: [],
    matches(cells) {
      let result: Truth = false;
      for (const part of parts) {
        const truth = part.matches(cells);
        if (truth === true) return true;
        if (truth === undefined) result = undefined;
      }
      return result;
    },
  };
}

/** Returns the condition that is true where the given one is false. */
export const not = (part: Condition): Condition => ({
  ...part,
  upper: notOf(part.lower),
  lower: notOf(part.upper),
  exact: part.exact && notOf(part.exact),
  lookups: [],
  matches(cells) {
    const truth = part.matches(cells);
    return truth === undefined ? undefined : !truth;
  },
});

function combined(
  parts: readonly Condition[],
  join: (conditions: readonly SqlCondition[]) => SqlCondition,
): Pick<Condition, "upper" | "lower" | "exact" | "nativeColumns" | "columns"> {
  const exact = parts.flatMap((part) => part.exact ?? []);
  return {
    upper: join(parts.map(({ upper }) => upper)),
    lower: join(parts.map(({ lower }) => lower)),
    exact: exact.length === parts.length ? join(exact) : null,
    nativeColumns: union(parts.map(({ nativeColumns }) => nativeColumns)),
    columns: union(parts.map(({ columns }) => columns)),
  };
}

const union = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> => new Set(sets.flatMap((set) => [...set]));

/** Replaces ranges of the same column by their intersection: an index finds few rows only between two bounds. */
function mergeRanges(lookups: readonly ColumnCondition[]): ColumnCondition[] {
  const merged: ColumnCondition[] = [];
  for (const condition of lookups) {
    const at = merged.findIndex((other) => other.field === condition.field && isRangeOf(other, condition));
    const other = merged[at];
    if (condition.lookup.kind !== "range" || other?.lookup.kind !== "range") merged.push(condition);
    else {
      const range = intersection(other.lookup.range, condition.lookup.range);
      merged[at] = { field: condition.field, lookup: { kind: "range", range } };
    }
  }
  return merged;
}

const isRangeOf = (a: ColumnCondition, b: ColumnCondition): boolean =>
  a.lookup.kind === "range" && b.lookup.kind === "range" && a.lookup.range.kind === b.lookup.range.kind;

/** Keeps the first bound of texts: comparing them would need their collation. */
function intersection(a: CellRange, b: CellRange): CellRange {
  if (a.kind === "number" && b.kind === "number") {
    return {
      kind: "number",
      lower: stricter(a.lower, b.lower, (x, y) => x > y),
      upper: stricter(a.upper, b.upper, (x, y) => x < y),
    };
  }
  return { ...a, lower: a.lower ?? b.lower, upper: a.upper ?? b.upper } as CellRange;
}

function stricter(
  a: RangeBound<number> | null,
  b: RangeBound<number> | null,
  isStricter: (x: number, y: number) => boolean,
): RangeBound<number> | null {
  if (!a || !b) return a ?? b;
  if (a.value === b.value) return a.inclusive ? b : a;
  return isStricter(a.value, b.value) ? a : b;
}
