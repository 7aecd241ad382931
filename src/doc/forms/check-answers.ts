import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { type AnswerContext, convertAnswer, isBlankAnswer } from "./convert-answer.ts";
import { CellRefusal, fieldsInvalid, type FieldProblem } from "./field-problems.ts";
import { DEFAULT_FIELDS, type FormSection, layoutOf, type SectionField } from "./form-definition.ts";

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
  const fields = new Map<string, SectionField>();
  for (const field of form.fields) if (!fields.has(field.column.id)) fields.set(field.column.id, field);
  const shown = shownFields(form);
  const required = [...fields.values()].filter(({ id, options }) => isRequired(options) && shown.has(id));
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

/** Returns the ids of the fields that the form shows: other questions cannot be answered. */
function shownFields(form: FormSection): ReadonlySet<number> {
  const { fields } = form;
  const root = layoutOf(form);
  if (!root) return new Set(fields.slice(0, DEFAULT_FIELDS).map(({ id }) => id));
  const leaves = new Set<number>();
  const boxes: unknown[] = [root];
  for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
    if (box === null || typeof box !== "object") continue;
    const { type, leaf, children } = box as Record<string, unknown>;
    if (type === "Field" && typeof leaf === "number") leaves.add(leaf);
    if (Array.isArray(children)) boxes.push(...(children as unknown[]).filter((child) => child !== undefined));
  }
  return leaves;
}
