import { PyError } from "./errors.ts";

/**
 * Limits of an evaluation. Formulas run between reads of the same thread, so one that does not end would stop the
 * document; a step is about 20 ns of work. The sizes are those of all texts, lists and numbers made on the way, since
 * when one is given up is not known.
 */
export interface Limits {
  readonly steps: number;
  readonly bytes: number;
  /**
   * Wall-clock milliseconds, unlimited by default. The same formula takes as many steps on every machine; time is the
   * second line of defence, for slow machines and for work that costs more than its steps say.
   */
  readonly timeMs?: number;
}

export const DEFAULT_LIMITS: Limits = { steps: 20_000_000, bytes: 64 * 1024 * 1024 };

/** Limits of the formulas of a document. */
export interface FormulaLimits {
  /** One cell. */
  readonly cell: Limits;
  /** All cells that one change of a document makes due. */
  readonly change: Limits;
  /** Replaces `change.timeMs` where a file is imported, migrated or recalculated as a whole. */
  readonly jobTimeMs?: number;
}

/** The defaults: about half a second for a cell, twenty for a change. */
export const FORMULA_LIMITS: FormulaLimits = {
  cell: { ...DEFAULT_LIMITS, timeMs: 5000 },
  change: { steps: 1_000_000_000, bytes: 8 * 1024 ** 3, timeMs: 30_000 },
  jobTimeMs: 3_600_000,
};

/** Limits of one change, and what happens when its time is up. */
export interface ChangeLimits extends FormulaLimits {
  /** Elapsed milliseconds; without it time is not limited. */
  readonly elapsed?: () => number;
  /**
   * True to throw `TimeExceeded` through the formula, which refuses the change. Otherwise the cell, and for the change
   * all cells that follow, fail with TimeoutError.
   */
  readonly refusesOverTime?: boolean;
}

/** Thrown through a formula whose time is up. No formula can catch it. */
export class TimeExceeded extends Error {
  readonly scope: "cell" | "change";
  readonly limitMs: number;

  constructor(scope: "cell" | "change", limitMs: number) {
    super(`the ${scope} takes longer than ${limitMs} ms`);
    this.scope = scope;
    this.limitMs = limitMs;
  }
}

/** Stands for no limit; not Infinity, which cannot be subtracted from itself. */
const UNLIMITED = 2 ** 52;
/** Steps between two looks at the clock: about half a millisecond. */
const STEPS_PER_CLOCK_CHECK = 25_000;
/** What evaluating a cell costs besides its steps, so that the clock is read among many short cells too. */
const STEPS_PER_CELL = 50;

// What is left to the evaluation in progress. Formulas run synchronously, so one set of numbers serves the thread; as
// arguments they would have to pass through every operator and every method. Steps are spent from a slice, at the end
// of which it is time to look at the clock; the others are in reserve. That keeps `spendSteps` at one comparison.
let steps = UNLIMITED;
let slice = UNLIMITED;
let reserve = 0;
let stepsUntilClockCheck = STEPS_PER_CLOCK_CHECK;
let bytes = Infinity;

interface CellBudget {
  /** Steps that it was given. */
  grantedSteps: number;
  readonly timeMs: number | undefined;
  /** Milliseconds used; -1 until the clock is read for the first time, since the time before may not be its own. */
  usedMs: number;
}

let evaluation: CellBudget | undefined;

/** An object of its own for each evaluation of a cell, for what lasts as long as it; undefined outside of all. */
export const currentEvaluation = (): object | undefined => evaluation;

interface ChangeState {
  readonly limits: ChangeLimits;
  readonly timeMs: number;
  steps: number;
  bytes: number;
  /** Milliseconds that formulas used. */
  usedMs: number;
  /** When the clock was read last. */
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

/** What is left to the change in progress. */
let change = stateOf(NO_CHANGE_LIMITS);

/**
 * Runs `work`, which may evaluate any number of cells: together they use up no more than `limits.change`, each no more
 * than `limits.cell`. Those that are evaluated when nothing is left fail with TimeoutError or MemoryError. Throws
 * TimeExceeded where `limits` refuses what takes too long.
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

/** Leaves the time since the last evaluation out of the change's budget: it was spent on something else. */
export function resumeTiming(): void {
  change.clockReadAtMs = change.limits.elapsed?.() ?? 0;
}

/**
 * Runs `work`, which evaluates one cell; without `limits` those of the change hold. A cell that is evaluated because
 * another one reads it has a budget of its own, so that what a cell costs does not depend on what was computed before.
 * Throws PyError TimeoutError or MemoryError, and TimeExceeded as `withChangeBudget`.
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
 * Runs `work`, which may use up no more than `limits`, nor more than what surrounds it has left. Throws PyError
 * TimeoutError or MemoryError when it tries.
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

/** To be called by everything whose duration depends on data, before it does it. */
export function spendSteps(count: number): void {
  steps -= count;
  if (steps < 0) beginSlice();
}

/** Replaces the steps that are left, and cuts the next slice off them. */
function setSteps(total: number): void {
  stepsUntilClockCheck -= slice - steps;
  slice = total < stepsUntilClockCheck ? total : stepsUntilClockCheck < 0 ? 0 : stepsUntilClockCheck;
  steps = slice;
  reserve = total - slice;
}

/** Begins the next slice. Throws when steps or time are used up. */
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

/** Throws when the cell or the change has used up its time. */
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
  // Takes back the steps that are left, so that whatever goes on all the same fails at its next one.
  evaluation.grantedSteps -= steps + reserve + 1;
  setSteps(-1);
  if (isChangeOver) change.steps = -1;
  throw timeoutError();
}

/** Memory of a change that a byte of a result stands for: it is kept, copied and encoded until it is written. */
const BYTES_PER_RESULT_BYTE = 8;

/** To be called for results of cells, which a change keeps until all are computed. Throws PyError MemoryError. */
export function spendResult(count: number): void {
  change.bytes -= count * BYTES_PER_RESULT_BYTE;
  if (change.bytes < 0) throw memoryError("the results of the formulas need too much memory");
}

/** What no formula can catch. */
export const memoryError = (message: string): PyError => new PyError("MemoryError", message, { catchable: false });

/** To be called before making anything whose size depends on data. Making it takes time too. */
export function spendBytes(count: number): void {
  bytes -= count;
  if (bytes < 0) throw memoryError("the formula needs too much memory");
  spendSteps(count / 64);
}
