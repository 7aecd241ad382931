import { spendSteps } from "./budget.ts";
import { PyError, typeError } from "./errors.ts";
import { PyFunction, PyObject, type PyValue } from "./values.ts";

/** An iterator, which yields its values once. */
export class PyIterator extends PyObject {
  readonly typeName: string;
  readonly #source: Iterator<PyValue>;
  #done = false;

  constructor(typeName: string, source: Iterator<PyValue>) {
    super();
    this.typeName = typeName;
    this.#source = source;
  }

  /** Returns the next value; undefined at the end. */
  next(): PyValue | undefined {
    if (this.#done) return undefined;
    spendSteps(1);
    const next = this.#source.next();
    if (!next.done) return next.value;
    this.#done = true;
    return undefined;
  }

  override iterate(): Iterator<PyValue> {
    return {
      next: () => {
        const value = this.next();
        return value === undefined ? { done: true, value: undefined } : { done: false, value };
      },
    };
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "__next__") return new PyFunction(name, (args) => this.#takeAttributeStep(args.length));
    if (name === "__iter__") return new PyFunction(name, () => this);
    return name === "__name__" ? this.typeName : undefined;
  }

  #takeAttributeStep(count: number): PyValue {
    if (count > 0) throw typeError(`expected 0 arguments, got ${count}`);
    const value = this.next();
    if (value === undefined) throw this.stopIteration();
    return value;
  }

  /** Returns the error that `next()` raises at the end. */
  stopIteration(): PyError {
    return stopIteration();
  }

  repr(): string {
    return `<${this.typeName} object at 0x7f0000000000>`;
  }
}

/** Returns the StopIteration error; generators pass their return value. */
export const stopIteration = (returned: PyValue = null): PyError =>
  new PyError("StopIteration", "", { args: returned === null ? [] : [returned] });
