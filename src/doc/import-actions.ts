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
import { columnSpec, type MatchedColumn, type PlannedAppend, type PlannedTable } from "./import-plan.ts";

/** The actions of an import, and what becomes of the values of each column. */
export interface ImportActions {
  readonly actions: readonly UserAction[];
  /** Types for columns that nobody has filled, as `ChangeOptions.emptyColumns`. */
  readonly types: NonNullable<ChangeOptions["emptyColumns"]>;
  /** In the order of the columns as they were planned. */
  readonly cells: readonly ConversionCounts[];
}

/** The actions that make a table and fill it: values are what the types found for them make of them. */
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

/**
 * The actions that add rows to a table, and columns before. Values are read by the file's own way of writing numbers,
 * dates and truth values; for other types as if people had typed them.
 * @param change finds the records that texts for references stand for, among those that the caller can read
 */
export function appendActions(
  { table, staged, matched, added }: PlannedAppend,
  conventions: FileConventions,
  change: Change,
): ImportActions {
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
  const made = added.map((column): UserAction => ["AddVisibleColumn", table.id, column.id, columnSpec(column)]);
  const actions = [...made, ...addRowActions(table.id, staged, readers)];
  const types = matched.filter(adoptsFileType).map(({ column, source }) => {
    return [`${table.id}.${column.id}`, { type: source.type, widgetOptions: source.options }] as const;
  });
  return { actions, types: new Map(types), cells: readers.map(({ counter }) => counter.counts) };
}

/** True for a column that nobody has filled or given a type: it takes that of the file. */
const adoptsFileType = ({ column, source }: MatchedColumn): boolean =>
  column.isFormula && column.type === "Any" && source.type !== "Any";

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
      // Blanks are not counted, whatever the type makes of them.
      if (typeof value === "string" && value.trim() === "") return isText ? value : null;
      return value === null ? null : (prepareCells(change, { ...target, values: [value] })[0] ?? null);
    };
    return new ConversionCounter(read, { isText });
  }
  return new ConversionCounter(cellConverter(reading, column.type), { isText: reading.kind === "text" });
}

interface ColumnReader {
  readonly id: string;
  readonly at: number;
  readonly isEmpty: boolean;
  readonly counter: ConversionCounter;
}

/** One action for each portion of rows. */
function addRowActions(table: string, staged: TypedTable, readers: readonly ColumnReader[]): UserAction[] {
  const filled = readers.filter(({ isEmpty }) => !isEmpty);
  return Array.from(stagedRows(staged), (rows): UserAction => {
    const values = filled.map(({ id, at, counter }) => [id, rows.map((row) => counter.read(row[at] ?? null))] as const);
    return ["BulkAddRecord", table, rows.map(() => null), Object.fromEntries(values)];
  });
}
