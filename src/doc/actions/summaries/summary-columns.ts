import { AppError, invalid } from "../../../errors.ts";
import type { ColumnInfo, Schema, TableInfo } from "../../schema.ts";
import { type ColumnInput, booleanField, labelText, textField } from "../schema/column-input.ts";

/** What the columns of summaries are, which follow those of the source, and what nobody may do to them. */

/** What the column of a summary computes that lists the source's records of a row. */
export const GROUP_FORMULA = "table.getSummarySourceGroup(rec)";

/** The type of a column that groups by one of type `type`: of lists, that of their items. */
export function groupingType(type: string): string {
  if (type === "ChoiceList") return "Choice";
  if (type === "Attachments") return "Ref:_grist_Attachments";
  return type.replace(/^RefList:/, "Ref:");
}

/** The summaries of a table. */
export const summariesOf = (schema: Schema, tableRef: number): TableInfo[] =>
  schema.tables.filter((table) => table.summarySourceTable === tableRef);

/** The columns by which a summary groups, in the order they stand in it. */
export const groupingColumns = (summary: TableInfo): ColumnInfo[] =>
  summary.columns.filter((column) => column.summarySourceCol > 0);

/** The columns that summaries of its table have for a column: those that group by it, and those named like it. */
export function summaryColumnsFor(schema: Schema, { ref, tableRef, id }: ColumnInfo): ColumnInfo[] {
  const columns = summariesOf(schema, tableRef).flatMap((summary) => summary.columns);
  return columns.filter((column) => column.summarySourceCol === ref || (column.id === id && isVisibleFormula(column)));
}

/**
 * The formula columns of the other summaries of its source that have the id and the formula of a summary's one: to
 * users they are one column. Columns that list the records of groups have none, so that a change of one breaks no other summary.
 */
export function sistersOf(schema: Schema, column: ColumnInfo): ColumnInfo[] {
  const { ref, tableRef, id, formula, isFormula } = column;
  const source = schema.tableByRef.get(tableRef)?.summarySourceTable ?? 0;
  if (source === 0 || !isFormula || formula === GROUP_FORMULA) return [];
  return summariesOf(schema, source)
    .flatMap((summary) => summary.columns)
    .filter((other) => other.ref !== ref && other.id === id && other.isFormula && other.formula === formula);
}

const isVisibleFormula = ({ isFormula, isHidden, summarySourceCol }: ColumnInfo): boolean =>
  isFormula && !isHidden && summarySourceCol === 0;

/** True for the column of a summary that lists the source's records of each row. */
export const isGroupColumn = ({ isFormula, formula, type }: ColumnInfo): boolean =>
  isFormula && formula === GROUP_FORMULA && type.startsWith("RefList:");

/** @throws AppError `invalid` for summaries: their records follow those of the source */
export function refuseSummary(table: TableInfo | undefined): void {
  if (!table?.summarySourceTable) return;
  throw readOnly(`${JSON.stringify(table.id)} is a summary: its records follow those of its source`);
}

/** @throws AppError `invalid` for a column that a summary cannot be without */
export function refuseGroupingColumn({ id, summarySourceCol }: ColumnInfo): void {
  if (summarySourceCol === 0) return;
  throw readOnly(`${JSON.stringify(id)} groups the records of a summary and follows the column of its source`);
}

/**
 * Holds what is to change about a column of a summary against what it is there for. Its formula columns may be changed,
 * renamed and removed like those of any table, the one that lists the records of each row included: formulas that read
 * it then fail, and access rules that depend on the records of a row hide the row.
 * @throws AppError `invalid` when the column would do something else, or be data that no record keeps
 */
export function checkSummaryColumn(schema: Schema, column: ColumnInfo, input: ColumnInput): void {
  if (!schema.tableByRef.get(column.tableRef)?.summarySourceTable) return;
  const requested = {
    type: textField(input, "type") ?? column.type,
    formula: textField(input, "formula") ?? column.formula,
    isFormula: booleanField(input, "isFormula") ?? column.isFormula,
  };
  if (requested.isFormula !== column.isFormula) {
    throw invalid(`${JSON.stringify(column.id)} of a summary can neither become data nor cease to be`);
  }
  if (requested.type !== column.type || requested.formula !== column.formula) refuseGroupingColumn(column);
  const label = input["label"] === undefined ? column.label : labelText(input["label"]);
  const isUntied = booleanField(input, "untieColIdFromLabel") ?? column.untieColIdFromLabel;
  if (label !== column.label || isUntied !== column.untieColIdFromLabel) refuseGroupingColumn(column);
}

/** Looks of a column for another one that has no conditional formats: JSON without what these look like. */
export function withoutConditionalFormats(widgetOptions: string): string {
  if (!widgetOptions.includes("rulesOptions")) return widgetOptions;
  try {
    const { rulesOptions: _, ...rest } = JSON.parse(widgetOptions) as Record<string, unknown>;
    return JSON.stringify(rest);
  } catch {
    return widgetOptions;
  }
}

const readOnly = (message: string) => new AppError("column.read_only", message);
