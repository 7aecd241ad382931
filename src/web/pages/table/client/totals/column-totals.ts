/** The totals that a column can show, and how the API computes them. */
import { cellFormatter } from "../../../../../values/cell-formatter.ts";
import { columnType } from "../../../../../values/column-type.ts";
import { type CellValue, isErrorCell } from "../../../../../values/cell.ts";
import type { DocumentSettings } from "../../../../base/table-data.ts";
import { TOTALS, type Total } from "../../../../base/view-state.ts";
import type { Column } from "../columns/columns.ts";

const COUNTS: readonly Total[] = ["count", "filled", "unique"];

const TOTALS_OF_TYPES: Readonly<Record<string, readonly Total[]>> = {
  Numeric: TOTALS,
  Int: TOTALS,
  Date: ["minimum", "maximum", ...COUNTS],
  DateTime: ["minimum", "maximum", ...COUNTS],
  // Formulas have this type, and often compute numbers.
  Any: TOTALS,
};

/** Returns the totals that fit the type of a column. */
export const totalsOf = ({ type }: Pick<Column, "type">): readonly Total[] => TOTALS_OF_TYPES[type.base] ?? COUNTS;

/** Returns the totals to choose from: of a column of any type, those of numbers if its cells are numbers. */
export const offeredTotals = (column: Pick<Column, "type">, cells: Iterable<CellValue>): readonly Total[] =>
  column.type.base === "Any" && !areNumbers(cells) ? COUNTS : totalsOf(column);

function areNumbers(cells: Iterable<CellValue>): boolean {
  let isSome = false;
  for (const cell of cells) {
    if (cell === null || cell === "") continue;
    // A few cells may fail.
    if (typeof cell !== "number" && !isErrorCell(cell)) return false;
    isSome ||= typeof cell === "number";
  }
  return isSome;
}

/** Returns a measure of the API's `aggregate`. */
export function measureOf(total: Total, columnId: string): unknown {
  switch (total) {
    case "sum":
      return { sum: columnId };
    case "average":
      return { avg: columnId };
    case "minimum":
      return { min: columnId };
    case "maximum":
      return { max: columnId };
    case "count":
      return "count";
    case "filled":
      return { count: columnId };
    case "unique":
      return { countDistinct: columnId };
    default:
      return total satisfies never;
  }
}

export interface TotalFormat {
  readonly column: Column;
  readonly settings: DocumentSettings;
  /** Formats a number of rows in the language of the page. */
  readonly formatCount: (count: number) => string;
}

/** Formats a measure like the cells of its column. Null, of no values, is empty. */
export function totalText(total: Total, measure: unknown, { column, settings, formatCount }: TotalFormat): string {
  if (COUNTS.includes(total)) return formatCount(Number(measure));
  const value = cellOf(measure, column);
  if (total === "average") return averageFormatter(column, settings)(value);
  return column.text({ id: 0, fields: { [column.id]: value } });
}

const AVERAGE_DECIMALS = 2;

/** Averages have more decimals than the numbers: at most two, unless the column sets a number. */
export function averageFormatter({ type, options }: Column, settings: DocumentSettings): (value: CellValue) => string {
  const { numMode, decimals, maxDecimals } = options;
  const isSet = numMode === "currency" || maxDecimals !== undefined;
  const most = Math.max(AVERAGE_DECIMALS, typeof decimals === "number" ? decimals : 0);
  return cellFormatter(["Int", "Any"].includes(type.base) ? columnType("Numeric") : type, {
    ...settings,
    widgetOptions: isSet ? options : { ...options, maxDecimals: most },
  });
}

/** The API returns dates as ISO 8601, cells contain seconds. */
function cellOf(measure: unknown, { type }: Column): CellValue {
  const isDate = type.base === "Date" || type.base === "DateTime";
  if (!isDate || typeof measure !== "string") return measure as CellValue;
  const ms = Date.parse(measure);
  return Number.isNaN(ms) ? measure : ms / 1000;
}
