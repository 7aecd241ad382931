/** Python exceptions raised by formulas. */

export interface PyErrorOptions {
  /** Further entries of the error cell: type and text of an InvalidTypedValue. */
  readonly details?: readonly string[];
  /** False for errors that formulas cannot catch: exhausted budgets and unsupported language features. */
  readonly catchable?: boolean;
  /** The exception's `args`, if they differ from the message. */
  readonly args?: readonly unknown[];
  /** The exception instance, if a formula created it. */
  readonly exception?: object | undefined;
}

/** An exception raised by a formula. The cell shows its type name. */
export class PyError extends Error {
  /** `ZeroDivisionError` */
  readonly typeName: string;
  readonly details: readonly string[];
  readonly catchable: boolean;
  /** The exception's arguments; undefined if the message is the only one. */
  readonly args: readonly unknown[] | undefined;
  readonly exception: object | undefined;

  constructor(typeName: string, message: string, options: PyErrorOptions = {}) {
    super(message);
    this.name = "PyError";
    this.typeName = typeName;
    this.details = options.details ?? [];
    this.catchable = options.catchable ?? true;
    this.args = options.args;
    this.exception = options.exception;
  }
}

export const typeError = (message: string): PyError => new PyError("TypeError", message);
export const valueError = (message: string): PyError => new PyError("ValueError", message);
export const syntaxError = (message: string): PyError => new PyError("SyntaxError", message);
export const overflowError = (message: string): PyError => new PyError("OverflowError", message);
export const zeroDivision = (message: string): PyError => new PyError("ZeroDivisionError", message);

/** Returns the error for a column that does not exist in the table. */
export const unknownColumn = (colId: string): PyError =>
  new PyError("AttributeError", `the table has no column '${colId}'`);

const NOT_IMPLEMENTED_ERROR = "NotImplementedError";

/**
 * Returns the error for unsupported Python features; `what` names the feature. It cannot be caught, since a formula
 * that continues without the feature would return a wrong value.
 */
export const notSupported = (what: string): PyError =>
  new PyError(NOT_IMPLEMENTED_ERROR, `${what}: not supported in formulas`, { catchable: false });

/** Returns true if a formula failed because of an unsupported feature: its correct value is unknown. */
export const isNotSupported = (error: unknown): boolean =>
  error instanceof PyError && error.typeName === NOT_IMPLEMENTED_ERROR && !error.catchable;

/** Steps of raising and catching an error. */
export const CATCH_STEPS = 50;

/** Converts a RangeError of the JavaScript engine: a stack overflow or a value that is too large. */
export function errorFromEngine(error: RangeError): PyError {
  return /stack/i.test(error.message)
    ? new PyError("RecursionError", "the formula is nested too deeply", { catchable: false })
    : new PyError("MemoryError", "the formula needs too much memory", { catchable: false });
}
