import { columnType, type ParseSettings } from "../../values/column-type.ts";
import type { OpenDocument } from "../document.ts";
import type { ReadField, ReadTable } from "../read/read-table.ts";
import type { VisibleTable } from "../read/visibility-filter.ts";
import { widgetOptions } from "../widget-options.ts";
import type { FilterField } from "./cell-conditions.ts";
import type { Condition } from "./condition.ts";
import type { DateContext } from "./date-spans.ts";
import type { FilterBudget } from "./filter-budget.ts";
import type { ComparisonName } from "./operators.ts";

/** A table that a filter reads, as the caller sees it. */
export interface FilterTable {
  readonly document: OpenDocument;
  readonly visible: VisibleTable;
  readonly budget: FilterBudget;
  /** Compiles a comparison of a column of this or another table. @throws AppError `invalid` */
  compile(comparison: Comparison): Condition;
}

/** A comparison of a column with an operand. */
export interface Comparison {
  readonly table: FilterTable;
  readonly field: FilterField;
  readonly name: ComparisonName;
  readonly operand: unknown;
}

/** The type of row ids. */
export const ID_TYPE = columnType("Id");

/** Returns a column; null for the id, undefined for a column that the caller does not see. */
export const findField = ({ fieldById }: ReadTable, id: string): FilterField | undefined =>
  id === "id" ? null : fieldById.get(id);

export const typeOf = (field: FilterField): ReadField["type"] => field?.type ?? ID_TYPE;

/** Returns the settings by which texts are parsed in a column. */
export const parseSettingsOf = ({ document }: FilterTable, field: FilterField): ParseSettings => ({
  ...document.formatSettings,
  widgetOptions: widgetOptions(field?.widgetOptions ?? ""),
  nowMs: document.clock.now(),
});

export const dateContextOf = (table: FilterTable, field: FilterField): DateContext => ({
  settings: parseSettingsOf(table, field),
  nowMs: table.document.clock.now(),
  hasTime: field?.type.base === "DateTime",
});
