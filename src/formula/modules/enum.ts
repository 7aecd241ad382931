import { CLASSES, PyClass } from "../runtime/classes/classes.ts";
import { PyDerived } from "../runtime/classes/derived.ts";
import { PyMethod } from "../runtime/classes/descriptors.ts";
import { notSupported, PyError, typeError, valueError } from "../runtime/errors.ts";
import { bindMember, NO_KEYWORDS, PyInstance } from "../runtime/classes/instances.ts";
import { callValue } from "../runtime/calls.ts";
import { moduleFunction } from "./module-function.ts";
import { PyModule } from "./module.ts";
import {
  type HashKey,
  pyEquals,
  PyFunction,
  PyObject,
  pyRepr,
  pyStr,
  PyTuple,
  type PyValue,
} from "../runtime/values.ts";

/** A member of an enumeration; if the enumeration also derives from int or str, it wraps such a value. */
class PyEnumMember extends PyDerived {
  constructor(cls: PyClass, payload: PyValue | undefined) {
    super(cls, CLASSES.object, payload);
  }

  override equals(other: PyValue): boolean {
    if (other === this) return true;
    return this.payload !== undefined && !(other instanceof PyEnumMember && other.payload === undefined)
      ? pyEquals(this.payload, other instanceof PyEnumMember ? (other.payload ?? null) : other)
      : false;
  }

  override hashKey(): HashKey | undefined {
    return this.payload === undefined ? this : super.hashKey();
  }

  override repr(): string {
    if (isUserMethod(this.cls.lookUp("__repr__"))) return super.repr();
    return `<${this.cls.name}.${this.#name}: ${pyRepr(this.fields.get("value") ?? null)}>`;
  }

  override str(): string {
    const isPlain = PLAIN_TEXT_ENUMS.some((cls) => this.cls.isSubclassOf(cls));
    if (isPlain && this.payload !== undefined && !isUserMethod(this.cls.lookUp("__str__"))) return pyStr(this.payload);
    return isUserMethod(this.cls.lookUp("__str__")) ? super.str() : `${this.cls.name}.${this.#name}`;
  }

  get #name(): string {
    const name = this.fields.get("name");
    return typeof name === "string" ? name : "";
  }

  override setAttribute(name: string, value: PyValue | undefined): boolean {
    if (name === "name" || name === "value") {
      throw new PyError("AttributeError", `<enum '${this.cls.name}'> cannot set attribute '${name}'`);
    }
    return super.setAttribute(name, value);
  }
}

/** Placeholder for `auto()` until the members are created. */
class PyAuto extends PyObject {
  readonly typeName = "auto";

  repr(): string {
    return "auto()";
  }
}

const ENUM = new PyClass("Enum", [CLASSES.object], { module: "enum" });

const INT_ENUM = new PyClass("IntEnum", [CLASSES.int, ENUM], { module: "enum" });
const STR_ENUM = new PyClass("StrEnum", [CLASSES.str, ENUM], { module: "enum" });

/** Members of these convert to strings like their values. */
const PLAIN_TEXT_ENUMS = [INT_ENUM, STR_ENUM];

ENUM.define({
  defineConstructor([value = null], _keywords, cls) {
    for (const member of cls.enumMembers?.values() ?? []) {
      if (member instanceof PyInstance && pyEquals(member.fields.get("value") ?? null, value)) return member;
    }
    throw valueError(`${pyRepr(value)} is not a valid ${cls.name}`);
  },
});

/** Converts the attributes of a class derived from Enum to members. */
ENUM.onSubclass = (cls) => {
  const entries = new Map<string, PyValue>();
  let last: PyValue = 0n;
  for (const [name, attribute] of cls.members) {
    if (attribute instanceof PyFunction || name.startsWith("_") || isDescriptor(attribute)) continue;
    const value: PyValue = attribute instanceof PyAuto ? nextAutoValue(cls, name, last) : attribute;
    last = value;
    const alias = [...entries.values()].find(
      (member) => member instanceof PyInstance && pyEquals(member.fields.get("value") ?? null, value),
    );
    const member = alias ?? makeMember(cls, name, value);
    if (!alias) entries.set(name, member);
    cls.members.set(name, member);
  }
  cls.enumMembers = entries;
};

function makeMember(cls: PyClass, name: string, value: PyValue): PyEnumMember {
  const origin = cls.mro.find((memberClass) => memberClass.constructDerived);
  const payload = origin?.instantiate(value instanceof PyTuple ? value.items() : [value], NO_KEYWORDS);
  const member = new PyEnumMember(cls, payload);
  member.fields.set("name", name);
  member.fields.set("value", value);
  const init = cls.lookUp("__init__");
  if (init !== undefined) {
    const args = value instanceof PyTuple ? value.items() : [value];
    callValue(bindMember(init, member, cls), args, NO_KEYWORDS);
  }
  return member;
}

const isDescriptor = (value: PyValue): boolean =>
  value instanceof PyObject && ["property", "staticmethod", "classmethod"].includes(value.typeName);

/** Returns true for a user-defined method. */
const isUserMethod = (member: PyValue | undefined): boolean => member !== undefined && !(member instanceof PyMethod);

function nextAutoValue(cls: PyClass, name: string, last: PyValue): PyValue {
  if (cls.isSubclassOf(STR_ENUM)) return name.toLowerCase();
  if (typeof last === "bigint") return last + 1n;
  throw notSupported("auto() after values that are no ints");
}

/** `@unique`. Throws PyError ValueError if two names share a value. */
function rejectAliases(cls: PyValue): PyValue {
  if (!(cls instanceof PyClass)) throw typeError("unique() needs an enumeration");
  for (const [name, member] of cls.members) {
    if (member instanceof PyEnumMember && member.fields.get("name") !== name) {
      throw valueError(
        `duplicate values found in <enum '${cls.name}'>: ${name} -> ${pyStr(member.fields.get("name") ?? null)}`,
      );
    }
  }
  return cls;
}

export const ENUM_MODULE = new PyModule(
  "enum",
  new Map<string, PyValue>([
    ["Enum", ENUM],
    ["IntEnum", INT_ENUM],
    ["StrEnum", STR_ENUM],
    ["EnumMeta", CLASSES.type],
    moduleFunction("auto", "", () => new PyAuto()),
    moduleFunction("unique", "cls", ([cls = null]) => rejectAliases(cls)),
  ]),
  "EnumType Flag IntFlag ReprEnum CONFORM EJECT KEEP STRICT FlagBoundary member nonmember property verify",
);
