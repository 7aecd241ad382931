import { CLASSES, PyClass } from "../classes.ts";
import { notSupported, PyError, valueError } from "../errors.ts";
import { bindMember, NO_KEYWORDS, PyInstance } from "../instances.ts";
import { callValue } from "../calls.ts";
import { entry } from "./define.ts";
import { PyModule } from "./module.ts";
import { pyEquals, PyFunction, PyObject, pyRepr, PyTuple, type PyValue } from "../values.ts";

/** A member of an enumeration. */
class PyEnumMember extends PyInstance {
  override repr(): string {
    if (this.cls.lookUp("__repr__")) return super.repr();
    return `<${this.cls.name}.${this.#name}: ${pyRepr(this.fields.get("value") ?? null)}>`;
  }

  override str(): string {
    return this.cls.lookUp("__str__") ? super.str() : `${this.cls.name}.${this.#name}`;
  }

  get #name(): string {
    const name = this.fields.get("name");
    return typeof name === "string" ? name : "";
  }

  override setAttribute(name: string): boolean {
    throw new PyError("AttributeError", `cannot set attribute '${name}'`);
  }
}

/** Stands for `auto()` until the members are made. */
class PyAuto extends PyObject {
  readonly typeName = "auto";

  repr(): string {
    return "auto()";
  }
}

const ENUM = new PyClass("Enum", [CLASSES.object], { module: "enum" });

ENUM.define({
  construct([value = null], _keywords, cls) {
    for (const member of cls.entries?.values() ?? []) {
      if (member instanceof PyInstance && pyEquals(member.fields.get("value") ?? null, value)) return member;
    }
    throw valueError(`${pyRepr(value)} is not a valid ${cls.name}`);
  },
});

/** What a class derived from Enum sets becomes its members. */
ENUM.extended = (cls) => {
  const entries = new Map<string, PyValue>();
  let last: PyValue = 0n;
  for (const [name, given] of cls.members) {
    if (given instanceof PyFunction || name.startsWith("_") || isDescriptor(given)) continue;
    const value: PyValue = given instanceof PyAuto ? nextValue(last) : given;
    last = value;
    const alias = [...entries.values()].find(
      (member) => member instanceof PyInstance && pyEquals(member.fields.get("value") ?? null, value),
    );
    const member = alias ?? makeMember(cls, name, value);
    if (!alias) entries.set(name, member);
    cls.members.set(name, member);
  }
  cls.entries = entries;
};

function makeMember(cls: PyClass, name: string, value: PyValue): PyEnumMember {
  const member = new PyEnumMember(cls);
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

function nextValue(last: PyValue): bigint {
  if (typeof last === "bigint") return last + 1n;
  throw notSupported("auto() after values that are no ints");
}

/** The module `enum`. */
export const ENUM_MODULE = new PyModule(
  "enum",
  new Map<string, PyValue>([
    ["Enum", ENUM],
    entry("auto", "", () => new PyAuto()),
    entry("unique", "cls", ([cls = null]) => cls),
  ]),
  "EnumMeta EnumType Flag IntEnum IntFlag StrEnum ReprEnum CONFORM EJECT KEEP STRICT FlagBoundary member nonmember property verify",
);
