import type { PyClass } from "../runtime/classes/classes.ts";
import { type Method, PyClassMethod } from "../runtime/classes/descriptors.ts";
import { typeError } from "../runtime/errors.ts";
import { makeNamedTuple } from "../modules/named-tuples.ts";
import { defineFunction, type Signature } from "../runtime/signature.ts";
import { numberOf, PyFunction, PyTuple, type PyValue, typeName } from "../runtime/values.ts";
import * as arithmetic from "./arithmetic.ts";
import {
  currentDecimalContext,
  type DecimalContext,
  roundToContext,
  rescale,
  signalCondition,
  requireRounding,
} from "./context.ts";
import { asDecimal, DECIMAL_CLASS, normalize, PyDecimal, roundToInteger } from "./decimal.ts";
import { constructDecimal } from "./construct-decimal.ts";
import { exponential, logarithm, power, squareRoot } from "./functions.ts";
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

const DECIMAL_TUPLE: PyClass = makeNamedTuple(["DecimalTuple", "sign digits exponent"]);

function asTuple({ number }: PyDecimal): PyValue {
  const { kind, negative, digits, exponent } = number;
  const power = { finite: BigInt(exponent), infinity: "F", nan: "n", snan: "N" }[kind];
  const list = kind === "finite" ? Array.from(digits.toString(), BigInt) : kind === "infinity" ? [0n] : [];
  return DECIMAL_TUPLE.instantiate([negative ? 1n : 0n, new PyTuple(list), power], new Map());
}

const NONE: Signature = {};
const CONTEXT: Signature = { optional: [["context", null]] };
const OTHER: Signature = { required: ["other"], optional: [["context", null]] };

/** Returns an argument that must be a decimal or an int. */
export function requireDecimal(value: PyValue | undefined): Numeral {
  const decimal = asDecimal(value ?? null);
  if (decimal) return decimal.number;
  throw typeError(`conversion from ${typeName(value ?? null)} to Decimal is not supported`);
}

/** Defines a method without arguments that returns a decimal. */
const unaryMethod = (work: (number: Numeral, context: DecimalContext) => Numeral): Method<PyDecimal> => ({
  signature: CONTEXT,
  body: (self) => new PyDecimal(work(self.number, currentDecimalContext())),
});

const predicateMethod = (holds: (number: Numeral, context: DecimalContext) => boolean): Method<PyDecimal> => ({
  signature: CONTEXT,
  body: (self) => holds(self.number, currentDecimalContext()),
});

const binaryMethod = (work: arithmetic.Operation): Method<PyDecimal> => ({
  signature: OTHER,
  body: (self, [other]) => new PyDecimal(work(self.number, requireDecimal(other), currentDecimalContext())),
});

const binaryMethodWithTwoOperands = (
  work: (left: Numeral, right: Numeral, context: DecimalContext) => [Numeral, Numeral],
): Method<PyDecimal> => ({
  signature: OTHER,
  body(self, [other]) {
    const results = work(self.number, requireDecimal(other), currentDecimalContext());
    return new PyTuple(results.map((number) => new PyDecimal(number)));
  },
});

/** Defines a maximum or minimum method; a number wins over a NaN. */
function extreme(sign: number, bySize: boolean): Method<PyDecimal> {
  return binaryMethod((left, right, context) => {
    if (isNan(left) !== isNan(right)) return roundToContext(isNan(left) ? right : left, context);
    const nan = arithmetic.propagateNan(context, left, right);
    if (nan) return nan;
    const [a, b] = bySize ? [withSign(left, false), withSign(right, false)] : [left, right];
    const order =
      (arithmetic.compareNumerals(a, b) ?? 0) || arithmetic.compareNumerals(left, right) || totalOrder(left, right);
    return roundToContext(order * sign >= 0 ? left : right, context);
  });
}

