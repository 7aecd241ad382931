import { FLOOR_DIVIDE, MODULO, MULTIPLY } from "../runtime/numbers/arithmetic.ts";
import { spendSteps } from "../runtime/budget.ts";
import { currentContext } from "../runtime/evaluation-context.ts";
import { typeError, valueError } from "../runtime/errors.ts";
import { bitLength, floatToInt } from "../runtime/numbers/numbers.ts";
import { add, BINARY, isLess } from "../runtime/operators.ts";
import { defineFunction, requireFloat, requireInt } from "../runtime/signature.ts";
import { itemsOf, numberOf, pyEquals, type PyFunction, type PyValue, isTruthy } from "../runtime/values.ts";
import { elementsOf, flatten, isNumber } from "./arguments.ts";
import { absolute, toFloat, toInt } from "./python.ts";
import { ROMAN_FUNCTIONS } from "./roman.ts";
import { ROUNDING_FUNCTIONS } from "./rounding.ts";
import { TRIGONOMETRY_FUNCTIONS } from "./trigonometry.ts";

const VALUES = { required: ["value1"], rest: true } as const;

/** Numeric functions. */
export const MATH_FUNCTIONS: readonly PyFunction[] = [
  ...ROMAN_FUNCTIONS,
  ...ROUNDING_FUNCTIONS,
  ...TRIGONOMETRY_FUNCTIONS,
  /** ABS(value) */
  defineFunction("ABS", { required: ["value"] }, absolute),
  /** COMBIN(n, k): the number of k-element subsets of n elements. */
  defineFunction("COMBIN", { required: ["n", "k"] }, ([n = null, k = null]) => combinations(n, k)),
  /** FACT(value): the factorial of the value, truncated to an int. */
  defineFunction("FACT", { required: ["value"] }, ([value = null]) => factorial(requireInt(toInt([value])))),
  /** FACTDOUBLE(value): the product of every second int down from the value, to at least 2. */
  defineFunction("FACTDOUBLE", { required: ["value"] }, ([value]) => {
    const start = requireInt(value);
    if (start < 2n) throw typeError("the value must be at least 2");
    return fallingFactorial(start, 2n);
  }),
  /** GCD(value1, …): the greatest common divisor of ints; zeros are ignored. */
  defineFunction("GCD", VALUES, (args) => {
    const values = args.filter(isTruthy);
    requireNotNegative(values);
    return values.map(wholePart).reduce(greatestCommonDivisorOf, 0n);
  }),
  /** LCM(value1, …): the least common multiple of ints; 0 if one of them is 0. */
  defineFunction("LCM", VALUES, (args) => {
    requireNotNegative(args);
    return args.some((value) => pyEquals(value, 0n)) ? 0n : args.map(wholePart).reduce(leastCommonMultipleOf);
  }),
  /** MOD(dividend, divisor): the remainder, with the divisor's sign. */
  defineFunction("MOD", { required: ["dividend", "divisor"] }, ([left = null, right = null]) =>
    BINARY["%"](left, right),
  ),
  /** MULTINOMIAL(value1, …): the factorial of the sum divided by the product of the factorials. */
  defineFunction("MULTINOMIAL", VALUES, ([first = null, ...others]) => {
    let sum = first;
    let result = 1n;
    for (const value of others) {
      sum = add(sum, value);
      result = multiply(result, combinations(sum, value));
    }
    return result;
  }),
  /** NUM(value): a whole float as an int; everything else unchanged. */
  defineFunction("NUM", { required: ["value"] }, ([value = null]) =>
    typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value,
  ),
  /** PRODUCT(value1, …): the product of all numbers, including elements of lists. */
  defineFunction("PRODUCT", VALUES, (args) => {
    const numbers = flatten(args).filter(isNumber);
    if (numbers.length === 0) throw typeError("there are no numbers to multiply");
    return numbers.reduce<PyValue>(BINARY["*"], 1n);
  }),
  /** QUOTIENT(dividend, divisor): the quotient, truncated. */
  defineFunction("QUOTIENT", { required: ["dividend", "divisor"] }, ([left = null, right = null]) =>
    floatToInt(requireFloat(BINARY["/"](toFloat(left), right))),
  ),
  /** RAND(): a random float in [0, 1). */
  defineFunction("RAND", {}, () => currentContext().random()),
  /** RANDBETWEEN(low, high): a random int, both bounds included. */
  defineFunction("RANDBETWEEN", { required: ["low", "high"] }, ([low, high]) =>
    randomBetween(requireWholeNumber(low), requireWholeNumber(high)),
  ),
  /** SERIESSUM(x, n, m, a): the power series with the coefficients a and x to the powers n, n + m, n + 2m, … */
  defineFunction("SERIESSUM", { required: ["x", "n", "m", "a"] }, ([x = null, n = null, m = null, a = null]) =>
    (elementsOf(a) ?? [a]).reduce((sum: PyValue, factor, index) => {
      const exponent = add(n, BINARY["*"](BigInt(index), m));
      return add(sum, BINARY["*"](factor, BINARY["**"](x, exponent)));
    }, 0n),
  ),
  /** SIGN(value): -1, 0 or 1. */
  defineFunction("SIGN", { required: ["value"] }, ([value]) => {
    const float = requireFloat(value);
    return float === 0 ? 0n : float < 0 ? -1n : 1n;
  }),
  /**
   * SUM(value1, …): the sum of all numbers, including elements of lists; a bool counts as 1 or 0, other values are
   * ignored.
   */
  defineFunction("SUM", VALUES, (args) =>
    flatten(args)
      .filter((value) => numberOf(value) !== undefined)
      .reduce(add, 0n),
  ),
  /** SUMPRODUCT(array1, …): the sum of the products of corresponding elements, over the length of the shortest list. */
  defineFunction("SUMPRODUCT", { required: ["array1"], rest: true }, (args) => {
    const [first = [], ...others] = args.map(itemsOf);
    const count = Math.min(first.length, ...others.map((items) => items.length));
    return first
      .slice(0, count)
      .map((start, index) => others.reduce((product, items) => BINARY["*"](product, items[index] ?? null), start))
      .reduce(add, 0n);
  }),
  /** UUID(): a random UUID. */
  defineFunction("UUID", {}, makeUuid),
];

