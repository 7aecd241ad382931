import { PyError } from "./errors.ts";

/**
 * Limits of an evaluation. Formulas run synchronously between the reads of a thread, so an endless formula would block
 * the document; a step is about 20 ns of work. Sizes count every string, list and number created during the evaluation,
 * since garbage collection is not observable.
 */
export interface Limits {
  readonly steps: number;
  readonly bytes: number;
  /**
   * Wall-clock milliseconds, unlimited by default. A formula takes the same number of steps on every machine; time is a
   * second line of defence, for slow machines and for work that costs more than its steps.
   */
  readonly timeMs?: number;
}

export const DEFAULT_LIMITS: Limits = { steps: 20_000_000, bytes: 64 * 1024 * 1024 };

/** Limits of the formulas of a document. */
export interface FormulaLimits {
  /** Per cell. */
  readonly cell: Limits;
  /** For all cells that one change of a document recomputes. */
  readonly change: Limits;
  /** Replaces `change.timeMs` for imports, migrations and full recalculations. */
  readonly jobTimeMs?: number;
  /** Maximum memory of a document for indexes and cells. */
  readonly cacheBytes?: number;
  /** Where indexes are kept that exceed this memory, and the maximum size of all temporary files there. */
  readonly temporary?: { readonly folder: string; readonly maxBytes: number };
}

/** The defaults: about half a second for a cell and 20 seconds for a change. */
export const FORMULA_LIMITS: FormulaLimits = {
  cell: { ...DEFAULT_LIMITS, timeMs: 5000 },
  change: { steps: 1_000_000_000, bytes: 8 * 1024 ** 3, timeMs: 30_000 },
  jobTimeMs: 3_600_000,
};

/** Limits of one change, and how a timeout is handled. */
export interface ChangeLimits extends FormulaLimits {
  /** Returns the elapsed milliseconds; without it, time is not limited. */
  readonly elapsed?: () => number;
  /**
   * True to throw `TimeExceeded` through the formula, which aborts the change. Otherwise the cell fails with
   * TimeoutError, and so do all later cells of the change.
   */
  readonly refusesOverTime?: boolean;
}

/** Thrown through a formula that exceeds its time limit. Formulas cannot catch it. */
export class TimeExceeded extends Error {
  readonly scope: "cell" | "change";
  readonly limitMs: number;

  constructor(scope: "cell" | "change", limitMs: number) {
    super(`the ${scope} takes longer than ${limitMs} ms`);
    this.scope = scope;
    this.limitMs = limitMs;
  }
}

/** Not Infinity, which cannot be subtracted from itself. */
const UNLIMITED = 2 ** 52;
/** Steps between two clock reads: about half a millisecond. */
const STEPS_PER_CLOCK_CHECK = 25_000;
/** Memory that is created in a step. */
export const BYTES_PER_STEP = 64;
/** Overhead of evaluating a cell, so that many short cells also trigger clock reads. */
const STEPS_PER_CELL = 50;

// The remaining budget of the evaluation in progress. Formulas run synchronously, so one set of variables serves the
// thread; as parameters they would pass through every operator and every method. Steps are spent from a slice; the rest
// is in reserve, and the clock is read when a slice is used up. That keeps `spendSteps` at one comparison.
let steps = UNLIMITED;
let slice = UNLIMITED;
let reserve = 0;
let stepsUntilClockCheck = STEPS_PER_CLOCK_CHECK;
let bytes = Infinity;

interface CellBudget {
  /** The steps granted to the evaluation. */
  grantedSteps: number;
  timeMs: number | undefined;
  /** Milliseconds used; -1 until the first clock read, because earlier time may belong to another evaluation. */
  usedMs: number;
}

let evaluation: CellBudget | undefined;

/**
 * Returns an object that identifies the current evaluation of a cell, for data with the same lifetime; undefined
 * outside of evaluations.
 */
export const currentEvaluation = (): object | undefined => evaluation;

interface ChangeState {
  readonly limits: ChangeLimits;
  readonly timeMs: number;
  steps: number;
  bytes: number;
  /** Milliseconds that formulas used. */
  usedMs: number;
  /** The time of the last clock read. */
  clockReadAtMs: number;
}

const stateOf = (limits: ChangeLimits): ChangeState => ({
  limits,
  timeMs: limits.change.timeMs ?? Infinity,
  steps: limits.change.steps,
  bytes: limits.change.bytes,
  usedMs: 0,
  clockReadAtMs: limits.elapsed?.() ?? 0,
});

const NO_CHANGE_LIMITS: ChangeLimits = { cell: DEFAULT_LIMITS, change: { steps: UNLIMITED, bytes: Infinity } };

/** The remaining budget of the change in progress. */
let change = stateOf(NO_CHANGE_LIMITS);

/**
 * Runs `work`, which may evaluate any number of cells: together they may use `limits.change`, each of them
 * `limits.cell`. Once the budget is exhausted, further cells fail with TimeoutError or MemoryError. Throws TimeExceeded
 * if `limits` aborts on timeouts.
 */
