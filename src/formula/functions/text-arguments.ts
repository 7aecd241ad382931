import { readAttribute } from "../runtime/classes/attributes.ts";
import { PyFunction, type PyValue } from "../runtime/values.ts";

/** Calls `value.name(…)`. Values other than strings have no such method, which gives formulas the right error. */
export function callTextMethod(value: PyValue, name: string, args: readonly PyValue[] = []): PyValue {
  const method = readAttribute(value, name);
  return method instanceof PyFunction ? method.call(args, new Map()) : method;
}
