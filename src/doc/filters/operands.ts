import { numberAsText } from "../../values/python-text.ts";
import { type DateSpan, namedSpan, parseDateSpan, SPAN_NAMES } from "./date-spans.ts";
import { type Comparison, dateContextOf, parseSettingsOf, typeOf } from "./filter-table.ts";
import { invalidOperand } from "./operators.ts";

/** Operands as people write them, read by the type of the column. */

/** Returns the operand of an operator that takes a list. @throws AppError `invalid` */
export function operandList({ name, operand }: Comparison): readonly unknown[] {
  if (!Array.isArray(operand)) throw invalidOperand(name, "must be a list");
  return operand as readonly unknown[];
}

/** Returns a number, also from a text in the formats of the column. @throws AppError `invalid` */
export function readNumber({ table, field, name, operand }: Comparison): number {
  const value = typeof operand === "string" ? typeOf(field).parse(operand, parseSettingsOf(table, field)) : operand;
  if (typeof value !== "number") throw invalidOperand(name, `must be a number${EMPTY_HINT}`);
  return value;
}

/** Returns the moment or day that a text means; a number is a moment. @throws AppError `invalid` */
export function readDate({ table, field, name, operand }: Comparison): DateSpan {
  if (typeof operand === "number") return { kind: "moment", at: operand };
  const context = dateContextOf(table, field);
  const span =
    typeof operand === "string" ? (namedSpan(operand, context) ?? parseDateSpan(operand, context)) : undefined;
  if (!span)
    throw invalidOperand(
      name,
      `must be a date such as 2026-05-31, a span such as today, or seconds since 1970${EMPTY_HINT}`,
    );
  return span;
}

/** Returns the days of a span by its name. @throws AppError `invalid` */
export function readSpan({ table, field, name, operand }: Comparison): DateSpan {
  const span = typeof operand === "string" ? namedSpan(operand, dateContextOf(table, field)) : undefined;
  if (!span) throw invalidOperand(name, `must be a span of days such as ${SPAN_NAMES}`);
  return span;
}

/** Returns a boolean, also from 0, 1 and texts such as `yes`. @throws AppError `invalid` */
export function readBoolean({ field, name, operand }: Comparison): boolean {
  const isReadable = typeof operand === "boolean" || operand === 0 || operand === 1;
  const value =
    isReadable || (typeof operand === "string" && operand !== "") ? typeOf(field).convert(operand) : undefined;
  if (typeof value !== "boolean") throw invalidOperand(name, `must be true or false${EMPTY_HINT}`);
  return value;
}

/** Returns a text that is not empty; a number becomes the text that the column would hold. @throws AppError `invalid` */
export function readText({ name, operand }: Comparison): string {
  const text = typeof operand === "number" ? numberAsText(operand) : operand;
  if (typeof text !== "string" || text === "") throw invalidOperand(name, `must be a text${EMPTY_HINT}`);
  return text;
}

const EMPTY_HINT = "; for empty cells use the operator empty";
