/** Settings of columns for one section: a field with options of its own has all of them instead of those of its column. */
import type { ColumnListing, TablePageData } from "../table-data.ts";
import type { SectionData, SectionField } from "./section-data.ts";
import { listedColumns } from "./section-view.ts";

type Settings = Pick<ColumnListing["fields"], "widgetOptions" | "displayCol" | "visibleCol" | "rules">;

/** Whether a field has settings of its own. */
export const hasOwnSettings = ({ widgetOptions }: Pick<SectionField, "widgetOptions">): boolean => widgetOptions !== "";

/** Returns columns with the settings that they have in a section. */
export function columnsInSection<T extends { readonly fields: Settings & { readonly colRef: number } }>(
  columns: readonly T[],
  { fields }: Pick<SectionData, "fields">,
): T[] {
  const own = new Map(fields.filter(hasOwnSettings).map((field) => [field.colRef, field]));
  return columns.map((column) => {
    const field = own.get(column.fields.colRef);
    return field ? { ...column, fields: { ...column.fields, ...settingsOf(field, column.fields) } } : column;
  });
}

/** Returns what a section shows of its table. */
export function contentOfSection<T extends Pick<TablePageData, "columns">>(
  content: T,
  section: Pick<SectionData, "fields">,
): T & Pick<TablePageData, "listed"> {
  const columns = columnsInSection(content.columns, section);
  return { ...content, columns, listed: listedColumns(section, columns).map(({ id }) => id) };
}

/** Fields of references that show what their column shows may name no display column. */
const settingsOf = ({ widgetOptions, displayCol, visibleCol, rules }: SectionField, column: Settings): Settings => ({
  widgetOptions,
  displayCol: displayCol || column.displayCol,
  visibleCol: visibleCol || column.visibleCol,
  rules,
});
