import { api } from "../../../../base/client/api.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Sheet } from "../sheet.ts";

/** Errors of formulas, by the API, in the page's language. */

export interface BrokenFormula {
  readonly column: string;
  /** `ZeroDivisionError` */
  readonly error: string;
  /** The Python error message, in English. */
  readonly detail: string | null;
  readonly line: number | null;
}

export interface FormulaError extends BrokenFormula {
  readonly row: number;
}

export interface FormulaErrors {
  /** Formulas that cannot be parsed. */
  readonly formulas: readonly BrokenFormula[];
  /** The failed cells. */
  readonly errors: readonly FormulaError[];
}

/** The failure of a column. */
export interface FormulaFailure {
  /** The first error, in words. */
  readonly error: string;
  /** The number of failed rows. */
  readonly count: number | "all";
  /** Whether more rows may have failed. */
  readonly isMore: boolean;
}

const MAX_ERRORS = 500;

export function fetchFormulaErrors(sheet: Sheet, columnId: string): Promise<FormulaErrors> {
  const query = { table: sheet.table, column: columnId, limit: MAX_ERRORS };
  return api<FormulaErrors>(`/api/docs/${sheet.docId}/formula-errors`, { query });
}

/** The failed cells of a column. */
export const fetchCellErrors = async (sheet: Sheet, columnId: string): Promise<readonly FormulaError[]> =>
  (await fetchFormulaErrors(sheet, columnId)).errors;

/** Explains an error, by its type name, for users who do not know Python. */
export const formulaErrorText = (error: string): string =>
  t.ofFamily("formulaError.*", error) ?? t("formulaError.unknown", { error });

/** Returns the first failure of a column; null without errors. */
export function firstFailure({ formulas: [broken], errors }: FormulaErrors): FormulaFailure | null {
  if (broken) return { error: formulaErrorText(broken.error), count: "all", isMore: false };
  const [first] = errors;
  return first ? { error: formulaErrorText(first.error), ...countOf(errors) } : null;
}

const countOf = ({ length: count }: readonly FormulaError[]): { count: number; isMore: boolean } => ({
  count,
  isMore: count >= MAX_ERRORS,
});

/** "In 3 rows" */
export function errorLocation(errors: readonly FormulaError[]): string {
  const { count, isMore } = countOf(errors);
  return t(isMore ? "table.formula.inManyRows" : "table.formula.inRows", { count });
}
