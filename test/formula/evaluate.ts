import { compileFormula } from "../../src/formula/formula.ts";
import { PyError, unknownColumn } from "../../src/formula/runtime/errors.ts";
import type { FormulaRow } from "../../src/formula/formula-row.ts";
import { pyRepr, type PyValue } from "../../src/formula/runtime/values.ts";

export type Row = Readonly<Record<string, PyValue>>;

/** A row that only supports reading cells. */
export const rowOf = (read: (colId: string) => PyValue): FormulaRow => ({
  read,
  record: () => null,
  table: () => null,
  triggerValue: () => null,
});

/** Evaluates a formula for a row and returns Python's `repr` of the result, or the type name of the error. */
export function evaluate(formula: string, row: Row = {}): string {
  const columns = new Map(Object.entries(row));
  try {
    const value = compileFormula(formula, { isTable: () => false }).run(
      rowOf((colId) => {
        const cell = columns.get(colId);
        if (cell === undefined) throw unknownColumn(colId);
        return cell;
      }),
    );
    return pyRepr(value);
  } catch (error) {
    if (error instanceof PyError) return error.typeName;
    throw error;
  }
}