export function withChangeBudget<T>(limits: ChangeLimits, work: () => T): T {
  const outer = change;
  change = stateOf(limits);
  try {
    return work();
  } finally {
    change = outer;
  }
}

/** Excludes the time since the last evaluation, which was spent outside of formulas, from the change's budget. */
export function resumeTiming(): void {
  change.clockReadAtMs = change.limits.elapsed?.() ?? 0;
}

/**
 * Runs `work`, which evaluates one cell; `limits` defaults to those of the change. A cell evaluated because another one
 * reads it has its own budget, so that the cost of a cell does not depend on what was computed before. Throws PyError
 * TimeoutError or MemoryError, and TimeExceeded like `withChangeBudget`.
 */
export function withCellBudget<T>(limits: Limits | undefined, work: () => T): T {
  const outerSteps = steps + reserve;
  const outerBytes = bytes;
  const outerEvaluation = evaluation;
  const cellLimits = limits ?? change.limits.cell;
  const grantedBytes = cellLimits.bytes < change.bytes ? cellLimits.bytes : change.bytes;
  const granted: CellBudget = {
    grantedSteps: cellLimits.steps < change.steps ? cellLimits.steps : change.steps,
    timeMs: cellLimits.timeMs,
    usedMs: -1,
  };
  stepsUntilClockCheck -= STEPS_PER_CELL;
  setSteps(granted.grantedSteps);
  bytes = grantedBytes;
  evaluation = granted;
  try {
    return work();
  } finally {
    evaluation = outerEvaluation;
    change.steps -= granted.grantedSteps - (steps + reserve);
    change.bytes -= grantedBytes - bytes;
    setSteps(outerSteps);
    bytes = outerBytes;
  }
}

/** Returns what the change in progress may still spend; steps include those for creating values. */
export const remainingOfChange = (): { readonly steps: number; readonly bytes: number } => ({
  steps: change.steps,
  bytes: change.bytes,
});

/**
 * Charges a cell that was evaluated without spending steps and bytes one by one; memory also costs steps. Returns
 * false, without charging it, if it exceeds a limit: the caller must evaluate it step by step, which fails.
 */
export function chargeCell(stepCount: number, byteCount: number): boolean {
  const spent = stepCount + byteCount / BYTES_PER_STEP;
  const { cell } = change.limits;
  if (spent > cell.steps || spent > change.steps || byteCount > cell.bytes || byteCount > change.bytes) return false;
  stepsUntilClockCheck -= spent + STEPS_PER_CELL;
  if (stepsUntilClockCheck <= 0 && isOverTime()) return false;
  change.steps -= spent;
  change.bytes -= byteCount;
  return true;
}

/**
 * Charges cells that were evaluated together, each with this number of steps. Returns false, without charging them, if
 * one of them exceeds a limit: the caller must evaluate them one by one.
 */
export function chargeCells(count: number, stepsPerCell: number): boolean {
  if (stepsPerCell === 0) return true;
  const spent = count * stepsPerCell;
  if (stepsPerCell > change.limits.cell.steps || spent > change.steps) return false;
  stepsUntilClockCheck -= spent + count * STEPS_PER_CELL;
  if (stepsUntilClockCheck <= 0 && isOverTime()) return false;
  change.steps -= spent;
  return true;
}

/** The budget of a row function's evaluation. Row functions evaluate no other cells, so one serves them all. */
const row: CellBudget = { grantedSteps: 0, timeMs: undefined, usedMs: -1 };
/** The state to return to, and the bytes granted to the row. */
const aroundRow = {
  steps: 0,
  bytes: 0,
  grantedBytes: 0,
  evaluation: undefined as CellBudget | undefined,
  isOpen: false,
};

/**
 * Begins an evaluation of a cell that may be abandoned: like `withCellBudget`, but nothing is charged before
 * `closeRow`.
 */
export function openRow(): void {
  aroundRow.steps = steps + reserve;
  aroundRow.bytes = bytes;
  aroundRow.evaluation = evaluation;
  aroundRow.isOpen = true;
  const { cell } = change.limits;
  aroundRow.grantedBytes = cell.bytes < change.bytes ? cell.bytes : change.bytes;
  row.grantedSteps = cell.steps < change.steps ? cell.steps : change.steps;
  row.timeMs = cell.timeMs;
  row.usedMs = -1;
  stepsUntilClockCheck -= STEPS_PER_CELL;
  setSteps(row.grantedSteps);
  bytes = aroundRow.grantedBytes;
  evaluation = row;
}

/** Ends the evaluation and charges what it spent. */
export function closeRow(): void {
  change.steps -= row.grantedSteps - (steps + reserve);
  change.bytes -= aroundRow.grantedBytes - bytes;
  abandonRow();
}

