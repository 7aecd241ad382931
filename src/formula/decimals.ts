import { spendBytes } from "./budget.ts";
import { CLASSES, PyClass } from "./classes.ts";
import type { Method } from "./descriptors.ts";
import { notSupported, PyError, typeError } from "./errors.ts";
import { hashKey } from "./hash.ts";
import { floatRatio } from "./methods/number-methods.ts";
import { bitLength, divideHalfEven } from "./numbers.ts";
import { compareRatios, type Ratio, ratio, ratioOf, ratioToFloat } from "./ratios.ts";
import { formatValue } from "./format.ts";
import { type HashKey, numberOf, PyObject, type PyValue, typeName } from "./values.ts";

/** As many digits as Python's context keeps unless it is told otherwise. */
const PRECISION = 28;

export const DECIMAL_CLASS = new PyClass("Decimal", [CLASSES.object], { module: "decimal" });

const invalid = (): PyError => new PyError("InvalidOperation", "the operation has no result");

const powerOfTen = (exponent: number): bigint => {
  if (exponent > 10_000) throw notSupported("decimals of so many digits");
  spendBytes(exponent / 2);
  return 10n ** BigInt(exponent);
};

const sizeOf = (value: bigint): bigint => (value < 0n ? -value : value);

/** How rounding decides, by what is left of a quotient: true to go away from zero. */
type Decide = (twice: number, isOdd: boolean, isNegative: boolean, isExact: boolean) => boolean;

const ROUNDINGS: ReadonlyMap<string, Decide> = new Map<string, Decide>([
  ["ROUND_HALF_EVEN", (twice, isOdd) => twice > 0 || (twice === 0 && isOdd)],
  ["ROUND_HALF_UP", (twice) => twice >= 0],
  ["ROUND_HALF_DOWN", (twice) => twice > 0],
  ["ROUND_DOWN", () => false],
  ["ROUND_UP", (_twice, _isOdd, _isNegative, isExact) => !isExact],
  ["ROUND_FLOOR", (_twice, _isOdd, isNegative, isExact) => isNegative && !isExact],
  ["ROUND_CEILING", (_twice, _isOdd, isNegative, isExact) => !isNegative && !isExact],
]);

export const ROUNDING_NAMES = [...ROUNDINGS.keys()];

/** `value / 10^places`, rounded to an int. */
function dropDigits(value: bigint, places: number, rounding = "ROUND_HALF_EVEN"): bigint {
  const unit = powerOfTen(places);
  const size = sizeOf(value);
  const quotient = size / unit;
  const rest = size - quotient * unit;
  const twice = rest * 2n > unit ? 1 : rest * 2n === unit ? 0 : -1;
  const decide = ROUNDINGS.get(rounding);
  if (!decide) throw typeError("valid values for rounding are the names that begin with ROUND_");
  const up = decide(rest === 0n ? -1 : twice, quotient % 2n === 1n, value < 0n, rest === 0n);
  const result = up ? quotient + 1n : quotient;
  return value < 0n ? -result : result;
}

const digitsOf = (value: bigint): number => {
  if (bitLength(value) > 33_000) throw notSupported("decimals of so many digits");
  return sizeOf(value).toString().length;
};

/** `decimal.Decimal`: `coefficient * 10^exponent`. Zeros at the end count. */
export class PyDecimal extends PyObject {
  readonly typeName = "Decimal";
  readonly cls = DECIMAL_CLASS;
  readonly coefficient: bigint;
  readonly exponent: number;

  constructor(coefficient: bigint, exponent: number) {
    super();
    this.coefficient = coefficient;
    this.exponent = exponent;
  }

  /** With no more digits than the context keeps. */
  static rounded(coefficient: bigint, exponent: number): PyDecimal {
    const excess = digitsOf(coefficient) - PRECISION;
    if (excess <= 0) return new PyDecimal(coefficient, exponent);
    const kept = dropDigits(coefficient, excess);
    // Rounding up 99.9 gives one digit more.
    if (digitsOf(kept) > PRECISION) return new PyDecimal(kept / 10n, exponent + excess + 1);
    return new PyDecimal(kept, exponent + excess);
  }

  get ratio(): Ratio {
    const { coefficient, exponent } = this;
    if (exponent >= 0) return { over: coefficient * powerOfTen(exponent), under: 1n };
    return ratio(coefficient, powerOfTen(-exponent));
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    const match = asDecimal(other);
    if (!match) return undefined;
    const [left, right] = reflected ? [match, this] : [this, match];
    switch (sign) {
      case "+":
        return addDecimals(left, right.coefficient, right.exponent);
      case "-":
        return addDecimals(left, -right.coefficient, right.exponent);
      case "*":
        refuseNegativeZero(left, right);
        return PyDecimal.rounded(left.coefficient * right.coefficient, left.exponent + right.exponent);
      case "/":
        return divide(left, right);
      case "//":
      case "%":
        return divideWhole(left, right, sign);
      case "**":
        return power(left, right);
      default:
        return undefined;
    }
  }

