import { PyObject, PyTuple, type PyValue } from "../runtime/values.ts";

/** Marks that CONTAINS was called without `match_empty`. */
export const NO_MATCH_EMPTY = new (class extends PyObject {
  readonly typeName = "object";

  repr(): string {
    return "no_match_empty";
  }
})();

/**
 * `CONTAINS(value, match_empty=x)`: matches lists that contain the element; with `match_empty`, empty lists count as
 * [x].
 */
export class PyContains extends PyTuple {
  readonly value: PyValue;
  readonly matchEmpty: PyValue;

  constructor(value: PyValue, matchEmpty: PyValue) {
    super([value, matchEmpty]);
    this.value = value;
    this.matchEmpty = matchEmpty;
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "value") return this.value;
    return name === "match_empty" ? this.matchEmpty : undefined;
  }
}
