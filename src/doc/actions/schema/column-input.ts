import { invalid } from "../../../errors.ts";
import { isKnownType } from "../../../values/column-type.ts";
import type { CellValue } from "../../../values/cell.ts";
import { checkText, LIMITS } from "../../limits.ts";
import type { RowValues } from "../doc-action.ts";

/** What a request says about a column: values by the names of fields, not yet looked at. */
export type ColumnInput = Readonly<Record<string, unknown>>;

/** A new column, but for its id. */
export interface NewColumnFields {
  readonly type: string;
  readonly isFormula: boolean;
  readonly formula: string;
  /** Null where the id is to be the label. */
  readonly label: string | null;
  /** More fields of the column's record. */
  readonly more: RowValues;
}

/**
 * Reads the description of a new column. `formulaByDefault` says what a column is about which nothing else is known:
 * an empty one, or one of text.
 */
export function readNewColumn(
  input: ColumnInput,
  { formulaByDefault }: { formulaByDefault: boolean },
): NewColumnFields {
  const formula = textField(input, "formula") ?? "";
  const isFormula = booleanField(input, "isFormula") ?? (formulaByDefault || formula !== "");
  const type = textField(input, "type") ?? (isFormula ? "Any" : "Text");
  checkType(type);
  const label = input["label"];
  return {
    type,
    isFormula,
    formula,
    label: label === undefined ? null : labelText(label),
    more: { widgetOptions: optionsText(input["widgetOptions"]) },
  };
}

/** @throws AppError `invalid` when a column cannot have this type */
export function checkType(type: string): void {
  if (!isKnownType(type)) throw invalid(`${JSON.stringify(type)} is not a type of column`);
}

/** A text, or undefined when not given. @throws AppError `invalid` for anything else */
export function textField(input: ColumnInput, name: string): string | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw invalid(`${JSON.stringify(name)} must be a text`);
  checkText(name, value, name === "formula" ? LIMITS.formulaLength : LIMITS.nameLength);
  return value;
}

/** Numbers count as booleans, as they do in the files. */
export function booleanField(input: ColumnInput, name: string): boolean | undefined {
  const value = input[name];
  if (value === undefined || typeof value === "boolean") return value;
  if (value === null || value === 0 || value === 1) return value === 1;
  throw invalid(`${JSON.stringify(name)} must be true or false`);
}

/** The number of another record, 0 for none. */
export function refField(input: ColumnInput, name: string): number | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  if (value === null) return 0;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(`${JSON.stringify(name)} must be a number`);
}

/** A list of numbers of other records, as `["L", …]`, or null. */
export function refListField(input: ColumnInput, name: string): CellValue | undefined {
  const value = input[name];
  if (value === undefined || value === null) return value;
  const items: unknown[] | null = Array.isArray(value) ? (value[0] === "L" ? value.slice(1) : value) : null;
  if (items?.every((item) => Number.isSafeInteger(item))) return items.length > 0 ? ["L", ...items] : null;
  throw invalid(`${JSON.stringify(name)} must be a list of numbers`);
}

export function labelText(value: unknown): string {
  if (value === null) return "";
  if (typeof value === "string") {
    checkText("label", value, LIMITS.textLength);
    return value;
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw invalid('"label" must be a text');
}

export function optionsText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") {
    checkText("widgetOptions", value, LIMITS.textLength);
    return value;
  }
  throw invalid('"widgetOptions" must be JSON as a text');
}
