import type { EvaluationContext } from "../../formula/runtime/evaluation-context.ts";
import type { OpenDocument } from "../document.ts";

/** Returns the environment of formulas: time, timezone, randomness and document URL. */
export const formulaEnvironmentOf = ({ timezone, url }: OpenDocument, nowMs: number): EvaluationContext => ({
  nowMs,
  timezone,
  random: Math.random,
  documentUrl: url,
});
