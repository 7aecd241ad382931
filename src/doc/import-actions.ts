import { conversionCounter } from "../exchange/count-conversions.ts";
import { readingFor, type TypedTable } from "../exchange/infer-tables.ts";
import { ConversionCounter, type ConversionCounts } from "../exchange/detect/conversion-counter.ts";
import type { FileConventions } from "../exchange/detect/infer-conventions.ts";
import { cellConverter } from "../exchange/detect/convert-cell.ts";
import { stagedRows } from "../exchange/staging.ts";
import type { CellValue } from "../values/cell.ts";
import { columnType } from "../values/column-type.ts";
import { prepareCells } from "./actions/prepare-cells.ts";
import type { Change, ChangeOptions } from "./actions/change.ts";
import type { UserAction } from "./actions/apply-user-actions.ts";
import {
  adoptsFileType,
  columnSpec,
  type MatchedColumn,
  type PlannedAppend,
  type PlannedTable,
} from "./import-plan.ts";

/** The actions of an import, with conversion statistics of each column. */
export interface ImportActions {
  readonly actions: readonly UserAction[];
  /** Types for empty columns, as in `ChangeOptions.emptyColumns`. */
  readonly types: NonNullable<ChangeOptions["emptyColumns"]>;
  /** In the order of the planned columns. */
  readonly cells: readonly ConversionCounts[];
}

/** Returns the actions that create a table and fill it, with values converted to the inferred types. */
export function newTableActions({ id, addition, columns, staged }: PlannedTable): ImportActions {
  const readers = columns.map((column) => ({
    id: column.id,
    at: column.source.at,
    isEmpty: column.type === "Any",
    counter: conversionCounter(column.source),
  }));
  const actions = [addition, ...addRowActions(id, staged, readers)];
  return { actions, types: new Map(), cells: readers.map(({ counter }) => counter.counts) };
}

/** The columns of an import into a table, with what reads their values, and the actions that come before its rows. */
export interface AppendReaders extends Pick<ImportActions, "types"> {
  readonly additions: readonly UserAction[];
  /** Of the matched columns, then of the added ones. */
  readonly readers: readonly ColumnReader[];
}

/**
 * Returns what reads the columns of a file for a table. Values are parsed by the file's conventions for numbers,
 * dates and booleans; for other types as if typed by a user.
 * @param change resolves texts for references to records that the caller can read
 */
export function appendReaders(
  { table, matched, added }: PlannedAppend,
  conventions: FileConventions,
  change: Change,
): AppendReaders {
  const readers = [
    ...matched.map((pair) => ({
      id: pair.column.id,
      at: pair.source.at,
      isEmpty: false,
      counter: counterFor(pair, { table: table.id, conventions, change }),
    })),
    ...added.map((column) => ({
      id: column.id,
      at: column.source.at,
      isEmpty: column.type === "Any",
      counter: conversionCounter(column.source),
    })),
  ];
  const additions = added.map((column): UserAction => ["AddVisibleColumn", table.id, column.id, columnSpec(column)]);
  const types = matched.filter(adoptsFileType).map(({ column, source }) => {
    return [`${table.id}.${column.id}`, { type: source.type, widgetOptions: source.options }] as const;
  });
  return { additions, readers, types: new Map(types) };
}

/** Returns the actions that add columns and rows to a table. */
export function appendActions(
  { table, staged }: PlannedAppend,
  { additions, readers, types }: AppendReaders,
): ImportActions {
  const actions = [...additions, ...addRowActions(table.id, staged, readers)];
  return { actions, types, cells: readers.map(({ counter }) => counter.counts) };
}

interface Target {
  readonly table: string;
  readonly conventions: FileConventions;
  readonly change: Change;
}

function counterFor(pair: MatchedColumn, { table, conventions, change }: Target): ConversionCounter {
  const { column, source } = pair;
  if (adoptsFileType(pair)) return conversionCounter(source);
  const reading = column.type === "Any" ? source.reading : readingFor(column.type, source, conventions);
  const { base } = columnType(column.type);
  if (reading.kind === "text" && base !== "Text") {
    const isText = base === "Choice" || base === "Any";
    const target = { table, column: change.catalog.column(table, column.id) };
    const read = (value: CellValue): CellValue => {
      // Blanks are not counted, whatever the type converts them to.
      if (typeof value === "string" && value.trim() === "") return isText ? value : null;
      return value === null ? null : (prepareCells(change, { ...target, values: [value] })[0] ?? null);
    };
    return new ConversionCounter(read, { isText });
  }
  return new ConversionCounter(cellConverter(reading, column.type), { isText: reading.kind === "text" });
}

export interface ColumnReader {
  readonly id: string;
  readonly at: number;
  readonly isEmpty: boolean;
  readonly counter: ConversionCounter;
}

/** Returns one action per batch of rows. */
function addRowActions(table: string, staged: TypedTable, readers: readonly ColumnReader[]): UserAction[] {
  const filled = readers.filter(({ isEmpty }) => !isEmpty);
  return Array.from(stagedRows(staged), (rows): UserAction => {
    const values = filled.map(({ id, at, counter }) => [id, rows.map((row) => counter.read(row[at] ?? null))] as const);
    return ["BulkAddRecord", table, rows.map(() => null), Object.fromEntries(values)];
  });
}
