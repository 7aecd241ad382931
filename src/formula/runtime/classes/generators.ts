import { spendSteps } from "../budget.ts";
import { PyError, typeError, valueError } from "../errors.ts";
import { PyIterator, stopIteration } from "../iteration.ts";
import type { PyValue } from "../values.ts";

/** The result of a generator function or generator expression. */
export class PyGenerator extends PyIterator {
  /** The value of its `return` statement. */
  returned: PyValue = null;
  readonly #name: string;
  readonly #iterator: Generator<PyValue, PyValue, PyValue>;
  #state: "new" | "waiting" | "running" | "done" = "new";

  constructor(name: string, iterator: Generator<PyValue, PyValue, PyValue>) {
    super("generator", iterator);
    this.#name = name;
    this.#iterator = iterator;
  }

  override next(): PyValue | undefined {
    return this.#resume(() => this.#iterator.next(null));
  }

  /** Resumes with `value` as the result of the `yield`; returns undefined when the generator ends. */
  send(value: PyValue): PyValue | undefined {
    if (this.#state === "new" && value !== null) {
      throw typeError("can't send non-None value to a just-started generator");
    }
    return this.#resume(() => this.#iterator.next(value));
  }

  /** Resumes by raising an error at the `yield`. */
  throwInto(error: PyError): PyValue | undefined {
    if (this.#state === "done") throw error;
    return this.#resume(() => this.#iterator.throw(error));
  }

  /** Ends the generator at its current `yield`. */
  close(): void {
    if (this.#state === "new") this.#state = "done";
    if (this.#state === "done") return;
    this.#resume(() => this.#iterator.return(null));
    this.#state = "done";
  }

  #resume(advance: () => IteratorResult<PyValue, PyValue>): PyValue | undefined {
    if (this.#state === "done") return undefined;
    if (this.#state === "running") throw valueError("generator already executing");
    spendSteps(1);
    this.#state = "running";
    try {
      const { done, value } = advance();
      this.#state = done ? "done" : "waiting";
      if (!done) return value;
      this.returned = value;
      return undefined;
    } catch (error) {
      this.#state = "done";
      if (error instanceof PyError && error.typeName === "StopIteration") {
        throw new PyError("RuntimeError", "generator raised StopIteration");
      }
      throw error;
    }
  }

  override stopIteration(): PyError {
    return stopIteration(this.returned);
  }

  override repr(): string {
    return `<generator object ${this.#name} at 0x7f0000000000>`;
  }
}
