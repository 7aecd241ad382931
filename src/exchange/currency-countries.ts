/**
 * Currencies by the locale ids (LCID) that workbooks use for a country and its language, for signs that several
 * currencies share: `[$$-1009]` is the Canadian dollar.
 */
const CURRENCIES: Readonly<Record<string, string>> = {
  "1009": "CAD",
  C0C: "CAD",
  C09: "AUD",
  "1409": "NZD",
  "80A": "MXN",
  "4809": "SGD",
  "1004": "SGD",
  C04: "HKD",
  "404": "TWD",
  "340A": "CLP",
  "240A": "COP",
  "2C0A": "ARS",
  "804": "CNY",
  "41D": "SEK",
  "414": "NOK",
  "406": "DKK",
  "40F": "ISK",
};

const COUNTRIES = new Map(Object.entries(CURRENCIES).map(([country, currency]) => [currency, country]));

/** Returns the currency of a locale id; undefined if its sign alone is unambiguous. */
export const currencyOfCountry = (country: string): string | undefined => {
  const known = country.toUpperCase();
  return Object.hasOwn(CURRENCIES, known) ? CURRENCIES[known] : undefined;
};

/** The inverse of `currencyOfCountry`. */
export const countryOfCurrency = (currency: string): string | undefined => COUNTRIES.get(currency);
