import type * as Phones from "awesome-phonenumber";
import { spendSteps } from "../runtime/budget.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { defineFunction } from "../runtime/signature.ts";
import { type PyFunction, pyRepr, type PyValue, isTruthy, typeName } from "../runtime/values.ts";

type PhoneFormat = "national" | "international" | "e164" | "rfc3966";

const PHONE_FORMATS: ReadonlyMap<PyValue, PhoneFormat> = new Map<PyValue, PhoneFormat>([
  ["#", "national"],
  ["NATL", "national"],
  ["+", "international"],
  ["INTL", "international"],
  ["*", "e164"],
  ["E164", "e164"],
  ["tel", "rfc3966"],
  ["RFC3966", "rfc3966"],
]);

/** Its tables of all countries take longer to load than the rest of the program, so they are loaded on first use. */
const loadPhoneLibrary = (): typeof Phones => require("awesome-phonenumber") as typeof Phones;

/** No phone number is longer, including separators. */
const MAX_LENGTH = 250;

export const PHONE_FUNCTIONS: readonly PyFunction[] = [
  /**
   * PHONE_FORMAT(value, country=None, format=None): a phone number in the national format if it belongs to `country`,
   * else in the international one; or in the named format, which may also be passed as the second argument.
   */
  defineFunction(
    "PHONE_FORMAT",
    {
      required: ["value"],
      optional: [
        ["country", null],
        ["format", null],
      ],
    },
    ([value = null, country = null, format = null]) => {
      if (!isTruthy(value)) return value;
      if (typeof value !== "string") throw typeError(`Phone number must be a text, not ${typeName(value)}`);
      // A format may take the position of the country.
      return format === null && PHONE_FORMATS.has(country)
        ? formatPhone(value, null, country)
        : formatPhone(value, country, format);
    },
  ),
];

function formatPhone(text: string, country: PyValue, format: PyValue): string {
  const form = format === null ? "national" : PHONE_FORMATS.get(format);
  if (!form) throw valueError(`Unknown format ${pyRepr(format)}`);
  spendSteps(10_000);
  // Skips prefixes such as `tel:` or a bracket.
  const number = text.slice(Math.max(0, text.search(/[+＋\p{Nd}]/u)));
  const region = typeof country === "string" && /^[A-Z]{2}$/.test(country) ? country : undefined;
  const parsed =
    number.length > MAX_LENGTH
      ? undefined
      : loadPhoneLibrary().parsePhoneNumber(number, region ? { regionCode: region } : {});
  if (!parsed?.number) throw new PyError("NumberParseException", `${pyRepr(text)} is no phone number`);
  const isLocal = region !== undefined && loadPhoneLibrary().getCountryCodeForRegionCode(region) === parsed.countryCode;
  return parsed.number[form === "national" && !isLocal ? "international" : form];
}
