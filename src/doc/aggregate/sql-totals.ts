import { quote } from "../../sqlite/quote.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import type { ReadConnection } from "../cursors.ts";
import type { SqlCondition } from "../filters/sql-condition.ts";
import type { ReadField, ReadTable } from "../read/read-table.ts";
import type { AggregatePlan, MeasureReader } from "./aggregate-plan.ts";

/** The greatest time that a date can have, in seconds, and the greatest number. */
const MAX_TIME_S = "8640000000000.0";
const MAX_NUMBER = "1.7976931348623157e308";

const NUMBERS: ReadonlySet<string> = new Set(["Int", "Numeric"]);
const TIMES: ReadonlySet<string> = new Set(["Date", "DateTime"]);
const TEXTS: ReadonlySet<string> = new Set(["Text", "Choice"]);

/** How a measure is computed: terms of a statement, and the result from their values. */
interface SqlMeasure {
  readonly terms: readonly string[];
  /** A term that is greater than 0 where cells have to be decoded to be measured; none if that cannot be. */
  readonly obstacle: string | null;
  readonly result: (values: readonly SqlValue[]) => unknown;
}

/**
 * Computes the measures of all selected rows in SQLite, which takes a fifth of the time of reading the rows. For rows that
 * SQLite selects exactly. Sums are compensated as those of `Accumulator`, so that both give the same number.
 * @returns the group as in answers; null where cells of other types than their column's, or the measures, need reading
 */
export function totalsBySql(
  { db }: ReadConnection,
  { table, where, plan }: { table: ReadTable; where: SqlCondition; plan: AggregatePlan },
): Readonly<Record<string, unknown>> | null {
  if (!table.isStored || plan.groups.length > 0 || plan.measures.length === 0) return null;
  const measures = plan.measures.map((reader) => ({ name: reader.name, measure: sqlMeasure(reader) }));
  const terms: string[] = [];
  for (const { measure } of measures) {
    if (!measure) return null;
    terms.push(measure.obstacle ?? "0", ...measure.terms);
  }
  const condition = where.sql && `where ${where.sql}`;
  const [row = []] = db.values(`select ${terms.join(", ")} from ${table.from} ${condition}`, ...where.args);
  let at = 0;
  const results: [string, unknown][] = [];
  for (const { name, measure } of measures) {
    if (!measure || Number(row[at]) > 0) return null;
    const values = row.slice(at + 1, at + 1 + measure.terms.length);
    results.push([name, measure.result(values)]);
    at += 1 + measure.terms.length;
  }
  return Object.fromEntries(results);
}

function sqlMeasure({ measure, cell }: MeasureReader): SqlMeasure | null {
  if (cell === null) return { terms: ["count(*)"], obstacle: null, result: ([count]) => Number(count) };
  const { field, shown } = cell;
  if (field === null || field.absent !== undefined) return null;
  const { base } = field.type;
  const column = quote(field.id);
  if (TEXTS.has(base) && measure === "count") {
    const marshalled = `sum(typeof(${column}) = 'blob')`;
    return { terms: [`count(nullif(${column}, ''))`], obstacle: marshalled, result: ([count]) => Number(count) };
  }
  if (!NUMBERS.has(base) && !TIMES.has(base)) return null;
  const value = numberTerm(field);
  const obstacle = `sum(typeof(${column}) in ('text', 'blob'))`;
  switch (measure) {
    case "count":
      return { terms: [`count(${value})`], obstacle, result: ([count]) => Number(count) };
    case "sum":
    case "avg": {
      // Integers are added as floating-point numbers: SQLite refuses sums above 64 bits.
      const terms = [`sum(cast(${value} as real))`, `count(${value})`];
      return { terms, obstacle, result: ([sum, count]) => sumOrAverage(measure, Number(sum), Number(count)) };
    }
    case "min":
    case "max":
      return {
        terms: [`${measure}(${value})`],
        obstacle,
        result: ([extreme = null]) => (extreme === null ? null : shown(field.type.decodeRaw(extreme))),
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

/** The cell, or null for cells that measures leave out. */
function numberTerm({ id, type }: ReadField): string {
  const column = quote(id);
  return `case when abs(${column}) <= ${TIMES.has(type.base) ? MAX_TIME_S : MAX_NUMBER} then ${column} end`;
}

function sumOrAverage(measure: "sum" | "avg", sum: number, count: number): number | null {
  if (measure === "sum") return Number.isFinite(sum) ? sum : null;
  return count === 0 || !Number.isFinite(sum) ? null : sum / count;
}
