import { readAttribute } from "../runtime/classes/attributes.ts";
import { PyFunction, type PyValue } from "../runtime/values.ts";

/** `value.name(…)`. What is no text has no such method, which is the error that formulas get. */
export function callTextMethod(value: PyValue, name: string, args: readonly PyValue[] = []): PyValue {
  const method = readAttribute(value, name);
  return method instanceof PyFunction ? method.call(args, new Map()) : method;
}
