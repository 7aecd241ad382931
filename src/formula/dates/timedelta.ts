import { DIVIDE, FLOOR_DIVIDE, MODULO } from "../runtime/numbers/arithmetic.ts";
import { overflowError, typeError, zeroDivision } from "../runtime/errors.ts";
import { divideHalfEven, floatToInt, intToFloat, decomposeFloat } from "../runtime/numbers/numbers.ts";
import { defineFunction } from "../runtime/signature.ts";
import { PyType } from "../runtime/classes/types.ts";
import { numberOf, type PyFunction, PyObject, type PyValue, typeName } from "../runtime/values.ts";
import { method, type MethodTable, readMember, unboundMember } from "./members.ts";

const US_PER_DAY = 86_400_000_000n;
const US_PER_SECOND = 1_000_000n;
const MAX_DAYS = 999_999_999n;

/** A `datetime.timedelta`. */
export class PyTimedelta extends PyObject {
  readonly typeName = "timedelta";
  readonly micros: bigint;

  /** Throws PyError OverflowError beyond a billion days. */
  constructor(micros: bigint) {
    super();
    const days = FLOOR_DIVIDE.ints(micros, US_PER_DAY);
    if (days > MAX_DAYS || days < -MAX_DAYS) throw overflowError(`days=${days}; must have magnitude <= 999999999`);
    this.micros = micros;
  }

  static fromSeconds(seconds: number): PyTimedelta {
    return new PyTimedelta(sumParts([{ name: "seconds", value: seconds, unit: US_PER_SECOND }]));
  }

  override get type(): PyFunction {
    return TIMEDELTA_TYPE;
  }

  /** Whole days, rounded down; seconds and microseconds are the remainder. */
  get days(): bigint {
    return BigInt(FLOOR_DIVIDE.ints(this.micros, US_PER_DAY));
  }

  get seconds(): bigint {
    return (this.micros - this.days * US_PER_DAY) / US_PER_SECOND;
  }

  get microseconds(): bigint {
    return (this.micros - this.days * US_PER_DAY) % US_PER_SECOND;
  }

  override get typeModule(): string {
    return "datetime";
  }

  get totalSeconds(): number {
    return Number(DIVIDE.ints(this.micros, US_PER_SECOND));
  }

  repr(): string {
    const parts = (["days", "seconds", "microseconds"] as const).filter((part) => this[part] !== 0n);
    return `datetime.timedelta(${parts.map((part) => `${part}=${this[part]}`).join(", ") || "0"})`;
  }

  override str(): string {
    const { days, seconds, microseconds } = this;
    const clock = [
      seconds / 3600n,
      ...[(seconds / 60n) % 60n, seconds % 60n].map((part) => String(part).padStart(2, "0")),
    ];
    const fraction = microseconds === 0n ? "" : `.${String(microseconds).padStart(6, "0")}`;
    const before = days === 0n ? "" : `${days} day${days === 1n || days === -1n ? "" : "s"}, `;
    return before + clock.join(":") + fraction;
  }

  override truth(): boolean {
    return this.micros !== 0n;
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyTimedelta && other.micros === this.micros;
  }

  override compare(other: PyValue): number | undefined {
    if (!(other instanceof PyTimedelta)) return undefined;
    return this.micros < other.micros ? -1 : Number(this.micros > other.micros);
  }

  override hashKey(): string {
    return `\0timedelta${this.micros}`;
  }

  override unary(sign: "-" | "+" | "~" | "abs"): PyValue | undefined {
    if (sign === "~") return undefined;
    return new PyTimedelta(sign === "-" || (sign === "abs" && this.micros < 0n) ? -this.micros : this.micros);
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    if (other instanceof PyTimedelta)
      return reflected ? undefined : TIMEDELTA_OPERATORS.get(sign)?.(this.micros, other.micros);
    const number = numberOf(other);
    if (number === undefined || (reflected && sign !== "*")) return undefined;
    if (sign === "*") return this.#multipliedBy(number);
    if (sign === "/") return this.#dividedBy(number);
    if (sign !== "//" || typeof number !== "bigint") return undefined;
    return new PyTimedelta(BigInt(FLOOR_DIVIDE.ints(this.micros, number)));
  }

  override attribute(name: string): PyValue | undefined {
    return readMember(this, name, MEMBERS);
  }

