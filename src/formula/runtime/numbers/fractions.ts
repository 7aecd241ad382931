import { CLASSES, PyClass } from "../classes/classes.ts";
import { PyComplex } from "./complex.ts";
import { type Method, PyStaticMethod } from "../classes/descriptors.ts";
import { typeError, valueError } from "../errors.ts";
import { hashKey } from "../hash.ts";
import { divideHalfEven, intTooLarge, parseFloatText } from "./numbers.ts";
import { BINARY } from "../operators.ts";
import * as ratios from "./ratios.ts";
import { defineFunction, requireInt } from "../signature.ts";
import { type HashKey, numberOf, PyObject, PyTuple, type PyValue, typeName } from "../values.ts";

export const FRACTION_CLASS = new PyClass("Fraction", [CLASSES.object], { module: "fractions" });

/** `fractions.Fraction` */
export class PyFraction extends PyObject {
  readonly typeName = "Fraction";
  readonly cls = FRACTION_CLASS;
  readonly ratio: ratios.Ratio;

  constructor(ratio: ratios.Ratio) {
    super();
    this.ratio = ratio;
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    if (typeof other === "number") {
      const asFloat = ratios.ratioToFloat(this.ratio);
      return reflected ? BINARY[sign as "+"](other, asFloat) : BINARY[sign as "+"](asFloat, other);
    }
    if (other instanceof PyComplex) {
      const asFloat = new PyComplex(ratios.ratioToFloat(this.ratio), 0);
      return reflected ? BINARY[sign as "+"](other, asFloat) : BINARY[sign as "+"](asFloat, other);
    }
    const match = toRatio(other);
    if (!match) return undefined;
    const { numerator: repetitions, denominator } = this.ratio;
    // An integer power of an int is an int.
    if (sign === "**" && reflected && denominator === 1n && !(other instanceof PyFraction))
      return BINARY["**"](other, repetitions);
    const [left, right] = reflected ? [match, this.ratio] : [this.ratio, match];
    switch (sign) {
      case "+":
        return new PyFraction(ratios.addRatios(left, right));
      case "-":
        return new PyFraction(ratios.subtractRatios(left, right));
      case "*":
        return new PyFraction(ratios.multiplyRatios(left, right));
      case "/":
        return new PyFraction(ratios.divideRatios(left, right));
      case "//":
        return ratios.floorRatio(ratios.divideRatios(left, right));
      case "%": {
        const quotient = ratios.floorRatio(ratios.divideRatios(left, right));
        const subtracted = ratios.multiplyRatios(right, { numerator: quotient, denominator: 1n });
        return new PyFraction(ratios.subtractRatios(left, subtracted));
      }
      case "**":
        return power(left, right);
      default:
        return undefined;
    }
  }

  override unary(sign: "-" | "+" | "~" | "abs"): PyValue | undefined {
    const { numerator, denominator } = this.ratio;
    if (sign === "~") return undefined;
    const negate = sign === "-" || (sign === "abs" && numerator < 0n);
    return new PyFraction({ numerator: negate ? -numerator : numerator, denominator });
  }

  override compare(other: PyValue): number | undefined {
    if (typeof other === "number" && !Number.isFinite(other)) return other > 0 ? -1 : other < 0 ? 1 : Number.NaN;
    const match = typeof other === "number" ? ratios.ratioOf(other) : toRatio(other);
    return match && ratios.compareRatios(this.ratio, match);
  }

  override equals(other: PyValue): boolean {
    return this.compare(other) === 0;
  }

  override hashKey(): HashKey | undefined {
    const { numerator, denominator } = this.ratio;
    if (denominator === 1n) return hashKey(numerator);
    const float = ratios.ratioToFloat(this.ratio);
    return ratios.compareRatios(this.ratio, ratios.ratioOf(float)) === 0 ? float : `\0q${numerator}/${denominator}`;
  }

  override truth(): boolean {
    return this.ratio.numerator !== 0n;
  }

  override toFloat(): number {
    return ratios.ratioToFloat(this.ratio);
  }

  override toInt(): bigint {
    return this.ratio.numerator / this.ratio.denominator;
  }

  override round(places: number | undefined): PyValue {
    const { numerator, denominator } = this.ratio;
    if (Math.abs(places ?? 0) > 10_000) throw intTooLarge();
    const unit = 10n ** BigInt(Math.abs(places ?? 0));
    const [scaledNumerator, scaledDenominator] =
      (places ?? 0) >= 0 ? [numerator * unit, denominator] : [numerator, denominator * unit];
    const size = divideHalfEven(scaledNumerator < 0n ? -scaledNumerator : scaledNumerator, scaledDenominator);
    const rounded = scaledNumerator < 0n ? -size : size;
    if (places === undefined) return rounded;
    return new PyFraction(places >= 0 ? ratios.ratio(rounded, unit) : { numerator: rounded * unit, denominator: 1n });
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "numerator") return this.ratio.numerator;
    if (name === "real") return this;
    if (name === "imag") return 0n;
    return name === "denominator" ? this.ratio.denominator : undefined;
  }

  override str(): string {
    const { numerator, denominator } = this.ratio;
    return denominator === 1n ? numerator.toString() : `${numerator}/${denominator}`;
  }

  repr(): string {
    return `Fraction(${this.ratio.numerator}, ${this.ratio.denominator})`;
  }
}

