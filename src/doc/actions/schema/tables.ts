import { invalid } from "../../../errors.ts";
import { must } from "../../../lib/assert.ts";
import { pickColumnId, pickSummaryTableId, pickTableId } from "../../identifiers.ts";
import { checkText, LIMITS } from "../../limits.ts";
import { METADATA_TABLES } from "../../metadata-tables.ts";
import type { TableInfo } from "../../schema.ts";
import { unknownTable } from "../catalog.ts";
import type { Change } from "../change.ts";
import { type ColumnInput, type NewColumnFields, readNewColumn, textField } from "./column-input.ts";
import type { RowValues } from "../doc-action.ts";
import { propagateTableRenameToRules } from "../renames/rename-in-access-rules.ts";
import { addBuiltInSections, addPage } from "../sections/layout.ts";
import { addMetadata, updateMetadata } from "../metadata.ts";
import { rewriteColumns, renameWithFormulas } from "../renames/rename-in-formulas.ts";
import { groupingColumns, summariesOf } from "../summaries/summary-columns.ts";
import { clearMissingTargets } from "../references/two-way-targets.ts";

/** The result of adding a table, with the field names of the API. */
export interface AddedTable {
  readonly id: number;
  readonly table_id: string;
  readonly columns: string[];
  readonly views?: { id: number; sections: number[] }[];
}

const COLUMNS = "_grist_Tables_column";

/** Returns the user table with this id. @throws AppError `invalid` when it does not exist */
export function tableInfo(change: Change, id: string): TableInfo {
  const info = change.schema.tableById.get(id);
  if (!info) throw unknownTable(id);
  return info;
}

/**
 * Adds a table with these columns and a position column, and a page that shows it unless `page` is false. The page gets
 * the requested name. The title of the raw section is the name if the table's id had to differ from it, else empty,
 * which displays the id.
 */
export function addTable(
  change: Change,
  name: string | null,
  columns: readonly ColumnInput[],
  { page }: { page: boolean },
): AddedTable {
  checkText("id", name ?? "", LIMITS.nameLength);
  const id = pickTableId(name ?? "", takenTableIds(change));
  const specs = readNewColumns(columns);
  const { tableRef, columnRefs } = createTable(change, { id, columns: specs, fields: {} });
  // The first column holds positions. Sections never show a column named "group", like the group column of summaries.
  const shown = columnRefs.filter((_, c) => c > 0 && specs[c]?.id !== "group");
  const added = page ? addPage(change, { tableRef, name: name || id, columns: shown }) : undefined;
  const builtIn = addBuiltInSections(change, { tableRef, title: name === id ? "" : (name ?? ""), columns: shown });
  updateMetadata(change, "_grist_Tables", tableRef, {
    ...(added && { primaryViewId: added.view }),
    rawViewSectionRef: builtIn.raw,
    recordCardViewSectionRef: builtIn.card,
  });
  const result = { id: tableRef, table_id: id, columns: specs.slice(1).map((column) => column.id) };
  return added ? { ...result, views: [{ id: added.view, sections: [added.section] }] } : result;
}

/** A column of a new table. */
export interface TableColumn extends NewColumnFields {
  readonly id: string;
}

/**
 * Creates a table without sections, with its metadata records, and returns their refs. `fields` are additional fields
 * of the table's record.
 */
export function createTable(
  change: Change,
  { id, columns, fields }: { id: string; columns: readonly TableColumn[]; fields: RowValues },
): { tableRef: number; columnRefs: number[] } {
  change.apply([
    "AddTable",
    id,
    columns.map(({ id: column, type, isFormula, formula }) => ({ id: column, type, isFormula, formula })),
  ]);
  const [tableRef = 0] = addMetadata(change, "_grist_Tables", [{ tableId: id, ...fields }]);
  const position = change.lastPositionOf(COLUMNS, "parentPos");
  const columnRefs = addMetadata(
    change,
    COLUMNS,
    columns.map(({ id: colId, type, isFormula, formula, label, more }, i) => ({
      parentId: tableRef,
      parentPos: position + i + 1,
      colId,
      type,
      isFormula,
      formula,
      label: label ?? colId,
      ...more,
    })),
  );
  return { tableRef, columnRefs };
}

