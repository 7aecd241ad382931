import { AppError, invalid } from "../errors.ts";
import type { TypedColumn, TypedTable } from "../exchange/infer-tables.ts";
import { must } from "../lib/assert.ts";
import type { WidgetOptions } from "../values/column-type.ts";
import { currencyOf } from "../values/currencies.ts";
import type { DocumentSettings } from "./document.ts";
import type { UserAction } from "./actions/apply-user-actions.ts";
import { pickColumnId, pickTableId } from "./identifiers.ts";
import { checkColumnCount, LIMITS } from "./limits.ts";
import { METADATA_TABLES } from "./metadata-tables.ts";
import { type ColumnMapping, isComputed, mapColumns } from "./import-columns.ts";
import type { ColumnInfo, Schema, TableInfo } from "./schema.ts";

/** The plan for a table of a file. */
export interface PlannedTable {
  readonly id: string;
  readonly staged: TypedTable;
  readonly columns: readonly PlannedColumn[];
  /** The action that creates the table. */
  readonly addition: UserAction;
}

export interface PlannedColumn {
  readonly id: string;
  readonly type: string;
  /** The display options of its values. */
  readonly options: WidgetOptions;
  readonly source: TypedColumn;
}

/** True for a column without data and type: it takes those of the file. */
export const adoptsFileType = ({ column, source }: MatchedColumn): boolean =>
  column.isFormula && column.type === "Any" && source.type !== "Any";

/**
 * Plans new tables for those of a file.
 * @param existing the ids of the document's tables
 * @param currency the code of the document's currency, which columns need not repeat
 */
export function planNewTables(
  existing: readonly string[],
  staged: readonly TypedTable[],
  currency: string,
): PlannedTable[] {
  const taken = [...existing, ...METADATA_TABLES.map(({ id }) => id)];
  const ids = staged.map(({ name }) => {
    const id = pickTableId(truncateName(name), taken);
    taken.push(id);
    return id;
  });
  const targets = new Map(staged.map(({ number }, at) => [number, ids[at] ?? ""]));
  return staged.map((one, at) => {
    const id = ids[at] ?? "";
    checkColumnCount(id, one.columns.length + 1);
    const sources = one.columns.map((column) => withTarget(column, targets));
    const columns = planNewColumns(sources, ["manualSort"], currency);
    const specs = columns.map((column) => ({ id: column.id, ...columnSpec(column) }));
    return { id, staged: one, columns, addition: ["AddTable", id, specs] };
  });
}

/** Returns the code of a document's currency. */
export function currencyIn({ currency, locale }: DocumentSettings): string {
  if (typeof currency === "string" && currency !== "") return currency;
  return currencyOf(typeof locale === "string" ? locale : "en-US");
}

/** Resolves a column that refers to another table of the file to that table's id. */
const withTarget = (column: TypedColumn, targets: ReadonlyMap<number | undefined, string>): TypedColumn =>
  column.refersTo === undefined ? column : { ...column, type: `Ref:${must(targets.get(column.refersTo), "table")}` };

export interface PlannedAppend {
  readonly table: TableInfo;
  readonly staged: TypedTable;
  /** The columns of the table that receive values. */
  readonly matched: readonly MatchedColumn[];
  readonly added: readonly PlannedColumn[];
  /** Formula columns of the table; their values in the file are ignored. */
  readonly skipped: readonly MatchedColumn[];
}

/** A column of the table with the matching column of the file. */
export interface MatchedColumn {
  readonly column: ColumnInfo;
  readonly source: TypedColumn;
}

interface AppendOptions {
  /** The table with the columns that the caller sees. */
  readonly visibleTable: TableInfo;
  readonly staged: TypedTable;
  /** Columns of the table by labels or letters of columns of the file; null leaves a column out. */
  readonly columns?: ColumnMapping | undefined;
  /** Columns that the table does not have become new columns. */
  readonly addColumns: boolean;
  readonly currency: string;
}

/**
 * Matches the columns of a file with those of a table: as `columns` says, others by label or id, ignoring case if
 * necessary.
 * @throws AppError `invalid` for unmatched columns unless they are to be added, and for columns that do not exist
 */