  override unary(sign: "-" | "+" | "~" | "abs"): PyValue | undefined {
    if (sign === "~") return undefined;
    const negate = sign === "-" || (sign === "abs" && this.coefficient < 0n);
    return PyDecimal.rounded(negate ? -this.coefficient : this.coefficient, this.exponent);
  }

  override compare(other: PyValue): number | undefined {
    if (typeof other === "number" && !Number.isFinite(other)) return other > 0 ? -1 : other < 0 ? 1 : Number.NaN;
    const match = typeof other === "number" ? ratioOf(other) : asDecimal(other)?.ratio;
    return match && compareRatios(this.ratio, match);
  }

  override equals(other: PyValue): boolean {
    return this.compare(other) === 0;
  }

  override hashKey(): HashKey | undefined {
    const { over, under } = this.ratio;
    if (under === 1n) return hashKey(over);
    const float = ratioToFloat(this.ratio);
    return compareRatios(this.ratio, ratioOf(float)) === 0 ? float : `\0q${over}/${under}`;
  }

  override truth(): boolean {
    return this.coefficient !== 0n;
  }

  override toFloat(): number {
    return ratioToFloat(this.ratio);
  }

  override toInt(): bigint {
    const { over, under } = this.ratio;
    return over / under;
  }

  override round(places: number | undefined): PyValue {
    if (places !== undefined) return this.quantize(-places, "ROUND_HALF_EVEN");
    const { over, under } = this.ratio;
    const size = divideHalfEven(sizeOf(over), under);
    return over < 0n ? -size : size;
  }

  /** The nearest with this exponent. */
  quantize(exponent: number, rounding: string): PyDecimal {
    const shift = this.exponent - exponent;
    const coefficient =
      shift >= 0 ? this.coefficient * powerOfTen(shift) : dropDigits(this.coefficient, -shift, rounding);
    if (digitsOf(coefficient) > PRECISION) throw invalid();
    if (coefficient === 0n && this.coefficient < 0n) throw notSupported("negative zeros of decimals");
    return new PyDecimal(coefficient, exponent);
  }

  override formatted(spec: string): string | undefined {
    const parts = /^([-+ ]?)(0?)(\d{0,4})([,_]?)\.(\d{1,3})f$/.exec(spec);
    const [, sign = "", zeros = "", width = "", group = "", places] = parts ?? [];
    if (!parts) throw notSupported("this format of decimals");
    const rounded = this.quantize(-Number(places), "ROUND_HALF_EVEN").str();
    const [, minus = "", whole = "", rest = ""] = /^(-?)(\d+)(.*)$/.exec(rounded) ?? [];
    const text = (minus || (sign === "-" ? "" : sign)) + formatValue(BigInt(whole), group) + rest;
    if (zeros !== "" && width !== "") throw notSupported("this format of decimals");
    return text.padStart(Number(width));
  }

  override str(): string {
    const { coefficient, exponent } = this;
    const sign = coefficient < 0n ? "-" : "";
    const digits = sizeOf(coefficient).toString();
    const left = exponent + digits.length;
    if (exponent <= 0 && left > -6) {
      if (exponent === 0) return sign + digits;
      if (left > 0) return `${sign}${digits.slice(0, left)}.${digits.slice(left)}`;
      return `${sign}0.${"0".repeat(-left)}${digits}`;
    }
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    return `${sign}${digits.charAt(0)}${fraction}E${left > 0 ? "+" : ""}${left - 1}`;
  }

  repr(): string {
    return `Decimal('${this.str()}')`;
  }
}

/** What an operator takes beside a decimal: decimals and ints. */
function asDecimal(value: PyValue): PyDecimal | undefined {
  if (value instanceof PyDecimal) return value;
  const number = numberOf(value);
  return typeof number === "bigint" ? new PyDecimal(number, 0) : undefined;
}

function addDecimals(left: PyDecimal, coefficient: bigint, exponent: number): PyDecimal {
  const least = Math.min(left.exponent, exponent);
  const sum = left.coefficient * powerOfTen(left.exponent - least) + coefficient * powerOfTen(exponent - least);
  return PyDecimal.rounded(sum, least);
}

/** Zeros have no sign here, where Python's would be negative. */
function refuseNegativeZero(left: PyDecimal, right: PyDecimal): void {
  const isZero = left.coefficient === 0n || right.coefficient === 0n;
  if (isZero && (left.coefficient < 0n || right.coefficient < 0n)) throw notSupported("negative zeros of decimals");
}

function checkDivisor(left: PyDecimal, right: PyDecimal): void {
  if (right.coefficient !== 0n) return;
  throw left.coefficient === 0n ? invalid() : new PyError("DivisionByZero", "division by zero");
}

