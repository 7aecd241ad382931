import { expect, test } from "bun:test";
import { canonicalLocale, preferredLocale } from "../../../src/lib/text/locales.ts";

const HEADERS: [header: string | null, locale: string | null][] = [
  [null, null],
  ["", null],
  ["*", null],
  ["de-CH", "de-CH"],
  ["de", "de-DE"],
  ["de;q=0.5, fr-FR;q=0.9", "fr-FR"],
  ["xx-nonsense-!!, en-GB;q=0.1", "en-GB"],
  ["en;q=0, it", "it-IT"],
  ["zh-Hant-TW-u-nu-hanidec", "zh-Hant-TW"],
  [`${"!,".repeat(5000)}de`, null],
];
test.each(HEADERS)("Accept-Language %j prefers %j", (header, locale) => expect(preferredLocale(header)).toBe(locale));

test("returns null for invalid locales", () => {
  for (const text of ["", "english", "12", "de_DE"]) expect(canonicalLocale(text)).toBeNull();
});
