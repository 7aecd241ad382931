import type { DocumentGrant } from "../../../authorization.ts";
import type { OpenDocument } from "../../../doc/document.ts";
import { describeUndo, type UndoReport } from "../../../doc/undo/describe-undo.ts";
import type { PlannedUndo } from "../../../doc/undo/plan-undo.ts";
import { planRestore, type RestoreRequest } from "../../../doc/undo/restore/plan-restore.ts";
import { undoActions } from "../../../doc/undo/undo-actions.ts";
import { AppError } from "../../../errors.ts";
import { applyAsCaller, type JsonResult, jsonResult } from "../apply-actions.ts";
import { verb } from "../verb.ts";

interface ApplyArgs extends RestoreRequest {
  readonly planId: string;
}

/** The return of cells and rows to what they were at a state: a plan, and its application. */
export const restoreVerbs = {
  "restore.plan": verb({
    // Only callers who may apply a plan get it: the route requires the role.
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: (document: OpenDocument, grant: DocumentGrant, args: RestoreRequest): JsonResult =>
      jsonResult({ ...describeRestore(grant, planRestore(document, grant, args)), isApplied: false, state: null }),
  }),
  "restore.apply": verb({
    needs: "editors",
    changes: "content",
    underRules: "requiresFullAccess",
    commits: "batched",
    run: applyRestore,
  }),
};

/** Plans again and applies the plan if it still is the one with the id: nothing about plans is stored. */
function applyRestore(document: OpenDocument, grant: DocumentGrant, { planId, ...args }: ApplyArgs): JsonResult {
  const planned = planRestore(document, grant, args);
  const report = describeRestore(grant, planned);
  if (report.planId !== planId) {
    throw new AppError(
      "undo.plan_changed",
      "The plan has changed; examine details.plan, and apply it with its planId",
      {
        details: { plan: { ...report, isApplied: false, state: null } },
      },
    );
  }
  const actions = undoActions(planned.draft);
  if (actions.length === 0) return jsonResult({ ...report, isApplied: true, state: null });
  const { state } = applyAsCaller(document, grant, [["ApplyDocActions", actions]], {
    noparse: true,
    restores: true,
    note: `Restored from state ${planned.since}`,
  });
  return jsonResult({ ...report, isApplied: true, state: state?.actionNum ?? null });
}

/** A restore removes no rows, so a report lists none; it counts the cells by column. */
function describeRestore(grant: DocumentGrant, planned: PlannedUndo) {
  const { since, removedRows: _, counts, ...report }: UndoReport = describeUndo(grant, planned);
  const { cells, restoredRows, conflicts } = counts;
  const columns = [...planned.draft.cells].flatMap(([table, byColumn]) =>
    [...byColumn].flatMap(([column, rows]) => (rows.size === 0 ? [] : [{ table, column, cells: rows.size }])),
  );
  return { from: since, counts: { cells, restoredRows, conflicts }, columns, ...report };
}
