import { divideInts } from "../runtime/numbers/arithmetic.ts";
import { spendBytes } from "../runtime/budget.ts";
import { makeBytes, PyBytes } from "../runtime/text/bytes.ts";
import type { Method } from "../runtime/classes/descriptors.ts";
import { overflowError, typeError, valueError } from "../runtime/errors.ts";
import {
  bitLength,
  intToFloat,
  intTooLarge,
  MAX_INT_BITS,
  parseFloatText,
  decomposeFloat,
} from "../runtime/numbers/numbers.ts";
import { type Signature, requireIndex, requireText } from "../runtime/signature.ts";
import { trimText } from "../runtime/text/text.ts";
import { itemsOf, numberOf, PyTuple, type PyValue, isTruthy, typeName } from "../runtime/values.ts";

const NONE: Signature = {};

const requireIntValue = (value: PyValue): bigint => BigInt(numberOf(value) ?? 0n);

export const INT_METHODS: ReadonlyMap<string, Method<PyValue>> = new Map<string, Method<PyValue>>([
  ["bit_length", { signature: NONE, body: (self) => BigInt(bitLength(requireIntValue(self))) }],
  [
    "bit_count",
    {
      signature: NONE,
      body(self) {
        const bits = requireIntValue(self).toString(2);
        spendBytes(bits.length);
        return BigInt(bits.replaceAll(/[^1]/g, "").length);
      },
    },
  ],
  ["conjugate", { signature: NONE, body: (self) => requireIntValue(self) }],
  ["as_integer_ratio", { signature: NONE, body: (self) => new PyTuple([requireIntValue(self), 1n]) }],
  ["is_integer", { signature: NONE, body: () => true }],
  [
    "to_bytes",
    {
      signature: {
        optional: [
          ["length", 1n],
          ["byteorder", "big"],
          ["signed", false],
        ],
      },
      body: (self, [length, order, signed = null]) =>
        toBytes(requireIntValue(self), requireIndex(length), order ?? null, isTruthy(signed)),
    },
  ],
]);

/** Returns the bytes of an int, as two's complement if `signed`. */
function toBytes(value: bigint, length: number, order: PyValue, signed: boolean): PyBytes {
  if (length < 0) throw valueError("length argument must be non-negative");
  const isBig = isBigEndian(order);
  if (value < 0n && !signed) throw overflowError("can't convert negative int to unsigned");
  spendBytes(length);
  const bits = BigInt(length) * 8n;
  const limit = signed ? (value < 0n ? -value * 2n - 1n : value * 2n) : value;
  if (bitLength(limit) > length * 8) throw overflowError("int too big to convert");
  const digits =
    length === 0
      ? ""
      : BigInt.asUintN(Number(bits), value)
          .toString(16)
          .padStart(length * 2, "0");
  const bytes = (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  return PyBytes.fromArray(Uint8Array.from(isBig ? bytes : bytes.reverse()));
}

function isBigEndian(order: PyValue): boolean {
  if (order === "big" || order === "little") return order === "big";
  if (typeof order !== "string") throw typeError(`argument 'byteorder' must be str, not ${typeName(order)}`);
  throw valueError("byteorder must be either 'little' or 'big'");
}

/** `int.from_bytes(bytes, byteorder, *, signed)` */
export function intFromBytes([bytes = null, order = null, signed = null]: readonly PyValue[]): bigint {
  const isBig = isBigEndian(order);
  const array = makeBytes(bytes, null, itemsOf).toArray();
  const hex = Array.from(isBig ? array : array.reverse(), (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (array.length > MAX_INT_BITS / 8) throw intTooLarge();
  const value = hex === "" ? 0n : BigInt(`0x${hex}`);
  return isTruthy(signed) ? BigInt.asIntN(array.length * 8, value) : value;
}

const HEX_FLOAT = /^([-+]?)(?:0x)?([\da-f]*)(?:\.([\da-f]*))?(?:p([-+]?\d{1,9}))?$/i;

/** `float.fromhex(text)` */
export function floatFromHex([source]: readonly PyValue[]): number {
  const text = trimText(requireText(source));
  if (/^[-+]?(?:inf(?:inity)?|nan)$/i.test(text)) return parseFloatText(text);
  const [, sign = "", digits = "", fraction = "", power = "0"] = HEX_FLOAT.exec(text) ?? [];
  if (digits + fraction === "") throw valueError("invalid hexadecimal floating-point string");
  spendBytes(text.length * 4);
  const mantissa = BigInt(`0x${digits}${fraction}`);
  const exponent = Number(power) - fraction.length * 4;
  if (mantissa === 0n) return sign === "-" ? -0 : 0;
  const bits = bitLength(mantissa) + exponent;
  if (bits > 1024) throw overflowError("hexadecimal value too large to represent as a float");
  if (bits < -1100) return sign === "-" ? -0 : 0;
  const size = exponent >= 0 ? intToFloat(mantissa << BigInt(exponent)) : divideInts(mantissa, 1n << BigInt(-exponent));
  return sign === "-" ? -size : size;
}

export const FLOAT_METHODS: ReadonlyMap<string, Method<number>> = new Map<string, Method<number>>([
  ["is_integer", { signature: NONE, body: (self) => Number.isInteger(self) }],
  ["conjugate", { signature: NONE, body: (self) => self }],
  ["as_integer_ratio", { signature: NONE, body: (self) => new PyTuple(floatRatio(self)) }],
  ["hex", { signature: NONE, body: writeHex }],
]);

/** Returns the exact value of a float as a fraction in lowest terms. */
export function floatRatio(value: number): [bigint, bigint] {
  if (Number.isNaN(value)) throw valueError("cannot convert NaN to integer ratio");
  if (!Number.isFinite(value)) throw overflowError("cannot convert Infinity to integer ratio");
  let { mantissa, exponent } = decomposeFloat(Math.abs(value));
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
  const { mantissa, exponent } = decomposeFloat(Math.abs(value));
  const isNormal = mantissa >= 1n << 52n;
  const fraction = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, "0");
  const power = exponent + 52;
  return `${sign}0x${isNormal ? 1 : 0}.${fraction}p${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}

/** Returns an attribute of a number that is not a method. */
export function numberField(value: PyValue, name: string): PyValue | undefined {
  const number = numberOf(value);
  if (number === undefined) return undefined;
  if (name === "real") return number;
  if (name === "imag") return typeof number === "bigint" ? 0n : 0;
  if (typeof number === "bigint" && name === "numerator") return number;
  return typeof number === "bigint" && name === "denominator" ? 1n : undefined;
}
