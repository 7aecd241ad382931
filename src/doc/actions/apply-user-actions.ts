import { translateSqliteError } from "../../sqlite/errors.ts";
import type { OpenDocument } from "../document.ts";
import { recordChangeKey } from "../history/change-keys.ts";
import { limitsOf } from "../history/kept-states.ts";
import { appendState, type NewestState, pruneHistory } from "../history.ts";
import { checkRequestSize, createSizeCheck } from "../limits.ts";
import { type ChangeLimits, withChangeBudget } from "../../formula/runtime/budget.ts";
import { withContext } from "../../formula/runtime/evaluation-context.ts";
import { invalidateCalculation, volatileColumns } from "../formulas/calculation-cache.ts";
import { CellTimeExceeded } from "../formulas/evaluation.ts";
import { recalculate } from "../formulas/recalculate.ts";
import { formulaTimeRefusal } from "../formulas/time-refusal.ts";
import { formulaEnvironmentOf } from "../formulas/formula-environment.ts";
import { finishShareChange } from "../forms/shares.ts";
import { checkRules } from "../rules/check-rules.ts";
import { dryRunOf } from "../dry-run/dry-run.ts";
import { countRuleChanges } from "../rules/rule-changes.ts";
import { recordChange } from "../events/recent-changes.ts";
import { isEndUser } from "../user-info.ts";
import { forgetRemovedKeys } from "../schema-file/schema-keys.ts";
import { createWebhookTest, writeEvents } from "../webhooks/outbox.ts";
import { Change, type ChangeOptions, clearLastPositions } from "./change.ts";
import { type DocAction, simplified } from "./doc-action.ts";
import { removeUnusedHelpers } from "./schema/remove-columns-and-tables.ts";
import { isUserAction, runUserAction } from "./user-actions.ts";

export type { ChangeOptions as ApplyOptions } from "./change.ts";

/** A user action: its name, then its arguments. */
export type UserAction = readonly unknown[];

/**
 * User actions: a list, or a function that yields each action once the previous ones were applied, and finds their
 * return values in its argument. Access rules are then checked after each action.
 */
export type ActionSource = readonly UserAction[] | ((retValues: readonly unknown[]) => Iterable<UserAction>);

/** The outcome of a list of user actions. */
export interface AppliedActions {
  /** Document actions that were applied, in order. */
  readonly stored: readonly DocAction[];
  /** Results of formulas that were written, in order. */
  readonly calculated: readonly DocAction[];
  /** The undo log: applied in reverse order, it reverts everything. */
  readonly undo: readonly DocAction[];
  /** The return value of each user action. */
  readonly retValues: readonly unknown[];
  /** The new state of the document; null when no action created one. */
  readonly state: NewestState | null;
}

/** Actions that create no new state of the document. */
const WITHOUT_STATE: ReadonlySet<unknown> = new Set(["Calculate", "UpdateCurrentTime"]);

/**
 * Applies a list of user actions in one transaction. Each action sees the effects of the previous ones.
 * @throws AppError when an action cannot be applied; the transaction is then rolled back
 */
export function applyUserActions(document: OpenDocument, source: ActionSource, options: ChangeOptions): AppliedActions {
  const isStepwise = typeof source === "function";
  if (!isStepwise) checkRequestSize(source);
  const checkSize = createSizeCheck();
  const begun: UserAction[] = [];
  /** All actions; of a function, the actions that it has yielded. */
  const actions: readonly UserAction[] = isStepwise ? begun : source;
  const change = new Change(document, options);
  const dryRun = dryRunOf(document.db);
  change.calculatedCells.recordsAllOf = dryRun ? () => true : createWebhookTest(document);
  dryRun?.changes.push(change);
  const retValues: unknown[] = [];
  let state: NewestState | null = null;
  let queueEvents: (() => void) | null = null;
  try {
    const environment = formulaEnvironmentOf(document, options.nowMs);
    document.db.transaction(() => {
      withChangeBudget(changeLimitsFor(document, actions, options), () => {
        withContext(environment, () => {
          for (const action of isStepwise ? source(retValues) : actions) {
            if (isStepwise) checkSize(action);
            retValues.push(perform(change, action));
            if (!isStepwise) continue;
            begun.push(action);
            change.writeAccess?.checkPending();
          }
          removeLeftoverHelpers(change);
        });
      });
      change.writeAccess?.checkPending();
      if (change.writesRules) checkRules(document);
      if (change.touchesMetadata) finishShareChange(document, change);
      if (change.touchesSchema) change.catalog.compareWith(document.schema);
      if (change.touchesSchema) forgetRemovedKeys(document.db);
      queueEvents = writeEvents(document, change.undo, options.user);
      if (actions.some(([name]) => !WITHOUT_STATE.has(name))) state = recordState(change, actions);
    });
  } catch (error) {
    clearLastPositions(document.db);
    invalidateCalculation(document.db);
    if (change.touchesMetadata) document.invalidateSchema();
    if (error instanceof CellTimeExceeded) dryRun?.checkTime();
    if (error instanceof CellTimeExceeded) throw formulaTimeRefusal(document, options, error);
    throw translateSqliteError(error);
  }
  const { stored, calculated, undo } = change;
  countRuleChanges(document, stored);
  if (state || calculated.length > 0) {
    document.onChanged({ schema: change.touchesMetadata });
    recordChange(document, () => ({ state, done: change.done, user: options.user.email, nowMs: options.nowMs }));
  }
  (queueEvents as (() => void) | null)?.();
  return { stored, calculated, undo, retValues, state };
}

/** Actions that are exempt from the time limit of formulas: otherwise a slow formula could not be undone. */
const WITHOUT_TIME_REFUSAL: ReadonlySet<unknown> = new Set(["ApplyUndoActions", "Calculate", "UpdateCurrentTime"]);

