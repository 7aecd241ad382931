import { POWER } from "./arithmetic.ts";
import { CLASSES } from "../classes/classes.ts";
import { overflowError, typeError, valueError, zeroDivision } from "../errors.ts";
import { formatComplex } from "../text/format.ts";
import { hashKey } from "../hash.ts";
import { intToFloat, parseFloatText, writeFloat } from "./numbers.ts";
import { bindArguments, NOT_GIVEN } from "../signature.ts";
import { trimText } from "../text/text.ts";
import { type HashKey, type Keywords, numberOf, PyObject, type PyValue, typeName } from "../values.ts";

/** A `complex` number. */
export class PyComplex extends PyObject {
  readonly typeName = "complex";
  readonly real: number;
  readonly imag: number;

  constructor(real: number, imag: number) {
    super();
    this.real = real;
    this.imag = imag;
  }

  override truth(): boolean {
    return this.real !== 0 || this.imag !== 0;
  }

  override equals(other: PyValue): boolean {
    if (other instanceof PyComplex) return this.real === other.real && this.imag === other.imag;
    const number = numberOf(other);
    return number !== undefined && this.imag === 0 && number <= this.real && number >= this.real;
  }

  override hashKey(): HashKey | undefined {
    return this.imag === 0 ? hashKey(this.real) : `\0c${this.real},${this.imag}`;
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "real") return this.real;
    return name === "imag" ? this.imag : undefined;
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    const match = asComplex(other);
    const operate = OPERATORS.get(sign);
    if (!match || !operate) return undefined;
    return reflected ? operate(match, this) : operate(this, match);
  }

  override unary(sign: "-" | "+" | "~" | "abs"): PyValue | undefined {
    if (sign === "-") return new PyComplex(-this.real, -this.imag);
    if (sign === "+") return this;
    return sign === "abs" ? this.size() : undefined;
  }

  size(): number {
    const size = Math.hypot(this.real, this.imag);
    if (size === Infinity && Number.isFinite(this.real) && Number.isFinite(this.imag)) {
      throw overflowError("absolute value too large");
    }
    return size;
  }

  override formatted(spec: string): string {
    return formatComplex(this.real, this.imag, spec);
  }

  repr(): string {
    const imag = `${floatText(this.imag)}j`;
    if (this.real === 0 && !Object.is(this.real, -0)) return imag;
    return `(${floatText(this.real)}${imag.startsWith("-") ? "" : "+"}${imag})`;
  }
}

/** Formats a float without a `.0` suffix. */
const floatText = (value: number): string => writeFloat(value).replace(/\.0$/, "");

function asComplex(value: PyValue): PyComplex | undefined {
  if (value instanceof PyComplex) return value;
  const number = numberOf(value);
  if (number === undefined) return undefined;
  return new PyComplex(typeof number === "bigint" ? intToFloat(number) : number, 0);
}

const multiply = (a: PyComplex, b: PyComplex): PyComplex =>
  new PyComplex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);

/** Divides by the larger part first, so that no intermediate result overflows unless the quotient does. */
function divide(a: PyComplex, b: PyComplex): PyComplex {
  if (b.real === 0 && b.imag === 0) throw zeroDivision("complex division by zero");
  if (Math.abs(b.real) >= Math.abs(b.imag)) {
    const ratio = b.imag / b.real;
    const denominator = b.real + b.imag * ratio;
    return new PyComplex((a.real + a.imag * ratio) / denominator, (a.imag - a.real * ratio) / denominator);
  }
  const ratio = b.real / b.imag;
  const denominator = b.real * ratio + b.imag;
  return new PyComplex((a.real * ratio + a.imag) / denominator, (a.imag * ratio - a.real) / denominator);
}

/** Returns `base ** exponent`. Small integer exponents use multiplication, which is exact for integer parts. */
export function complexPower(base: PyComplex, exponent: PyComplex): PyComplex {
  const isWhole = exponent.imag === 0 && Number.isInteger(exponent.real) && Math.abs(exponent.real) <= 100;
  const power = isWhole ? integerPower(base, exponent.real) : generalPower(base, exponent);
  const parts = [base.real, base.imag, exponent.real, exponent.imag];
  const isFinite = Number.isFinite(power.real) && Number.isFinite(power.imag);
  if (!isFinite && parts.every(Number.isFinite)) throw overflowError("complex exponentiation");
  return power;
}

const ONE = new PyComplex(1, 0);