/** Compares by a total order that distinguishes equal numbers with different representations. */
function totalOrder(left: Numeral, right: Numeral): number {
  if (left.negative !== right.negative) return left.negative ? -1 : 1;
  const sign = left.negative ? -1 : 1;
  const ranks = { finite: 0, infinity: 0, snan: 1, nan: 2 };
  if (ranks[left.kind] !== ranks[right.kind]) return sign * (ranks[left.kind] - ranks[right.kind]);
  if (isNan(left)) return 0;
  const order = arithmetic.compareNumerals(left, right) ?? 0;
  return order || sign * (left.exponent - right.exponent);
}

const toOrder = (order: number | undefined): Numeral =>
  order === undefined ? NAN : numeral(order < 0, order === 0 ? 0n : 1n, 0);

/** Returns the adjacent number representable in the context. */
function nextNumeral(number: Numeral, up: boolean, context: DecimalContext): Numeral {
  const nan = arithmetic.propagateNan(context, number);
  if (nan) return nan;
  const { precision, minExponent, maxExponent } = context;
  if (number.kind === "infinity") {
    if (number.negative !== up) return number;
    return numeral(number.negative, powerOfTen(precision) - 1n, maxExponent - precision + 1);
  }
  const rounding = up ? "ROUND_CEILING" : "ROUND_FLOOR";
  const wide = { ...context, rounding, traps: new Set<string>() };
  const rounded = roundToContext(number, wide);
  if (arithmetic.compareNumerals(rounded, number) !== 0) return rounded;
  return arithmetic.add(number, numeral(!up, 1n, minExponent - precision), wide);
}

function classifyNumeral(number: Numeral, context: DecimalContext): string {
  if (number.kind === "snan") return "sNaN";
  if (number.kind === "nan") return "NaN";
  const sign = number.negative ? "-" : "+";
  if (number.kind === "infinity") return `${sign}Infinity`;
  if (isZero(number)) return `${sign}Zero`;
  return sign + (adjustedExponent(number) < context.minExponent ? "Subnormal" : "Normal");
}

/** Shifts digits to the left or, if negative, to the right; a rotation reinserts the digits shifted out. */
function shiftOrRotateDigits(
  number: Numeral,
  places: number,
  { precision }: DecimalContext,
  isRotation: boolean,
): Numeral {
  const text = number.digits.toString().padStart(precision, "0").slice(-precision);
  if (isRotation) {
    const at = ((places % precision) + precision) % precision;
    return { ...number, digits: BigInt(text.slice(at) + text.slice(0, at)) };
  }
  const moved = places >= 0 ? (text + "0".repeat(places)).slice(-precision) : text.slice(0, places);
  return { ...number, digits: BigInt(moved || "0") };
}

/** Shift counts must have the exponent 0. */
const shiftCount = ({ kind, negative, digits, exponent }: Numeral, maxCount: number): number | undefined => {
  if (kind !== "finite" || exponent !== 0 || digits > BigInt(maxCount)) return undefined;
  return negative ? -Number(digits) : Number(digits);
};

const shiftOrRotateMethod = (isRotation: boolean): Method<PyDecimal> =>
  binaryMethod((left, right, context) => {
    const nan = arithmetic.propagateNan(context, left, right);
    if (nan) return nan;
    const places = shiftCount(right, context.precision);
    if (places === undefined) return signalCondition(context, "InvalidOperation", "shift");
    return shiftOrRotateDigits(left, places, context, isRotation);
  });

const toIntegralMethod: Method<PyDecimal> = {
  signature: {
    optional: [
      ["rounding", null],
      ["context", null],
    ],
  },
  body(self, [rounding = null]) {
    const context = currentDecimalContext();
    const { number } = self;
    if (number.kind !== "finite") return new PyDecimal(arithmetic.propagateNan(context, number) ?? number);
    if (number.exponent >= 0) return self;
    return new PyDecimal(rescale(number, 0, rounding === null ? context.rounding : requireRounding(rounding)));
  },
};

const integralWithRounding = (rounding: string): Method<PyDecimal> => ({
  signature: NONE,
  body: (self) => (self.number.kind === "finite" ? roundToInteger(self.number, rounding) : self.toInt()),
});

