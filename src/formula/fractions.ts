import { CLASSES, PyClass } from "./classes.ts";
import { PyComplex } from "./complex.ts";
import { type Method, PyStaticMethod } from "./descriptors.ts";
import { typeError, valueError } from "./errors.ts";
import { hashKey } from "./hash.ts";
import { divideHalfEven, intTooBig, parseFloatText } from "./numbers.ts";
import { BINARY } from "./operators.ts";
import * as ratios from "./ratios.ts";
import { defineFunction, wantInt } from "./signature.ts";
import { type HashKey, numberOf, PyObject, PyTuple, type PyValue, typeName } from "./values.ts";

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
      const own = ratios.ratioToFloat(this.ratio);
      return reflected ? BINARY[sign as "+"](other, own) : BINARY[sign as "+"](own, other);
    }
    if (other instanceof PyComplex) {
      const own = new PyComplex(ratios.ratioToFloat(this.ratio), 0);
      return reflected ? BINARY[sign as "+"](other, own) : BINARY[sign as "+"](own, other);
    }
    const match = exactRatio(other);
    if (!match) return undefined;
    const { over: times, under } = this.ratio;
    // A power of an int stays one.
    if (sign === "**" && reflected && under === 1n && !(other instanceof PyFraction)) return BINARY["**"](other, times);
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
        const taken = ratios.multiplyRatios(right, { over: quotient, under: 1n });
        return new PyFraction(ratios.subtractRatios(left, taken));
      }
      case "**":
        return power(left, right);
      default:
        return undefined;
    }
  }

  override unary(sign: "-" | "+" | "~" | "abs"): PyValue | undefined {
    const { over, under } = this.ratio;
    if (sign === "~") return undefined;
    const negate = sign === "-" || (sign === "abs" && over < 0n);
    return new PyFraction({ over: negate ? -over : over, under });
  }

  override compare(other: PyValue): number | undefined {
    if (typeof other === "number" && !Number.isFinite(other)) return other > 0 ? -1 : other < 0 ? 1 : Number.NaN;
    const match = typeof other === "number" ? ratios.ratioOf(other) : exactRatio(other);
    return match && ratios.compareRatios(this.ratio, match);
  }

  override equals(other: PyValue): boolean {
    return this.compare(other) === 0;
  }

  override hashKey(): HashKey | undefined {
    const { over, under } = this.ratio;
    if (under === 1n) return hashKey(over);
    const float = ratios.ratioToFloat(this.ratio);
    return ratios.compareRatios(this.ratio, ratios.ratioOf(float)) === 0 ? float : `\0q${over}/${under}`;
  }

  override truth(): boolean {
    return this.ratio.over !== 0n;
  }

  override toFloat(): number {
    return ratios.ratioToFloat(this.ratio);
  }

  override toInt(): bigint {
    return this.ratio.over / this.ratio.under;
  }

  override round(places: number | undefined): PyValue {
    const { over, under } = this.ratio;
    if (Math.abs(places ?? 0) > 10_000) throw intTooBig();
    const unit = 10n ** BigInt(Math.abs(places ?? 0));
    const [top, bottom] = (places ?? 0) >= 0 ? [over * unit, under] : [over, under * unit];
    const size = divideHalfEven(top < 0n ? -top : top, bottom);
    const rounded = top < 0n ? -size : size;
    if (places === undefined) return rounded;
    return new PyFraction(places >= 0 ? ratios.ratio(rounded, unit) : { over: rounded * unit, under: 1n });
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "numerator") return this.ratio.over;
    if (name === "real") return this;
    if (name === "imag") return 0n;
    return name === "denominator" ? this.ratio.under : undefined;
  }

  override str(): string {
    const { over, under } = this.ratio;
    return under === 1n ? over.toString() : `${over}/${under}`;
  }

  repr(): string {
    return `Fraction(${this.ratio.over}, ${this.ratio.under})`;
  }
}

/** The fraction that an int, a bool or a fraction is. */
function exactRatio(value: PyValue): ratios.Ratio | undefined {
  if (value instanceof PyFraction) return value.ratio;
  const number = numberOf(value);
  return typeof number === "bigint" ? { over: number, under: 1n } : undefined;
}

