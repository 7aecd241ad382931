import { currentEvaluation } from "../runtime/budget.ts";
import { PyError, typeError } from "../runtime/errors.ts";
import {
  adjustedExponent,
  digitCount,
  INFINITY,
  isZero,
  NAN,
  type Numeral,
  numeral,
  powerOfTen,
  withSign,
} from "./numeral.ts";

/** An exceptional condition of a decimal operation; the context's traps decide which of them raise errors. */
export type Signal = "InvalidOperation" | "DivisionByZero" | "Overflow" | "FloatOperation";

/** The precision, rounding and traps of decimal operations. */
export interface DecimalContext {
  /** The maximum number of significant digits of results. */
  precision: number;
  rounding: string;
  minExponent: number;
  maxExponent: number;
  readonly traps: Set<string>;
}

const DEFAULT: Omit<DecimalContext, "traps"> = {
  precision: 28,
  rounding: "ROUND_HALF_EVEN",
  minExponent: -999_999,
  maxExponent: 999_999,
};

export const newContext = (): DecimalContext => ({
  ...DEFAULT,
  traps: new Set(["InvalidOperation", "DivisionByZero", "Overflow"]),
});

export const copyContext = (context: DecimalContext): DecimalContext => ({ ...context, traps: new Set(context.traps) });

// Each evaluation starts with the default context, so that no cell depends on a context set by another one.
const contextByEvaluation = new WeakMap<object, DecimalContext>();
const OUTSIDE_EVALUATION = {};

/** Returns the context of the current evaluation. */
export function currentDecimalContext(): DecimalContext {
  const key = currentEvaluation() ?? OUTSIDE_EVALUATION;
  let context = contextByEvaluation.get(key);
  if (!context) {
    context = newContext();
    contextByEvaluation.set(key, context);
  }
  return context;
}

export function setDecimalContext(context: DecimalContext): void {
  contextByEvaluation.set(currentEvaluation() ?? OUTSIDE_EVALUATION, context);
}

/** Throws PyError if the context traps the signal; otherwise returns the replacement result. */
export function signalCondition(
  context: DecimalContext,
  condition: Signal,
  message: string,
  fallback: Numeral = NAN,
): Numeral {
  if (context.traps.has(condition)) throw new PyError(condition, message);
  return fallback;
}

/** The discarded part of a quotient; rounding functions return true to round away from zero. */
interface DiscardedDigits {
  /** Negative below a half, 0 at a half, positive above. */
  readonly half: number;
  readonly isExact: boolean;
  readonly last: bigint;
  readonly negative: boolean;
}

const ROUNDINGS: ReadonlyMap<string, (discarded: DiscardedDigits) => boolean> = new Map<
  string,
  (discarded: DiscardedDigits) => boolean
>([
  ["ROUND_CEILING", ({ isExact, negative }) => !negative && !isExact],
  ["ROUND_DOWN", () => false],
  ["ROUND_FLOOR", ({ isExact, negative }) => negative && !isExact],
  ["ROUND_HALF_DOWN", ({ half }) => half > 0],
  ["ROUND_HALF_EVEN", ({ half, last }) => half > 0 || (half === 0 && last % 2n === 1n)],
  ["ROUND_HALF_UP", ({ half, isExact }) => half >= 0 && !isExact],
  ["ROUND_UP", ({ isExact }) => !isExact],
  ["ROUND_05UP", ({ isExact, last }) => !isExact && last % 5n === 0n],
]);

export const ROUNDING_NAMES = [...ROUNDINGS.keys()];

export function requireRounding(name: unknown): string {
  if (typeof name === "string" && ROUNDINGS.has(name)) return name;
  throw typeError(
    "valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP]",
  );
}

/** Returns `digits / 10^places`, rounded to an int. */
export function roundOffDigits(digits: bigint, digitCountToDrop: number, rounding: string, negative: boolean): bigint {
  // Beyond all digits, only the direction of rounding matters.
  const count = Math.min(digitCountToDrop, digitCount(digits) + 2);
  const unit = powerOfTen(count);
  const quotient = digits / unit;
  const remainder = digits - quotient * unit;
  const half = remainder * 2n > unit ? 1 : remainder * 2n === unit ? 0 : -1;
  const up = ROUNDINGS.get(rounding)?.({ half, isExact: remainder === 0n, last: quotient % 10n, negative });
  return up ? quotient + 1n : quotient;
}

/** Returns the number rescaled to an exponent. */
export function rescale(value: Numeral, exponent: number, rounding: string): Numeral {
  if (value.digits === 0n) return { ...value, exponent };
  const droppedDigits = exponent - value.exponent;
  const digits =
    droppedDigits <= 0
      ? value.digits * powerOfTen(-droppedDigits)
      : roundOffDigits(value.digits, droppedDigits, rounding, value.negative);
  return { ...value, digits, exponent };
}

/** Rounds a result to the context's precision. Throws PyError Overflow. */
export function roundToContext(value: Numeral, context: DecimalContext): Numeral {
  if (value.kind !== "finite") return value;
  const { precision, rounding, minExponent, maxExponent } = context;
  const etiny = minExponent - precision + 1;
  if (isZero(value)) return { ...value, exponent: Math.min(Math.max(value.exponent, etiny), maxExponent) };
  let { digits, exponent } = value;
  const lowest = Math.max(exponent, digitCount(digits) + exponent - precision, etiny);
  if (lowest > exponent) {
    digits = roundOffDigits(digits, lowest - exponent, rounding, value.negative);
    exponent = lowest;
    // Rounding up 99.9 gives one more digit.
    if (digitCount(digits) > precision) {
      digits /= 10n;
      exponent++;
    }
  }
  const result = numeral(value.negative, digits, exponent);
  if (digits !== 0n && adjustedExponent(result) > maxExponent) {
    return signalCondition(context, "Overflow", "the number is too large", withSign(INFINITY, value.negative));
  }
  return result;
}