const METHODS: ReadonlyMap<string, Method<PyDecimal>> = new Map<string, Method<PyDecimal>>([
  [
    "quantize",
    {
      signature: {
        required: ["exp"],
        optional: [
          ["rounding", null],
          ["context", null],
        ],
      },
      body(self, [exp, rounding = null]) {
        const match = requireDecimal(exp);
        const name = rounding === null ? currentDecimalContext().rounding : requireRounding(rounding);
        if (match.kind === "infinity" && self.number.kind === "infinity") return self;
        if (match.kind !== "finite")
          return new PyDecimal(signalCondition(currentDecimalContext(), "InvalidOperation", "quantize with one INF"));
        return self.quantize(match.exponent, name);
      },
    },
  ],
  [
    "normalize",
    unaryMethod(
      (number, context) => arithmetic.propagateNan(context, number) ?? normalize(roundToContext(number, context)),
    ),
  ],
  ["to_integral_value", toIntegralMethod],
  ["to_integral", toIntegralMethod],
  ["to_integral_exact", toIntegralMethod],
  ["__floor__", integralWithRounding("ROUND_FLOOR")],
  ["__ceil__", integralWithRounding("ROUND_CEILING")],
  ["__trunc__", integralWithRounding("ROUND_DOWN")],
  ["as_tuple", { signature: NONE, body: asTuple }],
  [
    "as_integer_ratio",
    {
      signature: NONE,
      body(self) {
        const { numerator, denominator } = self.ratio;
        return new PyTuple([numerator, denominator]);
      },
    },
  ],
  ["sqrt", unaryMethod(squareRoot)],
  ["exp", unaryMethod(exponential)],
  ["ln", unaryMethod((number, context) => logarithm(number, context, false))],
  ["log10", unaryMethod((number, context) => logarithm(number, context, true))],
  [
    "logb",
    unaryMethod((number, context) => {
      const nan = arithmetic.propagateNan(context, number);
      if (nan) return nan;
      if (number.kind === "infinity") return INFINITY;
      if (isZero(number)) return signalCondition(context, "DivisionByZero", "logb(0)", withSign(INFINITY, true));
      const exponent = adjustedExponent(number);
      return numeral(exponent < 0, BigInt(Math.abs(exponent)), 0);
    }),
  ],
  ["copy_abs", unaryMethod((number) => withSign(number, false))],
  ["copy_negate", unaryMethod((number) => withSign(number, !number.negative))],
  ["canonical", unaryMethod((number) => number)],
  [
    "__divmod__",
    binaryMethodWithTwoOperands((left, right, context) => {
      const isImpossible = isZero(right) && left.kind === "finite";
      if (isImpossible) return [signalCondition(context, "InvalidOperation", "divmod(x, 0)"), NAN];
      return [arithmetic.floorDivide(left, right, context), arithmetic.modulo(left, right, context)];
    }),
  ],
  ["conjugate", { signature: NONE, body: (self) => self }],
  ["radix", unaryMethod(() => numeral(false, 10n, 0))],
  ["next_plus", unaryMethod((number, context) => nextNumeral(number, true, context))],
  ["next_minus", unaryMethod((number, context) => nextNumeral(number, false, context))],
  ["is_zero", predicateMethod(isZero)],
  ["is_nan", predicateMethod(isNan)],
  ["is_qnan", predicateMethod(({ kind }) => kind === "nan")],
  ["is_snan", predicateMethod(({ kind }) => kind === "snan")],
  ["is_infinite", predicateMethod(({ kind }) => kind === "infinity")],
  ["is_finite", predicateMethod(({ kind }) => kind === "finite")],
  ["is_signed", predicateMethod(({ negative }) => negative)],
  ["is_canonical", predicateMethod(() => true)],
  [
    "is_normal",
    predicateMethod(
      (number, context) =>
        number.kind === "finite" && !isZero(number) && adjustedExponent(number) >= context.minExponent,
    ),
  ],
  [
    "is_subnormal",
    predicateMethod(
      (number, context) =>
        number.kind === "finite" && !isZero(number) && adjustedExponent(number) < context.minExponent,
    ),
  ],
  ["number_class", { signature: CONTEXT, body: (self) => classifyNumeral(self.number, currentDecimalContext()) }],
  [
    "adjusted",
    { signature: NONE, body: (self) => BigInt(self.number.kind === "finite" ? adjustedExponent(self.number) : 0) },
  ],
  ["to_eng_string", { signature: CONTEXT, body: (self) => writeNumeral(self.number, true) }],
  [
    "compare",
    binaryMethod(
      (left, right, context) =>
        arithmetic.propagateNan(context, left, right) ?? toOrder(arithmetic.compareNumerals(left, right)),
    ),
  ],
  [
    "compare_signal",
    binaryMethod((left, right, context) =>
      isNan(left) || isNan(right)
        ? signalCondition(context, "InvalidOperation", "NaN")
        : toOrder(arithmetic.compareNumerals(left, right)),
    ),
  ],
  ["compare_total", binaryMethod((left, right) => toOrder(totalOrder(left, right)))],
  [
    "compare_total_mag",
    binaryMethod((left, right) => toOrder(totalOrder(withSign(left, false), withSign(right, false)))),
  ],
  ["max", extreme(1, false)],
  ["min", extreme(-1, false)],
  ["max_mag", extreme(1, true)],
  ["min_mag", extreme(-1, true)],
  ["remainder_near", binaryMethod(arithmetic.remainderNear)],
  ["copy_sign", binaryMethod((left, right) => withSign(left, right.negative))],
  ["shift", shiftOrRotateMethod(false)],
  ["rotate", shiftOrRotateMethod(true)],
  [
    "scaleb",
    binaryMethod((left, right, context) => {
      const nan = arithmetic.propagateNan(context, left, right);
      if (nan) return nan;
      const places = shiftCount(right, 2 * (context.maxExponent + context.precision));
      if (places === undefined) return signalCondition(context, "InvalidOperation", "scaleb");
      return left.kind === "finite" ? roundToContext({ ...left, exponent: left.exponent + places }, context) : left;
    }),
  ],
  [
    "next_toward",
    binaryMethod((left, right, context) => {
      const nan = arithmetic.propagateNan(context, left, right);
      const order = arithmetic.compareNumerals(left, right) ?? 0;
      if (nan) return nan;
      return order === 0 ? withSign(left, right.negative) : nextNumeral(left, order < 0, context);
    }),
  ],
  [
    "same_quantum",
    {
      signature: OTHER,
      body(self, [other]) {
        const match = requireDecimal(other);
        if (self.number.kind !== "finite" || match.kind !== "finite") return self.number.kind === match.kind;
        return self.number.exponent === match.exponent;
      },
    },
  ],
  [
    "fma",
    {
      signature: { required: ["other", "third"], optional: [["context", null]] },
      body(self, [other, thirdOperand]) {
        const context = currentDecimalContext();
        const exact = {
          ...context,
          precision: digitCount(self.number.digits) + digitCount(requireDecimal(other).digits),
        };
        return new PyDecimal(
          arithmetic.add(
            arithmetic.multiply(self.number, requireDecimal(other), exact),
            requireDecimal(thirdOperand),
            context,
          ),
        );
      },
    },
  ],
]);

/** Operations that contexts provide as methods, by method name. */
export const CONTEXT_OPERATIONS: ReadonlyMap<string, arithmetic.Operation> = new Map<string, arithmetic.Operation>([
  ["add", arithmetic.add],
  ["subtract", arithmetic.subtract],
  ["multiply", arithmetic.multiply],
  ["divide", arithmetic.divide],
  ["divide_int", arithmetic.floorDivide],
  ["remainder", arithmetic.modulo],
  ["power", power],
]);

const FROM_FLOAT = defineFunction("from_float", { required: ["f"], positionalOnly: true }, ([value = null]) => {
  const number = numberOf(value);
  if (number === undefined) throw typeError("argument must be int or float");
  return typeof number === "bigint" ? PyDecimal.ofInt(number) : PyDecimal.ofFloat(number);
});

/** Defines the constructor and methods of the class. */
export function defineDecimals(): void {
  DECIMAL_CLASS.define({ defineConstructor: constructDecimal, methods: METHODS });
  DECIMAL_CLASS.members.set("from_float", new PyClassMethod(new PyFunction("from_float", FROM_FLOAT.call)));
}
