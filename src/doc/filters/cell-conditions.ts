import { quote } from "../../sqlite/quote.ts";
import { type CellValue, isList } from "../../values/cell.ts";
import type { CellRange } from "../indexes/cell-range.ts";
import type { CellLookup } from "../read/cell-filter.ts";
import type { ReadField } from "../read/read-table.ts";
import { type Condition, constant, type Truth } from "./condition.ts";
import { allOf, anyOf, MATCH_ALL, MATCH_NONE, notOf, type SqlCondition } from "./sql-condition.ts";
import { isEmptyCell } from "./empty-cell.ts";
import { storedForms, valueList } from "./stored-forms.ts";

/** Conditions on the cells of one column. */

/** A column of a table; null for the id. */
export type FilterField = ReadField | null;

interface CellTest {
  test(cell: CellValue): Truth;
  readonly lookup?: CellLookup | undefined;
  /**
   * `complete`: right for all cells. `native`: right for all cells but marshalled ones, for which it is false.
   * `partial`: true for all cells that match, and for others.
   */
  readonly sql: { readonly kind: "complete" | "native" | "partial"; readonly condition: SqlCondition };
}

/** Returns the condition of a test on a column. */
export function cellCondition(field: FilterField, { test, lookup, sql: { kind, condition } }: CellTest): Condition {
  if (field?.absent !== undefined) return constant(test(field.absent) === true);
  const id = field?.id ?? "id";
  const isId = field === null;
  return {
    ...enclosing(kind, condition, isId ? null : `typeof(${quote(id)}) = 'blob'`),
    nativeColumns: new Set(kind === "native" && !isId ? [id] : []),
    columns: new Set(isId ? [] : [id]),
    lookups: field && lookup ? [{ field, lookup }] : [],
    matches(cells) {
      const cell = cells(id);
      return cell === undefined ? undefined : test(cell);
    },
  };
}

function enclosing(
  kind: CellTest["sql"]["kind"],
  condition: SqlCondition,
  isMarshalled: string | null,
): Pick<Condition, "upper" | "lower" | "exact"> {
  switch (kind) {
    case "complete":
      return { upper: condition, lower: condition, exact: condition };
    case "native": {
      const upper = isMarshalled === null ? condition : anyOf([condition, { sql: isMarshalled, args: [] }]);
      return { upper, lower: condition, exact: condition };
    }
    case "partial":
      return { upper: condition, lower: MATCH_NONE, exact: null };
    default:
      return kind satisfies never;
  }
}

/** Returns a column's name in SQL. The plus prevents SQLite from applying column affinity. */
export const columnSql = (field: FilterField): string => (field === null ? "id" : `+${quote(field.id)}`);

/** SQLite orders numbers before texts and blobs. Comparing takes a third of the time of `typeof`. */
const isNumberSql = (field: FilterField): SqlCondition =>
  field === null ? MATCH_ALL : { sql: `${columnSql(field)} < ''`, args: [] };

/** Numbers from a bound to another; null is no bound. */
export type Interval = Omit<CellRange & { kind: "number" }, "kind">;

export interface NumberSet {
  readonly values: ReadonlySet<number>;
  readonly intervals: readonly Interval[];
  /** Numbers of which it is not known to the caller whether they belong to the set. */
  readonly unknown?: ReadonlySet<number> | undefined;
}

