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
  const view = addView(change, { name, type: "raw_data" });
  const section = addSection(change, { tableRef, parentId: view, parentKey: "record", sortColRefs: "[]" }, columns);
  return { view, section };
}

/** A page that shows nothing yet, last in the list. Gives back its view. */
export function addView(change: Change, { name, type }: { name: string; type: "raw_data" | "empty" }): number {
  const [view = 0] = addMetadata(change, "_grist_Views", [{ name, type }]);
  const last = (table: string, column: string) => change.endOf(table, column) + 1;
  addMetadata(change, "_grist_TabBar", [{ viewRef: view, tabPos: last("_grist_TabBar", "tabPos") }]);
  addMetadata(change, "_grist_Pages", [{ viewRef: view, indentation: 0, pagePos: last("_grist_Pages", "pagePos") }]);
  return view;
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
  moveSorting(change, (column) => (columns.has(column) ? undefined : column));
}

/** Sorts sections by other columns instead: `to` says by which, or by none. */
export function moveSorting(change: Change, to: (column: number) => number | undefined): void {
  const rows = change.db.values(`select id, sortColRefs from ${SECTIONS} where sortColRefs not in ('', '[]')`);
  for (const [id, text] of rows) {
    const order = parseList(text);
    const moved = order.flatMap((entry) => {
      const column = sortedColumn(entry);
      const other = to(column);
      if (other === undefined) return [];
      if (other === column) return [entry];
      const renumbered = String(entry).replace(/\d+/, String(other));
      return [typeof entry === "number" ? Number(renumbered) : renumbered];
    });
    if (moved.length === order.length && moved.every((entry, i) => entry === order[i])) continue;
    updateMetadata(change, SECTIONS, Number(id), { sortColRefs: JSON.stringify(moved) });
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
