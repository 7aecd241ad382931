import { api } from "../../../../base/client/api.ts";
import { t } from "../../../../base/client/texts.ts";

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

/** A table of a document, by its ids. */
export interface TablePlace {
  readonly docId: string;
  readonly table: string;
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

/** Errors that are read of a column at most. */
export const MAX_ERRORS = 500;

export function fetchFormulaErrors({ docId, table }: TablePlace, columnId: string): Promise<FormulaErrors> {
  const query = { table, column: columnId, limit: MAX_ERRORS };
  return api<FormulaErrors>(`/api/docs/${docId}/formula-errors`, { query });
}

/** The failed cells of a column. */
export const fetchCellErrors = async (place: TablePlace, columnId: string): Promise<readonly FormulaError[]> =>
  (await fetchFormulaErrors(place, columnId)).errors;

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
