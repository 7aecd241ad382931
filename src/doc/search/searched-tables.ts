import { cellFormatter, type FormattedType } from "../../values/cell-formatter.ts";
import { columnType } from "../../values/column-type.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { readMetadataRecord } from "../read/metadata-records.ts";
import type { ReadField } from "../read/read-table.ts";
import type { VisibilityFilter, VisibleTable } from "../read/visibility-filter.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";
import { widgetOptions } from "../widget-options.ts";
import { cellText } from "./searched-text.ts";
import { type ValueColumn, valueOf } from "./value-tests.ts";

/** A column that a search looks at. */
export interface SearchedField extends ValueColumn {
  readonly id: string;
  readonly label: string;
  /** The column with the cells: of references, the helper column with the values that they show. */
  readonly source: ReadField;
  /** The index of the cells in rows. */
  readonly at: number;
  /** Whether the cells are texts, or lists of texts. */
  readonly hasTexts: boolean;
}

export interface SearchedTable {
  readonly visibleTable: VisibleTable;
  readonly title: string;
  /** In the order of display. */
  readonly fields: readonly SearchedField[];
  /** The columns to read after the id. */
  readonly sources: readonly ReadField[];
}

const TEXT_TYPES: ReadonlySet<string> = new Set(["Text", "Choice", "ChoiceList", "Any"]);
const VALUE_TYPES: ReadonlySet<string> = new Set(["Numeric", "Int", "Date", "DateTime", "Any"]);
const REFERENCE_TYPES: ReadonlySet<string> = new Set(["Ref", "RefList"]);
/** Dates in helper columns are not stored as numbers. */
const SHOWN_VALUE_TYPES: ReadonlySet<string> = new Set(["Numeric", "Int"]);

/** Returns the tables that the caller sees, without summaries, which repeat what is in other tables. */
export const searchedTables = (visibility: VisibilityFilter): SearchedTable[] =>
  visibility
    .tables()
    .filter(({ summarySourceTable, isStored }) => summarySourceTable === 0 && isStored)
    .map((info) => searchedTable(visibility, info))
    .filter(({ fields }) => fields.length > 0);

function searchedTable(visibility: VisibilityFilter, info: TableInfo): SearchedTable {
  const visibleTable = visibility.readTable(info.id);
  const sources: ReadField[] = [];
  const fields = info.columns
    .toSorted((a, b) => a.position - b.position || a.ref - b.ref)
    .flatMap((column): SearchedField[] => {
      const found = column.isHidden ? null : searchedColumn(visibility, { column, info, visibleTable });
      if (!found || found.source.absent !== undefined) return [];
      let at = sources.indexOf(found.source);
      if (at < 0) at = sources.push(found.source) - 1;
      return [{ ...found, id: column.id, label: column.label || column.id, at: at + 1 }];
    });
  return { visibleTable, title: titleOf(visibility, info), fields, sources };
}

interface ColumnPlace {
  readonly column: ColumnInfo;
  readonly info: TableInfo;
  readonly visibleTable: VisibleTable;
}

/** Returns how a column is searched; null if it has no texts, numbers or dates. */
function searchedColumn(
  visibility: VisibilityFilter,
  { column, info, visibleTable: { table } }: ColumnPlace,
): Omit<SearchedField, "id" | "label" | "at"> | null {
  const { document } = visibility;
  const settings = document.formatSettings;
  const field = table.fieldById.get(column.id);
  if (!field) return null;
  const valueColumn = (type: FormattedType, options: string, hasValues: boolean): ValueColumn => {
    const own = { ...settings, widgetOptions: widgetOptions(options) };
    return { type, hasValues, settings: own, format: cellFormatter(type, own) };
  };
  const { type } = field;
  if (!REFERENCE_TYPES.has(type.base)) {
    const [hasTexts, hasValues] = [TEXT_TYPES.has(type.base), VALUE_TYPES.has(type.base)];
    return hasTexts || hasValues
      ? { source: field, hasTexts, ...valueColumn(type, field.widgetOptions, hasValues) }
      : null;
  }
  // A helper that is hidden from the caller is not among the columns of the table.
  const helper = info.columns.find(({ ref, id }) => ref === column.displayCol && id !== column.id);
  const source = helper && table.fieldById.get(helper.id);
  if (!source) return null;
  const visible = document.schema.columnByRef.get(column.visibleCol);
  const shown = columnType(visible?.type ?? source.type.text);
  const hasValues = type.base === "Ref" && SHOWN_VALUE_TYPES.has(shown.base);
  return { source, hasTexts: true, ...valueColumn(shown, (visible ?? helper).widgetOptions, hasValues) };
}

/** Returns the title of a table; its id where it has none, or the caller may not read it. */
function titleOf({ document, rules }: VisibilityFilter, { id, rawViewSectionRef }: TableInfo): string {
  if (rules && !rules.mayReadMetadata) return id;
  const title = readMetadataRecord(document, "_grist_Views_section", rawViewSectionRef)?.["title"];
  return typeof title === "string" && title.trim() !== "" ? title : id;
}

/** Returns a cell as the table shows it; empty for cells that are not searched. */
export function shownText(field: SearchedField, row: readonly SqlValue[]): string {
  const stored = row[field.at] ?? null;
  const text = field.hasTexts ? cellText(field.source, stored) : "";
  if (text !== "" || !field.hasValues) return text;
  const value = valueOf(field.source.type.decodeRaw(stored));
  return value === null ? "" : field.format(value);
}
