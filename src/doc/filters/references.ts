import type { ReadField } from "../read/read-table.ts";
import { type NumberSet, textCondition, type TextTest } from "./cell-conditions.ts";
import { type Condition, constant } from "./condition.ts";
import type { Comparison, FilterTable } from "./filter-table.ts";
import { invalidOperand } from "./operators.ts";
import { displayedColumn, findTargets, NO_TARGETS, refersTo, type Targets } from "./reference-targets.ts";

/**
 * Returns the rows that operands of a column of references mean: row ids, or texts that the references display.
 * @throws AppError `invalid`
 */
export function referencedIds(
  comparison: Comparison,
  operands: readonly unknown[],
): Pick<NumberSet, "values" | "unknown"> {
  const { field, name } = comparison;
  const values = new Set<number>();
  const unknown = new Set<number>();
  for (const operand of operands) {
    if (typeof operand === "number" && operand !== 0) values.add(operand);
    else if (field && typeof operand === "string" && operand !== "") {
      const targets = targetsByText({ ...comparison, operand }, field);
      for (const id of targets.matching) values.add(id);
      for (const id of targets.unknown) unknown.add(id);
    } else
      throw invalidOperand(name, "must be a row id or the text of a reference; for empty cells use the operator empty");
  }
  return { values, unknown };
}

/** Returns the rows that a reference shows as a text, or with this id if references show ids. */
function targetsByText(comparison: Comparison, field: ReadField): Targets {
  const { table, name, operand } = comparison;
  const shown = displayedColumn(table, field);
  if (shown === "hidden") return NO_TARGETS;
  if (shown === "id") {
    const id = /^\s*\d{1,15}\s*$/.test(String(operand)) ? Number(operand) : 0;
    return { matching: new Set(id === 0 ? [] : [id]), unknown: new Set() };
  }
  const { table: target, field: column } = shown;
  const condition = target.compile({ table: target, field: column, name: { ...name, operator: "eq" }, operand });
  return findTargets(target, condition);
}

/** Returns the condition that the displayed text of a reference passes a test. */
export function referencesByText(table: FilterTable, field: ReadField, test: TextTest): Condition {
  const shown = displayedColumn(table, field);
  if (typeof shown === "string") return constant(false);
  return refersTo(field, findTargets(shown.table, textCondition(shown.field, test)));
}