function divide(left: PyDecimal, right: PyDecimal): PyDecimal {
  checkDivisor(left, right);
  refuseNegativeZero(left, right);
  const shift = digitsOf(right.coefficient) - digitsOf(left.coefficient) + PRECISION + 1;
  const ideal = left.exponent - right.exponent;
  let exponent = ideal - shift;
  const over = sizeOf(left.coefficient) * powerOfTen(Math.max(0, shift));
  const under = sizeOf(right.coefficient) * powerOfTen(Math.max(0, -shift));
  let quotient = over / under;
  if (quotient * under !== over) {
    // A digit that tells that more follows keeps the rounding right.
    if (quotient % 5n === 0n) quotient++;
  } else {
    while (exponent < ideal && quotient % 10n === 0n) {
      quotient /= 10n;
      exponent++;
    }
  }
  const isNegative = left.coefficient < 0n !== right.coefficient < 0n;
  return PyDecimal.rounded(isNegative ? -quotient : quotient, exponent);
}

/** `//` and `%`, which cut off towards zero, other than those of ints. */
function divideWhole(left: PyDecimal, right: PyDecimal, sign: "//" | "%"): PyDecimal {
  if (right.coefficient === 0n && sign === "%") throw invalid();
  checkDivisor(left, right);
  const least = Math.min(left.exponent, right.exponent);
  const over = left.coefficient * powerOfTen(left.exponent - least);
  const under = right.coefficient * powerOfTen(right.exponent - least);
  const result = sign === "//" ? over / under : over % under;
  if (result === 0n && (over < 0n || (sign === "//" && under < 0n))) throw notSupported("negative zeros of decimals");
  return sign === "//" ? PyDecimal.rounded(result, 0) : PyDecimal.rounded(result, least);
}

function power(base: PyDecimal, exponent: PyDecimal): PyDecimal {
  const count = exponent.ratio;
  if (count.under !== 1n || count.over < 0n || count.over > 1000n) throw notSupported("this power of a decimal");
  if (count.over === 0n && base.coefficient === 0n) throw invalid();
  const times = Number(count.over);
  spendBytes((bitLength(base.coefficient) * times) / 8);
  return PyDecimal.rounded(base.coefficient ** count.over, base.exponent * times);
}

const TEXT = /^\s*([-+]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:e([-+]?\d{1,4}))?\s*$/i;

function makeDecimal([value = 0n]: readonly PyValue[]): PyDecimal {
  if (value instanceof PyDecimal) return value;
  const number = numberOf(value);
  if (typeof number === "bigint") return new PyDecimal(number, 0);
  if (typeof number === "number") {
    if (!Number.isFinite(number)) throw notSupported("decimals that are no finite numbers");
    const [over, under] = floatRatio(number);
    const bits = bitLength(under) - 1;
    return new PyDecimal(over * 5n ** BigInt(bits), -bits);
  }
  if (typeof value !== "string") throw typeError(`conversion from ${typeName(value)} to Decimal is not supported`);
  if (/^\s*[-+]?(?:inf|infinity|s?nan)\d*\s*$/i.test(value)) throw notSupported("decimals that are no finite numbers");
  const parts = TEXT.exec(value.replaceAll("_", ""));
  if (!parts) throw invalid();
  const [, sign = "", whole = "", fraction = "", alone = "", exponent = "0"] = parts;
  const digits = BigInt(whole + fraction + alone);
  if (digits === 0n && sign === "-") throw notSupported("negative zeros of decimals");
  return new PyDecimal(sign === "-" ? -digits : digits, Number(exponent) - fraction.length - alone.length);
}

function normalize(self: PyDecimal): PyDecimal {
  const { coefficient: given, exponent: start } = PyDecimal.rounded(self.coefficient, self.exponent);
  if (given === 0n) return new PyDecimal(0n, 0);
  let coefficient = given;
  let exponent = start;
  while (coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent++;
  }
  return new PyDecimal(coefficient, exponent);
}

DECIMAL_CLASS.define({
  construct: makeDecimal,
  methods: new Map<string, Method<PyDecimal>>([
    [
      "quantize",
      {
        signature: { required: ["exp"], optional: [["rounding", "ROUND_HALF_EVEN"]] },
        body(self, [exp = null, rounding]) {
          const match = asDecimal(exp);
          if (!match || typeof rounding !== "string") throw typeError("quantize() needs a decimal");
          return self.quantize(match.exponent, rounding);
        },
      },
    ],
    ["normalize", { signature: {}, body: normalize }],
    ["is_zero", { signature: {}, body: (self) => self.coefficient === 0n }],
    ["is_nan", { signature: {}, body: () => false }],
    ["is_finite", { signature: {}, body: () => true }],
    ["copy_abs", { signature: {}, body: (self) => new PyDecimal(sizeOf(self.coefficient), self.exponent) }],
  ]),
});
