import type { PyError } from "../runtime/errors.ts";
import type { FormulaRow } from "../formula-row.ts";
import type { PyValue } from "../runtime/values.ts";

/** The variables of one function call and the enclosing frames. */
export class Frame {
  /** The row whose formula runs. */
  readonly row: FormulaRow;
  /** The frame in which the function was defined. */
  readonly parent: Frame | undefined;
  readonly slots: (PyValue | undefined)[];
  /** The value of an executed `return`. */
  result: PyValue = null;
  /** The error that an `except` block is handling. */
  handling: PyError | undefined;

  constructor(row: FormulaRow, parent: Frame | undefined, slots: (PyValue | undefined)[]) {
    this.row = row;
    this.parent = parent;
    this.slots = slots;
  }

  /** Returns a frame for a function defined in this one. */
  inner(slots: (PyValue | undefined)[]): Frame {
    return new Frame(this.row, this, slots);
  }
}

/** A compiled expression. */
export type Evaluate = (frame: Frame) => PyValue;

/** How a statement completes. */
export const NEXT = 0;
export const BREAK = 1;
export const CONTINUE = 2;
/** The value is in `frame.result`. */
export const RETURN = 3;

export type Flow = typeof NEXT | typeof BREAK | typeof CONTINUE | typeof RETURN;

/** A compiled statement. */
export type Execute = (frame: Frame) => Flow;

/** A compiled statement of a generator: yields the generator's values and receives those passed to `send()`. */
export type ExecuteGenerator = (frame: Frame) => Generator<PyValue, Flow, PyValue>;
