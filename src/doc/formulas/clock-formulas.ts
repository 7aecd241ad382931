import { applyUserActions } from "../actions/apply-user-actions.ts";
import type { OpenDocument } from "../document.ts";
import type { Schema } from "../schema.ts";
import { SYSTEM_USER } from "../user-info.ts";

/** Names that read the clock or the document's URL, which differs between copies and servers. */
const CLOCK_NAMES = /\b(?:NOW|TODAY|SELF_HYPERLINK|datetime|time)\b/;

/**
 * Recomputes the formulas that read the clock, because their stored results are outdated. No-op for documents without
 * such formulas. Adds no history entry.
 */
export function refreshClock(document: OpenDocument): void {
  if (!hasClockFormulas(document.schema)) return;
  applyUserActions(document, [["UpdateCurrentTime"]], {
    parse: false,
    user: SYSTEM_USER,
    nowMs: document.clock.now(),
  });
}

/** Returns true when some formula depends on the clock. */
export const hasClockFormulas = ({ tables }: Schema): boolean =>
  tables.some(({ columns }) => columns.some(({ isFormula, formula }) => isFormula && CLOCK_NAMES.test(formula)));