function power(base: ratios.Ratio, exponent: ratios.Ratio): PyValue {
  if (exponent.under !== 1n) {
    return BINARY["**"](ratios.ratioToFloat(base), ratios.ratioToFloat(exponent));
  }
  const size = exponent.over < 0n ? -exponent.over : exponent.over;
  const raised = (value: bigint) => BINARY["**"](value, size) as bigint;
  const [over, under] = [raised(base.over), raised(base.under)];
  return new PyFraction(exponent.over < 0n ? ratios.ratio(under, over) : { over, under });
}

const TEXT = /^\s*([-+]?\d+)(?:\/(\d+))?\s*$/;

/** `Fraction(numerator, denominator)`, `Fraction('3/4')`, `Fraction(0.5)` */
function makeFraction([value = null, under = null]: readonly PyValue[]): PyFraction {
  if (under !== null) {
    const [top, bottom] = [exactRatio(value), exactRatio(under)];
    if (!top || !bottom) throw typeError("both arguments should be Rational instances");
    return new PyFraction(ratios.divideRatios(top, bottom));
  }
  if (typeof value === "string") return new PyFraction(readText(value));
  const number = numberOf(value);
  if (number !== undefined) return new PyFraction(ratios.ratioOf(number));
  if (value instanceof PyFraction) return value;
  const exact = value instanceof PyObject ? (value as { ratio?: ratios.Ratio }).ratio : undefined;
  if (exact) return new PyFraction(exact);
  throw typeError(`argument should be a string or a Rational instance, not ${typeName(value)}`);
}

function readText(text: string): ratios.Ratio {
  const [, over, under] = TEXT.exec(text) ?? [];
  if (over !== undefined) return ratios.ratio(BigInt(over), BigInt(under ?? 1));
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^\s*([-+]?)(\d*)\.?(\d*)(?:[eE]([-+]?\d{1,3}))?\s*$/.exec(text) ?? [];
  if (whole + fraction === "") throw valueError(`Invalid literal for Fraction: '${text}'`);
  parseFloatText(text);
  const places = BigInt(fraction.length) - BigInt(exponent);
  const digits = BigInt(sign + whole + fraction);
  return places >= 0n ? ratios.ratio(digits, 10n ** places) : { over: digits * 10n ** -places, under: 1n };
}

/** The nearest fraction whose denominator is not greater. */
function limit(self: PyFraction, [most]: readonly PyValue[]): PyFraction {
  const largest = wantInt(most);
  if (largest < 1n) throw valueError("max_denominator should be at least 1");
  const { over, under } = self.ratio;
  if (under <= largest) return self;
  let [p0, q0, p1, q1] = [0n, 1n, 1n, 0n];
  let [n, d] = [over, under];
  for (;;) {
    const quotient = ratios.floorRatio({ over: n, under: d });
    const q2 = q0 + quotient * q1;
    if (q2 > largest) break;
    [p0, q0, p1, q1] = [p1, q1, p0 + quotient * p1, q2];
    [n, d] = [d, n - quotient * d];
  }
  const k = (largest - q0) / q1;
  const low = { over: p0 + k * p1, under: q0 + k * q1 };
  const high = { over: p1, under: q1 };
  const distance = (bound: ratios.Ratio) => {
    const difference = ratios.subtractRatios(bound, self.ratio);
    return { over: difference.over < 0n ? -difference.over : difference.over, under: difference.under };
  };
  return new PyFraction(ratios.compareRatios(distance(high), distance(low)) <= 0 ? high : low);
}

FRACTION_CLASS.define({
  construct: (positional) => makeFraction(positional.length === 0 ? [0n] : positional),
  methods: new Map<string, Method<PyFraction>>([
    ["limit_denominator", { signature: { optional: [["max_denominator", 1_000_000n]] }, body: limit }],
    ["conjugate", { signature: {}, body: (self) => self }],
    ["is_integer", { signature: {}, body: (self) => self.ratio.under === 1n }],
    ["as_integer_ratio", { signature: {}, body: (self) => new PyTuple([self.ratio.over, self.ratio.under]) }],
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
