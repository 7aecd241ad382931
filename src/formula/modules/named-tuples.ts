import { CLASSES, PyClass } from "../runtime/classes/classes.ts";
import { PyClassMethod, PyMethod } from "../runtime/classes/descriptors.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { typeError, valueError } from "../runtime/errors.ts";
import { NOT_IMPLEMENTED } from "../runtime/classes/instances.ts";
import { bindArguments, type Signature, requireText } from "../runtime/signature.ts";
import { itemsOf, PyFunction, pyRepr, pyStr, PyTuple, type PyValue } from "../runtime/values.ts";

const OWN_OPERATORS: ReadonlyMap<string, string> = new Map([
  ["+", "__add__"],
  ["-", "__sub__"],
  ["*", "__mul__"],
  ["/", "__truediv__"],
]);

/** A named tuple. */
class PyNamedTuple extends PyTuple {
  override readonly typeName: string;
  readonly cls: PyClass;
  readonly fields: readonly string[];

  constructor(cls: PyClass, fields: readonly string[], items: readonly PyValue[]) {
    super(items);
    this.typeName = cls.name;
    this.cls = cls;
    this.fields = fields;
  }

  override attribute(name: string): PyValue | undefined {
    const at = this.fields.indexOf(name);
    if (at >= 0) return this.items()[at];
    return name === "_fields" ? new PyTuple(this.fields) : undefined;
  }

  /** Subclasses may override the conversion to a string. */
  override str(): string {
    const method = this.cls.lookUp("__str__");
    const isUserMethod = method instanceof PyFunction && !(method instanceof PyMethod);
    return isUserMethod ? pyStr(method.bind(this).call([], new Map())) : this.repr();
  }

  /** Subclasses may override operators. */
  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    const name = OWN_OPERATORS.get(sign);
    const method = name && !reflected ? this.cls.lookUp(name) : undefined;
    if (!(method instanceof PyFunction) || method instanceof PyMethod) return undefined;
    const result = method.bind(this).call([other], new Map());
    return result === NOT_IMPLEMENTED ? undefined : result;
  }

  override repr(): string {
    const parts = this.fields.map((field, index) => `${field}=${pyRepr(this.items()[index] ?? null)}`);
    return `${this.typeName}(${parts.join(", ")})`;
  }
}

/** Implements `namedtuple(name, fields, defaults=…)`: returns a class. */
export function makeNamedTuple([name, fieldNames = null, defaults = null]: readonly PyValue[]): PyClass {
  const fields =
    typeof fieldNames === "string"
      ? fieldNames.replaceAll(",", " ").split(/\s+/).filter(Boolean)
      : itemsOf(fieldNames).map((field) => requireText(field));
  checkFields(fields);
  const fieldDefaults = defaults === null ? [] : itemsOf(defaults);
  if (fieldDefaults.length > fields.length) throw typeError("Got more default values than field names");
  const required = fields.slice(0, fields.length - fieldDefaults.length);
  const optional = fields.slice(required.length).map((field, index) => [field, fieldDefaults[index] ?? null] as const);
  const signature: Signature = { required, optional };
  const cls = new PyClass(requireText(name), [CLASSES.tuple], { isOwn: true });
  cls.define({
    defineConstructor: (positional, keywords, instanceClass) =>
      new PyNamedTuple(instanceClass, fields, bindArguments(instanceClass.name, signature, positional, keywords)),
  });
  cls.members.set("_fields", new PyTuple(fields));
  cls.members.set("_make", new PyClassMethod(new MakeMethod(fields)));
  cls.members.set("_asdict", new PyMethod("_asdict", { signature: {}, body: asDict }, cls));
  cls.members.set("_replace", new PyMethod("_replace", { signature: { anyKeywords: true }, body: replace }, cls));
  return cls;
}

function checkFields(fields: readonly string[]): void {
  for (const [index, field] of fields.entries()) {
    if (!/^[\p{L}][\p{L}\p{N}_]*$/u.test(field)) {
      throw valueError(`Type names and field names must be valid identifiers: ${pyRepr(field)}`);
    }
    if (fields.indexOf(field) !== index) throw valueError(`Encountered duplicate field name: ${pyRepr(field)}`);
  }
}

/** `_make(values)` */
class MakeMethod extends PyFunction {
  readonly #fields: readonly string[];

  constructor(fields: readonly string[]) {
    super("_make", () => null);
    this.#fields = fields;
  }

  override bind(cls: PyValue): PyFunction {
    const fields = this.#fields;
    return new PyFunction("_make", ([values = null]) => {
      const items = itemsOf(values);
      if (!(cls instanceof PyClass) || items.length !== fields.length) {
        throw typeError(`Expected ${fields.length} arguments, got ${items.length}`);
      }
      return new PyNamedTuple(cls, fields, [...items]);
    });
  }
}

function asDict(self: PyNamedTuple): PyDict {
  return PyDict.of(self.fields.map((field, index) => [field, self.items()[index] ?? null] as const));
}

function replace(self: PyNamedTuple, [changes = null]: readonly PyValue[]): PyNamedTuple {
  const replacements = changes instanceof PyDict ? changes : new PyDict();
  const items = self.fields.map(
    (field, index) => replacements.get(field) ?? (replacements.has(field) ? null : (self.items()[index] ?? null)),
  );
  const unknown = replacements.keys().find((key) => typeof key !== "string" || !self.fields.includes(key));
  if (unknown !== undefined) throw valueError(`Got unexpected field names: [${pyRepr(unknown)}]`);
  return new PyNamedTuple(self.cls, self.fields, items);
}
