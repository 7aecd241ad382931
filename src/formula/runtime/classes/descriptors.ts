import { spendSteps } from "../budget.ts";
import { extraCallSteps } from "../call-costs.ts";
import { typeError } from "../errors.ts";
import { bindArguments, type Signature } from "../signature.ts";
import { type Keywords, PyFunction, PyObject, type PyValue } from "../values.ts";

/** A built-in method. `self` is the receiver. */
export interface Method<Self> {
  readonly signature: Signature;
  readonly body: (self: Self, args: readonly PyValue[]) => PyValue;
}

/** The class that defines a method. */
interface MethodOwner {
  readonly name: string;
  readonly isInstance: (value: PyValue) => boolean;
}

/** An unbound method of a built-in class: `str.upper` takes the string as its first argument. */
export class PyMethod extends PyFunction {
  override readonly typeName = "method_descriptor";
  readonly #method: Method<never>;
  readonly #steps: number;

  constructor(name: string, method: Method<never>, owner: MethodOwner) {
    super(name, ([receiver, ...positional], keywords) => {
      const self = receiver === undefined ? undefined : payloadOf(receiver);
      if (self === undefined || !owner.isInstance(self)) {
        throw typeError(`unbound method ${owner.name}.${name}() needs an argument of its type`);
      }
      return this.invoke(self, positional, keywords);
    });
    this.#method = method;
    this.#steps = extraCallSteps(`.${name}`);
  }

  invoke(self: PyValue, positional: readonly PyValue[], keywords: Keywords): PyValue {
    const { signature, body } = this.#method;
    if (this.#steps > 0) spendSteps(this.#steps);
    return body(self as never, bindArguments(this.name, signature, positional, keywords));
  }

  override bind(self: PyValue): PyFunction {
    const value = payloadOf(self);
    return new PyFunction(this.name, (positional, keywords) => this.invoke(value, positional, keywords));
  }

  override repr(): string {
    return `<method '${this.name}'>`;
  }
}

/** Returns the value that built-in methods operate on. */
const payloadOf = (value: PyValue): PyValue => (value instanceof PyObject ? (value.payload ?? value) : value);

/** `@staticmethod` */
export class PyStaticMethod extends PyObject {
  readonly typeName = "staticmethod";
  readonly target: PyValue;

  constructor(target: PyValue) {
    super();
    this.target = target;
  }

  repr(): string {
    return "<staticmethod>";
  }
}

/** `@classmethod` */
export class PyClassMethod extends PyObject {
  readonly typeName = "classmethod";
  readonly target: PyFunction;

  constructor(target: PyFunction) {
    super();
    this.target = target;
  }

  bind(cls: PyObject): PyValue {
    return this.target.bind(cls);
  }

  repr(): string {
    return "<classmethod>";
  }
}

/** `@property` with getter, setter and deleter. */
export class PyProperty extends PyObject {
  readonly typeName = "property";
  readonly getter: PyValue;
  readonly setter: PyValue;
  /** True for cached properties, which store the value after the first read. */
  readonly isCached: boolean;

  constructor(getter: PyValue, setter: PyValue = null, isCached = false) {
    super();
    this.getter = getter;
    this.setter = setter;
    this.isCached = isCached;
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "getter") return new PyFunction(name, ([getter = null]) => new PyProperty(getter, this.setter));
    if (name === "setter") return new PyFunction(name, ([setter = null]) => new PyProperty(this.getter, setter));
    return name === "fget" ? this.getter : undefined;
  }

  repr(): string {
    return "<property object at 0x7f0000000000>";
  }
}
