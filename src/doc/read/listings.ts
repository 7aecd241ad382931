import type { ColumnInfo, TableInfo } from "../schema.ts";

/** Tables and columns of a document as listings show them, as plain JSON values. */

export interface TableListing {
  readonly id: string;
  readonly fields: Record<string, unknown>;
  readonly columns?: readonly ColumnListing[];
}

export interface ColumnListing {
  readonly id: string;
  readonly fields: Record<string, unknown>;
}

/** Returns user tables, with their visible columns if requested. */
export function listTables(
  tables: readonly TableInfo[],
  { expandColumns }: { expandColumns: boolean },
): TableListing[] {
  return tables.map((table) => ({
    id: table.id,
    fields: {
      tableRef: table.ref,
      primaryViewId: table.primaryViewId,
      summarySourceTable: table.summarySourceTable,
      onDemand: table.onDemand,
      rawViewSectionRef: table.rawViewSectionRef,
      recordCardViewSectionRef: table.recordCardViewSectionRef,
    },
    ...(expandColumns && { columns: listColumns(table, { hidden: false }) }),
  }));
}

/** Returns a table's columns ordered by ref. */
export function listColumns(table: TableInfo, { hidden }: { hidden: boolean }): ColumnListing[] {
  return table.columns
    .filter((column) => hidden || !column.isHidden)
    .map((column) => ({ id: column.id, fields: columnFields(column) }));
}

const columnFields = (column: ColumnInfo): Record<string, unknown> => ({
  colRef: column.ref,
  label: column.label,
  type: column.type,
  isFormula: column.isFormula,
  formula: column.formula,
  widgetOptions: column.widgetOptions,
  description: column.description,
  parentId: column.tableRef,
  parentPos: column.position,
  untieColIdFromLabel: column.untieColIdFromLabel,
  summarySourceCol: column.summarySourceCol,
  displayCol: column.displayCol,
  visibleCol: column.visibleCol,
  rules: column.rules && ["L", ...column.rules],
  reverseCol: column.reverseCol,
  recalcWhen: column.recalcWhen,
  recalcDeps: column.recalcDeps && ["L", ...column.recalcDeps],
});
