import type { ColumnInfo, TableInfo } from "../../schema.ts";
import type { CellValue } from "../../../values/cell.ts";
import type { Change } from "../change.ts";
import { modifyColumn } from "../schema/modify-column.ts";
import { addSection } from "./layout.ts";
import { idsOf, metadataIds, updateMetadata } from "../metadata.ts";
import { addEmptyRule } from "./conditional-formats.ts";
import { shownColumns } from "../summaries/summary-table.ts";

/** Adds sections to pages, with the default fields of each section type. */

const FIELDS = "_grist_Views_section_field";
const SECTIONS = "_grist_Views_section";

/** A chart starts with its x axis and one series. */
const CHART_FIELDS = 2;
const FORM_FIELDS = 9;

/**
 * Adds a section to a page with fields for all visible columns; in a chart the first two, in a form the columns that
 * can be filled in. Cards are copies of the table's record card. Sections of a summary show all of its columns.
 */
export function addPageSection(
  change: Change,
  { table, view, kind }: { table: TableInfo; view: number; kind: string },
): number {
  const values = { tableRef: table.ref, parentId: view, parentKey: kind };
  const card = kind === "single" || kind === "detail" ? enabledCard(change, table) : undefined;
  if (card) return copyCard(change, { table, card, values });
  const refs = sectionColumns(table, kind).map((column) => column.ref);
  return addSection(change, values, refs);
}

function sectionColumns(table: TableInfo, kind: string): ColumnInfo[] {
  const shown = shownColumns(table);
  if (table.summarySourceTable > 0) return shown;
  if (kind === "chart") return shown.slice(0, CHART_FIELDS);
  if (kind === "form") return shown.filter(isFormField).slice(0, FORM_FIELDS);
  return shown;
}

/** Returns true for columns that a form can fill in. Empty columns accept values, other formula columns do not. */
const isFormField = ({ isFormula, formula, type }: ColumnInfo): boolean =>
  type !== "Attachments" && (!isFormula || formula === "");

interface Card {
  readonly section: number;
  readonly theme: CellValue;
  readonly options: CellValue;
  readonly layoutSpec: string;
}

function enabledCard(change: Change, { recordCardViewSectionRef: section }: TableInfo): Card | undefined {
  const [row] = change.db.values(`select theme, options, layoutSpec from ${SECTIONS} where id = ?`, section);
  if (!row) return undefined;
  const [theme = "", options = "", layoutSpec = ""] = row.map((value) => String(value ?? ""));
  return isDisabled(options) ? undefined : { section, theme, options, layoutSpec };
}

function isDisabled(options: string): boolean {
  try {
    return options !== "" && (JSON.parse(options) as { disabled?: unknown } | null)?.disabled === true;
  } catch {
    return false;
  }
}

function copyCard(
  change: Change,
  { table, card, values }: { table: TableInfo; card: Card; values: Record<string, CellValue> },
): number {
  const rows = change.db.values(
    `select id, colRef, widgetOptions, displayCol, visibleCol, rules from ${FIELDS} where parentId = ? order by parentPos, id`,
    card.section,
  );
  const { theme, options } = card;
  const section = addSection(
    change,
    { ...values, theme, options },
    rows.map(([, column]) => Number(column)),
  );
  const sql = `select id from ${FIELDS} where parentId = ? order by parentPos, id`;
  const copies = metadataIds(change, sql, section);
  for (const [f, [, , widgetOptions, displayCol, visibleCol, rules]] of rows.entries()) {
    const field = copies[f] ?? 0;
    if (widgetOptions || displayCol || visibleCol) {
      updateMetadata(change, FIELDS, field, {
        widgetOptions: String(widgetOptions ?? ""),
        displayCol: Number(displayCol),
        visibleCol: Number(visibleCol),
      });
    }
    for (const rule of idsOf(rules)) copyRule(change, table, { rule, field });
  }
  const fieldOf = new Map(rows.map(([id], f) => [Number(id), copies[f] ?? 0]));
  const layoutSpec = remapLayoutFields(card.layoutSpec, fieldOf);
  if (layoutSpec !== "") updateMetadata(change, SECTIONS, section, { layoutSpec });
  return section;
}

/** Copies a rule: a rule belongs to one field, so the copied field gets its own with the same formula. */
function copyRule(change: Change, table: TableInfo, { rule, field }: { rule: number; field: number }): void {
  const { formula = "" } = change.schema.columnByRef.get(rule) ?? {};
  const { colId } = addEmptyRule(change, table.id, { field, column: 0 });
  if (formula !== "") modifyColumn(change, table.id, colId, { formula });
}

/** Replaces the fields in the leaves of a layout. */
export function remapLayoutFields(layoutSpec: string, fieldOf: ReadonlyMap<number, number>): string {
  if (layoutSpec === "") return "";
  try {
    return JSON.stringify(
      JSON.parse(layoutSpec, (key, value: unknown) => (key === "leaf" ? fieldOf.get(Number(value)) : value)),
    );
  } catch {
    return layoutSpec;
  }
}
