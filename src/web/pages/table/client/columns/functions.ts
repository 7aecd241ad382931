import type { FormulaFunction } from "../../../../base/function-list.ts";

/** Put in when the scripts are bundled, from the documentation. */
declare const FORMULA_FUNCTIONS: readonly FormulaFunction[];

/** What formulas may call. */
export const FUNCTIONS: readonly FormulaFunction[] = FORMULA_FUNCTIONS;
