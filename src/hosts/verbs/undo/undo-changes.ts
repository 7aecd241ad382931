import type { DocumentGrant } from "../../../authorization.ts";
import type { OpenDocument } from "../../../doc/document.ts";
import { describeUndo } from "../../../doc/undo/describe-undo.ts";
import { planUndo } from "../../../doc/undo/plan-undo.ts";
import { undoActions } from "../../../doc/undo/undo-actions.ts";
import { AppError } from "../../../errors.ts";
import { applyAsCaller, type JsonResult, jsonResult } from "../apply-actions.ts";
import { verb } from "../verb.ts";

interface PlanArgs {
  /** The number of a state, or a time in ISO 8601. */
  readonly since: number | string;
}

interface ApplyArgs extends PlanArgs {
  readonly planId: string;
}

/** The undo of the caller's own changes: a plan, and its application. */
export const undoVerbs = {
  "undo.plan": verb({
    // Only callers who may apply a plan get it: the route requires the role.
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (document: OpenDocument, grant: DocumentGrant, { since }: PlanArgs): JsonResult =>
      jsonResult({ ...describeUndo(grant, planUndo(document, grant, since)), isApplied: false, state: null }),
  }),
  "undo.apply": verb({
    needs: "editors",
    changes: "content",
    underRules: "enforced",
    commits: "batched",
    run: applyUndo,
  }),
};

/** Plans again and applies the plan if it still is the one with the id: nothing about plans is stored. */
function applyUndo(document: OpenDocument, grant: DocumentGrant, { since, planId }: ApplyArgs): JsonResult {
  const planned = planUndo(document, grant, since);
  const report = describeUndo(grant, planned);
  if (report.planId !== planId) throw planChanged({ ...report, isApplied: false, state: null });
  const actions = undoActions(planned.draft);
  if (actions.length === 0) return jsonResult({ ...report, isApplied: true, state: null });
  const note = `Undid own changes since state ${planned.since}`;
  const { state } = applyAsCaller(document, grant, [["ApplyDocActions", actions]], {
    noparse: true,
    restores: true,
    note,
  });
  return jsonResult({ ...report, isApplied: true, state: state?.actionNum ?? null });
}

function planChanged(plan: ReturnType<typeof describeUndo> & { isApplied: boolean; state: null }): AppError {
  const { cells, removedRows, restoredRows } = plan.counts;
  const message =
    cells + removedRows + restoredRows === 0
      ? "Nothing is left to undo: the plan was applied, or others changed the rest"
      : "The plan has changed; examine details.plan, and apply it with its planId";
  return new AppError("undo.plan_changed", message, { details: { plan } });
}
