import { AppError, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { UTC, type Zone, zoneOrUtc } from "../../values/zones.ts";
import type { ReadField, ReadTable } from "../read/read-table.ts";
import { isoCell } from "../read/output/iso-cells.ts";
import { type Period, periodStart } from "./date-period.ts";
import type { MeasuredCell, MeasureName } from "./measures.ts";

export interface GroupColumn {
  readonly column: string;
  readonly by?: Period | undefined;
  /** The name in the answer; the column's by default. */
  readonly as?: string | undefined;
}

export interface MeasureRequest {
  readonly name: string;
  readonly measure: MeasureName;
  /** Null to count rows. */
  readonly column: string | null;
}

export interface AggregateRequest {
  readonly groupBy: readonly GroupColumn[];
  readonly measures: readonly MeasureRequest[];
  /** Names of groups and measures, with a `-` prefix for descending order. */
  readonly sort: readonly string[];
  /** Infinity when there is none. */
  readonly limit: number;
  readonly totals: boolean;
}

/** Reads a column of rows. */
export interface CellReader {
  readonly field: ReadField | null;
  readonly shown: (raw: CellValue) => unknown;
}

export interface GroupReader extends CellReader {
  readonly name: string;
}

export interface MeasureReader {
  readonly name: string;
  readonly measure: MeasureName;
  /** Null to count rows. */
  readonly cell: CellReader | null;
}

export interface AggregatePlan {
  readonly groups: readonly GroupReader[];
  readonly measures: readonly MeasureReader[];
}

const DATES: ReadonlySet<string> = new Set(["Date", "DateTime"]);
const NUMBERS: ReadonlySet<string> = new Set([
  "Int",
  "Numeric",
  "Bool",
  "Any",
  "Id",
  "ManualSortPos",
  "PositionNumber",
]);
const ARITHMETIC: ReadonlySet<MeasureName> = new Set(["sum", "avg", "median"]);

/**
 * Finds the columns of a request.
 * @throws AppError `invalid` for columns that do not exist for the caller, or do not fit
 */
export function planAggregate(table: ReadTable, request: AggregateRequest, timezone: string): AggregatePlan {
  const groups = request.groupBy.map((group): GroupReader => {
    const reader = readerOf(table, group.column);
    const name = group.as ?? group.column;
    return { ...reader, name, ...(group.by && { shown: byPeriod(reader, group.by, timezone) }) };
  });
  const measures = request.measures.map(({ name, measure, column }): MeasureReader => {
    if (column === null && measure !== "count") throw invalidAggregate(`${measure} needs a column`);
    const cell = column === null ? null : readerOf(table, column);
    const { base } = cell?.field?.type ?? columnType("Id");
    if (ARITHMETIC.has(measure) && !NUMBERS.has(base))
      throw invalidAggregate(`${measure} needs a column of numbers: ${JSON.stringify(column)} has the type ${base}`);
    return { name, measure, cell };
  });
  const names = [...groups, ...measures].map(({ name }) => name);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined)
    throw invalidAggregate(`Two groups or measures have the name ${JSON.stringify(repeated)}; give one another name`);
  const unknown = request.sort.find((element) => !names.includes(element.replace(/^-/, "")));
  if (unknown !== undefined)
    throw invalidAggregate(`sort must name groups or measures: ${JSON.stringify(unknown)} is neither`);
  return { groups, measures };
}

function readerOf(table: ReadTable, column: string): CellReader {
  if (column === "id") return { field: null, shown: (raw) => raw };
  const field = table.fieldById.get(column);
  if (!field) throw frozenError(FROZEN.invalidColumn, column);
  return { field, shown: isoCell(field.type) };
}

function byPeriod({ field, shown }: CellReader, period: Period, timezone: string): CellReader["shown"] {
  const { base = "Id" } = field?.type ?? {};
  if (!DATES.has(base))
    throw invalidAggregate(`by needs a column of dates: ${JSON.stringify(field?.id)} has the type ${base}`);
  const zone: Zone = base === "Date" ? UTC : zoneOrUtc(timezone);
  const start = periodStart(period, zone);
  return (raw) => (typeof raw === "number" ? start(raw) : shown(raw));
}

/** True for cells that measures leave out. */
export const isEmpty = ({ shown }: MeasuredCell): boolean =>
  shown === null || shown === "" || (Array.isArray(shown) && shown.length === 0);

const invalidAggregate = (message: string): AppError => new AppError("aggregate.invalid", message);
