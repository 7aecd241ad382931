import { type CellValue, isErrorCell, isList } from "../../../../../values/cell.ts";
import { columnType, type ColumnType, type WidgetOptions } from "../../../../../values/column-type.ts";
import { cellFormatter } from "../../../../../values/cell-formatter.ts";
import { type CellStyle, parseStyle } from "../cells/cell-styles.ts";
import { readRules, type StyleRule } from "../cells/conditional-styles.ts";
import {
  type ColumnListing,
  type DocumentSettings,
  isHelperColumn,
  type RecordJson,
  type TablePageData,
} from "../../../../base/table-data.ts";

/** A column of the grid. */
export interface Column {
  readonly id: string;
  /** Its row id in the metadata, by which other columns refer to it. */
  readonly ref: number;
  readonly label: string;
  /** The label, followed by the id when another column has the same label. */
  readonly name: string;
  readonly description: string;
  readonly type: ColumnType;
  readonly isFormula: boolean;
  /** A column of a summary whose values its groups have in common. */
  readonly isGroupBy: boolean;
  readonly formula: string;
  /** An empty column: the first input makes it a data column. */
  readonly isEmpty: boolean;
  readonly options: WidgetOptions;
  /** The style of its cells, before conditional ones, and that of its header. */
  readonly style: CellStyle;
  readonly headerStyle: CellStyle;
  readonly rules: readonly StyleRule[];
  /** The column whose cells contain the display values of references; null when they show ids. */
  readonly displayId: string | null;
  /** The display column in the referenced table; 0 for none. */
  readonly visibleRef: number;
  readonly choices: readonly string[];
  /** Formats a value as text. */
  text(row: RecordJson): string;
}

type ColumnSource = Pick<TablePageData, "columns" | "listed" | "shown" | "settings">;

/** The visible columns, in order. */
export function readColumns({ columns, listed, shown, settings }: ColumnSource): Column[] {
  const byRef = columnsByRef(columns);
  const nameOf = displayNames(columns);
  return columns
    .filter(({ id }) => (listed ? listed.includes(id) : !isHelperColumn(id)))
    .toSorted((a, b) => (a.fields.parentPos ?? Infinity) - (b.fields.parentPos ?? Infinity))
    .map((listing) =>
      readColumn(listing, {
        settings,
        shown,
        byRef,
        displayId: byRef.get(listing.fields.displayCol)?.id ?? null,
        name: nameOf(listing),
      }),
    );
}

export const columnsByRef = (columns: readonly ColumnListing[]): ReadonlyMap<number, ColumnListing> =>
  new Map(columns.map((listing) => [listing.fields.colRef, listing]));

/** Display names of columns: labels, with ids where ambiguous. */
export function displayNames(columns: readonly ColumnListing[]): (column: ColumnListing) => string {
  const labels = Map.groupBy(
    columns.filter(({ id }) => !isHelperColumn(id)),
    labelOf,
  );
  return (column) => {
    const label = labelOf(column);
    const isAmbiguous = (labels.get(label)?.length ?? 0) > 1 && column.id !== label;
    return isAmbiguous ? `${label} (${column.id})` : label;
  };
}

const labelOf = ({ id, fields }: ColumnListing): string => fields.label || id;

interface ColumnContext {
  readonly settings: DocumentSettings;
  readonly shown: ColumnSource["shown"];
  readonly byRef: ReadonlyMap<number, ColumnListing>;
  readonly displayId: string | null;
  readonly name: string;
}

function readColumn(listing: ColumnListing, { settings, shown, byRef, displayId, name }: ColumnContext): Column {
  const { id, fields } = listing;
  const options = parseWidgetOptions(fields.widgetOptions);
  const type = columnType(fields.type);
  const isReference = type.base === "Ref" || type.base === "RefList";
  const visible = isReference ? shown[fields.visibleCol] : undefined;
  const format = visible
    ? cellFormatter(columnType(visible.type), { ...settings, widgetOptions: parseWidgetOptions(visible.widgetOptions) })
    : cellFormatter(type, { ...settings, widgetOptions: options });
  return {
    id,
    ref: fields.colRef,
    label: labelOf(listing),
    name,
    description: fields.description,
    type,
    isFormula: fields.isFormula,
    isGroupBy: fields.summarySourceCol > 0,
    formula: fields.formula,
    isEmpty: fields.isFormula && fields.formula === "",
    options,
    style: parseStyle(options),
    headerStyle: parseStyle(options, "header"),
    rules: readRules(fields.rules, options, byRef),
    displayId: isReference ? displayId : null,
    visibleRef: fields.visibleCol,
    choices: Array.isArray(options["choices"]) ? options["choices"].filter((choice) => typeof choice === "string") : [],
    text: (row) => cellText(row, id, { displayId: isReference ? displayId : null, format }),
  };
}

function cellText(
  row: RecordJson,
  id: string,
  { displayId, format }: { displayId: string | null; format: (value: CellValue) => string },
): string {
  const error = row.errors?.[id];
  if (error !== undefined) return format(["E", error]);
  const own = cellValue(row, id);
  // Invalid references are stored in the reference column itself.
  const value = displayId !== null && typeof own !== "string" ? cellValue(row, displayId) : own;
  return isList(value) ? listItems(value).map(format).join(", ") : format(value);
}

/** Returns the value of a cell; for errors the error object. */
export function cellValue(row: RecordJson, id: string): CellValue {
  const error = row.errors?.[id];
  if (error !== undefined) return ["E", error];
  return (row.fields[id] ?? null) as CellValue;
}

/** The texts of references, one each. */
export function referenceTexts(row: RecordJson, column: Column): string[] {
  const value = cellValue(row, column.displayId ?? column.id);
  if (isErrorCell(value)) return [column.text(row)];
  if (!isList(value)) return [column.text(row)].filter((text) => text !== "");
  return listItems(value).map((item) => column.text({ id: row.id, fields: { [column.displayId ?? column.id]: item } }));
}

/** The elements of a list. */
export function listItems(value: CellValue): CellValue[] {
  if (!isList(value)) return [];
  const [, ...items] = value;
  return items as CellValue[];
}

export function parseWidgetOptions(text: string): WidgetOptions {
  try {
    const value: unknown = text === "" ? {} : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as WidgetOptions) : {};
  } catch {
    return {};
  }
}

const NUMBERS = new Set(["Int", "Numeric", "ManualSortPos", "PositionNumber", "Id"]);

export const isNumericColumn = ({ type }: Column): boolean => NUMBERS.has(type.base);

/** Returns true for a value that does not fit its column's type and is kept as typed. */
export function isInvalidValue({ type }: Column, value: CellValue): boolean {
  return typeof value === "string" && value !== "" && !["Text", "Choice", "Any", "Blob"].includes(type.base);
}