/** Returns the condition that a cell is a number in the set, or with `negated` a number outside of it. */
export function numberCondition(field: FilterField, set: NumberSet, negated = false): Condition {
  const isReference = field?.type.base === "Ref";
  const { values, intervals, unknown } = set;
  const contains = (number: number): boolean =>
    values.has(number) || intervals.some((interval) => isInInterval(number, interval));
  const test = (cell: CellValue): Truth => {
    // An empty reference is 0.
    if (typeof cell !== "number" || Number.isNaN(cell) || (isReference && cell === 0)) return false;
    return unknown?.has(cell) ? undefined : contains(cell) !== negated;
  };
  const [interval] = intervals;
  if (!negated && intervals.length === 0) {
    const numbers = [...values].filter((number) => test(number) === true);
    // A number of the set may be unknown to be in it.
    const condition = equalsSql(field, [...numbers, ...(unknown ?? [])], (cell) => test(cell) !== false);
    const kind = unknown?.size ? "partial" : "complete";
    return cellCondition(field, { test, sql: { kind, condition }, lookup: { kind: "values", values: numbers } });
  }
  const name = columnSql(field);
  const inSet = anyOf([valuesSql(name, values), ...intervals.map((one) => intervalSql(name, one))]);
  const notEmpty: SqlCondition = isReference ? { sql: `${name} <> 0`, args: [] } : MATCH_ALL;
  // Only numbers are in the set, or below an upper bound.
  const isNumber = negated || intervals.some(({ upper }) => upper === null) ? isNumberSql(field) : MATCH_ALL;
  const native = allOf([isNumber, notEmpty, negated ? notOf(inSet) : inSet]);
  const lookup: CellLookup | undefined =
    interval && !negated && intervals.length === 1 && values.size === 0
      ? { kind: "range", range: { kind: "number", ...interval } }
      : undefined;
  if (!unknown?.size) return cellCondition(field, { test, sql: { kind: "native", condition: native }, lookup });
  return cellCondition(field, { test, sql: { kind: "partial", condition: isNumberOrMarshalled(field) } });
}

const isNumberOrMarshalled = (field: FilterField): SqlCondition =>
  field === null ? MATCH_ALL : { sql: `typeof(${quote(field.id)}) in ('integer', 'real', 'blob')`, args: [] };

function isInInterval(number: number, { lower, upper }: Interval): boolean {
  if (lower && !(lower.inclusive ? number >= lower.value : number > lower.value)) return false;
  return !upper || (upper.inclusive ? number <= upper.value : number < upper.value);
}

const valuesSql = (name: string, values: ReadonlySet<number>): SqlCondition => {
  if (values.size === 0) return MATCH_NONE;
  const { sql, args } = valueList([...values]);
  return { sql: `${name} in (${sql})`, args };
};

function intervalSql(name: string, { lower, upper }: Interval): SqlCondition {
  return allOf([
    lower ? { sql: `${name} ${lower.inclusive ? ">=" : ">"} ?`, args: [lower.value] } : MATCH_ALL,
    upper ? { sql: `${name} ${upper.inclusive ? "<=" : "<"} ?`, args: [upper.value] } : MATCH_ALL,
  ]);
}

/** Returns the condition that a cell equals one of the values, in any of its stored forms. */
export function equalsSql(
  field: FilterField,
  values: readonly CellValue[],
  accepts: (cell: CellValue) => boolean,
): SqlCondition {
  if (field === null) {
    const ids = values.filter((value) => Number.isSafeInteger(value));
    return ids.length === 0
      ? MATCH_NONE
      : { sql: "id in (select value from json_each(?))", args: [JSON.stringify(ids)] };
  }
  const { type } = field;
  const forms = values.flatMap((value) => storedForms(type, value)).filter((form) => accepts(type.decodeRaw(form)));
  if (forms.length === 0) return MATCH_NONE;
  const { sql, args } = valueList(forms);
  return { sql: `${columnSql(field)} in (${sql})`, args };
}

/** Returns the condition that a cell is one of the booleans. */
export function booleanCondition(field: FilterField, values: ReadonlySet<boolean>): Condition {
  const test = (cell: CellValue): boolean => typeof cell === "boolean" && values.has(cell);
  const condition = equalsSql(field, [...values], test);
  return cellCondition(field, {
    test,
    sql: { kind: "complete", condition },
    lookup: { kind: "values", values: [...values].map(Number) },
  });
}

