import { PyFunction, type PyValue } from "../values.ts";

/** What a type of ours has besides its constructor. */
export interface TypeMembers {
  /** True for values of this type and of those derived from it. */
  readonly isInstance: (value: PyValue) => boolean;
  /** Constants and class methods. They are made when they are asked for, since some are values of the type itself. */
  readonly members?: ReadonlyMap<string, () => PyValue>;
  /** An instance method as a function of the instance: `date.isoformat`. */
  readonly unbound?: (name: string) => PyValue | undefined;
}

/** A type, as `datetime.date`: calling it makes a value, and isinstance() and type() know it. */
export class PyType extends PyFunction {
  override readonly typeName = "type";
  readonly isInstance: (value: PyValue) => boolean;
  /** The module it belongs to: `datetime` */
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
