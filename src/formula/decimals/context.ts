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

/** What an operation of decimals may go wrong with; a context says which of these are errors. */
export type Signal = "InvalidOperation" | "DivisionByZero" | "Overflow" | "FloatOperation";

/** How results are made to fit. */
export interface DecimalContext {
  /** How many digits results have at most. */
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

// Each evaluation begins with the standard context, so that no cell depends on what another one has set.
const contextByEvaluation = new WeakMap<object, DecimalContext>();
const OUTSIDE_EVALUATION = {};

/** The context of the evaluation under way. */
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

/** Throws PyError where the context makes an error of it; else gives what stands for the result. */
export function signalCondition(
  context: DecimalContext,
  condition: Signal,
  message: string,
  fallback: Numeral = NAN,
): Numeral {
  if (context.traps.has(condition)) throw new PyError(condition, message);
  return fallback;
}

/** How rounding decides, by what is left of a quotient: true to go away from zero. */
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

/** `digits / 10^places`, rounded to an int. */
export function roundOffDigits(digits: bigint, digitCountToDrop: number, rounding: string, negative: boolean): bigint {
  // What is far beyond all digits leaves nothing but the direction of the rounding.
  const count = Math.min(digitCountToDrop, digitCount(digits) + 2);
  const unit = powerOfTen(count);
  const quotient = digits / unit;
  const remainder = digits - quotient * unit;
  const half = remainder * 2n > unit ? 1 : remainder * 2n === unit ? 0 : -1;
  const up = ROUNDINGS.get(rounding)?.({ half, isExact: remainder === 0n, last: quotient % 10n, negative });
  return up ? quotient + 1n : quotient;
}

/** The number with an exponent of its own choice. */
export function rescale(value: Numeral, exponent: number, rounding: string): Numeral {
  if (value.digits === 0n) return { ...value, exponent };
  const droppedDigits = exponent - value.exponent;
  const digits =
    droppedDigits <= 0
      ? value.digits * powerOfTen(-droppedDigits)
      : roundOffDigits(value.digits, droppedDigits, rounding, value.negative);
  return { ...value, digits, exponent };
}

/** Makes a result fit the context. Throws PyError Overflow. */
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
    // Rounding up 99.9 gives one digit more.
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
