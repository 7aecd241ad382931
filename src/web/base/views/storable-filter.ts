/** Translates conditions of the API into the one filter a column that documents store, as far as that can express them. */
import type { ColumnListing } from "../table-data.ts";
import type { ViewFilter } from "../view-state.ts";
import { spanBounds } from "./relative-spans.ts";
import type { StoredBound, StoredFilter } from "./stored-filter.ts";
import { withFilter } from "./quern-options.ts";

export interface FilterContext {
  readonly columns: readonly { readonly id: string; readonly fields: Pick<ColumnListing["fields"], "type"> }[];
  /** The document's, in which conditions take days. */
  readonly timezone: string;
}

export interface SplitFilter {
  /** By column id. */
  readonly stored: ReadonlyMap<string, StoredFilter>;
  /** Conditions that documents cannot store. */
  readonly rest: ViewFilter;
}

/** A row has to meet both parts of the result, as it had to meet the whole. */
export function splitFilter(filter: ViewFilter, { columns, timezone }: FilterContext): SplitFilter {
  const types = new Map(columns.map(({ id, fields }) => [id, fields.type]));
  const stored = new Map<string, StoredFilter>();
  let rest: ViewFilter = {};
  for (const part of partsOf(filter)) {
    const found = storable(part, (id) => {
      const type = types.get(id);
      return type === undefined ? null : kindOf(type, timezone);
    });
    const joined = found && joinRanges(stored.get(found.column), found.filter);
    if (found && joined) stored.set(found.column, joined);
    else rest = withFilter(rest, part);
  }
  return { stored, rest };
}

/** Returns the conditions that all have to be met, each with a single key. */
function partsOf(filter: ViewFilter): ViewFilter[] {
  return Object.entries(filter).flatMap(([key, value]): ViewFilter[] => {
    if (key === "and" && Array.isArray(value) && value.every(isObject)) return value.flatMap(partsOf);
    if (key === "or" || key === "not" || !isObject(value)) return [{ [key]: value }];
    return Object.entries(value).map(([operator, operand]) => ({ [key]: { [operator]: operand } }));
  });
}

/** Returns undefined where a column has another filter already. */
function joinRanges(first: StoredFilter | undefined, second: StoredFilter): StoredFilter | undefined {
  if (!first) return second;
  const isHalf = ({ min, max }: StoredFilter): boolean => (min === undefined) !== (max === undefined);
  const differs = (first.min === undefined) !== (second.min === undefined);
  return isHalf(first) && isHalf(second) && differs ? { ...first, ...second } : undefined;
}

interface ColumnKind {
  readonly base: string;
  /** Whether days begin when they do in the document. */
  readonly hasDays: boolean;
}

function kindOf(type: string, timezone: string): ColumnKind {
  const [base = "", zone] = type.split(":");
  return { base, hasDays: base === "Date" || (base === "DateTime" && (zone ?? "UTC") === timezone) };
}

interface Found {
  readonly column: string;
  readonly filter: StoredFilter;
}

type KindOf = (column: string) => ColumnKind | null;

function storable(part: ViewFilter, kindOfColumn: KindOf): Found | null {
  const [[key, value] = ["", undefined]] = Object.entries(part);
  if (key === "or") return Array.isArray(value) ? negated(value, kindOfColumn) : null;
  if (key === "not") return excludedList(value, kindOfColumn);
  const kind = kindOfColumn(key);
  if (!kind) return null;
  const filter = Array.isArray(value)
    ? listFilter(kind, value)
    : isObject(value)
      ? operatorFilter(kind, Object.entries(value)[0] ?? ["", undefined])
      : null;
  return filter && { column: key, filter };
}

const LISTS: ReadonlySet<string> = new Set(["ChoiceList", "RefList", "Attachments"]);

/** A list of values as they are stored. */
function listFilter({ base }: ColumnKind, values: readonly unknown[]): StoredFilter | null {
  return !LISTS.has(base) && values.every((value) => isListed(base, value)) ? { included: values } : null;
}

/** Whether both grammars compare cells with the value in the same way: in that of the API, `true` equals 1. */
function isListed(base: string, value: unknown): boolean {
  if (value === null) return true;
  if (typeof value === "string") return isPlain(value);
  if (typeof value === "boolean") return base === "Bool";
  return typeof value === "number" && base !== "Bool" && (base !== "Any" || (value !== 0 && value !== 1));
}

