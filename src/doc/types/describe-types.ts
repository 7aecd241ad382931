import type { TypedColumn, TypedTable } from "../../exchange/typed-table.ts";
import { columnType } from "../../values/column-type.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";
import { widgetOptions } from "../widget-options.ts";
import { FormulaKinds } from "./formula-kinds.ts";

/**
 * Describes tables by their visible columns, in the order of display.
 * @param tables what the caller can see. Types of formulas are inferred from these alone: the result of a formula that
 * reads a hidden column would reveal the column's type.
 */
export function describeTypes(tables: readonly TableInfo[]): TypedTable[] {
  const kinds = new FormulaKinds(tables);
  const isVisible = new Set(tables.map(({ id }) => id));
  return tables.map((table) => ({
    id: table.id,
    columns: table.columns
      .filter(({ isHidden }) => !isHidden)
      .toSorted((a, b) => (a.position === b.position ? a.ref - b.ref : a.position - b.position))
      .map((column) => describeColumn(table, column, { kinds, isVisible })),
  }));
}

interface VisibleTypes {
  readonly kinds: FormulaKinds;
  readonly isVisible: ReadonlySet<string>;
}

function describeColumn(table: TableInfo, column: ColumnInfo, { kinds, isVisible }: VisibleTypes): TypedColumn {
  const { base, target } = columnType(column.type);
  const choices = base === "Choice" || base === "ChoiceList" ? choicesOf(column) : undefined;
  const isFormula = column.isFormula && column.formula !== "";
  const known = base === "Any" && isFormula ? kinds.ofColumn(table.id, column.id) : undefined;
  return {
    id: column.id,
    label: column.label,
    description: column.description,
    type: base,
    ...(target !== undefined && isVisible.has(target) && { target }),
    ...(choices && { choices }),
    isComputed: isFormula || column.summarySourceCol !== 0,
    ...(known && { kinds: known }),
  };
}

function choicesOf(column: ColumnInfo): string[] | undefined {
  const { choices } = widgetOptions(column.widgetOptions);
  if (!Array.isArray(choices) || choices.length === 0) return undefined;
  return [...new Set((choices as unknown[]).filter((choice) => typeof choice === "string"))];
}
