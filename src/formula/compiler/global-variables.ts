import { currentEvaluation } from "../runtime/budget.ts";
import type { PyValue } from "../runtime/values.ts";

/**
 * Variables declared `global`. They last as long as the evaluation, so that no cell depends on assignments of another
 * cell.
 */
const variablesByEvaluation = new WeakMap<object, Map<string, PyValue>>();

export const readGlobalVariable = (name: string): PyValue | undefined =>
  variablesByEvaluation.get(currentEvaluation() ?? variablesByEvaluation)?.get(name);

/** Sets a global variable; undefined unsets it. */
export function writeGlobalVariable(name: string, value: PyValue | undefined): void {
  const key = currentEvaluation() ?? variablesByEvaluation;
  const evaluationVariables = variablesByEvaluation.get(key) ?? new Map<string, PyValue>();
  variablesByEvaluation.set(key, evaluationVariables);
  if (value === undefined) evaluationVariables.delete(name);
  else evaluationVariables.set(name, value);
}
