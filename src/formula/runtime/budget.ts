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
  readonly timeMs: number | undefined;
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
  spendSteps(count / 64);
}
