import { notSupported, PyError } from "./errors.ts";
import { UNBUILT_ATTRIBUTES } from "./known-names.ts";
import { TEXT_METHODS } from "./methods/text-methods.ts";
import { defineFunction } from "./signature.ts";
import { PyFunction, PyObject, type PyValue, typeName } from "./values.ts";

/**
 * `value.name`. Only what is listed for the kind of value can be reached, never a property of the JavaScript value
 * behind it. Throws PyError AttributeError for what it does not have.
 */
export function readAttribute(value: PyValue, name: string): PyValue {
  const found = value instanceof PyObject ? value.attribute(name) : undefined;
  if (found !== undefined) return found;
  if (typeof value === "string") {
    const method = TEXT_METHODS.get(name);
    if (method) return defineFunction(name, method.signature, (args) => method.body(value, args));
  }
  const kind = typeName(value);
  const unbuilt = value instanceof PyFunction || /^__.*__$/.test(name) || UNBUILT_ATTRIBUTES.get(kind)?.has(name);
  if (unbuilt) throw notSupported(`${kind}.${name}`);
  throw new PyError("AttributeError", `'${kind}' object has no attribute '${name}'`);
}
