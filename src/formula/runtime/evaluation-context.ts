import { PyError } from "./errors.ts";

/** What formulas can learn of the world: there is nothing else that they do not get as cells. */
export interface EvaluationContext {
  /** Milliseconds since the epoch. One for a whole recalculation, so that NOW() is the same everywhere. */
  readonly nowMs: number;
  /** The document's time zone: `Europe/Berlin` */
  readonly timezone: string;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** The document's address without anything after it; undefined where it has none. */
  readonly documentUrl?: string | undefined;
  /** Called when a formula reads the clock or the address: its value is right only for the moment. */
  readonly onClockRead?: () => void;
}

// Formulas run synchronously, so that the context of the evaluation under way serves the thread, as its budget does.
let currentEvaluationContext: EvaluationContext | undefined;

/** What `work` gives, which may evaluate formulas; they get this context. */
export function withContext<T>(context: EvaluationContext, work: () => T): T {
  const outer = currentEvaluationContext;
  currentEvaluationContext = context;
  try {
    return work();
  } finally {
    currentEvaluationContext = outer;
  }
}

/** The context of the evaluation under way; where none was given, the present moment in UTC. */
export function currentContext(): EvaluationContext {
  return currentEvaluationContext ?? { nowMs: Date.now(), timezone: "UTC", random: Math.random };
}

/** Seconds since the epoch; marks the evaluation as one that depends on time. */
export function currentSeconds(): number {
  const { nowMs, onClockRead } = currentContext();
  onClockRead?.();
  if (!Number.isFinite(nowMs)) throw new PyError("OSError", "the clock does not work");
  return nowMs / 1000;
}