/** Returns the condition that a cell is one of the texts, or with `negated` another text. */
export function textsCondition(field: FilterField, texts: ReadonlySet<string>, negated = false): Condition {
  const test = (cell: CellValue): boolean => typeof cell === "string" && cell !== "" && texts.has(cell) !== negated;
  const values = [...texts];
  if (!negated) {
    const condition = equalsSql(field, values, test);
    return cellCondition(field, { test, sql: { kind: "complete", condition }, lookup: { kind: "values", values } });
  }
  if (field === null) return constant(false);
  const { sql, args } = valueList(values);
  const name = columnSql(field);
  const condition = { sql: `typeof(${quote(field.id)}) = 'text' and ${name} <> '' and ${name} not in (${sql})`, args };
  return cellCondition(field, { test, sql: { kind: "native", condition } });
}

export interface TextTest {
  test(text: string): boolean;
  /**
   * True for exactly the texts that pass, and not for an empty one; null when SQLite cannot decide. `name` is the column's
   * name in SQL. Other values are excluded where this is true: that takes less time.
   */
  exact: ((name: string) => SqlCondition) | null;
  /** True for all texts that pass; not for an empty one. */
  prefilter?: ((name: string) => SqlCondition) | undefined;
  lookup?: CellLookup | undefined;
}

/** Returns the condition that a cell is a text that passes a test. */
export function textCondition(field: FilterField, { test, exact, prefilter, lookup }: TextTest): Condition {
  if (field === null) return constant(false);
  const name = quote(field.id);
  const isText: SqlCondition = { sql: `typeof(${name}) = 'text'`, args: [] };
  const testCell = (cell: CellValue): boolean => typeof cell === "string" && cell !== "" && test(cell);
  if (exact) {
    const condition = allOf([exact(name), isText]);
    return cellCondition(field, { test: testCell, lookup, sql: { kind: "native", condition } });
  }
  const condition = anyOf([
    { sql: `typeof(${name}) = 'blob'`, args: [] },
    allOf([prefilter?.(name) ?? { sql: `${columnSql(field)} <> ''`, args: [] }, isText]),
  ]);
  return cellCondition(field, { test: testCell, lookup, sql: { kind: "partial", condition } });
}

/** Returns the condition that a cell is a list that passes a test of its items. */
export function listCondition(
  field: FilterField,
  test: (items: readonly unknown[]) => Truth,
  searched: readonly string[] = [],
): Condition {
  if (field === null) return constant(false);
  const name = quote(field.id);
  const hasText = anyOf(searched.map((text) => ({ sql: `instr(${name}, ?) > 0`, args: [text] })));
  const condition = anyOf([
    { sql: `typeof(${name}) = 'blob'`, args: [] },
    allOf([{ sql: `typeof(${name}) = 'text'`, args: [] }, searched.length > 0 ? hasText : MATCH_ALL]),
  ]);
  const testCell = (cell: CellValue): Truth => (isList(cell) && cell.length > 1 ? test(cell.slice(1)) : false);
  return cellCondition(field, { test: testCell, sql: { kind: "partial", condition } });
}

const LIST_BASES: ReadonlySet<string> = new Set(["ChoiceList", "RefList", "Attachments"]);

/** Returns the condition that a cell is empty. */
export function emptyCondition(field: FilterField): Condition {
  if (field === null) return constant(false);
  const { type } = field;
  const name = columnSql(field);
  const forms = [`${name} is null`, `${name} = ''`];
  if (type.base === "Ref") forms.push(`${name} = 0`);
  // Other programs may write blanks into an empty list.
  if (LIST_BASES.has(type.base))
    forms.push(
      `(${name} like '[%' and replace(replace(replace(replace(${name}, ' ', ''), char(9), ''), char(10), ''), char(13), '') = '[]')`,
    );
  return cellCondition(field, {
    test: (cell) => isEmptyCell(type, cell),
    sql: { kind: "native", condition: { sql: forms.join(" or "), args: [] } },
  });
}
