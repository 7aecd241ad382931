/** The parameters of the function around the caret. */
import { functionName } from "../../../../base/function-list.ts";
import { type FormulaSchema, lookupTable } from "./formula-schema.ts";
import { scanFormula } from "./scan.ts";

export interface CallHelp {
  readonly name: string;
  readonly parameters: readonly string[];
  /** The parameter of the caret; -1 when there is none. */
  readonly current: number;
  /** In English; empty for methods of tables. */
  readonly about: string;
}

/** Returns the help for the innermost function that has some; null for none. */
export function callHelpAt(text: string, caret: number, schema: FormulaSchema): CallHelp | null {
  for (const { callee, index, keyword } of scanFormula(text, caret).calls.toReversed()) {
    const known = describe(callee, schema);
    if (known) return { ...known, current: currentOf(known.parameters, index, keyword) };
  }
  return null;
}

function describe(callee: string, schema: FormulaSchema): Omit<CallHelp, "current"> | null {
  if (lookupTable(callee, schema) !== null) {
    return { name: callee, parameters: ["column=value", "…", "order_by=None"], about: "" };
  }
  const found = schema.functions.find(({ signature }) => functionName(signature) === callee);
  return found ? { name: callee, parameters: parametersOf(found.signature), about: found.about } : null;
}

/** Splits `NAME(a, b=[1, 2], *c)` at the commas between parameters. */
export function parametersOf(signature: string): string[] {
  const inner = signature.slice(signature.indexOf("(") + 1, signature.lastIndexOf(")"));
  const parameters: string[] = [];
  let depth = 0;
  let current = "";
  for (const character of inner) {
    if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    if (character === "," && depth === 0) {
      parameters.push(current.trim());
      current = "";
    } else current += character;
  }
  return current.trim() === "" ? parameters : [...parameters, current.trim()];
}

function currentOf(parameters: readonly string[], index: number, keyword: string | null): number {
  if (keyword !== null) return parameters.findIndex((parameter) => parameter.replace(/=.*/s, "") === keyword);
  // Parameters after a star are passed by name only.
  const byName = parameters.indexOf("*");
  if (byName >= 0 && index >= byName) return -1;
  const last = parameters.length - 1;
  // The last one is repeated: `*more`, `…`.
  return index <= last ? index : /^\*|…$/.test(parameters[last] ?? "") ? last : -1;
}
