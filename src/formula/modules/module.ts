import { notSupported } from "../errors.ts";
import { PyObject, type PyValue } from "../values.ts";

/** A module, by what is in it. */
export class PyModule extends PyObject {
  readonly typeName = "module";
  readonly name: string;
  readonly #members: ReadonlyMap<string, PyValue>;
  readonly #unbuilt: ReadonlySet<string>;

  /** `unbuilt` are members that Python's module has, and ours not. */
  constructor(name: string, members: ReadonlyMap<string, PyValue>, unbuilt = "") {
    super();
    this.name = name;
    this.#members = members;
    this.#unbuilt = new Set(unbuilt.split(" "));
  }

  has(member: string): boolean {
    return this.#members.has(member);
  }

  /** Throws PyError NotImplementedError (see `isNotSupported`) for a member that is not built. */
  checkBuilt(member: string): void {
    if (this.#unbuilt.has(member)) throw notSupported(`${this.name}.${member}`);
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "__name__") return this.name;
    this.checkBuilt(name);
    return this.#members.get(name);
  }

  repr(): string {
    return `<module '${this.name}'>`;
  }
}
