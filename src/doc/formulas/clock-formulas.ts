import { applyUserActions } from "../actions/apply-user-actions.ts";
import type { OpenDocument } from "../document.ts";
import type { Schema } from "../schema.ts";
import { SYSTEM_USER } from "../user-info.ts";

/** Names by which formulas can read the clock, or the document's address, which copies and servers change. */
const CLOCK_NAMES = /\b(?:NOW|TODAY|SELF_HYPERLINK|datetime|time)\b/;

/**
 * Computes the formulas that read the clock: what is stored of them was right for another moment. Documents without
 * such formulas are left alone; the history has no part in it.
 */
export function refreshClock(document: OpenDocument): void {
  if (!hasClockFormulas(document.schema)) return;
  applyUserActions(document, [["UpdateCurrentTime"]], {
    parse: false,
    user: SYSTEM_USER,
    nowMs: document.clock.now(),
  });
}

/** True when what is stored of some formula is right for a moment only. */
export const hasClockFormulas = ({ tables }: Schema): boolean =>
  tables.some(({ columns }) => columns.some(({ isFormula, formula }) => isFormula && CLOCK_NAMES.test(formula)));
