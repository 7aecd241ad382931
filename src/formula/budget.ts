import { PyError } from "./errors.ts";

/**
 * What one evaluation may use up. Formulas run between reads of the same thread, so one that does not end would stop
 * the document; a step is about 20 ns of work. The sizes are those of all texts, lists and numbers made on the way,
 * since when one is given up is not known.
 */
export interface Limits {
  readonly steps: number;
  readonly bytes: number;
}

export const DEFAULT_LIMITS: Limits = { steps: 20_000_000, bytes: 64 * 1024 * 1024 };

/** What formulas may use up. */
export interface FormulaLimits {
  /** One cell. */
  readonly cell: Limits;
  /** All cells that one change of a document makes due. */
  readonly change: Limits;
}

/** What holds unless something else is said: about half a second for a cell, twenty for a change. */
export const FORMULA_LIMITS: FormulaLimits = {
  cell: DEFAULT_LIMITS,
  change: { steps: 1_000_000_000, bytes: 8 * 1024 ** 3 },
};

// What is left to the evaluation under way. Formulas run synchronously, so one pair of numbers serves the thread; as
// arguments they would have to pass through every operator and every method.
let steps = Infinity;
let bytes = Infinity;

/** Stands for the evaluation under way. */
let evaluation: object | undefined;

/** An object of its own for each evaluation of a cell, for what lasts as long as it; undefined outside of all. */
export const currentEvaluation = (): object | undefined => evaluation;

/** What is left to the change under way, and what each of its cells may take of it. */
let change = { steps: Infinity, bytes: Infinity, cell: DEFAULT_LIMITS };

/**
 * What `work` gives, which may evaluate any number of cells: together they use up no more than `limits.change`, each no
 * more than `limits.cell`. Those that are evaluated when nothing is left fail with TimeoutError or MemoryError.
 */
export function withChangeBudget<T>(limits: FormulaLimits, work: () => T): T {
  const outer = change;
  change = { ...limits.change, cell: limits.cell };
  try {
    return work();
  } finally {
    change = outer;
  }
}

/**
 * What `work` gives, which evaluates one cell; without `limits` those of the change hold. A cell that is evaluated
 * because another one reads it has a budget of its own, so that what a cell costs does not depend on what was computed
 * before. Throws PyError TimeoutError or MemoryError.
 */
export function withCellBudget<T>(limits: Limits | undefined, work: () => T): T {
  const outer = { steps, bytes, evaluation };
  const most = limits ?? change.cell;
  const given = { steps: Math.min(most.steps, change.steps), bytes: Math.min(most.bytes, change.bytes) };
  steps = given.steps;
  bytes = given.bytes;
  evaluation = given;
  try {
    return work();
  } finally {
    evaluation = outer.evaluation;
    change.steps -= given.steps - steps;
    change.bytes -= given.bytes - bytes;
    steps = outer.steps;
    bytes = outer.bytes;
  }
}

/**
 * What `work` gives, which may use up no more than `limits`, nor more than what surrounds it has left. Throws PyError
 * TimeoutError or MemoryError when it tries.
 */
export function withBudget<T>(limits: Limits, work: () => T): T {
  const outer = { steps, bytes };
  const given = { steps: Math.min(steps, limits.steps), bytes: Math.min(bytes, limits.bytes) };
  steps = given.steps;
  bytes = given.bytes;
  try {
    return work();
  } finally {
    steps = outer.steps - (given.steps - steps);
    bytes = outer.bytes - (given.bytes - bytes);
  }
}

/** To be called by everything whose duration depends on data, before it does it. */
export function spendSteps(count: number): void {
  steps -= count;
  if (steps < 0) throw new PyError("TimeoutError", "the formula takes too long", { catchable: false });
}

/** To be called before making anything whose size depends on data. Making it takes time too. */
export function spendBytes(count: number): void {
  bytes -= count;
  if (bytes < 0) throw new PyError("MemoryError", "the formula needs too much memory", { catchable: false });
  spendSteps(count / 64);
}
