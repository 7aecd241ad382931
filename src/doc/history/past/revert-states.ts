import { AppError } from "../../../errors.ts";
import type { Database } from "../../../sqlite/database.ts";
import type { ApplyContext, DirtyTracker } from "../../actions/apply-context.ts";
import { parseDocAction } from "../../actions/apply-doc-actions.ts";
import { applyDocAction } from "../../actions/apply-doc-action.ts";
import { Catalog } from "../../actions/catalog.ts";
import type { ColumnValues, DocAction } from "../../actions/doc-action.ts";
import { CALCULATION_LIMITS } from "../../formulas/calculation-limits.ts";
import { readSchema } from "../../read-schema.ts";
import { changesSize, readChange, type RecordedAction } from "../read-state.ts";
import { listStates, type State } from "../states.ts";
import { UnknownCells } from "./unknown-cells.ts";

export interface RevertLimits {
  /** As `CalculationLimits.recordedCells` of the server that wrote the history. */
  readonly recordedCells?: number;
  /** Maximum size of one recorded change in bytes: parsing it takes many times as much memory. */
  readonly maxChangeBytes?: number;
}

const MAX_CHANGE_BYTES = 32 * 1024 ** 2;

/**
 * Reverts all changes of a document's file after a state, newest first, and removes their states from the history. No
 * formula is computed: the history has the former results. On errors the file is left in the middle and useless.
 * @throws AppError `conflict` if the history does not have the state, `history.incomplete` if it lacks former cells
 */
export function revertStates(db: Database, target: State, limits: RevertLimits = {}): void {
  const { recordedCells = CALCULATION_LIMITS.recordedCells, maxChangeBytes = MAX_CHANGE_BYTES } = limits;
  const states = listStates(db);
  const index = states.findIndex(({ n, h }) => n === target.n && h === target.h);
  if (index < 0) throw new AppError("conflict", "The document was replaced during the request; try again");
  const later = states.slice(0, index);
  const unknown = new UnknownCells(db, recordedCells);
  const context = contextFor(db);
  let oldest = states[0]?.n ?? target.n;
  for (const state of later) {
    try {
      if (changesSize(db, [state]) > maxChangeBytes) throw new Error("the change is too large");
      if (!states.some(({ n }) => n === state.n - 1)) throw new Error("the state before is missing");
      revertChange(db, { context, unknown, state });
    } catch (cause) {
      throw cannotRevert(target.n, oldest, cause);
    }
    if (unknown.isEmpty) oldest = state.n - 1;
  }
  if (oldest !== target.n) throw cannotRevert(target.n, oldest, new Error("results of formulas are not recorded"));
  try {
    context.catalog.compareWith(readSchema(db));
  } catch (cause) {
    throw cannotRevert(target.n, states[0]?.n ?? target.n, cause);
  }
  db.run("delete from _gristsys_ActionHistory where actionNum > ?", target.n);
  db.run("update _gristsys_ActionHistoryBranch set actionRef = (select max(id) from _gristsys_ActionHistory)");
}

interface Reverting {
  readonly context: ApplyContext;
  readonly unknown: UnknownCells;
  readonly state: State;
}

function revertChange(db: Database, { context, unknown, state }: Reverting): void {
  const { done, undo } = readChange(db, state);
  unknown.begin(done);
  for (const recorded of undo.toReversed()) {
    const action = parseUndoAction(recorded);
    applyDocAction(context, action);
    // Statements that were prepared for the former columns would fail.
    if (SCHEMA_ACTIONS.has(action[0])) db.clearStatements();
    unknown.applied(action);
  }
  if (!unknown.end()) throw new Error("the undo actions do not match the change");
}

const SCHEMA_ACTIONS: ReadonlySet<string> = new Set([
  "AddTable",
  "RemoveTable",
  "RenameTable",
  "AddColumn",
  "RemoveColumn",
  "RenameColumn",
  "ModifyColumn",
]);

function parseUndoAction(recorded: RecordedAction): DocAction {
  const action = parseDocAction(recorded);
  return action[0] === "BulkUpdateRecord" ? withFirstCells(action) : action;
}

/** A row that a change computed several times is listed several times: its first cells are those before the change. */
function withFirstCells(action: Extract<DocAction, readonly ["BulkUpdateRecord", ...unknown[]]>): DocAction {
  const [name, table, ids, values] = action;
  const firstIndexes = new Map<number, number>();
  for (const [r, id] of ids.entries()) if (!firstIndexes.has(id)) firstIndexes.set(id, r);
  if (firstIndexes.size === ids.length) return action;
  const indexes = [...firstIndexes.values()];
  const pick = (cells: ColumnValues[string]) => indexes.map((r) => cells[r] ?? null);
  const first = Object.fromEntries(Object.entries(values).map(([id, cells]) => [id, pick(cells)] as const));
  return [name, table, [...firstIndexes.keys()], first];
}

const ignore = (): void => {};

/** Nothing is computed. */
const NO_TRACKING: DirtyTracker = {
  rowsAdded: ignore,
  rowsRemoved: ignore,
  cellsChanged: ignore,
  columnChanged: ignore,
  columnRenamed: ignore,
  columnRemoved: ignore,
  tableRenamed: ignore,
  tableRemoved: ignore,
};

const contextFor = (db: Database): ApplyContext & { readonly catalog: Catalog } => ({
  db,
  catalog: new Catalog(readSchema(db)),
  dirty: NO_TRACKING,
  // Rows of formula results may have been removed in the same change.
  ignoresMissingRows: true,
  includesUnchanged: false,
  recordedCells: 0,
  addUndo: ignore,
});

const cannotRevert = (n: number, oldestState: number, cause: unknown): AppError =>
  new AppError(
    "history.incomplete",
    `The history does not contain all cells of state ${n}; the oldest state after it that can be read is ${oldestState}`,
    { details: { oldestState }, cause },
  );
