import { quote } from "../../sqlite/quote.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import type { ReadConnection } from "../cursors.ts";
import type { SqlCondition } from "../filters/sql-condition.ts";
import type { ReadField, ReadTable } from "../read/read-table.ts";
import type { AggregatePlan, MeasureReader } from "./aggregate-plan.ts";

/** The greatest time that a date can have, in seconds. */
const MAX_TIME_S = 8_640_000_000_000;
/** SQLite adds integers as such, and others as floating-point numbers: up to here both are exact. */
const MAX_ADDED = Number.MAX_SAFE_INTEGER;

const NUMBERS: ReadonlySet<string> = new Set(["Int", "Numeric"]);
const TIMES: ReadonlySet<string> = new Set(["Date", "DateTime"]);
const TEXTS: ReadonlySet<string> = new Set(["Text", "Choice"]);

/** The result where cells of other types than their column's have to be decoded. */
const UNREAD = Symbol("unread");
/** The result of a quick form where cells are beyond the limits of their type. */
const BEYOND = Symbol("beyond");

/** A way to compute a measure: terms of a statement, and the result from their values. */
interface SqlForm {
  readonly terms: readonly string[];
  readonly result: (values: readonly SqlValue[]) => unknown;
}

interface SqlMeasure {
  /** For cells within the limits of their type. */
  readonly quick: SqlForm;
  /** Also where cells are beyond: those are left out. Takes twice the time. */
  readonly general: SqlForm;
}

/**
 * Computes the measures of all selected rows in SQLite, which takes a fifth of the time of reading the rows. For rows that
 * SQLite selects exactly. Sums are compensated as those of `Accumulator`, so that both give the same number.
 * @returns the group as in answers; null where cells of other types than their column's, or the measures, need reading
 */
export function totalsBySql(
  source: ReadConnection,
  { table, where, plan }: { table: ReadTable; where: SqlCondition; plan: AggregatePlan },
): Readonly<Record<string, unknown>> | null {
  if (!table.isStored || plan.groups.length > 0 || plan.measures.length === 0) return null;
  const measures: (readonly [string, SqlMeasure])[] = [];
  for (const reader of plan.measures) {
    const measure = sqlMeasure(reader);
    if (!measure) return null;
    measures.push([reader.name, measure]);
  }
  const compute = (form: keyof SqlMeasure) =>
    computeForms(
      source,
      measures.map(([name, measure]) => [name, measure[form]] as const),
      { table, where },
    );
  const quick = compute("quick");
  const computed = quick === BEYOND ? compute("general") : quick;
  return typeof computed === "symbol" ? null : computed;
}

function computeForms(
  { db }: ReadConnection,
  forms: readonly (readonly [string, SqlForm])[],
  { table, where }: { table: ReadTable; where: SqlCondition },
): Readonly<Record<string, unknown>> | typeof UNREAD | typeof BEYOND {
  const terms = forms.flatMap(([, form]) => form.terms);
  const condition = where.sql && `where ${where.sql}`;
  const [row = []] = db.values(`select ${terms.join(", ")} from ${table.from} ${condition}`, ...where.args);
  let at = 0;
  const results = forms.map(
    ([
      name,
      {
        terms: { length },
        result,
      },
    ]) => {
      at += length;
      return [name, result(row.slice(at - length, at))] as const;
    },
  );
  const values = results.map(([, value]) => value);
  for (const obstacle of [UNREAD, BEYOND] as const) if (values.includes(obstacle)) return obstacle;
  return Object.fromEntries(results);
}

function sqlMeasure({ measure, cell }: MeasureReader): SqlMeasure | null {
  if (cell === null) return alone({ terms: ["count(*)"], result: ([count]) => Number(count) });
  const { field, shown } = cell;
  if (field === null || field.absent !== undefined) return null;
  const { base } = field.type;
  const column = quote(field.id);
  if (TEXTS.has(base) && measure === "count") {
    const terms = [`count(nullif(${column}, ''))`, `max(${column})`];
    // Blobs are the greatest values.
    return alone({ terms, result: ([count, greatest]) => (isBlob(greatest) ? UNREAD : Number(count)) });
  }
  if (!NUMBERS.has(base) && !TIMES.has(base)) return null;
  const form = valueForm(measure, (value) => shown(field.type.decodeRaw(value)));
  return form && { quick: quickForm(form, field), general: generalForm(form, field) };
}

const alone = (form: SqlForm): SqlMeasure => ({ quick: form, general: form });
const isBlob = (value: SqlValue | undefined): boolean => typeof value === "object" && value !== null;

interface ValueForm extends SqlForm {
  /** Whether the values are added. */
  readonly isSum: boolean;
}

/** Returns the form of a measure of values, `?`, that are numbers or null. */
function valueForm(measure: MeasureReader["measure"], shown: (value: SqlValue) => unknown): ValueForm | null {
  switch (measure) {
    case "count":
      return { terms: ["count(?)"], isSum: false, result: ([count]) => Number(count) };
    case "sum":
      return { terms: ["total(?)"], isSum: true, result: ([sum]) => finite(Number(sum)) };
    case "avg":
      return {
        terms: ["total(?)", "count(?)"],
        isSum: true,
        result: ([sum, count]) => (Number(count) === 0 ? null : finite(Number(sum) / Number(count))),
      };
    case "min":
    case "max":
      return {
        terms: [`${measure}(?)`],
        isSum: false,
        result: ([extreme = null]) => (extreme === null ? null : shown(extreme)),
      };
    case "countDistinct":
    case "median":
    case "first":
    case "last":
      return null;
    default:
      return measure satisfies never;
  }
}

const finite = (number: number): number | null => (Number.isFinite(number) ? number : null);

/** Reads the cells as they are. Texts and blobs are greater than numbers. */
function quickForm({ terms, isSum, result }: ValueForm, { id, type }: ReadField): SqlForm {
  const column = quote(id);
  const limit = TIMES.has(type.base) ? MAX_TIME_S : isSum ? MAX_ADDED : Number.MAX_VALUE;
  const isWithin = (extreme: SqlValue | undefined): boolean => Math.abs(Number(extreme)) <= limit;
  return {
    terms: [`min(${column})`, `max(${column})`, ...terms.map((term) => term.replace("?", column))],
    result([least, greatest, ...values]) {
      if (typeof greatest === "string" || isBlob(greatest)) return UNREAD;
      return isWithin(least) && isWithin(greatest) ? result(values) : BEYOND;
    },
  };
}

/** Leaves out cells beyond the limits of their type. */
function generalForm({ terms, isSum, result }: ValueForm, { id, type }: ReadField): SqlForm {
  const column = quote(id);
  const limit = TIMES.has(type.base) ? `${MAX_TIME_S}.0` : "1.7976931348623157e308";
  const value = `case when abs(${column}) <= ${limit} then ${column} end`;
  // Integers are added as floating-point numbers: SQLite refuses sums above 64 bits.
  const measured = isSum ? `cast(${value} as real)` : value;
  return {
    terms: [`sum(typeof(${column}) in ('text', 'blob'))`, ...terms.map((term) => term.replace("?", measured))],
    result: ([others, ...values]) => (Number(others) > 0 ? UNREAD : result(values)),
  };
}
