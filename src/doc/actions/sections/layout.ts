import { must } from "../../../lib/assert.ts";
import type { RowValues } from "../doc-action.ts";
import type { Change } from "../change.ts";
import { addMetadata, metadataIds, updateMetadata } from "../metadata.ts";
import { allocatePositions } from "../records/positions.ts";

/**
 * Maintains pages, views, sections and fields, by which clients with a user interface display a document, when tables
 * and columns change.
 */

const FIELDS = "_grist_Views_section_field";
const SECTIONS = "_grist_Views_section";

/** The built-in sections of a table: refs to `_grist_Views_section`. */
export interface BuiltInSections {
  readonly raw: number;
  readonly card: number;
}

/** Appends a page that shows a table. Returns its view and section. */
export function addPage(
  change: Change,
  { tableRef, name, columns }: { tableRef: number; name: string; columns: readonly number[] },
): { view: number; section: number } {
  const view = addView(change, { name, type: "raw_data" });
  const section = addSection(change, { tableRef, parentId: view, parentKey: "record", sortColRefs: "[]" }, columns);
  return { view, section };
}

/** Appends an empty page. Returns its view. */
export function addView(change: Change, { name, type }: { name: string; type: "raw_data" | "empty" }): number {
  const [view = 0] = addMetadata(change, "_grist_Views", [{ name, type }]);
  const last = (table: string, column: string) => change.lastPositionOf(table, column) + 1;
  addMetadata(change, "_grist_TabBar", [{ viewRef: view, tabPos: last("_grist_TabBar", "tabPos") }]);
  addMetadata(change, "_grist_Pages", [{ viewRef: view, indentation: 0, pagePos: last("_grist_Pages", "pagePos") }]);
  return view;
}

/** Adds the built-in sections of a table, which are not on a page: raw data and record card. */
export function addBuiltInSections(
  change: Change,
  { tableRef, title, columns }: { tableRef: number; title: string; columns: readonly number[] },
): BuiltInSections {
  const raw = addSection(change, { tableRef, parentKey: "record", title }, columns);
  const card = addSection(change, { tableRef, parentKey: "single" }, columns);
  return { raw, card };
}

/** Adds a section with a field for each of the columns. */
export function addSection(change: Change, values: RowValues, columns: readonly number[]): number {
  const [section = 0] = addMetadata(change, SECTIONS, [{ defaultWidth: 100, borderWidth: 1, ...values }]);
  addFields(change, [section], columns);
  return section;
}

/**
 * The sections that show a new column: none, the built-in sections (raw section, then record card unless it was
 * customized), or additionally the grids on pages.
 */
export type ColumnVisibility = "hidden" | "builtIn" | "grids";

export function showColumn(change: Change, tableRef: number, column: number, visibility: ColumnVisibility): void {
  if (visibility === "hidden") return;
  const table = must(change.schema.tableByRef.get(tableRef), "table");
  const builtIn = [table.rawViewSectionRef];
  if (isDefaultCard(change, table.recordCardViewSectionRef)) builtIn.push(table.recordCardViewSectionRef);
  const grids = metadataIds(
    change,
    `select id from ${SECTIONS} where tableRef = ? and parentId > 0 and parentKey = 'record' order by id`,
    tableRef,
  );
  const sections = visibility === "grids" ? [...builtIn, ...grids] : builtIn;
  addFields(
    change,
    sections.filter((section) => section > 0),
    [column],
  );
}

/** Returns true for a record card that was not customized: it shows all columns of its table. */
function isDefaultCard(change: Change, section: number): boolean {
  const [values] = change.db.values(`select layoutSpec, options, theme, rules from ${SECTIONS} where id = ?`, section);
  const sql = `select 1 from ${FIELDS} where parentId = ? and widgetOptions <> '' limit 1`;
  return values !== undefined && values.every((value) => !value) && change.db.values(sql, section).length === 0;
}

function addFields(change: Change, sections: readonly number[], columns: readonly number[]): void {
  let position = change.lastPositionOf(FIELDS, "parentPos");
  addMetadata(
    change,
    FIELDS,
    sections.flatMap((parentId) => columns.map((colRef) => ({ parentId, colRef, parentPos: ++position }))),
  );
}

/** Removes columns from the sort orders of sections. */
export function removeFromSorting(change: Change, columns: ReadonlySet<number>): void {
  remapSorting(change, (column) => (columns.has(column) ? undefined : column));
}

/** Replaces columns in the sort orders of sections; a column is removed when `to` returns undefined. */
export function remapSorting(change: Change, to: (column: number) => number | undefined): void {
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

/**
 * Returns the column ref of a sort entry: a number, negative for descending, or a string with options
 * (`-7:naturalSort`).
 */
const sortedColumn = (entry: unknown): number => Math.abs(Number.parseInt(String(entry), 10));

function parseList(text: unknown): unknown[] {
  try {
    const value: unknown = JSON.parse(String(text));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Inserts fields into a section before the position `before`, or at the end. */
export function insertFields(
  change: Change,
  section: number,
  { columns, before }: { columns: readonly number[]; before: number | null },
): void {
  if (columns.length === 0) return;
  const targets = columns.map(() => before);
  const { positions, moved } = allocatePositions(change.db, { table: FIELDS, column: "parentPos", targets });
  if (moved) change.apply(["BulkUpdateRecord", FIELDS, moved.ids, { parentPos: moved.positions }]);
  addMetadata(
    change,
    FIELDS,
    columns.map((colRef, c) => ({ parentId: section, colRef, parentPos: positions[c] ?? 0 })),
  );
}