/** Returns the ratio of an int, a bool or a fraction. */
function toRatio(value: PyValue): ratios.Ratio | undefined {
  if (value instanceof PyFraction) return value.ratio;
  const number = numberOf(value);
  return typeof number === "bigint" ? { numerator: number, denominator: 1n } : undefined;
}

function power(base: ratios.Ratio, exponent: ratios.Ratio): PyValue {
  if (exponent.denominator !== 1n) {
    return BINARY["**"](ratios.ratioToFloat(base), ratios.ratioToFloat(exponent));
  }
  const size = exponent.numerator < 0n ? -exponent.numerator : exponent.numerator;
  const raised = (value: bigint) => BINARY["**"](value, size) as bigint;
  const [numerator, denominator] = [raised(base.numerator), raised(base.denominator)];
  return new PyFraction(exponent.numerator < 0n ? ratios.ratio(denominator, numerator) : { numerator, denominator });
}

const TEXT = /^\s*([-+]?\d+)(?:\/(\d+))?\s*$/;

/** `Fraction(numerator, denominator)`, `Fraction('3/4')`, `Fraction(0.5)` */
function makeFraction([value = null, denominator = null]: readonly PyValue[]): PyFraction {
  if (denominator !== null) {
    const [numeratorRatio, denominatorRatio] = [toRatio(value), toRatio(denominator)];
    if (!numeratorRatio || !denominatorRatio) throw typeError("both arguments should be Rational instances");
    return new PyFraction(ratios.divideRatios(numeratorRatio, denominatorRatio));
  }
  if (typeof value === "string") return new PyFraction(parseFractionText(value));
  const number = numberOf(value);
  if (number !== undefined) return new PyFraction(ratios.ratioOf(number));
  if (value instanceof PyFraction) return value;
  const exact = value instanceof PyObject ? (value as { ratio?: ratios.Ratio }).ratio : undefined;
  if (exact) return new PyFraction(exact);
  throw typeError(`argument should be a string or a Rational instance, not ${typeName(value)}`);
}

function parseFractionText(text: string): ratios.Ratio {
  const [, numerator, denominator] = TEXT.exec(text) ?? [];
  if (numerator !== undefined) return ratios.ratio(BigInt(numerator), BigInt(denominator ?? 1));
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^\s*([-+]?)(\d*)\.?(\d*)(?:[eE]([-+]?\d{1,3}))?\s*$/.exec(text) ?? [];
  if (whole + fraction === "") throw valueError(`Invalid literal for Fraction: '${text}'`);
  parseFloatText(text);
  const places = BigInt(fraction.length) - BigInt(exponent);
  const digits = BigInt(sign + whole + fraction);
  return places >= 0n ? ratios.ratio(digits, 10n ** places) : { numerator: digits * 10n ** -places, denominator: 1n };
}

/** Returns the nearest fraction whose denominator does not exceed the maximum. */
function limitDenominator(self: PyFraction, [maxDenominatorArgument]: readonly PyValue[]): PyFraction {
  const maxDenominator = requireInt(maxDenominatorArgument);
  if (maxDenominator < 1n) throw valueError("max_denominator should be at least 1");
  const { numerator, denominator } = self.ratio;
  if (denominator <= maxDenominator) return self;
  let [p0, q0, p1, q1] = [0n, 1n, 1n, 0n];
  let [n, d] = [numerator, denominator];
  for (;;) {
    const quotient = ratios.floorRatio({ numerator: n, denominator: d });
    const q2 = q0 + quotient * q1;
    if (q2 > maxDenominator) break;
    [p0, q0, p1, q1] = [p1, q1, p0 + quotient * p1, q2];
    [n, d] = [d, n - quotient * d];
  }
  const k = (maxDenominator - q0) / q1;
  const low = { numerator: p0 + k * p1, denominator: q0 + k * q1 };
  const high = { numerator: p1, denominator: q1 };
  const distance = (bound: ratios.Ratio) => {
    const difference = ratios.subtractRatios(bound, self.ratio);
    return {
      numerator: difference.numerator < 0n ? -difference.numerator : difference.numerator,
      denominator: difference.denominator,
    };
  };
  return new PyFraction(ratios.compareRatios(distance(high), distance(low)) <= 0 ? high : low);
}

FRACTION_CLASS.define({
  defineConstructor: (positional) => makeFraction(positional.length === 0 ? [0n] : positional),
  methods: new Map<string, Method<PyFraction>>([
    ["limit_denominator", { signature: { optional: [["max_denominator", 1_000_000n]] }, body: limitDenominator }],
    ["conjugate", { signature: {}, body: (self) => self }],
    ["is_integer", { signature: {}, body: (self) => self.ratio.denominator === 1n }],
    [
      "as_integer_ratio",
      { signature: {}, body: (self) => new PyTuple([self.ratio.numerator, self.ratio.denominator]) },
    ],
  ]),
});

for (const name of ["from_float", "from_decimal"]) {
  FRACTION_CLASS.members.set(
    name,
    new PyStaticMethod(
      defineFunction(name, { required: ["value"], positionalOnly: true }, ([value = null]) => {
        if (typeof value === "string") throw typeError(`Fraction.${name}() only takes numbers`);
        return makeFraction([value]);
      }),
    ),
  );
}
