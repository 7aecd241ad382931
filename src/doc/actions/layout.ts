import { must } from "../../lib/assert.ts";
import type { RowValues } from "./doc-action.ts";
import type { Change } from "./change.ts";
import { addMetadata, metadataIds, updateMetadata } from "./metadata.ts";

/**
 * Pages, views, sections and fields: what programs with a surface show of a document. Here they are only kept in
 * step with tables and columns.
 */

const FIELDS = "_grist_Views_section_field";
const SECTIONS = "_grist_Views_section";

/** The sections that a table has of its own. Numbers of `_grist_Views_section`. */
export interface OwnSections {
  readonly raw: number;
  readonly card: number;
}

/** A page that shows a table, last in the list. Gives back the view and its section. */
export function addPage(
  change: Change,
  { tableRef, name, columns }: { tableRef: number; name: string; columns: readonly number[] },
): { view: number; section: number } {
  const [view = 0] = addMetadata(change, "_grist_Views", [{ name, type: "raw_data" }]);
  const section = addSection(change, { tableRef, parentId: view, parentKey: "record", sortColRefs: "[]" }, columns);
  const last = (table: string, column: string) => change.endOf(table, column) + 1;
  addMetadata(change, "_grist_TabBar", [{ viewRef: view, tabPos: last("_grist_TabBar", "tabPos") }]);
  addMetadata(change, "_grist_Pages", [{ viewRef: view, indentation: 0, pagePos: last("_grist_Pages", "pagePos") }]);
  return { view, section };
}

/** The sections by which a table is shown as raw data and as a card, outside any page. */
export function addOwnSections(
  change: Change,
  { tableRef, title, columns }: { tableRef: number; title: string; columns: readonly number[] },
): OwnSections {
  const raw = addSection(change, { tableRef, parentKey: "record", title }, columns);
  const card = addSection(change, { tableRef, parentKey: "single" }, columns);
  return { raw, card };
}

/** A section with a field for each of the columns. */
export function addSection(change: Change, values: RowValues, columns: readonly number[]): number {
  const [section = 0] = addMetadata(change, SECTIONS, [{ defaultWidth: 100, borderWidth: 1, ...values }]);
  addFields(change, [section], columns);
  return section;
}

/** Which sections a new column shows in: none, those that the table has of its own, or also the grids on pages. */
export type ColumnPlace = "nowhere" | "own" | "grids";

export function showColumn(change: Change, tableRef: number, column: number, where: ColumnPlace): void {
  if (where === "nowhere") return;
  const table = must(change.schema.tableByRef.get(tableRef), "table");
  const own = [table.rawViewSectionRef, table.recordCardViewSectionRef].filter((section) => section > 0);
  const grids = metadataIds(
    change,
    `select id from ${SECTIONS} where tableRef = ? and parentId > 0 and parentKey = 'record' order by id`,
    tableRef,
  );
  addFields(change, where === "grids" ? [...grids, ...own] : own, [column]);
}

function addFields(change: Change, sections: readonly number[], columns: readonly number[]): void {
  let position = change.endOf(FIELDS, "parentPos");
  addMetadata(
    change,
    FIELDS,
    sections.flatMap((parentId) => columns.map((colRef) => ({ parentId, colRef, parentPos: ++position }))),
  );
}

/** Takes columns out of the orders that sections are sorted by. */
export function forgetSorting(change: Change, columns: ReadonlySet<number>): void {
  const rows = change.db.values(`select id, sortColRefs from ${SECTIONS} where sortColRefs not in ('', '[]')`);
  for (const [id, text] of rows) {
    const order = parseList(text);
    const left = order.filter((entry) => !columns.has(sortedColumn(entry)));
    if (left.length !== order.length)
      updateMetadata(change, SECTIONS, Number(id), { sortColRefs: JSON.stringify(left) });
  }
}

/** An entry is a column's number, negative for descending, or a text with options after it: `-7:naturalSort`. */
const sortedColumn = (entry: unknown): number => Math.abs(Number.parseInt(String(entry), 10));

function parseList(text: unknown): unknown[] {
  try {
    const value: unknown = JSON.parse(String(text));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
