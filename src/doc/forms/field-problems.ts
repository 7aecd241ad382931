import { AppError } from "../../errors.ts";

/** Why an answer is refused in one column; pages translate the code. */
export type ProblemCode =
  | "required"
  | "not_asked"
  | "too_long"
  | "not_a_number"
  | "not_an_integer"
  | "not_a_date"
  | "not_a_time"
  | "not_offered"
  | "not_a_file"
  | "invalid";

export interface FieldProblem {
  readonly code: ProblemCode;
  /** For API clients. */
  readonly message: string;
  /** With `too_long`: the greatest number of characters. */
  readonly maximum?: number;
}

const MESSAGES: Readonly<Record<ProblemCode, string>> = {
  required: "An answer is required",
  not_asked: "The form does not ask for this column",
  too_long: "The text is too long",
  not_a_number: "Must be a number",
  not_an_integer: "Must be an integer of 32 bits",
  not_a_date: "Must be a date",
  not_a_time: "Must be a date and time",
  not_offered: "The form does not offer this choice",
  not_a_file: "Must be a list of ids of uploaded files",
  invalid: "This value does not fit the column",
};

/** Refuses one cell of an answer. */
export class CellRefusal extends Error {
  readonly problem: FieldProblem;

  constructor(code: ProblemCode, maximum?: number) {
    super(code);
    this.problem = { code, message: MESSAGES[code], ...(maximum !== undefined && { maximum }) };
  }
}

/** @param record the index of the record in the request */
export const fieldsInvalid = (record: number, fields: ReadonlyMap<string, FieldProblem>): AppError =>
  new AppError("form.fields_invalid", "Some answers are missing or not allowed", {
    details: { record, fields: Object.fromEntries(fields) },
  });