  #multipliedBy(number: bigint | number): PyTimedelta {
    if (typeof number === "bigint") return new PyTimedelta(this.micros * number);
    const { numerator, denominator } = ratioOf(number);
    return new PyTimedelta(roundQuotient(this.micros * numerator, denominator));
  }

  #dividedBy(number: bigint | number): PyTimedelta {
    if (typeof number === "bigint") {
      if (number === 0n) throw zeroDivision("integer division or modulo by zero");
      return new PyTimedelta(roundQuotient(this.micros, number));
    }
    const { numerator, denominator } = ratioOf(number);
    if (numerator === 0n) throw zeroDivision("integer division or modulo by zero");
    return new PyTimedelta(roundQuotient(this.micros * denominator, numerator));
  }
}

const TIMEDELTA_OPERATORS = new Map<string, (left: bigint, right: bigint) => PyValue>([
  ["+", (left, right) => new PyTimedelta(left + right)],
  ["-", (left, right) => new PyTimedelta(left - right)],
  ["/", (left, right) => DIVIDE.ints(left, right)],
  ["//", (left, right) => FLOOR_DIVIDE.ints(left, right)],
  ["%", (left, right) => new PyTimedelta(BigInt(MODULO.ints(left, right)))],
]);

/** Returns a float as a fraction. Throws PyError for infinity and NaN. */
function ratioOf(value: number): { numerator: bigint; denominator: bigint } {
  if (!Number.isFinite(value)) floatToInt(value);
  const { mantissa, exponent } = decomposeFloat(Math.abs(value));
  const signed = value < 0 ? -mantissa : mantissa;
  return exponent >= 0
    ? { numerator: signed << BigInt(exponent), denominator: 1n }
    : { numerator: signed, denominator: 1n << BigInt(-exponent) };
}

/** Returns the quotient, rounded half to even; `denominator` is not 0. */
function roundQuotient(numerator: bigint, denominator: bigint): bigint {
  const size = divideHalfEven(numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator);
  return numerator < 0n === denominator < 0n ? size : -size;
}

/** The parameters of `timedelta()` in order, with their microseconds. */
const UNITS: readonly (readonly [name: string, micros: bigint])[] = [
  ["days", US_PER_DAY],
  ["seconds", US_PER_SECOND],
  ["microseconds", 1n],
  ["milliseconds", 1000n],
  ["minutes", 60n * US_PER_SECOND],
  ["hours", 3600n * US_PER_SECOND],
  ["weeks", 7n * US_PER_DAY],
];

/** Returns the total in microseconds. Fractions of microseconds are rounded at the end, half to even. */
function sumParts(parts: readonly { name: string; value: PyValue; unit: bigint }[]): bigint {
  let wholeSum = 0n;
  let fractionSum = 0;
  for (const { name, value, unit } of parts) {
    const number = numberOf(value);
    if (number === undefined) throw typeError(`unsupported type for timedelta ${name} component: ${typeName(value)}`);
    if (typeof number === "bigint") {
      wholeSum += number * unit;
      continue;
    }
    const fraction = (number % 1) * intToFloat(unit);
    wholeSum += floatToInt(number) * unit + floatToInt(fraction);
    fractionSum += fraction % 1;
  }
  if (fractionSum === 0) return wholeSum;
  const isOdd = Number(wholeSum & 1n);
  const rounded =
    Math.abs(fractionSum % 1) === 0.5 ? 2 * Math.round((fractionSum + isOdd) / 2) - isOdd : Math.round(fractionSum);
  return wholeSum + BigInt(rounded);
}

const METHODS: MethodTable<PyTimedelta> = new Map([["total_seconds", method({}, (self) => self.totalSeconds)]]);

const MEMBERS = {
  fields: new Map<string, (self: PyTimedelta) => PyValue>([
    ["days", (self) => self.days],
    ["seconds", (self) => self.seconds],
    ["microseconds", (self) => self.microseconds],
  ]),
  methods: METHODS,
};

export const TIMEDELTA_TYPE = new PyType(
  "datetime",
  defineFunction(
    "timedelta",
    { optional: UNITS.map(([name]) => [name, 0n] as const) },
    (args) =>
      new PyTimedelta(sumParts(UNITS.map(([name, unit], index) => ({ name, value: args[index] ?? null, unit })))),
  ),
  {
    isInstance: (value) => value instanceof PyTimedelta,
    members: new Map([
      ["min", () => new PyTimedelta(-MAX_DAYS * US_PER_DAY)],
      ["max", () => new PyTimedelta((MAX_DAYS + 1n) * US_PER_DAY - 1n)],
      ["resolution", () => new PyTimedelta(1n)],
    ]),
    unbound: (name) => unboundMember(name, METHODS, (value) => value instanceof PyTimedelta),
  },
);
