import { AppError, invalid } from "../../errors.ts";
import { type CellValue, CELL_CODES, isCellInput } from "../../values/cell.ts";
import type { ConvertContext, ParseSettings, WidgetOptions } from "../../values/column-type.ts";
import { wellFormed } from "../../lib/text/well-formed.ts";
import { checkCellSize } from "../limits.ts";
import type { ColumnInfo } from "../schema.ts";
import { widgetOptions } from "../widget-options.ts";
import { type CatalogColumn, columnOf } from "./catalog.ts";
import type { Change } from "./change.ts";
import { isMetadataTable } from "./doc-action.ts";

/** Converts cell values of a request to stored values: parses strings, then converts to the column's type. */

/**
 * Returns the cells for the input values of a column.
 * @throws AppError `invalid` for the few values that a type refuses
 */
export function prepareCells(
  change: Change,
  {
    table,
    column,
    info = infoOf(change, table, column),
    values,
    parse = change.options.parse,
  }: ColumnContext & { values: readonly unknown[]; parse?: boolean },
): CellValue[] {
  const { kind } = column;
  const settings = parse ? parseSettings(change, { table, column, info }) : undefined;
  const context: ConvertContext = {
    lookUp: (value, shown) => lookUpValue(change, { table, column, info, value, shown }),
  };
  const keepsText = change.options.keepsTexts === true && PARSED_TYPES.has(kind.base);
  const newRows = kind.target === undefined ? undefined : change.newRows.get(kind.target);
  return values.map((one, i) => {
    const input = wellFormed(one);
    if (input !== one && isMetadataTable(table)) {
      throw invalid(`Column ${JSON.stringify(column.id)} must not contain unpaired surrogates`);
    }
    if (typeof input === "string" || typeof input === "object") {
      checkCellSize(input, () => `Column ${JSON.stringify(column.id)}, value ${i + 1} of ${values.length}`);
    }
    let value = asCell(input);
    if (newRows) value = resolveNewRows(value, newRows);
    if (keepsText && typeof value === "string") return value;
    if (settings && typeof value === "string") value = kind.parse(value, settings);
    try {
      return kind.convert(value, context);
    } catch (error) {
      if (error instanceof AppError) throw invalid(`Column ${JSON.stringify(column.id)}: ${error.message}`);
      throw error;
    }
  });
}

const PARSED_TYPES: ReadonlySet<string> = new Set([
  "Numeric",
  "Int",
  "Bool",
  "Date",
  "DateTime",
  "ChoiceList",
  "Ref",
  "RefList",
  "Attachments",
]);

export interface ColumnContext {
  readonly table: string;
  readonly column: CatalogColumn;
  /** Options and display column; defaults to the metadata. Passed when they are about to change. */
  readonly info?: ColumnInfo | undefined;
}

const infoOf = (change: Change, table: string, { id }: CatalogColumn): ColumnInfo | undefined =>
  change.schema.tableById.get(table)?.columnById.get(id);

/** Returns the parse settings of a column, from the settings of the document and of the column. */
export function parseSettings(
  change: Change,
  { table, column, info = infoOf(change, table, column) }: ColumnContext,
): ParseSettings {
  const target = column.kind.target;
  return {
    ...readerSettings(change, info),
    lookUp: target === undefined ? undefined : (text) => lookUpText(change, { table, column, info, target, text }),
  };
}

/** Converts any JSON value to a cell: arrays that are not an encoded cell become errors, objects become dict cells. */
export function asCell(value: unknown): CellValue {
  if (isCellInput(value)) return value;
  if (value === undefined) return null;
  if (Array.isArray(value)) return [CELL_CODES.error, value.length > 0 ? "KeyError" : "IndexError"];
  return [CELL_CODES.dict, value];
}

const OPTIONS_CACHE = new WeakMap<ColumnInfo, WidgetOptions>();

/** Returns the parsed widgetOptions of a column; empty when they are not a JSON object. */
export function widgetOptionsOf(info: ColumnInfo): WidgetOptions {
  let options = OPTIONS_CACHE.get(info);
  if (!options) OPTIONS_CACHE.set(info, (options = widgetOptions(info.widgetOptions)));
  return options;
}

const readerSettings = ({ document, options }: Change, info: ColumnInfo | undefined): ParseSettings => ({
  ...document.formatSettings,
  widgetOptions: info && widgetOptionsOf(info),
  nowMs: options.nowMs,
});

/** Returns the display column of a reference; undefined when the reference displays the row id. */
function shownColumn(change: Change, { column, info }: ColumnContext): ColumnInfo | undefined {
  const shown = change.schema.columnByRef.get(info?.visibleCol ?? 0);
  return shown && change.schema.tableByRef.get(shown.tableRef)?.id === column.kind.target ? shown : undefined;
}

/** Returns the first record of the target table that displays the text and that the caller can read. */
function lookUpText(
  change: Change,
  { target, text, ...reference }: ColumnContext & { target: string; text: string },
): number | undefined {
  const table = change.catalog.find(target);
  if (!table) return undefined;
  const shown = shownColumn(change, reference);
  if (!shown) {
    const id = /^\s*\d+(\.0*)?\s*$/.test(text) ? Number(text) : Number.NaN;
    return findVisibleRow(change, target, id);
  }
  const column = columnOf(table, shown.id);
  const value = column.kind.convert(column.kind.parse(text, readerSettings(change, shown)));
  return findVisibleRecord(change, target, { column, value });
}

/** Returns the first record with a value that the caller can read: otherwise a caller could probe for hidden values. */
function findVisibleRecord(
  change: Change,
  table: string,
  { column, value }: { column: CatalogColumn; value: CellValue },
): number | undefined {
  const { writeAccess, lookups } = change;
  if (!writeAccess || writeAccess.canReadAll(table)) return lookups.first(table, column, value);
  return lookups.firstAccepted(table, column, { value, accepts: (id) => writeAccess.canRead(table, column.id, id) });
}

/** Returns the id when the row exists and is visible to the caller. */
function findVisibleRow({ writeAccess, lookups }: Change, table: string, id: number): number | undefined {
  return lookups.hasRow(table, id) && writeAccess?.canRead(table, "id", id) !== false ? id : undefined;
}

/** Returns the first record of the target table whose column, by default the display column, equals the value. */
function lookUpValue(
  change: Change,
  { value, shown, ...reference }: ColumnContext & { value: unknown; shown: string | undefined },
): number | undefined {
  const target = reference.column.kind.target;
  const table = target === undefined ? undefined : change.catalog.find(target);
  if (!table) return undefined;
  const name = shown ?? shownColumn(change, reference)?.id ?? "id";
  if (name === "id") {
    const id = typeof value === "number" ? value : Number.NaN;
    return findVisibleRow(change, table.id, id);
  }
  const column = columnOf(table, name);
  return findVisibleRecord(change, table.id, { column, value: column.kind.convert(asCell(value)) });
}

/** Replaces temporary (negative) ids of new rows with their allocated ids. */
function resolveNewRows(value: CellValue, newRows: ReadonlyMap<number, number>): CellValue {
  const real = (id: unknown) => (typeof id === "number" && id < 0 ? (newRows.get(id) ?? id) : id);
  if (typeof value === "number") return real(value) as number;
  if (!Array.isArray(value)) return value;
  const [code, ...rest] = value;
  if (code === CELL_CODES.list) return [code, ...rest.map(real)];
  if (code === CELL_CODES.reference) return [code, rest[0], real(rest[1])];
  if (code === CELL_CODES.referenceList && Array.isArray(rest[1])) return [code, rest[0], rest[1].map(real)];
  return value;
}
