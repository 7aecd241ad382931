import type { DocumentGrant } from "../../../authorization.ts";
import type { OpenDocument } from "../../../doc/document.ts";
import type { UndoDraft } from "../../../doc/undo/draft.ts";
import { undoActions } from "../../../doc/undo/undo-actions.ts";
import { AppError } from "../../../errors.ts";
import { applyAsCaller, type JsonResult, jsonResult } from "../apply-actions.ts";

interface ApplyPlanOptions<Report> {
  /** The plan as it is now, with its report. */
  readonly draft: UndoDraft;
  readonly report: Report;
  /** The id of the plan to apply. */
  readonly planId: string;
  /** Of the change. */
  readonly note: string;
  /** The message about another plan than the one with the id; a general one if absent. */
  readonly changedMessage?: string | undefined;
}

/** Returns the report of a plan that is not applied. */
export const unapplied = <Report extends object>(report: Report) => ({ ...report, isApplied: false, state: null });

/**
 * Applies a plan that was made again, if it still is the one with the id: nothing about plans is stored.
 * @throws AppError `undo.plan_changed`
 */
export function applyPlan<Report extends { readonly planId: string }>(
  document: OpenDocument,
  grant: DocumentGrant,
  options: ApplyPlanOptions<Report>,
): JsonResult {
  const { draft, report, planId, note } = options;
  if (report.planId !== planId) {
    const { changedMessage = "The plan has changed; examine details.plan, and apply it with its planId" } = options;
    throw new AppError("undo.plan_changed", changedMessage, { details: { plan: unapplied(report) } });
  }
  const actions = undoActions(draft);
  if (actions.length === 0) return jsonResult({ ...report, isApplied: true, state: null });
  const { state } = applyAsCaller(document, grant, [["ApplyDocActions", actions]], {
    noparse: true,
    restores: true,
    note,
  });
  return jsonResult({ ...report, isApplied: true, state: state?.actionNum ?? null });
}
