import type { CellValue } from "../../values/cell.ts";

/** Cells of one row by column id. */
export type RowValues = Record<string, CellValue>;

/** Cells by column id, in the order of the row ids they come with. */
export type ColumnValues = Record<string, CellValue[]>;

/** The properties of a column that the engine uses; all other properties are in the metadata only. */
export interface ColumnSpec {
  readonly id: string;
  /** `Int`, `Ref:People` … */
  readonly type: string;
  readonly isFormula: boolean;
  readonly formula: string;
}

/** Describes an update of which only the first rows are recorded. */
export interface WholeUpdate {
  /** The number of rows that were updated. */
  readonly rows: number;
}

/**
 * The elementary changes of a document, as stored in histories. Actions on tables and columns change the SQL tables
 * only; the corresponding metadata records are changed by separate actions.
 */
export type DocAction =
  | ["AddRecord", table: string, id: number, values: RowValues]
  | ["BulkAddRecord", table: string, ids: number[], values: ColumnValues]
  | ["UpdateRecord", table: string, id: number, values: RowValues]
  | ["BulkUpdateRecord", table: string, ids: number[], values: ColumnValues, whole?: WholeUpdate]
  | ["RemoveRecord", table: string, id: number]
  | ["BulkRemoveRecord", table: string, ids: number[]]
  | ["ReplaceTableData", table: string, ids: number[], values: ColumnValues]
  | ["AddTable", table: string, columns: ColumnSpec[]]
  | ["RemoveTable", table: string]
  | ["RenameTable", from: string, to: string]
  | ["AddColumn", table: string, column: string, spec: Partial<ColumnSpec>]
  | ["RemoveColumn", table: string, column: string]
  | ["RenameColumn", table: string, from: string, to: string]
  | ["ModifyColumn", table: string, column: string, spec: Partial<ColumnSpec>];

/** Returns true for the tables that describe the document instead of holding user data. */
export const isMetadataTable = (table: string): boolean => table.startsWith("_grist_");

/** Returns the single-row form of an action on one row, as stored in histories. */
export function simplified(action: DocAction): DocAction {
  const [name, table] = action;
  if (name === "BulkAddRecord" || name === "BulkUpdateRecord") {
    const [, , ids, values] = action;
    const [id] = ids;
    if (ids.length !== 1 || id === undefined) return action;
    return [name === "BulkAddRecord" ? "AddRecord" : "UpdateRecord", table, id, firstOf(values)];
  }
  if (name === "BulkRemoveRecord") {
    const [, , [id, ...more]] = action;
    return id === undefined || more.length > 0 ? action : ["RemoveRecord", table, id];
  }
  return action;
}

/** Converts the cells of one row to columns of length one. */
export const asColumns = (values: RowValues): ColumnValues =>
  Object.fromEntries(Object.entries(values).map(([column, value]) => [column, [value]]));

const firstOf = (values: ColumnValues): RowValues =>
  Object.fromEntries(Object.entries(values).map(([column, [value = null]]) => [column, value]));
