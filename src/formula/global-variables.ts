import { currentEvaluation } from "./budget.ts";
import type { PyValue } from "./values.ts";

/** What `global` declares. It lasts as long as the evaluation, so that no cell depends on what another one has set. */
const variables = new WeakMap<object, Map<string, PyValue>>();

export const readGlobalVariable = (name: string): PyValue | undefined =>
  variables.get(currentEvaluation() ?? variables)?.get(name);

/** Sets it, or unsets it without a value. */
export function writeGlobalVariable(name: string, value: PyValue | undefined): void {
  const key = currentEvaluation() ?? variables;
  const own = variables.get(key) ?? new Map<string, PyValue>();
  variables.set(key, own);
  if (value === undefined) own.delete(name);
  else own.set(name, value);
}