/** Ends the evaluation without charging it. Idempotent. */
export function abandonRow(): void {
  if (!aroundRow.isOpen) return;
  aroundRow.isOpen = false;
  evaluation = aroundRow.evaluation;
  setSteps(aroundRow.steps);
  bytes = aroundRow.bytes;
  aroundRow.evaluation = undefined;
}

/** Returns the steps and bytes that `work` spends, without charging them; the bytes do not cost steps. */
export function costsOf(work: () => unknown): { readonly steps: number; readonly bytes: number } {
  return withChangeBudget(NO_CHANGE_LIMITS, () => {
    openRow();
    try {
      work();
      const spentBytes = aroundRow.grantedBytes - bytes;
      return { steps: row.grantedSteps - (steps + reserve) - spentBytes / BYTES_PER_STEP, bytes: spentBytes };
    } finally {
      abandonRow();
    }
  });
}

/** Reads the clock. Returns true if the change is over its time, which the next step that is spent reports. */
function isOverTime(): boolean {
  const { elapsed } = change.limits;
  if (elapsed) {
    const now = elapsed();
    if (change.usedMs + now - change.clockReadAtMs > change.timeMs) return true;
    change.usedMs += now - change.clockReadAtMs;
    change.clockReadAtMs = now;
  }
  stepsUntilClockCheck = STEPS_PER_CLOCK_CHECK;
  return false;
}

/** Makes the next step read the clock, to report once more that the time is over. */
export function readClockAtNextStep(): void {
  stepsUntilClockCheck = 0;
}

/**
 * Runs `work` within `limits` and the remaining budget of the caller. Throws PyError TimeoutError or MemoryError when
 * either is exceeded.
 */
export function withBudget<T>(limits: Limits, work: () => T): T {
  const outer = { steps: steps + reserve, bytes };
  const granted = { steps: Math.min(outer.steps, limits.steps), bytes: Math.min(bytes, limits.bytes) };
  setSteps(granted.steps);
  bytes = granted.bytes;
  try {
    return work();
  } finally {
    setSteps(outer.steps - (granted.steps - (steps + reserve)));
    bytes = outer.bytes - (granted.bytes - bytes);
  }
}

/** Charges steps. Callers must charge all work whose duration depends on data, before doing it. */
export function spendSteps(count: number): void {
  steps -= count;
  if (steps < 0) beginSlice();
}

/** Sets the remaining steps and starts the next slice. */
function setSteps(total: number): void {
  stepsUntilClockCheck -= slice - steps;
  slice = total < stepsUntilClockCheck ? total : stepsUntilClockCheck < 0 ? 0 : stepsUntilClockCheck;
  steps = slice;
  reserve = total - slice;
}

/** Starts the next slice. Throws when steps or time are exhausted. */
function beginSlice(): void {
  const left = steps + reserve;
  if (left < 0) throw timeoutError();
  setSteps(left);
  if (stepsUntilClockCheck <= 0) {
    stepsUntilClockCheck = STEPS_PER_CLOCK_CHECK;
    checkTime();
    setSteps(left);
  }
}

const timeoutError = (): PyError => new PyError("TimeoutError", "the formula takes too long", { catchable: false });

/** Throws when the cell or the change has exceeded its time limit. */
function checkTime(): void {
  const { elapsed, refusesOverTime } = change.limits;
  if (!elapsed || !evaluation) return;
  const now = elapsed();
  const elapsedMs = now - change.clockReadAtMs;
  change.clockReadAtMs = now;
  change.usedMs += elapsedMs;
  evaluation.usedMs = evaluation.usedMs < 0 ? 0 : evaluation.usedMs + elapsedMs;
  const { timeMs = Infinity } = evaluation;
  const isChangeOver = change.usedMs > change.timeMs;
  if (!isChangeOver && evaluation.usedMs <= timeMs) return;
  if (refusesOverTime) {
    throw isChangeOver ? new TimeExceeded("change", change.timeMs) : new TimeExceeded("cell", timeMs);
  }
  // Revokes the remaining steps, so that code that still runs fails at its next step.
  evaluation.grantedSteps -= steps + reserve + 1;
  setSteps(-1);
  if (isChangeOver) change.steps = -1;
  throw timeoutError();
}

/** Memory that a change uses per byte of a result: it is retained, copied and encoded until it is written. */
const BYTES_PER_RESULT_BYTE = 8;

/**
 * Charges the size of a cell's result, which a change retains until all cells are computed. Throws PyError MemoryError.
 */
export function spendResult(count: number): void {
  change.bytes -= count * BYTES_PER_RESULT_BYTE;
  if (change.bytes < 0) throw memoryError("the results of the formulas need too much memory");
}

/** Returns an error that formulas cannot catch. */
export const memoryError = (message: string): PyError => new PyError("MemoryError", message, { catchable: false });

/**
 * Charges memory. Callers must charge all values whose size depends on data, before creating them. Also charges the
 * time to create them.
 */
export function spendBytes(count: number): void {
  bytes -= count;
  if (bytes < 0) throw memoryError("the formula needs too much memory");
  spendSteps(count / BYTES_PER_STEP);
}
