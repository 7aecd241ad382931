import { invalid } from "../../../errors.ts";
import { quote } from "../../../sqlite/quote.ts";
import type { ColumnInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { COLUMNS_TABLE, columnInfo } from "./columns.ts";
import { removeFromSorting } from "../sections/layout.ts";
import { idsOf, metadataIds, removeMetadata, updateMetadata } from "../metadata.ts";
import { convertReferences } from "../references/convert-references.ts";
import { IN_IDS } from "../row-storage.ts";
import { refuseGroupingColumn, summariesOf } from "../summaries/summary-columns.ts";
import { regroupWithout, unusedSummaries } from "../summaries/regroup-summaries.ts";
import { tableInfo } from "./tables.ts";
import {
  removeSections as removeSectionsOnly,
  removeSectionsAndEmptyViews,
  removeViews,
} from "../sections/remove-views.ts";

/** Removes columns and tables, with all metadata that refers to them. */

export function removeColumn(change: Change, table: string, id: string): void {
  if (id === "manualSort") throw invalid('The position column "manualSort" cannot be removed');
  const column = columnInfo(change, table, id);
  refuseGroupingColumn(column);
  removeColumns(change, [column]);
}

/** Removes columns. Helper columns that become unused are removed at the end of the bundle. */
function removeColumns(change: Change, columns: readonly ColumnInfo[]): void {
  for (const summary of regroupWithout(change, columns)) removeTable(change, summary);
  const refs = columns.map((column) => column.ref);
  removeColumnMetadata(change, refs);
  for (const column of columns) {
    const table = change.schema.tableByRef.get(column.tableRef);
    if (table) change.apply(["RemoveColumn", table.id, column.id]);
  }
  removeMetadata(change, COLUMNS_TABLE, refs);
  change.mayLeaveHelpers = true;
}

/**
 * Removes unused helper columns: hidden columns with display formulas or conditional rules. Called after the last
 * action of a bundle.
 */
export function removeUnusedHelpers(change: Change): void {
  const used = new Set<number>();
  for (const column of change.schema.columnByRef.values()) {
    used.add(column.displayCol);
    for (const rule of column.rules ?? []) used.add(rule);
  }
  const fields = change.db.values(
    "select displayCol, rules from _grist_Views_section_field union all select 0, rules from _grist_Views_section",
  );
  for (const [display, rules] of fields) {
    used.add(Number(display));
    for (const rule of idsOf(rules)) used.add(rule);
  }
  const unused = [...change.schema.columnByRef.values()].filter(
    ({ id, ref }) => /^gristHelper_(Display|ConditionalRule|RowConditionalRule)\d*$/.test(id) && !used.has(ref),
  );
  change.mayLeaveHelpers = false;
  if (unused.length === 0) return;
  removeColumns(change, unused);
  removeUnusedHelpers(change);
}

/** Metadata columns that hold a column ref; set to 0 when that column is removed. */
const COLUMN_USES: readonly [table: string, column: string][] = [
  ["_grist_Views_section", "linkSrcColRef"],
  ["_grist_Views_section", "linkTargetColRef"],
  ["_grist_Views_section_field", "displayCol"],
  ["_grist_Views_section_field", "visibleCol"],
  [COLUMNS_TABLE, "displayCol"],
  [COLUMNS_TABLE, "reverseCol"],
  [COLUMNS_TABLE, "summarySourceCol"],
  ["_grist_Triggers", "isReadyColRef"],
];

/** Metadata columns that hold a list of column refs. */
const COLUMN_LISTS: readonly [table: string, column: string][] = [
  [COLUMNS_TABLE, "rules"],
  [COLUMNS_TABLE, "recalcDeps"],
  ["_grist_Views_section", "rules"],
  ["_grist_Views_section_field", "rules"],
  ["_grist_Triggers", "watchedColRefList"],
];

/** Removes all metadata that refers to the columns, except their own records. */
function removeColumnMetadata(change: Change, refs: readonly number[]): void {
  const list = JSON.stringify(refs);
  const find = (sql: string) => metadataIds(change, sql, list);
  removeMetadata(
    change,
    "_grist_Views_section_field",
    find(`select id from _grist_Views_section_field where colRef ${IN_IDS}`),
  );
  removeMetadata(change, "_grist_Filters", find(`select id from _grist_Filters where colRef ${IN_IDS}`));
  removeMetadata(change, "_grist_Cells", find(`select id from _grist_Cells where colRef ${IN_IDS}`));
  removeFromSorting(change, new Set(refs));
  // Columns that used one of them as display column lose it.
  updateMetadata(change, COLUMNS_TABLE, find(`select id from ${COLUMNS_TABLE} where visibleCol ${IN_IDS}`), {
    visibleCol: 0,
    displayCol: 0,
  });
  for (const [table, column] of COLUMN_USES) {
    const referrers = find(`select id from ${quote(table)} where ${quote(column)} ${IN_IDS}`);
    updateMetadata(
      change,
      table,
      referrers.filter((id) => table !== COLUMNS_TABLE || !refs.includes(id)),
      { [column]: 0 },
    );
  }
  for (const [table, column] of COLUMN_LISTS) removeFromLists(change, { table, column, refs: new Set(refs) });
}

function removeFromLists(
  change: Change,
  { table, column, refs }: { table: string; column: string; refs: ReadonlySet<number> },
): void {
  const rows = change.db.values(`select id, ${quote(column)} from ${quote(table)} where ${quote(column)} like '[%'`);
  for (const [id, stored] of rows) {
    const items = idsOf(stored);
    const remaining = items.filter((item) => !refs.has(item));
    if (remaining.length === items.length) continue;
    updateMetadata(change, table, Number(id), { [column]: remaining.length > 0 ? ["L", ...remaining] : null });
  }
}

/** Removes a table with its columns, sections, pages and summaries. References to it become the values they display. */
export function removeTable(change: Change, id: string): void {
  const table = tableInfo(change, id);
  for (const summary of summariesOf(change.schema, table.ref)) removeTable(change, summary.id);
  convertReferences(change, id);
  removeColumnMetadata(
    change,
    table.columns.map((column) => column.ref),
  );
  const find = (sql: string) => metadataIds(change, sql, table.ref);
  removeSectionsAndEmptyViews(change, find("select id from _grist_Views_section where tableRef = ?"));
  for (const other of ["_grist_Cells", "_grist_Triggers", "_grist_TabItems", "_grist_TableViews"]) {
    removeMetadata(change, other, find(`select id from ${quote(other)} where tableRef = ?`));
  }
  change.apply(["RemoveTable", id]);
  removeMetadata(
    change,
    COLUMNS_TABLE,
    table.columns.map((column) => column.ref),
  );
  removeMetadata(change, "_grist_Tables", [table.ref]);
  change.mayLeaveHelpers = true;
}

/**
 * Removes sections, and the summaries that no section shows any more. Pages without sections are kept.
 * @throws AppError `invalid` for a built-in section of a table
 */
export function removeSections(change: Change, sections: readonly number[]): void {
  const builtIn = new Set(
    change.schema.tables.flatMap((table) => [table.rawViewSectionRef, table.recordCardViewSectionRef]),
  );
  const refused = sections.find((section) => section > 0 && builtIn.has(section));
  if (refused !== undefined)
    throw invalid(`Section ${refused} is a built-in section of its table and cannot be removed`);
  removeWithSummaries(change, sections, () => removeSectionsOnly(change, sections));
}

/** Removes views with their sections, and the summaries that no section shows any more. */
export function removePages(change: Change, requestedViews: readonly number[]): void {
  const views = requestedViews.filter((view) => view > 0);
  const sql = `select id from _grist_Views_section where parentId ${IN_IDS}`;
  removeWithSummaries(change, metadataIds(change, sql, JSON.stringify(views)), () => removeViews(change, views));
}

function removeWithSummaries(change: Change, sections: readonly number[], remove: () => void): void {
  const sql = `select distinct tableRef from _grist_Views_section where id ${IN_IDS}`;
  const shown = metadataIds(change, sql, JSON.stringify(sections));
  remove();
  for (const summary of unusedSummaries(change, shown)) removeTable(change, summary);
  change.mayLeaveHelpers = true;
}
