import { spendBytes } from "../budget.ts";
import type { Method } from "../descriptors.ts";
import { overflowError, valueError } from "../errors.ts";
import { bitLength, splitFloat } from "../numbers.ts";
import type { Signature } from "../signature.ts";
import { numberOf, PyTuple, type PyValue } from "../values.ts";

const NONE: Signature = {};

const whole = (value: PyValue): bigint => BigInt(numberOf(value) ?? 0n);

export const INT_METHODS: ReadonlyMap<string, Method<PyValue>> = new Map<string, Method<PyValue>>([
  ["bit_length", { signature: NONE, body: (self) => BigInt(bitLength(whole(self))) }],
  [
    "bit_count",
    {
      signature: NONE,
      body(self) {
        const bits = whole(self).toString(2);
        spendBytes(bits.length);
        return BigInt(bits.replaceAll(/[^1]/g, "").length);
      },
    },
  ],
  ["conjugate", { signature: NONE, body: (self) => whole(self) }],
  ["as_integer_ratio", { signature: NONE, body: (self) => new PyTuple([whole(self), 1n]) }],
  ["is_integer", { signature: NONE, body: () => true }],
]);

export const FLOAT_METHODS: ReadonlyMap<string, Method<number>> = new Map<string, Method<number>>([
  ["is_integer", { signature: NONE, body: (self) => Number.isInteger(self) }],
  ["conjugate", { signature: NONE, body: (self) => self }],
  ["as_integer_ratio", { signature: NONE, body: (self) => new PyTuple(floatRatio(self)) }],
  ["hex", { signature: NONE, body: writeHex }],
]);

/** A float as the fraction that it is exactly, in lowest terms. */
export function floatRatio(value: number): [bigint, bigint] {
  if (Number.isNaN(value)) throw valueError("cannot convert NaN to integer ratio");
  if (!Number.isFinite(value)) throw overflowError("cannot convert Infinity to integer ratio");
  let { mantissa, exponent } = splitFloat(Math.abs(value));
  while (exponent < 0 && mantissa !== 0n && mantissa % 2n === 0n) {
    mantissa /= 2n;
    exponent++;
  }
  const sign = value < 0 ? -1n : 1n;
  if (mantissa === 0n) return [0n, 1n];
  return exponent >= 0 ? [sign * (mantissa << BigInt(exponent)), 1n] : [sign * mantissa, 1n << BigInt(-exponent)];
}

function writeHex(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return `${sign}0x0.0p+0`;
  const { mantissa, exponent } = splitFloat(Math.abs(value));
  const isNormal = mantissa >= 1n << 52n;
  const fraction = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, "0");
  const power = exponent + 52;
  return `${sign}0x${isNormal ? 1 : 0}.${fraction}p${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}

/** Attributes of numbers that are no methods. */
export function numberField(value: PyValue, name: string): PyValue | undefined {
  const number = numberOf(value);
  if (number === undefined) return undefined;
  if (name === "real") return number;
  if (name === "imag") return typeof number === "bigint" ? 0n : 0;
  if (typeof number === "bigint" && name === "numerator") return number;
  return typeof number === "bigint" && name === "denominator" ? 1n : undefined;
}
