import { PyError } from "./errors.ts";

/** The environment of formulas: all of their inputs other than cells. */
export interface EvaluationContext {
  /** Milliseconds since the epoch. Constant during a recalculation, so that NOW() is the same everywhere. */
  readonly nowMs: number;
  /** The document's time zone: `Europe/Berlin` */
  readonly timezone: string;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** The document's URL without path suffix, query or fragment; undefined if it has none. */
  readonly documentUrl?: string | undefined;
  /** Called when a formula reads the clock or the URL: its value is valid only at that time. */
  readonly onClockRead?: () => void;
}

// Formulas run synchronously, so one variable holds the context of the current evaluation, like the budget.
let currentEvaluationContext: EvaluationContext | undefined;

/** Runs `work` with this context for the formulas that it evaluates. */
export function withContext<T>(context: EvaluationContext, work: () => T): T {
  const outer = currentEvaluationContext;
  currentEvaluationContext = context;
  try {
    return work();
  } finally {
    currentEvaluationContext = outer;
  }
}

/** Returns the context of the current evaluation; outside of one, the current time in UTC. */
export function currentContext(): EvaluationContext {
  return currentEvaluationContext ?? { nowMs: Date.now(), timezone: "UTC", random: Math.random };
}

/** Returns the seconds since the epoch, and marks the evaluation as time-dependent. */
export function currentSeconds(): number {
  const { nowMs, onClockRead } = currentContext();
  onClockRead?.();
  if (!Number.isFinite(nowMs)) throw new PyError("OSError", "the clock does not work");
  return nowMs / 1000;
}
