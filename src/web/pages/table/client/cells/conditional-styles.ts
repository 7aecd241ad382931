/** Conditional styles: each is a hidden formula column, whose value in a row says whether its style is drawn. */
import type { ColumnListing, RecordJson } from "../../../../base/table-data.ts";
import { type CellStyle, parseStyle } from "./cell-styles.ts";

export interface StyleRule {
  /** The hidden column; null where access rules hide it. */
  readonly columnId: string | null;
  readonly formula: string;
  readonly style: CellStyle;
  /** The style as it is stored, which can have further keys. */
  readonly stored: unknown;
}

/**
 * Reads the rules of a column, or of a table's rows.
 * @param refs the list of hidden columns
 * @param options contains their styles in the same order
 */
export function readRules(
  refs: unknown,
  options: Readonly<Record<string, unknown>>,
  columns: ReadonlyMap<number, Pick<ColumnListing, "id" | "fields">>,
): StyleRule[] {
  const styles: unknown = options["rulesOptions"];
  if (!Array.isArray(refs)) return [];
  return refs.slice(1).map((ref, at) => {
    const column = columns.get(Number(ref));
    const stored: unknown = Array.isArray(styles) ? styles[at] : undefined;
    return {
      columnId: column?.id ?? null,
      formula: column?.fields.formula ?? "",
      style: parseStyle(stored),
      stored,
    };
  });
}

export interface DrawnStyle {
  readonly style: CellStyle;
  /** Whether a rule has neither true nor false as its value. */
  readonly isFailed: boolean;
}

/** Returns the style of a cell: rules of the cell win over those of the row, and both over the style of the column. */
export function styleOfCell(
  row: RecordJson,
  column: { readonly style: CellStyle; readonly rules: readonly StyleRule[] },
  rowRules: readonly StyleRule[],
): DrawnStyle {
  const rules = column.rules.length > 0 ? [...rowRules, ...column.rules] : rowRules;
  if (rules.length === 0) return { style: column.style, isFailed: false };
  let { style } = column;
  let isFailed = false;
  for (const rule of rules) {
    if (rule.columnId === null) continue;
    const value = row.errors?.[rule.columnId] === undefined ? row.fields[rule.columnId] : "error";
    if (value === true) style = { ...style, ...rule.style };
    else isFailed ||= value !== false && value !== null && value !== undefined && !isHidden(value);
  }
  return isFailed ? { style: column.style, isFailed } : { style, isFailed };
}

/** Access rules hide the value in this row. */
const isHidden = (value: unknown): boolean => Array.isArray(value) && value[0] === "C";
