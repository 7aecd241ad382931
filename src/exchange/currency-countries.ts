/**
 * Currencies by the numbers (LCID) that workbooks name a country and its language by, for currencies whose sign several
 * countries share: `[$$-1009]` is the Canadian dollar.
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

/** The currency of a country's number; undefined where its sign alone tells. */
export const currencyOfCountry = (country: string): string | undefined => {
  const known = country.toUpperCase();
  return Object.hasOwn(CURRENCIES, known) ? CURRENCIES[known] : undefined;
};

/** The opposite. */
export const countryOfCurrency = (currency: string): string | undefined => COUNTRIES.get(currency);