const multiply = (left: bigint, right: bigint): bigint => BigInt(MULTIPLY.ints(left, right));
const divide = (left: bigint, right: bigint): bigint => BigInt(FLOOR_DIVIDE.ints(left, right));

/** Returns `value * (value - step) * …`, while the factors are positive. */
function fallingFactorial(value: bigint, step: bigint, last = 1n): bigint {
  let product = 1n;
  for (let factor = value; factor >= last; factor -= step) {
    spendSteps(1);
    product = multiply(product, factor);
  }
  return product;
}

function factorial(value: bigint): bigint {
  if (value < 0n) throw valueError("factorial() not defined for negative values");
  return fallingFactorial(value, 1n);
}

/**
 * Returns the number of choices of `k` out of `n`. `k` = 0 accepts numbers of all types, everything else requires ints.
 */
function combinations(n: PyValue, k: PyValue): bigint {
  const others = BINARY["-"](n, k);
  const few = isLess(others, k) ? others : k;
  if (pyEquals(few, 0n)) return 1n;
  const [from, count] = [requireInt(n), requireInt(few)];
  if (count < 0n) throw typeError("k must be from 0 to n");
  return divide(fallingFactorial(from, 1n, from - count + 1n), factorial(count));
}

/** Throws PyError ValueError if a value is negative. */
function requireNotNegative(values: readonly PyValue[]): void {
  if (values.some((value) => isLess(value, 0n))) throw valueError("the values must not be negative");
}

const wholePart = (value: PyValue): bigint => requireInt(toInt([value]));

function greatestCommonDivisorOf(left: bigint, right: bigint): bigint {
  let [a, b] = [left, right];
  while (b !== 0n) {
    spendSteps(1);
    [a, b] = [b, BigInt(MODULO.ints(a, b))];
  }
  return a;
}

function leastCommonMultipleOf(left: bigint, right: bigint): bigint {
  if (left === 0n || right === 0n) return 0n;
  return divide(multiply(left, right), greatestCommonDivisorOf(left, right));
}

/** Returns an int, or a whole float as an int. */
function requireWholeNumber(value: PyValue | undefined): bigint {
  if (typeof value !== "number") return requireInt(value);
  if (!Number.isInteger(value)) throw valueError("the bounds must be whole numbers");
  return BigInt(value);
}

function randomBetween(low: bigint, high: bigint): bigint {
  if (high < low) throw valueError(`empty range for randrange() (${low}, ${high + 1n}, ${high + 1n - low})`);
  const { random } = currentContext();
  const count = high - low + 1n;
  if (count <= 2n ** 53n) return low + BigInt(Math.floor(random() * Number(count)));
  // The range may exceed the bits of a single random number.
  spendSteps((bitLength(count) / 64) ** 2);
  let randomBits = 0n;
  for (let size = 1n; size < count * 2n ** 32n; size *= 2n ** 32n) {
    spendSteps(1);
    randomBits = randomBits * 2n ** 32n + BigInt(Math.floor(random() * 2 ** 32));
  }
  return low + (randomBits % count);
}

function makeUuid(): string {
  const { random } = currentContext();
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16));
  // The version, and the variant in the two upper bits of a digit.
  digits[12] = 4;
  digits[16] = 8 + (digits[16] ?? 0) / 4;
  const text = digits.map((digit) => Math.floor(digit).toString(16)).join("");
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
