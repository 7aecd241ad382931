import { PyFunction, type PyValue } from "../values.ts";

/** Members of a built-in type besides its constructor. */
export interface TypeMembers {
  /** Returns true for values of this type and of its subtypes. */
  readonly isInstance: (value: PyValue) => boolean;
  /** Constants and class methods. Evaluated lazily, because some are instances of the type itself. */
  readonly members?: ReadonlyMap<string, () => PyValue>;
  /** Returns an instance method as an unbound function: `date.isoformat`. */
  readonly unbound?: (name: string) => PyValue | undefined;
}

/** A type such as `datetime.date`: callable, and usable with isinstance() and type(). */
export class PyType extends PyFunction {
  override readonly typeName = "type";
  readonly isInstance: (value: PyValue) => boolean;
  /** The module that defines it: `datetime` */
  readonly module: string;
  readonly #members: TypeMembers;

  constructor(module: string, constructorFunction: PyFunction, members: TypeMembers) {
    super(constructorFunction.name, constructorFunction.call);
    this.module = module;
    this.isInstance = members.isInstance;
    this.#members = members;
  }

  override repr(): string {
    return `<class '${this.module}.${this.name}'>`;
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "__name__" || name === "__qualname__") return this.name;
    if (name === "__module__") return this.module;
    return this.#members.members?.get(name)?.() ?? this.#members.unbound?.(name);
  }
}
