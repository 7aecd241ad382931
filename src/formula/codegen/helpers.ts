import type { CellValue } from "../../values/cell.ts";
import type { ColumnType } from "../../values/column-type.ts";
import { PyDate } from "../dates/date.ts";
import { errorToCell, pythonToCell } from "../python-to-cell.ts";
import { trimSpaces } from "../functions/text.ts";
import {
  abandonRow,
  chargeCell,
  closeRow,
  openRow,
  readClockAtNextStep,
  spendBytes,
  spendSteps,
  TimeExceeded,
} from "../runtime/budget.ts";
import { callValue } from "../runtime/calls.ts";
import { callMethod, readAttribute } from "../runtime/classes/attributes.ts";
import { NO_KEYWORDS } from "../runtime/classes/instances.ts";
import { readIndex, readSlice } from "../runtime/collections/slices.ts";
import { PyError } from "../runtime/errors.ts";
import { floorDivideFloats, moduloFloats, powerFloats } from "../runtime/numbers/arithmetic.ts";
import { writeFloat } from "../runtime/numbers/numbers.ts";
import { checkResultSize } from "../runtime/result-size.ts";
import { formatPercent } from "../runtime/text/percent-format.ts";
import { formatValue } from "../runtime/text/format.ts";
import { countCharacters, hasSurrogates, orderOfTexts, trimText } from "../runtime/text/text.ts";
import { isTruthy, pyEquals, PyObject, pyStr, PyTuple, type PyValue } from "../runtime/values.ts";

/** The result of a row function for a row that the interpreter has to evaluate. */
export const FALLBACK: unique symbol = Symbol("fallback");

/** Functions that generated code calls by these names. */
export const HELPERS = {
  F: FALLBACK,
  PyObject,
  // The budget.
  charge: chargeCell,
  openRow,
  abandonRow,
  /** Charges the steps and bytes that the row function counted itself, and ends the row. */
  closeRow(steps: number, bytes: number): void {
    if (steps > 0) spendSteps(steps);
    if (bytes > 0) spendBytes(bytes);
    closeRow();
  },
  /** Handles an error of a row function. */
  failed(error: unknown): typeof FALLBACK {
    abandonRow();
    // The interpreter reports it with the cell.
    if (error instanceof TimeExceeded) readClockAtNextStep();
    else if (!(error instanceof PyError || error instanceof RangeError)) throw error;
    return FALLBACK;
  },
  /** Converts a result to a cell after its row was charged. */
  toCell(value: PyValue, type: ColumnType): CellValue {
    try {
      const cell = pythonToCell(value, type);
      checkResultSize(cell);
      return cell;
    } catch (error) {
      if (error instanceof PyError) return errorToCell(error);
      throw error;
    }
  },
  // Operators and conversions that do not charge the budget.
  orderOfTexts,
  countCharacters,
  hasSurrogates,
  trimText,
  trimSpaces,
  writeFloat,
  isTruthy,
  pyStr,
  dateOf: (seconds: number): PyDate | undefined => PyDate.fromSeconds(seconds),
  moduloInts(left: number, right: number): number {
    const remainder = left % right;
    return remainder !== 0 && remainder < 0 !== right < 0 ? remainder + right : remainder + 0;
  },
  floorDivideInts(left: number, right: number): number {
    // The division of a multiple is exact.
    const remainder = left % right;
    const quotient = (left - remainder) / right;
    return remainder !== 0 && remainder < 0 !== right < 0 ? quotient - 1 : quotient + 0;
  },
  moduloFloats,
  floorDivideFloats,
  /** Returns undefined for complex results and errors. */
  realPower(base: number, exponent: number): number | undefined {
    if (base < 0 && base !== -Infinity && !Number.isInteger(exponent) && Number.isFinite(exponent)) return undefined;
    try {
      return powerFloats(base, exponent);
    } catch (error) {
      if (error instanceof PyError) return undefined;
      throw error;
    }
  },
  /** `ROUND(value, places)` with `unit` = 10 ** places; undefined for values that cannot be rounded. */
  roundHalfAway(value: number, unit: number): number | undefined {
    const scaled = value * unit;
    const whole = value >= 0 ? Math.floor(scaled + 0.5) : Math.ceil(scaled - 0.5);
    // The interpreter's whole numbers have no -0.
    return Number.isFinite(whole) ? (whole + 0) / unit : undefined;
  },
  // Functions of the interpreter, which charge the budget themselves.
  readIndex,
  readSlice,
  formatValue,
  formatPercent: (text: string, values: PyValue[], isTuple: boolean) =>
    formatPercent(text, isTuple ? new PyTuple(values) : (values[0] ?? null)),
  equalObjects: pyEquals,
  compareObjects: (left: PyValue, right: PyValue, holds: (left: PyValue, right: PyValue) => boolean) =>
    holds(left, right),
  operateOnObjects: (left: PyValue, right: PyValue, operate: (left: PyValue, right: PyValue) => PyValue) =>
    operate(left, right),
  readField: (object: PyValue, name: string) => safeInt(readAttribute(object, name)),
  callPlain: (fn: PyValue, args: PyValue[]) => callValue(fn, args, NO_KEYWORDS),
  callInt: (fn: PyValue, args: PyValue[]) => safeInt(callValue(fn, args, NO_KEYWORDS)),
  callNumber(fn: PyValue, args: PyValue[]): PyValue | undefined {
    const result = callValue(fn, args, NO_KEYWORDS);
    return typeof result === "bigint" ? safeInt(result) : result;
  },
  callPlainMethod: (self: PyValue, name: string, args: PyValue[]) => callMethod(self, name, args, NO_KEYWORDS),
  callIntMethod: (self: PyValue, name: string, args: PyValue[]) => safeInt(callMethod(self, name, args, NO_KEYWORDS)),
} as const;

export type HelperName = keyof typeof HELPERS;

/** Returns an int as a number; undefined for other values and for ints that a number cannot represent. */
function safeInt(value: PyValue): number | undefined {
  const number = typeof value === "bigint" ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}
