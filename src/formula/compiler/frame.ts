import type { PyError } from "../runtime/errors.ts";
import type { FormulaRow } from "../formula-row.ts";
import type { PyValue } from "../runtime/values.ts";

/** The variables of one call of a function, and what surrounds them. */
export class Frame {
  /** The formula's own row. */
  readonly row: FormulaRow;
  /** Where the function was defined. */
  readonly parent: Frame | undefined;
  readonly slots: (PyValue | undefined)[];
  /** What a `return` has computed. */
  result: PyValue = null;
  /** The error that is being handled. */
  handling: PyError | undefined;

  constructor(row: FormulaRow, parent: Frame | undefined, slots: (PyValue | undefined)[]) {
    this.row = row;
    this.parent = parent;
    this.slots = slots;
  }

  /** The frame of a function that was defined in this one. */
  inner(slots: (PyValue | undefined)[]): Frame {
    return new Frame(this.row, this, slots);
  }
}

/** An expression, ready to be computed. */
export type Evaluate = (frame: Frame) => PyValue;

/** How a statement ends. */
export const NEXT = 0;
export const BREAK = 1;
export const CONTINUE = 2;
/** The value lies in the frame. */
export const RETURN = 3;

export type Flow = typeof NEXT | typeof BREAK | typeof CONTINUE | typeof RETURN;

/** A statement, ready to be executed. */
export type Execute = (frame: Frame) => Flow;

/** A statement of a generator: it gives what is yielded, and gets what is sent. */
export type ExecuteGenerator = (frame: Frame) => Generator<PyValue, Flow, PyValue>;
