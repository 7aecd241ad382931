import { typeError } from "../runtime/errors.ts";
import { defineFunction, type Signature } from "../runtime/signature.ts";
import { PyFunction, type PyObject, type PyValue, typeName } from "../runtime/values.ts";

/** Declaration and lookup of the attributes and methods of types. */

export interface MemberMethod<Self> {
  readonly signature: Signature;
  readonly body: (self: Self, args: readonly PyValue[]) => PyValue;
}

export type MethodTable<Self> = ReadonlyMap<string, MemberMethod<Self>>;

export interface Members<Self> {
  readonly fields: ReadonlyMap<string, (self: Self) => PyValue>;
  readonly methods: MethodTable<Self>;
}

export const method = <Self>(
  signature: Signature,
  body: (self: Self, args: readonly PyValue[]) => PyValue,
): MemberMethod<Self> => ({ signature, body });

/** Returns an attribute of a value; undefined if it does not exist. Class constants are readable from values too. */
export function readMember<Self extends PyObject>(
  self: Self,
  name: string,
  members: Members<Self>,
): PyValue | undefined {
  const field = members.fields.get(name);
  if (field) return field(self);
  const found = members.methods.get(name);
  if (found) return defineFunction(name, found.signature, (args) => found.body(self, args));
  if (name === "__class__") return self.type;
  return name.startsWith("__") ? undefined : self.type?.attribute(name);
}

/** Returns a method as an unbound function, whose first argument is the value. */
export function unboundMember<Self extends PyObject>(
  name: string,
  methods: MethodTable<Self>,
  isSelf: (value: PyValue) => value is Self,
): PyFunction | undefined {
  const found = methods.get(name);
  if (!found) return undefined;
  return new PyFunction(name, ([self = null, ...rest], keywords) => {
    if (!isSelf(self)) throw typeError(`descriptor '${name}' does not apply to a '${typeName(self)}' object`);
    return defineFunction(name, found.signature, (args) => found.body(self, args)).call(rest, keywords);
  });
}
