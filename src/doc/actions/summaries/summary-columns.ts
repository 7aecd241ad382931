import { AppError, invalid } from "../../../errors.ts";
import type { ColumnInfo, Schema, TableInfo } from "../../schema.ts";
import { type ColumnInput, booleanField, labelText, textField } from "../schema/column-input.ts";

/** The columns of summaries: their kinds, their relation to source columns, and the restrictions on changing them. */

/** The formula of the group column, which lists the source records of each row of a summary. */
export const GROUP_FORMULA = "table.getSummarySourceGroup(rec)";

/** Returns the type of a column that groups by a column of type `type`; for lists, the type of the items. */
export function groupingType(type: string): string {
  if (type === "ChoiceList") return "Choice";
  if (type === "Attachments") return "Ref:_grist_Attachments";
  return type.replace(/^RefList:/, "Ref:");
}

/** Returns the summaries of a table. */
export const summariesOf = (schema: Schema, tableRef: number): TableInfo[] =>
  schema.tables.filter((table) => table.summarySourceTable === tableRef);

/** Returns the group-by columns of a summary, in the order of its columns. */
export const groupingColumns = (summary: TableInfo): ColumnInfo[] =>
  summary.columns.filter((column) => column.summarySourceCol > 0);

/** Returns the counterparts of a column in summaries: the columns that group by it, and formula columns with its id. */
export function summaryColumnsFor(schema: Schema, { ref, tableRef, id }: ColumnInfo): ColumnInfo[] {
  const columns = summariesOf(schema, tableRef).flatMap((summary) => summary.columns);
  return columns.filter((column) => column.summarySourceCol === ref || (column.id === id && isVisibleFormula(column)));
}

/**
 * Returns the formula columns with the same id and formula in the other summaries of the source: to users they are one
 * column. Group columns have no sisters, so that changing one does not break other summaries.
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

/** Returns true for the group column of a summary, which lists the source records of each row. */
export const isGroupColumn = ({ isFormula, formula, type }: ColumnInfo): boolean =>
  isFormula && formula === GROUP_FORMULA && type.startsWith("RefList:");

/** @throws AppError `invalid` for summaries: their records are derived from the source */
export function refuseSummary(table: TableInfo | undefined): void {
  if (!table?.summarySourceTable) return;
  throw readOnly(`${JSON.stringify(table.id)} is a summary table: its records are derived from its source table`);
}

/** @throws AppError `invalid` for group-by columns */
export function refuseGroupingColumn({ id, summarySourceCol }: ColumnInfo): void {
  if (summarySourceCol === 0) return;
  throw readOnly(
    `${JSON.stringify(id)} is a group-by column of a summary table: it follows the column of the source table`,
  );
}

/**
 * Checks a change of a summary's column. Formula columns, including the group column, may be changed, renamed and
 * removed like those of any table. Without the group column, formulas that read it fail, and access rules that depend
 * on the records of a row hide the row.
 * @throws AppError `invalid` for changes of group-by columns, and between formula and data
 */
export function checkSummaryColumn(schema: Schema, column: ColumnInfo, input: ColumnInput): void {
  if (!schema.tableByRef.get(column.tableRef)?.summarySourceTable) return;
  const requested = {
    type: textField(input, "type") ?? column.type,
    formula: textField(input, "formula") ?? column.formula,
    isFormula: booleanField(input, "isFormula") ?? column.isFormula,
  };
  if (requested.isFormula !== column.isFormula) {
    throw invalid(`Column ${JSON.stringify(column.id)} of a summary table cannot change between formula and data`);
  }
  if (requested.type !== column.type || requested.formula !== column.formula) refuseGroupingColumn(column);
  const label = input["label"] === undefined ? column.label : labelText(input["label"]);
  const isUntied = booleanField(input, "untieColIdFromLabel") ?? column.untieColIdFromLabel;
  if (label !== column.label || isUntied !== column.untieColIdFromLabel) refuseGroupingColumn(column);
}

/** Removes the styles of conditional formats from widget options, for a column without conditional formats. */
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
