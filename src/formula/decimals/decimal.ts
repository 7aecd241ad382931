import { CLASSES, PyClass } from "../runtime/classes/classes.ts";
import { overflowError, PyError, valueError } from "../runtime/errors.ts";
import { hashKey } from "../runtime/hash.ts";
import { floatRatio } from "../methods/number-methods.ts";
import { bitLength } from "../runtime/numbers/numbers.ts";
import { type Ratio, ratio } from "../runtime/numbers/ratios.ts";
import { type HashKey, numberOf, PyObject, type PyValue } from "../runtime/values.ts";
import * as arithmetic from "./arithmetic.ts";
import { currentDecimalContext, roundToContext, rescale, signalCondition } from "./context.ts";
import { formatNumeral } from "./decimal-format.ts";
import { power, squareRoot } from "./functions.ts";
import {
  adjustedExponent,
  digitCount,
  INFINITY,
  isNan,
  isZero,
  NAN,
  type Numeral,
  numeral,
  powerOfTen,
  withSign,
  writeNumeral,
} from "./numeral.ts";

export const DECIMAL_CLASS = new PyClass("Decimal", [CLASSES.object], { module: "decimal" });

const OPERATIONS: ReadonlyMap<string, arithmetic.Operation> = new Map([
  ["+", arithmetic.add],
  ["-", arithmetic.subtract],
  ["*", arithmetic.multiply],
  ["/", arithmetic.divide],
  ["//", arithmetic.floorDivide],
  ["%", arithmetic.modulo],
  ["**", power],
]);

/** `decimal.Decimal` */
export class PyDecimal extends PyObject {
  readonly typeName = "Decimal";
  readonly cls = DECIMAL_CLASS;
  readonly number: Numeral;

  constructor(number: Numeral) {
    super();
    this.number = number;
  }

  /** Creates a decimal from an int, exactly. */
  static ofInt(value: bigint): PyDecimal {
    return new PyDecimal(numeral(value < 0n, value < 0n ? -value : value, 0));
  }

  static ofFloat(value: number): PyDecimal {
    const negative = value < 0 || Object.is(value, -0);
    if (Number.isNaN(value)) return new PyDecimal(NAN);
    if (!Number.isFinite(value)) return new PyDecimal(withSign(INFINITY, negative));
    const [numerator, denominator] = floatRatio(Math.abs(value));
    const bits = bitLength(denominator) - 1;
    return new PyDecimal(numeral(negative, numerator * 5n ** BigInt(bits), -bits));
  }

  /** The exact ratio. Throws PyError for infinities and NaN. */
  get ratio(): Ratio {
    const { kind, negative, digits, exponent } = this.number;
    if (kind === "infinity") throw overflowError("cannot convert Infinity to integer ratio");
    if (kind !== "finite") throw valueError("cannot convert NaN to integer ratio");
    const signed = negative ? -digits : digits;
    return exponent >= 0
      ? { numerator: signed * powerOfTen(exponent), denominator: 1n }
      : ratio(signed, powerOfTen(-exponent));
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    const match = asDecimal(other);
    const operate = OPERATIONS.get(sign);
    if (!match || !operate) return undefined;
    const [left, right] = reflected ? [match, this] : [this, match];
    return new PyDecimal(operate(left.number, right.number, currentDecimalContext()));
  }

  override unary(sign: "-" | "+" | "~" | "abs"): PyValue | undefined {
    if (sign === "~") return undefined;
    const { number } = this;
    const context = currentDecimalContext();
    const isFlipped = sign === "-" || (sign === "abs" && number.negative);
    // Negating or taking the absolute value of a zero gives a positive zero.
    const negative = isZero(number) ? false : number.negative !== isFlipped;
    return new PyDecimal(
      arithmetic.propagateNan(context, number) ?? roundToContext(withSign(number, negative), context),
    );
  }

  override compare(other: PyValue): number | undefined {
    const match = typeof other === "number" ? PyDecimal.ofFloat(other) : asDecimal(other);
    if (!match) return undefined;
    const order = arithmetic.compareNumerals(this.number, match.number);
    if (order !== undefined) return order;
    signalCondition(currentDecimalContext(), "InvalidOperation", "comparison involving NaN");
    return Number.NaN;
  }

  override equals(other: PyValue): boolean {
    const match = typeof other === "number" ? PyDecimal.ofFloat(other) : asDecimal(other);
    if (!match) return false;
    if ([this.number, match.number].some(({ kind }) => kind === "snan")) {
      signalCondition(currentDecimalContext(), "InvalidOperation", "comparison involving sNaN");
    }
    return arithmetic.compareNumerals(this.number, match.number) === 0;
  }