const MANUAL_SORT: TableColumn = {
  id: "manualSort",
  type: "ManualSortPos",
  isFormula: false,
  formula: "",
  label: null,
  more: {},
};

function readNewColumns(columns: readonly ColumnInput[]): TableColumn[] {
  const taken = [MANUAL_SORT.id];
  const read = columns.map((input) => {
    const id = pickColumnId(
      typeof input["id"] === "number" ? String(input["id"]) : (textField({ id: input["id"] ?? "" }, "id") ?? ""),
      taken,
    );
    taken.push(id);
    return { id, ...readNewColumn(input, { formulaByDefault: false }) };
  });
  return [MANUAL_SORT, ...read];
}

/**
 * Renames a table to an id derived from `name`, updates everything that refers to it, and returns the new id. Clears
 * missing rows from two-way references, because reverse columns are rewritten from the columns that refer to the table.
 */
export function renameTable(change: Change, from: string, name: string): string {
  const info = tableInfo(change, from);
  if (info.summarySourceTable) throw invalid(`Summary table ${JSON.stringify(from)} cannot be renamed`);
  checkText("tableId", name, LIMITS.nameLength);
  const taken = takenTableIds(change).filter((id) => id !== from);
  const to = pickTableId(name, taken);
  return applyTableId(change, info, to);
}

function applyTableId(change: Change, info: TableInfo, to: string): string {
  const from = info.id;
  if (to === from) return to;
  renameWithFormulas(change, { table: from, to }, () => {
    change.apply(["RenameTable", from, to]);
    updateMetadata(change, "_grist_Tables", info.ref, { tableId: to });
    clearMissingTargets(change, updateReferenceTypes(change, from, to));
  });
  markRecordColumnsDirty(change, to);
  propagateTableRenameToRules(change, from, to);
  for (const summary of summariesOf(change.schema, info.ref)) renameSummary(change, summary.ref);
  return to;
}

/** Renames a summary to the id derived from its source and its group-by columns. */
export function renameSummary(change: Change, ref: number): void {
  const summary = must(change.schema.tableByRef.get(ref), "summary");
  const source = must(change.schema.tableByRef.get(summary.summarySourceTable), "source of the summary");
  const groups = groupingColumns(summary).map((column) => column.id);
  const taken = takenTableIds(change).filter((id) => id !== summary.id);
  applyTableId(change, summary, pickSummaryTableId(source.id, groups, taken));
}

/** Untyped formulas may return records, which include the name of their table even if the formula does not. */
function markRecordColumnsDirty(change: Change, table: string): void {
  for (const { id, isFormula, type } of tableInfo(change, table).columns) {
    if (isFormula && type === "Any") change.dirty.columnChanged(table, id);
  }
}

/** Updates the types of columns that refer to the table. Returns the refs of these columns. */
function updateReferenceTypes(change: Change, from: string, to: string): Iterable<number> {
  const { tableById } = change.schema;
  const types = new Map<number, string>();
  for (const table of change.catalog.userTables()) {
    for (const { id, kind } of table.columns.values()) {
      if (kind.target !== from) continue;
      const { ref } = must(tableById.get(table.id)?.columnById.get(id), "column");
      types.set(ref, `${kind.base}:${to}`);
    }
  }
  rewriteColumns(change, "type", types);
  return types.keys();
}

/** Returns the table ids that are taken. */
export const takenTableIds = (change: Change): string[] => [
  ...[...change.schema.tables, ...(change.reservedNames?.tables ?? [])].map((table) => table.id),
  ...METADATA_TABLES.map((table) => table.id),
];
