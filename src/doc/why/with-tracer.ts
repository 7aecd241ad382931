import { type ChangeLimits, withChangeBudget } from "../../formula/runtime/budget.ts";
import { withContext } from "../../formula/runtime/evaluation-context.ts";
import { Change } from "../actions/change.ts";
import type { OpenDocument } from "../document.ts";
import { calculationFor } from "../formulas/calculation-cache.ts";
import { formulaEnvironmentOf } from "../formulas/formula-environment.ts";
import type { UserInfo } from "../user-info.ts";
import type { ReadableCells } from "./readable-cells.ts";
import { Tracer } from "./tracer.ts";

export interface Tracing {
  readonly actor: UserInfo;
  /** The cells that the actor can read; null for all. */
  readonly readable: ReadableCells | null;
  /** The limits of all evaluations together. */
  readonly budget: ChangeLimits["change"];
}

/** Calls `work` with a tracer, and with the environment and the limits of an evaluation. */
export function withTracer<T>(
  document: OpenDocument,
  { actor, readable, budget }: Tracing,
  work: (tracer: Tracer) => T,
): T {
  const { clock, formulaLimits } = document;
  const nowMs = clock.now();
  const change = new Change(document, { parse: false, user: actor, nowMs });
  const { calculation } = calculationFor(change, { isReplayed: false });
  const tracer = new Tracer(calculation, { readable, actor });
  const environment = formulaEnvironmentOf(document, nowMs);
  const limits = { ...formulaLimits, change: budget, elapsed: () => clock.elapsed() };
  try {
    return withChangeBudget(limits, () => withContext(environment, () => work(tracer)));
  } finally {
    calculation.finish();
  }
}
