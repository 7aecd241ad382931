/** Returns the locale as documents store it, with its region: `de` gives `de-DE`. Null for an unsupported locale. */
export function canonicalLocale(text: string): string | null {
  try {
    const { language, script, region } = new Intl.Locale(text);
    const tag = [language, script, region].filter((part) => part !== undefined).join("-");
    if (Intl.NumberFormat.supportedLocalesOf(tag).length === 0) return null;
    return region === undefined ? `${tag}-${new Intl.Locale(tag).maximize().region ?? "001"}` : tag;
  } catch {
    return null;
  }
}

/** More languages than anyone reads; a bound for malicious headers. */
const MAX_LANGUAGES = 20;

/** A language range of RFC 4647, except `*`. */
const LANGUAGE_RANGE = /^[a-z]{1,8}(-[a-z\d]{1,8}){0,7}$/i;

/** Returns the language ranges of an `Accept-Language` header, the preferred one first; without `*`. */
export function acceptedLanguages(header: string | null): string[] {
  const preferences = (header ?? "").split(",", MAX_LANGUAGES).map((entry) => {
    const [language = "", ...parameters] = entry.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
    return { language, quality: quality === undefined ? 1 : Number(quality) };
  });
  return preferences
    .filter(({ language, quality }) => quality > 0 && LANGUAGE_RANGE.test(language))
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ language }) => language);
}

/** Returns the preferred locale of an `Accept-Language` header; null without one. */
export function preferredLocale(header: string | null): string | null {
  for (const language of acceptedLanguages(header)) {
    const locale = canonicalLocale(language);
    if (locale !== null) return locale;
  }
  return null;
}
