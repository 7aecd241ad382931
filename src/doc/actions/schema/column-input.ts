import { invalid } from "../../../errors.ts";
import { isKnownType } from "../../../values/column-type.ts";
import type { CellValue } from "../../../values/cell.ts";
import { checkText, LIMITS } from "../../limits.ts";
import type { RowValues } from "../doc-action.ts";

/** The properties of a column in a request: values by field name, not yet validated. */
export type ColumnInput = Readonly<Record<string, unknown>>;

/** A new column without its id. */
export interface NewColumnFields {
  readonly type: string;
  readonly isFormula: boolean;
  readonly formula: string;
  /** Null to use the id as the label. */
  readonly label: string | null;
  /** Additional fields of the column's record. */
  readonly more: RowValues;
}

/**
 * Parses the description of a new column. `formulaByDefault` selects the kind of a column without type and formula: an
 * empty column (true) or a text column.
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

/** @throws AppError `invalid` when the type is unknown */
export function checkType(type: string): void {
  if (!isKnownType(type)) throw invalid(`${JSON.stringify(type)} is not a column type`);
}

/** Returns a string, or undefined when missing. @throws AppError `invalid` for other values */
export function textField(input: ColumnInput, name: string): string | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw invalid(`${JSON.stringify(name)} must be a string`);
  checkText(name, value, name === "formula" ? LIMITS.formulaLength : LIMITS.nameLength);
  return value;
}

/** Returns a boolean. Accepts 0 and 1, because documents store booleans as numbers. */
export function booleanField(input: ColumnInput, name: string): boolean | undefined {
  const value = input[name];
  if (value === undefined || typeof value === "boolean") return value;
  if (value === null || value === 0 || value === 1) return value === 1;
  throw invalid(`${JSON.stringify(name)} must be true or false`);
}

/** Returns the id of another metadata record; 0 for none. */
export function refField(input: ColumnInput, name: string): number | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  if (value === null) return 0;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(`${JSON.stringify(name)} must be a non-negative integer`);
}

/** Returns a list of metadata record ids as `["L", …]`, or null. */
export function refListField(input: ColumnInput, name: string): CellValue | undefined {
  const value = input[name];
  if (value === undefined || value === null) return value;
  const items: unknown[] | null = Array.isArray(value) ? (value[0] === "L" ? value.slice(1) : value) : null;
  if (items?.every((item) => Number.isSafeInteger(item))) return items.length > 0 ? ["L", ...items] : null;
  throw invalid(`${JSON.stringify(name)} must be an array of integers`);
}

export function labelText(value: unknown): string {
  if (value === null) return "";
  if (typeof value === "string") {
    checkText("label", value, LIMITS.textLength);
    return value;
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw invalid('"label" must be a string');
}

export function optionsText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") {
    checkText("widgetOptions", value, LIMITS.textLength);
    return value;
  }
  throw invalid('"widgetOptions" must be a string of JSON');
}
