import { typeError, valueError } from "../runtime/errors.ts";
import { requireIndex, requireInt } from "../runtime/signature.ts";
import { trimText } from "../runtime/text/text.ts";
import { itemsOf, numberOf, PyObject, PySequence, type PyValue, typeName } from "../runtime/values.ts";
import { currentDecimalContext, signalCondition } from "./context.ts";
import { PyDecimal } from "./decimal.ts";
import { INFINITY, NAN, type Numeral, numeral, withSign } from "./numeral.ts";

const TEXT = /^([-+]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:e([-+]?\d{1,8}))?$/i;
const SPECIAL = /^([-+]?)(inf(?:inity)?|s?nan)\d*$/i;

/** Implements `Decimal(value)`. Throws PyError InvalidOperation for invalid texts. */
export function constructDecimal([value = 0n]: readonly PyValue[]): PyDecimal {
  if (value instanceof PyDecimal) return value;
  if (value instanceof PySequence) return fromParts(value.items());
  const number = numberOf(value);
  if (typeof number === "bigint") return PyDecimal.ofInt(number);
  if (typeof number === "number") return PyDecimal.ofFloat(number);
  const text = value instanceof PyObject ? value.payload : value;
  if (typeof text !== "string") throw typeError(`conversion from ${typeName(value)} to Decimal is not supported`);
  return new PyDecimal(
    parseDecimalText(text) ??
      signalCondition(currentDecimalContext(), "InvalidOperation", "[<class 'decimal.ConversionSyntax'>]"),
  );
}

function parseDecimalText(source: string): Numeral | undefined {
  const text = trimText(source)
    .replaceAll("_", "")
    .replaceAll(/\p{Nd}/gu, toAsciiDigit);
  const [, signOfSpecial, name] = SPECIAL.exec(text) ?? [];
  if (name !== undefined) {
    const kind = name.toLowerCase().startsWith("i")
      ? INFINITY
      : { ...NAN, kind: name.length > 3 ? ("snan" as const) : ("nan" as const) };
    return withSign(kind, signOfSpecial === "-");
  }
  const parts = TEXT.exec(text);
  if (!parts) return undefined;
  const [, sign, whole = "", fraction = "", alone = "", exponent = "0"] = parts;
  return numeral(sign === "-", BigInt(whole + fraction + alone), Number(exponent) - fraction.length - alone.length);
}

/** Returns the ASCII equivalent of a digit of any script. In Unicode, the digits of a script are consecutive. */
function toAsciiDigit(digit: string): string {
  if (digit >= "0" && digit <= "9") return digit;
  let value = 0;
  const code = digit.codePointAt(0) ?? 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value.toString();
}

/** Implements `Decimal((sign, digits, exponent))`. */
function fromParts(parts: readonly PyValue[]): PyDecimal {
  const [sign = null, digits = null, exponent = null] = parts;
  if (parts.length !== 3) throw valueError("argument must be a sequence of length 3");
  if (exponent === "F") return new PyDecimal(withSign(INFINITY, requireInt(sign) === 1n));
  if (exponent === "n") return new PyDecimal(withSign(NAN, requireInt(sign) === 1n));
  const values = itemsOf(digits).map((digit) => requireInt(digit));
  if (values.some((digit) => digit < 0n || digit > 9n)) throw valueError("coefficient must be a tuple of digits");
  return new PyDecimal(numeral(requireInt(sign) === 1n, BigInt(values.join("") || "0"), requireIndex(exponent)));
}
