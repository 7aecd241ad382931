import type { DocumentGrant } from "../../../authorization.ts";
import type { OpenDocument } from "../../../doc/document.ts";
import { describeUndo } from "../../../doc/undo/describe-undo.ts";
import { planUndo } from "../../../doc/undo/plan-undo.ts";
import { type JsonResult, jsonResult } from "../apply-actions.ts";
import { verb } from "../verb.ts";
import { applyPlan, unapplied } from "./apply-plan.ts";

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
      jsonResult(unapplied(describeUndo(grant, planUndo(document, grant, since)))),
  }),
  "undo.apply": verb({
    needs: "editors",
    changes: "content",
    underRules: "enforced",
    commits: "batched",
    run: applyUndo,
  }),
};

function applyUndo(document: OpenDocument, grant: DocumentGrant, { since, planId }: ApplyArgs): JsonResult {
  const planned = planUndo(document, grant, since);
  const report = describeUndo(grant, planned);
  const { cells, removedRows, restoredRows } = report.counts;
  const isEmpty = cells + removedRows + restoredRows === 0;
  return applyPlan(document, grant, {
    draft: planned.draft,
    report,
    planId,
    note: `Undid own changes since state ${planned.since}`,
    changedMessage: isEmpty ? "Nothing is left to undo: the plan was applied, or others changed the rest" : undefined,
  });
}
