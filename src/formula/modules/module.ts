import { notSupported } from "../runtime/errors.ts";
import { PyObject, type PyValue } from "../runtime/values.ts";

/** A module and its members. */
export class PyModule extends PyObject {
  readonly typeName = "module";
  readonly name: string;
  readonly #members: ReadonlyMap<string, PyValue>;
  readonly #unsupportedMembers: ReadonlySet<string>;

  /** `unsupportedMembers` lists members of Python's module that are not implemented. */
  constructor(name: string, members: ReadonlyMap<string, PyValue>, unsupportedMembers = "") {
    super();
    this.name = name;
    this.#members = members;
    this.#unsupportedMembers = new Set(unsupportedMembers.split(" "));
  }

  has(member: string): boolean {
    return this.#members.has(member);
  }

  /** Throws PyError NotImplementedError (see `isNotSupported`) for an unsupported member. */
  requireSupported(member: string): void {
    if (this.#unsupportedMembers.has(member)) throw notSupported(`${this.name}.${member}`);
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "__name__") return this.name;
    this.requireSupported(name);
    return this.#members.get(name);
  }

  repr(): string {
    return `<module '${this.name}'>`;
  }
}
