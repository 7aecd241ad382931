import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { type AnswerContext, convertAnswer, isBlankAnswer } from "./convert-answer.ts";
import { CellRefusal, fieldsInvalid, type FieldProblem } from "./field-problems.ts";
import { drawnFields, type FormSection, type SectionField } from "./form-definition.ts";

/** Answers as columns of values, null where a record does not name the column. */
export interface Answers {
  readonly count: number;
  readonly columns: Readonly<Record<string, readonly unknown[]>>;
}

/**
 * Returns the cells for answers to a form.
 * @throws AppError `form.fields_invalid` for the first record with a problem
 */
export function checkAnswers(
  form: FormSection,
  { count, columns }: Answers,
  context: AnswerContext,
): Record<string, CellValue[]> {
  const drawn = drawnFields(form);
  const required = drawn.filter(({ options }) => isRequired(options));
  // A column can have several fields: the drawn one counts. Programs can answer fields that no box shows.
  const fields = new Map([...form.fields.toReversed(), ...drawn].map((field) => [field.column.id, field]));
  const cells = Object.fromEntries(Object.keys(columns).map((id) => [id, [] as CellValue[]]));
  for (let record = 0; record < count; record++) {
    const problems = new Map<string, FieldProblem>();
    for (const [id, values] of Object.entries(columns)) {
      try {
        cells[id]?.push(cellOf(context, fields.get(id), values[record]));
      } catch (error) {
        if (!(error instanceof CellRefusal)) throw error;
        problems.set(id, error.problem);
      }
    }
    for (const field of required) {
      const { id } = field.column;
      if (problems.has(id) || !isMissing(cells[id]?.[record])) continue;
      problems.set(id, new CellRefusal("required").problem);
    }
    if (problems.size > 0) throw fieldsInvalid(record, problems);
  }
  return cells;
}

function cellOf(context: AnswerContext, field: SectionField | undefined, value: unknown): CellValue {
  if (!field) throw new CellRefusal("not_asked");
  const isText = typeof value === "string" && columnType(field.column.type).base === "Text";
  return isText || !isBlankAnswer(value) ? convertAnswer(context, field, value) : null;
}

const isRequired = (options: SectionField["options"]): boolean =>
  options["formRequired"] === true && options["formIsHidden"] !== true;

/** A switch that is off is no answer. */
const isMissing = (cell: CellValue | undefined): boolean => isBlankAnswer(cell) || cell === false;
