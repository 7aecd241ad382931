import type { FormulaFunction } from "../../../../base/function-list.ts";

/** Inserted by the bundler, from the documentation. */
declare const FORMULA_FUNCTIONS: readonly FormulaFunction[];

/** The functions that formulas can call. */
export const FUNCTIONS: readonly FormulaFunction[] = FORMULA_FUNCTIONS;
