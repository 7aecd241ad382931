import type { EvaluationContext } from "../../formula/runtime/evaluation-context.ts";
import type { OpenDocument } from "../document.ts";

/** What the formulas of a document can learn of the world at a moment. */
export const formulaEnvironmentOf = ({ timezone, url }: OpenDocument, nowMs: number): EvaluationContext => ({
  nowMs,
  timezone,
  random: Math.random,
  documentUrl: url,
});