function changeLimitsFor(
  document: OpenDocument,
  actions: readonly UserAction[],
  { isJob = false }: Pick<ChangeOptions, "isJob">,
): ChangeLimits {
  const limits = isJob ? jobLimits(document) : changeLimits(document);
  const refusesOverTime = !isJob && !actions.some(([name]) => WITHOUT_TIME_REFUSAL.has(name));
  const dryRunMs = dryRunOf(document.db)?.remainingMs ?? Infinity;
  return dryRunMs < (limits.change.timeMs ?? Infinity)
    ? { ...limits, change: { ...limits.change, timeMs: dryRunMs }, refusesOverTime: true }
    : { ...limits, refusesOverTime };
}

const changeLimits = ({ formulaLimits, clock }: OpenDocument): ChangeLimits => ({
  ...formulaLimits,
  elapsed: () => clock.elapsed(),
});

function jobLimits(document: OpenDocument): ChangeLimits {
  const limits = changeLimits(document);
  const { jobTimeMs } = limits;
  return jobTimeMs === undefined ? limits : { ...limits, change: { ...limits.change, timeMs: jobTimeMs } };
}

/** The outcome of recalculating a document. */
export interface RecalculationResult {
  /** Results of formulas that differ from the stored cells, in order. */
  readonly calculated: readonly DocAction[];
  /** The cells that were stored before. */
  readonly undo: readonly DocAction[];
  /** Volatile columns, whose results depend on more than other cells: `Table.Column` */
  readonly volatile: readonly string[];
}

/**
 * Recalculates all formulas of a document, or those of some columns and their dependents. `persist` stores the results,
 * without a history entry; `lists` returns all of them, not only the first ones.
 */
export function recalculateDocument(
  document: OpenDocument,
  options: Omit<ChangeOptions, "parse">,
  {
    columns,
    persist,
    lists = true,
  }: { columns?: readonly { table: string; column: string }[]; persist: boolean; lists?: boolean },
): RecalculationResult {
  const change = new Change(document, { ...options, parse: false });
  change.calculatedCells.recordsAllOf = () => lists;
  const environment = formulaEnvironmentOf(document, options.nowMs);
  let volatile: readonly string[] = [];
  try {
    document.db.transaction(() => {
      if (!columns) change.dirty.markAll();
      for (const { table, column } of columns ?? []) change.dirty.columnChanged(table, column);
      withChangeBudget(jobLimits(document), () => {
        withContext(environment, () => recalculate(change, change.dirty.take()));
      });
      volatile = volatileColumns(document);
      if (!persist) throw new DryRunRollback();
    });
    document.onChanged({ schema: false });
    recordChange(document, () => ({ state: null, done: change.done, user: "", nowMs: options.nowMs }));
  } catch (error) {
    clearLastPositions(document.db);
    invalidateCalculation(document.db);
    if (!(error instanceof DryRunRollback)) throw translateSqliteError(error);
  }
  return { calculated: change.calculated, undo: change.undo, volatile };
}

/** Thrown to roll back the transaction of a dry run. */
class DryRunRollback extends Error {}

/** Applies one user action, then synchronizes two-way references and recalculates. */
function perform(change: Change, action: UserAction): unknown {
  change.options.checkCancelled?.();
  change.writeAccess?.checkAction(action, { isKnown: isUserAction(action[0]) });
  const value = runUserAction(change, action);
  propagate(change);
  return value;
}

function propagate(change: Change): void {
  change.twoWayReferences.synchronize();
  recalculate(change, change.dirty.take());
  // Formulas that fill data columns may have written references.
  if (change.twoWayReferences.synchronize()) recalculate(change, change.dirty.take());
}

/**
 * Removes helper columns that no action of the bundle uses any more. Until then a later action may use them again, and
 * their row ids and names stay taken, as in the programs that documents come from.
 */
function removeLeftoverHelpers(change: Change): void {
  if (!change.mayLeaveHelpers) return;
  removeUnusedHelpers(change);
  propagate(change);
}

/** Adding up the sizes of all states takes longer than adding one. */
const PRUNE_INTERVAL = 16;

function recordState(change: Change, userActions: readonly UserAction[]): NewestState {
  const state = appendState(change.db, {
    time: change.options.nowMs,
    user: change.options.user.email,
    userActions: userActions.map(trimForHistory),
    // Includes results of formulas: readers apply `stored` in order and ignore the other lists.
    stored: change.done.map(simplified),
    calc: [],
    undo: change.undo.map(simplified),
    desc: change.options.note ?? null,
  });
  const { user } = change.options;
  recordChangeKey(change.document, state.actionNum, { keyId: user.keyId ?? null, isEndUser: isEndUser(user) });
  if (state.actionNum % PRUNE_INTERVAL === 0) pruneHistory(change.db, limitsOf(change.document));
  return state;
}

/** Actions that contain a list of actions. */
const REPLAY_ACTIONS: ReadonlySet<unknown> = new Set(["ApplyUndoActions", "ApplyDocActions"]);

/** Maximum number of rows for which the history keeps a user action in full. */
const MAX_FULL_ROWS = 100;

/**
 * Trims a user action for the history. The values of many rows are also in the stored document actions; keeping them
 * twice would double the size of histories.
 */
function trimForHistory(action: UserAction): UserAction {
  const [name, table, ids, ...rest] = action;
  if (REPLAY_ACTIONS.has(name) && Array.isArray(table)) {
    const steps: readonly unknown[] = table;
    return [name, steps.map((step) => (Array.isArray(step) ? trimForHistory(step as UserAction) : step))];
  }
  return Array.isArray(ids) && ids.length > MAX_FULL_ROWS ? [name, table, ids, ...rest.map(() => ({}))] : action;
}
