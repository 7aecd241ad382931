/** Python's exceptions, as formulas raise them. */

export interface PyErrorOptions {
  /** Further entries of the error's cell: type and text of an InvalidTypedValue. */
  readonly details?: readonly string[];
  /** False for what no formula may catch: budgets that ran out, and language that is not built. */
  readonly catchable?: boolean;
  /** The exception's `args`, where they are not just the message. */
  readonly args?: readonly unknown[];
  /** The exception as a value, where a formula made it itself. */
  readonly exception?: object | undefined;
}

/** An exception that a formula raised. The cell shows its type's name. */
export class PyError extends Error {
  /** `ZeroDivisionError` */
  readonly typeName: string;
  readonly details: readonly string[];
  readonly catchable: boolean;
  /** Its arguments as values of formulas; undefined if the message is the only one. */
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

/** Reading a column that the table does not have. */
export const unknownColumn = (colId: string): PyError =>
  new PyError("AttributeError", `the table has no column '${colId}'`);

const NOT_IMPLEMENTED_ERROR = "NotImplementedError";

/**
 * For Python that this program does not evaluate; `what` names it. It cannot be caught, since a formula that goes on
 * without it would give a wrong value.
 */
export const notSupported = (what: string): PyError =>
  new PyError(NOT_IMPLEMENTED_ERROR, `${what}: not supported in formulas`, { catchable: false });

/** True when a formula failed because of us, and not by itself: the value it should have is unknown. */
export const isNotSupported = (error: unknown): boolean =>
  error instanceof PyError && error.typeName === NOT_IMPLEMENTED_ERROR && !error.catchable;

/** Steps that raising an error and catching it take. */
export const CATCH_STEPS = 50;

/** What the engine refuses: a stack that is too deep, or a value that is too big. */
export function errorFromEngine(error: RangeError): PyError {
  return /stack/i.test(error.message)
    ? new PyError("RecursionError", "the formula is nested too deeply", { catchable: false })
    : new PyError("MemoryError", "the formula needs too much memory", { catchable: false });
}