export function planAppend(
  schema: Schema,
  { visibleTable, staged, columns, addColumns, currency }: AppendOptions,
): PlannedAppend {
  const { id: tableId } = visibleTable;
  const table = must(schema.tableById.get(tableId), "table");
  if (table.summarySourceTable > 0)
    throw invalid(`${JSON.stringify(tableId)} is a summary table: rows cannot be added to it`);
  const free = new Set(visibleTable.columns.filter(({ isHidden }) => !isHidden));
  const { matches, leftOut } = mapColumns(visibleTable, staged.columns, columns ?? {});
  for (const column of matches.values()) free.delete(column);
  const used = staged.columns.filter((source) => !leftOut.has(source));
  if (used.length === 0 && leftOut.size > 0) throw invalid("columns leaves out all columns of the file");
  for (const isSame of COLUMN_MATCHERS) {
    for (const source of used) {
      const column = matches.has(source) ? undefined : [...free].find((one) => isSame(one, source.label));
      if (!column) continue;
      matches.set(source, column);
      free.delete(column);
    }
  }
  const unknown = used.filter((source) => !matches.has(source));
  if (unknown.length > 0 && !addColumns) {
    const names = unknown.map(({ label }) => JSON.stringify(label)).slice(0, 10);
    throw new AppError(
      "column.unknown",
      `Table ${tableId} has no column ${names.join(", ")}; set addColumns to add missing columns`,
    );
  }
  checkColumnCount(tableId, table.columns.length + unknown.length);
  const pairs = used.flatMap((source) => {
    const column = matches.get(source);
    return column ? [{ source, column }] : [];
  });
  return {
    table,
    staged,
    matched: pairs.filter(({ column }) => !isComputed(column)),
    skipped: pairs.filter(({ column }) => isComputed(column)),
    added: planNewColumns(unknown, reservedColumnIds(schema, table), currency),
  };
}

/** The most specific first. */
const COLUMN_MATCHERS: readonly ((column: ColumnInfo, label: string) => boolean)[] = [
  (column, label) => column.label === label,
  (column, label) => column.id === label,
  (column, label) => label !== "" && column.label.toLowerCase() === label.toLowerCase(),
  (column, label) => column.id.toLowerCase() === label.toLowerCase(),
];

const reservedColumnIds = (schema: Schema, table: TableInfo): string[] =>
  schema.tables
    .filter((other) => other === table || other.summarySourceTable === table.ref)
    .flatMap((other) => other.columns.map(({ id }) => id));

function planNewColumns(
  sources: readonly TypedColumn[],
  takenBefore: readonly string[],
  currency: string,
): PlannedColumn[] {
  const taken = [...takenBefore];
  return sources.map((source) => {
    const id = pickColumnId(truncateName(source.label), taken);
    taken.push(id);
    const { currency: columnCurrency, ...options } = source.options;
    const isOther = columnCurrency !== undefined && columnCurrency !== currency;
    return { id, type: source.type, options: isOther ? source.options : options, source };
  });
}

/** Returns the definition of a new column. A column without values is empty and gets its type with the first value. */
export const columnSpec = ({ id, type, options, source }: PlannedColumn) => ({
  type,
  isFormula: type === "Any",
  label: source.label === "" ? id : source.label,
  ...(Object.keys(options).length > 0 && { widgetOptions: JSON.stringify(options) }),
});

/** A file may have long text as a column name; the id is made from its beginning. */
const truncateName = (name: string): string => name.slice(0, 100);

/** How much of an import into an existing document is read into memory at once, in bytes. */
const MAX_BYTES = 64 * 1024 ** 2;

/** @throws AppError `tooLarge` when the file exceeds what one request may add to a document */
export function checkAppendSize(staged: readonly TypedTable[]): void {
  const rows = staged.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const bytes = staged.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (rows <= LIMITS.rows && bytes <= MAX_BYTES) return;
  throw new AppError(
    "tooLarge",
    rows > LIMITS.rows
      ? `The file has ${rows} rows; at most ${LIMITS.rows} can be added to a document at once`
      : "The file has more data than can be added to a document at once",
  );
}
