import type { DocumentGrant } from "../../../authorization.ts";
import type { OpenDocument } from "../../../doc/document.ts";
import { describeUndo, type UndoReport } from "../../../doc/undo/describe-undo.ts";
import type { PlannedUndo } from "../../../doc/undo/plan-undo.ts";
import { planRestore, type RestoreRequest } from "../../../doc/undo/restore/plan-restore.ts";
import { type JsonResult, jsonResult } from "../apply-actions.ts";
import { verb } from "../verb.ts";
import { applyPlan, unapplied } from "./apply-plan.ts";

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
      jsonResult(unapplied(describeRestore(grant, planRestore(document, grant, args)))),
  }),
  "restore.apply": verb({
    needs: "editors",
    changes: "content",
    underRules: "requiresFullAccess",
    commits: "batched",
    run: applyRestore,
  }),
};

function applyRestore(document: OpenDocument, grant: DocumentGrant, { planId, ...args }: ApplyArgs): JsonResult {
  const planned = planRestore(document, grant, args);
  const report = describeRestore(grant, planned);
  const note = `Restored from state ${planned.since}`;
  return applyPlan(document, grant, { draft: planned.draft, report, planId, note });
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