/** Texts that are JSON of lists and errors also match those. */
const isPlain = (text: string): boolean => !/^[[{]/.test(text);

/** `not` with a list of values as they are stored. */
function excludedList(value: unknown, kindOfColumn: KindOf): Found | null {
  const [[column, list] = ["", undefined], ...others] = isObject(value) ? Object.entries(value) : [];
  const kind = kindOfColumn(column);
  const filter = kind && others.length === 0 && Array.isArray(list) ? listFilter(kind, list) : null;
  return filter && { column, filter: { excluded: filter.included ?? [] } };
}

/** Negative conditions with those for empty cells. */
function negated(alternatives: readonly unknown[], kindOfColumn: KindOf): Found | null {
  const [first, second, ...others] = alternatives;
  const [[column, condition] = ["", undefined], ...more] = isObject(first) ? Object.entries(first) : [];
  const kind = kindOfColumn(column);
  if (!kind || others.length > 0 || more.length > 0 || !isObject(condition)) return null;
  if (JSON.stringify(second) !== JSON.stringify({ [column]: { empty: true } })) return null;
  const values = excludedValues(kind, condition);
  return values && { column, filter: { excluded: values } };
}

/** Returns the values of `ne` or `nin`; null for other operators, and for values that are not stored. */
function excludedValues({ base }: ColumnKind, condition: Readonly<Record<string, unknown>>): unknown[] | null {
  const [[operator, operand] = ["", undefined], ...others] = Object.entries(condition);
  const values = operator === "ne" ? [operand] : operator === "nin" && Array.isArray(operand) ? operand : null;
  if (!values || others.length > 0) return null;
  const cells = values.map((value) => cellOf(base, value));
  return cells.includes(undefined) ? null : cells;
}

/** Returns the cell that an operand of a comparison means; undefined where that takes more than the column's type. */
function cellOf(base: string, value: unknown): unknown {
  switch (base) {
    case "Text":
    case "Choice":
      return typeof value === "string" && value !== "" && isPlain(value) ? value : undefined;
    case "Numeric":
    case "Int":
    case "Ref":
    case "DateTime":
      return typeof value === "number" ? value : undefined;
    case "Date":
      return typeof value === "number" ? value : dayOf(value);
    case "Bool":
      return typeof value === "boolean" ? value : undefined;
    case "Any":
      return typeof value === "string" && value !== "" && isPlain(value) ? value : undefined;
    default:
      return undefined;
  }
}

function operatorFilter(kind: ColumnKind, [operator, operand]: readonly [string, unknown]): StoredFilter | null {
  const { base } = kind;
  switch (operator) {
    case "saved":
      return isObject(operand) ? operand : null;
    case "empty":
      return typeof operand === "boolean" ? { [operand ? "included" : "excluded"]: emptyCells(base) } : null;
    case "ne":
    case "nin": {
      const values = excludedValues(kind, { [operator]: operand });
      return values && { excluded: [...values, ...emptyCells(base)] };
    }
    case "hasAny":
    case "has": {
      const items = operator === "has" ? [operand] : operand;
      const isItem = (item: unknown) => typeof item === (base === "ChoiceList" ? "string" : "number") && item !== "";
      return LISTS.has(base) && Array.isArray(items) && items.every(isItem) ? { included: items } : null;
    }
    case "eq":
    case "in": {
      if (operator === "eq" && kind.hasDays) return rangeFilter(kind, "within", operand);
      const cells = (operator === "eq" ? [operand] : Array.isArray(operand) ? operand : [null]).map((value) =>
        cellOf(base, value),
      );
      return cells.includes(undefined) ? null : { included: cells };
    }
    default:
      return rangeFilter(kind, operator, operand);
  }
}

/** The cells that count as empty. */
const emptyCells = (base: string): unknown[] => [
  null,
  "",
  ...(base === "Ref" ? [0] : []),
  ...(base === "Any" ? ['["L"]'] : []),
];

function rangeFilter({ base, hasDays }: ColumnKind, operator: string, operand: unknown): StoredFilter | null {
  if (base === "Numeric" || base === "Int") {
    if (typeof operand !== "number") return null;
    return operator === "gte" ? { min: operand } : operator === "lte" ? { max: operand } : null;
  }
  const span = hasDays ? daysOf(operand) : null;
  if (!span) return null;
  const { first, last } = span;
  switch (operator) {
    case "within":
      return { min: first, max: last };
    case "gte":
      return { min: first };
    case "lte":
      return { max: last };
    case "gt":
      return { min: daysLater(last, 1) };
    case "lt":
      return { max: daysLater(first, -1) };
    default:
      return null;
  }
}

const DAY_S = 86_400;

const daysLater = (bound: StoredBound, days: number): StoredBound => {
  if (typeof bound === "number") return bound + days * DAY_S;
  const [only, ...others] = bound;
  if (only?.unit === "day" && others.length === 0) return [{ quantity: only.quantity + days, unit: "day" }];
  return [...bound, { quantity: days, unit: "day" }];
};

/** Returns the first and the last day that an operand means: a day in ISO form, or the name of a span. */
function daysOf(operand: unknown): { first: StoredBound; last: StoredBound } | null {
  const day = dayOf(operand);
  if (day !== undefined) return { first: day, last: day };
  return typeof operand === "string" ? spanBounds(operand) : null;
}

function dayOf(value: unknown): number | undefined {
  const isDay = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
  const milliseconds = isDay ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