function integerPower(base: PyComplex, exponent: number): PyComplex {
  if (exponent < 0) {
    const power = integerPower(base, -exponent);
    if (!power.truth()) throw zeroDivision("0.0 to a negative or complex power");
    return divide(ONE, power);
  }
  let power = ONE;
  let square = base;
  for (let remainingExponent = exponent; remainingExponent > 0; remainingExponent = Math.floor(remainingExponent / 2)) {
    if (remainingExponent % 2 === 1) power = multiply(power, square);
    square = multiply(square, square);
  }
  return power;
}

function generalPower(base: PyComplex, exponent: PyComplex): PyComplex {
  if (!exponent.truth()) return ONE;
  if (!base.truth()) {
    if (exponent.imag !== 0 || exponent.real < 0) throw zeroDivision("0.0 to a negative or complex power");
    return new PyComplex(0, 0);
  }
  const size = Math.hypot(base.real, base.imag);
  const angle = Math.atan2(base.imag, base.real);
  let length = POWER.floats?.(size, exponent.real) ?? 1;
  let phase = angle * exponent.real;
  if (exponent.imag !== 0) {
    length *= Math.exp(-angle * exponent.imag);
    phase += exponent.imag * Math.log(size);
  }
  return new PyComplex(length * Math.cos(phase), length * Math.sin(phase));
}

const OPERATORS: ReadonlyMap<string, (a: PyComplex, b: PyComplex) => PyValue> = new Map([
  ["+", (a: PyComplex, b: PyComplex) => new PyComplex(a.real + b.real, a.imag + b.imag)],
  ["-", (a: PyComplex, b: PyComplex) => new PyComplex(a.real - b.real, a.imag - b.imag)],
  ["*", multiply],
  ["/", divide],
  ["**", complexPower],
]);

const NUMBER = String.raw`(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?|nan`;
const REAL = new RegExp(`^[-+]?(?:${NUMBER})$`, "i");
const IMAGINARY = new RegExp(`^([-+]?(?:${NUMBER})?)j$`, "i");
const BOTH = new RegExp(`^([-+]?(?:${NUMBER}))([-+](?:${NUMBER})?)j$`, "i");

/** `complex(text)`. Throws PyError ValueError. */
function parseComplex(text: string): PyComplex {
  const plain = trimText(text)
    .replace(/^\((.*)\)$/, (_, inside: string) => trimText(inside))
    .replace(/(\d)_(?=\d)/g, "$1");
  if (REAL.test(plain)) return new PyComplex(parseFloatText(plain), 0);
  const [, real, second] = BOTH.exec(plain) ?? [];
  const imaginaryOnly = IMAGINARY.exec(plain)?.[1];
  const imag = second ?? imaginaryOnly;
  if (imag === undefined) throw valueError("complex() arg is a malformed string");
  return new PyComplex(
    real === undefined ? 0 : parseFloatText(real),
    parseFloatText(/\w$/.test(imag) ? imag : `${imag}1`),
  );
}

/** Returns a part, which may be a number of any type. */
function requirePart(value: PyValue, which: string): PyComplex {
  const complexPart = value instanceof PyObject ? (asComplex(value) ?? convertObject(value)) : asComplex(value);
  if (complexPart) return complexPart;
  throw typeError(`complex() ${which} argument must be a number, not '${typeName(value)}'`);
}

function convertObject(value: PyObject): PyComplex | undefined {
  const float = value.toFloat();
  return float === undefined ? undefined : new PyComplex(float, 0);
}

function makeComplex(positional: readonly PyValue[], keywords: Keywords): PyComplex {
  const signature = { optional: [["real", NOT_GIVEN] as const, ["imag", NOT_GIVEN] as const] };
  const [real = NOT_GIVEN, imag = NOT_GIVEN] = bindArguments("complex", signature, positional, keywords);
  if (typeof real === "string") {
    if (imag !== NOT_GIVEN) throw typeError("complex() can't take second arg if first is a string");
    return parseComplex(real);
  }
  if (typeof imag === "string") throw typeError("complex() second arg can't be a string");
  const first = real === NOT_GIVEN ? new PyComplex(0, 0) : requirePart(real, "first");
  if (imag === NOT_GIVEN) return first;
  const second = requirePart(imag, "second");
  // Adding a zero for an omitted part could change the sign of a zero.
  const imagPart = real instanceof PyComplex ? first.imag + second.real : second.real;
  return new PyComplex(imag instanceof PyComplex ? first.real - second.imag : first.real, imagPart);
}

/** Defines the constructor and methods of the class. */
export function defineComplex(): void {
  CLASSES.complex.define({
    defineConstructor: makeComplex,
    methods: new Map([
      ["conjugate", { signature: {}, body: (self: PyComplex) => new PyComplex(self.real, -self.imag) }],
      ["__complex__", { signature: {}, body: (self: PyComplex) => self }],
    ]),
  });
}
