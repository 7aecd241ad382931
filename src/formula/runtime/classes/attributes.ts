import { spendSteps } from "../budget.ts";
import { CALL_STEPS } from "../call-costs.ts";
import { callValue } from "../calls.ts";
import { classOf, OBJECT_MEMBERS, PyClass } from "./classes.ts";
import { PyMethod } from "./descriptors.ts";
import { notSupported, PyError } from "../errors.ts";
import { bindMember } from "./instances.ts";
import { UNSUPPORTED_ATTRIBUTES } from "../unsupported-names.ts";
import { numberField } from "../../methods/number-methods.ts";
import type { PyFunction } from "../values.ts";
import { type Keywords, unqualifiedTypeName, PyObject, type PyValue, typeName } from "../values.ts";

/**
 * Returns `value.name`. Only listed attributes of the value's type are accessible, never a property of the underlying
 * JavaScript value. Throws PyError AttributeError.
 */
export function readAttribute(value: PyValue, name: string): PyValue {
  const found = findAttribute(value, name);
  if (found !== undefined) return found;
  const kind = unqualifiedTypeName(value);
  const isUnbuilt = /^__.*__$/.test(name) ? KNOWN_DUNDERS.has(name) : UNSUPPORTED_ATTRIBUTES.get(kind)?.has(name);
  if (isUnbuilt) throw notSupported(`${kind}.${name}`);
  throw attributeError(value, name);
}

/** Dunder names that all Python values have and that are not supported. */
const KNOWN_DUNDERS: ReadonlySet<string> = new Set(
  (
    "__annotations__ __class_getitem__ __closure__ __code__ __defaults__ __delattr__ __dict__ __dir__ __get__ " +
    "__getattribute__ __getstate__ __globals__ __init__ __init_subclass__ __kwdefaults__ __new__ __reduce__ " +
    "__reduce_ex__ __setattr__ __sizeof__ __subclasses__ __subclasshook__"
  ).split(" "),
);

/** Returns an attribute; undefined if it does not exist. */
export function findAttribute(value: PyValue, name: string): PyValue | undefined {
  const found = value instanceof PyObject ? value.attribute(name) : undefined;
  if (found !== undefined) return found;
  if (name === "__class__") return classOf(value);
  const field = numberField(value, name);
  if (field !== undefined) return field;
  const cls = classOf(value);
  const classMember = (cls instanceof PyClass ? cls.lookUp(name) : undefined) ?? OBJECT_MEMBERS.get(name);
  if (cls instanceof PyClass) return classMember === undefined ? undefined : bindMember(classMember, value, cls);
  // Types without a class have the members of `object`.
  return classMember instanceof PyMethod ? classMember.bind(value) : undefined;
}

function attributeError(value: PyValue, name: string): PyError {
  const owner = value instanceof PyClass ? `type object '${value.name}'` : `'${typeName(value)}' object`;
  if (typeName(value) === "module") {
    const module = findAttribute(value, "__name__");
    return new PyError(
      "AttributeError",
      `module '${typeof module === "string" ? module : ""}' has no attribute '${name}'`,
    );
  }
  return new PyError("AttributeError", `${owner} has no attribute '${name}'`);
}

/** Calls `value.name(…)`, without creating a bound method where possible. */
export function callMethod(value: PyValue, name: string, positional: readonly PyValue[], keywords: Keywords): PyValue {
  const cls = classOf(value);
  const method = cls instanceof PyClass ? cls.members.get(name) : undefined;
  if (method instanceof PyMethod) {
    spendSteps(CALL_STEPS);
    return method.invoke(value, positional, keywords);
  }
  return callValue(readAttribute(value, name), positional, keywords);
}

/** Executes `target.name = value`. */
export function writeAttribute(target: PyValue, name: string, value: PyValue): void {
  if (target instanceof PyObject && target.setAttribute(name, value)) return;
  if (target instanceof PyClass) throw immutableTypeError(target);
  const found = findAttribute(target, name);
  if (found === undefined) throw attributeError(target, name);
  throw new PyError("AttributeError", `'${typeName(target)}' object attribute '${name}' is read-only`);
}

const immutableTypeError = (cls: PyFunction) =>
  new PyError("TypeError", `cannot set attribute of immutable type '${cls.name}'`);

/** Executes `del target.name`. */
export function deleteAttribute(target: PyValue, name: string): void {
  if (target instanceof PyObject && target.setAttribute(name, undefined)) return;
  throw attributeError(target, name);
}