  override hashKey(): HashKey | undefined {
    const { kind, negative, digits, exponent } = this.number;
    if (kind === "snan") throw new PyError("TypeError", "Cannot hash a signaling NaN value.");
    if (kind === "nan") return this;
    if (kind === "infinity") return negative ? -Infinity : Infinity;
    if (Math.abs(exponent) > 400) {
      const plain = normalize(this.number);
      return `\0d${plain.negative ? "-" : ""}${plain.digits}E${plain.exponent}`;
    }
    const { numerator, denominator } = this.ratio;
    if (denominator === 1n) return hashKey(numerator);
    const float = this.toFloat();
    const isSame = digits < 1n << 1100n && PyDecimal.ofFloat(float).equals(this);
    return isSame ? float : `\0q${numerator}/${denominator}`;
  }

  override truth(): boolean {
    return !isZero(this.number);
  }

  override toFloat(): number {
    if (this.number.kind === "snan") throw valueError("cannot convert signaling NaN to float");
    if (isNan(this.number)) return Number.NaN;
    return Number(writeNumeral(this.number));
  }

  override toInt(): bigint {
    const { kind } = this.number;
    if (kind === "infinity") throw overflowError("cannot convert Infinity to integer");
    if (kind !== "finite") throw valueError("cannot convert NaN to integer");
    return roundToInteger(this.number, "ROUND_DOWN");
  }

  override round(places: number | undefined): PyValue {
    if (places !== undefined) return this.quantize(-places, "ROUND_HALF_EVEN");
    if (this.number.kind !== "finite") return this.toInt();
    return roundToInteger(this.number, "ROUND_HALF_EVEN");
  }

  /** Returns the number with this exponent. Throws PyError InvalidOperation if that exceeds the context's precision. */
  quantize(exponent: number, rounding: string): PyDecimal {
    const context = currentDecimalContext();
    const nan = arithmetic.propagateNan(context, this.number);
    if (nan) return new PyDecimal(nan);
    const invalidOperation = (): PyDecimal => new PyDecimal(signalCondition(context, "InvalidOperation", "quantize"));
    if (
      this.number.kind !== "finite" ||
      exponent > context.maxExponent ||
      exponent < context.minExponent - context.precision + 1
    ) {
      return invalidOperation();
    }
    if (isZero(this.number)) return new PyDecimal({ ...this.number, exponent });
    if (adjustedExponent(this.number) - exponent + 1 > context.precision) return invalidOperation();
    const result = rescale(this.number, exponent, rounding);
    return digitCount(result.digits) > context.precision ? invalidOperation() : new PyDecimal(result);
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "real") return this;
    return name === "imag" ? PyDecimal.ofInt(0n) : undefined;
  }

  override formatted(spec: string): string {
    return formatNumeral(this.number, spec, currentDecimalContext().rounding);
  }

  override get typeModule(): string {
    return "decimal";
  }

  override str(): string {
    return writeNumeral(this.number);
  }

  repr(): string {
    return `Decimal('${this.str()}')`;
  }
}

/** Rounds a number to an int with the given rounding mode. */
export function roundToInteger(number: Numeral, rounding: string): bigint {
  const { digits, negative } =
    number.exponent >= 0
      ? { ...number, digits: number.digits * powerOfTen(number.exponent) }
      : rescale(number, 0, rounding);
  return negative ? -digits : digits;
}

/** Returns the number without trailing zeros. */
export function normalize(number: Numeral): Numeral {
  if (number.kind !== "finite") return number;
  if (isZero(number)) return { ...number, exponent: 0 };
  let { digits, exponent } = number;
  while (digits % 10n === 0n) {
    digits /= 10n;
    exponent++;
  }
  return { ...number, digits, exponent };
}

/** Converts an operand: decimals and ints; returns undefined for other values. */
export function asDecimal(value: PyValue): PyDecimal | undefined {
  if (value instanceof PyDecimal) return value;
  const number = numberOf(value);
  return typeof number === "bigint" ? PyDecimal.ofInt(number) : undefined;
}

/** Returns a ratio as a decimal, for the module `statistics`. */
export const decimalOfRatio = ({ numerator, denominator }: Ratio): PyDecimal =>
  new PyDecimal(
    arithmetic.divide(PyDecimal.ofInt(numerator).number, PyDecimal.ofInt(denominator).number, currentDecimalContext()),
  );

/** Returns the square root of a ratio as a decimal. */
export const squareRootOfDecimal = (value: Ratio): PyDecimal =>
  new PyDecimal(squareRoot(decimalOfRatio(value).number, currentDecimalContext()));
