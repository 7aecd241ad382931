import { defineFunction, type Signature } from "../runtime/signature.ts";
import type { PyFunction, PyValue } from "../runtime/values.ts";

type Body = (args: readonly PyValue[]) => PyValue;

/** Defines a module function by its parameters; required ones come first. */
export function moduleFunction(
  name: string,
  required: string,
  body: Body,
  optional: Readonly<Record<string, PyValue>> = {},
): [string, PyFunction] {
  const names = required === "" ? [] : required.split(" ");
  return [name, defineFunction(name, { required: names, optional: Object.entries(optional) }, body)];
}

/** Defines a module function by its signature. */
export const moduleFunctionWith = (name: string, signature: Signature, body: Body): [string, PyFunction] => [
  name,
  defineFunction(name, signature, body),
];
