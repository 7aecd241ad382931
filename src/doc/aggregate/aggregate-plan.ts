import { AppError, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { UTC, type Zone, zoneOrUtc } from "../../values/zones.ts";
import type { ReadField, ReadTable } from "../read/read-table.ts";
import { isoCell } from "../read/output/iso-cells.ts";
import { type Period, periodStart } from "./date-period.ts";
import type { MeasureName } from "./measures.ts";

export interface GroupColumn {
  readonly column: string;
  readonly by?: Period | undefined;
  /** The name in the answer; the column's by default. */
  readonly as?: string | undefined;
  /** The name of the group's text in the answer; none by default. */
  readonly text?: string | undefined;
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
  /** Whether to return the groups of each level. */
  readonly subtotals: boolean;
  /** Whether groups are in the order of records that are sorted by their columns. */
  readonly recordOrder: boolean;
  /** How many values a column may have by which records are grouped; null if only the number of groups is limited. */
  readonly maxValues: number | null;
}

/** A column of rows. */
export interface CellReader {
  /** Null for the id. */
  readonly field: ReadField | null;
  /** Returns a cell as in answers; takes it as `decodeRaw` returns it. */
  readonly shown: (raw: CellValue) => unknown;
}

export interface GroupReader extends CellReader {
  readonly column: string;
  readonly name: string;
  /** The name of the text in the answer. */
  readonly text: string | undefined;
  readonly period: Period | null;
  readonly descending: boolean;
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
  const groups = request.groupBy.map((group, at): GroupReader => {
    const { column, by = null, as: name = column, text } = group;
    const reader = readerOf(table, column);
    if (text !== undefined && (by !== null || !request.recordOrder))
      throw invalidAggregate("text needs recordOrder, and cannot be used with by");
    const descending = request.recordOrder && (request.sort[at]?.startsWith("-") ?? false);
    const shown = by === null ? reader.shown : byPeriod(reader, by, timezone);
    return { ...reader, column, name, text, shown, period: by, descending };
  });
  const measures = request.measures.map(({ name, measure, column }): MeasureReader => {
    if (column === null && measure !== "count") throw invalidAggregate(`${measure} needs a column`);
    const cell = column === null ? null : readerOf(table, column);
    const { base } = cell?.field?.type ?? columnType("Id");
    if (ARITHMETIC.has(measure) && !NUMBERS.has(base))
      throw invalidAggregate(`${measure} needs a column of numbers: ${JSON.stringify(column)} has the type ${base}`);
    return { name, measure, cell };
  });
  checkNames({ groups, measures }, request);
  return { groups, measures };
}

function checkNames({ groups, measures }: AggregatePlan, { sort, recordOrder }: AggregateRequest): void {
  const names = [...groups, ...measures].map(({ name }) => name);
  const all = [...names, ...groups.flatMap(({ text }) => text ?? [])];
  const repeated = all.find((name, at) => all.indexOf(name) !== at);
  if (repeated !== undefined)
    throw invalidAggregate(`Two groups or measures have the name ${JSON.stringify(repeated)}; give one another name`);
  const unknown = sort.find((element) => !names.includes(element.replace(/^-/, "")));
  if (unknown !== undefined)
    throw invalidAggregate(`sort must name groups or measures: ${JSON.stringify(unknown)} is neither`);
  if (!recordOrder) return;
  if (groups.length === 0) throw invalidAggregate("recordOrder needs groupBy");
  if (sort.some((element, at) => element.replace(/^-/, "") !== groups[at]?.name))
    throw invalidAggregate("With recordOrder, sort must name the groups in the order of groupBy");
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

/** Returns the cell of a column as it is decoded; takes it as it is stored. */
export const decoder = ({ field }: CellReader): ((stored: SqlValue) => CellValue) => {
  if (field === null) return Number;
  const { type, absent } = field;
  return absent === undefined ? (stored) => type.decodeRaw(stored) : () => absent;
};

/** The greatest time that a date can have, in milliseconds. */
const MAX_TIME_MS = 8.64e15;

/** Returns a function that returns true for the cells that measures leave out. */
export function emptyTest({ field, shown }: CellReader): (raw: CellValue) => boolean {
  const base = field?.type.base ?? "Id";
  const isTime = DATES.has(base);
  const isReference = base === "Ref";
  return (raw) => {
    if (typeof raw === "number")
      return isTime ? !(Math.abs(raw * 1000) <= MAX_TIME_MS) : !Number.isFinite(raw) || (isReference && raw === 0);
    if (typeof raw === "string") return raw === "";
    return raw === null || (typeof raw === "object" && isEmptyShown(shown(raw)));
  };
}

const isEmptyShown = (shown: unknown): boolean =>
  shown === null || shown === "" || (Array.isArray(shown) && shown.length === 0);

const invalidAggregate = (message: string): AppError => new AppError("aggregate.invalid", message);
