import { isCurrencyCode } from "../../values/currencies.ts";

/** Currency signs with the currencies that use them, the most frequent first. */
const CURRENCIES_BY_SIGN: Readonly<Record<string, readonly string[]>> = {
  "€": ["EUR"],
  $: ["USD", "CAD", "AUD", "NZD", "MXN", "SGD", "HKD", "TWD", "CLP", "COP", "ARS"],
  US$: ["USD"],
  A$: ["AUD"],
  C$: ["CAD"],
  CA$: ["CAD"],
  NZ$: ["NZD"],
  HK$: ["HKD"],
  S$: ["SGD"],
  R$: ["BRL"],
  "£": ["GBP", "EGP"],
  "¥": ["JPY", "CNY"],
  "￥": ["JPY", "CNY"],
  "₹": ["INR"],
  "₽": ["RUB"],
  "₺": ["TRY"],
  "₴": ["UAH"],
  "₩": ["KRW"],
  "₪": ["ILS"],
  "₫": ["VND"],
  "₱": ["PHP"],
  "฿": ["THB"],
  zł: ["PLN"],
  Kč: ["CZK"],
  Ft: ["HUF"],
  lei: ["RON"],
  "Fr.": ["CHF"],
  "SFr.": ["CHF"],
  Fr: ["CHF"],
  kr: ["SEK", "NOK", "DKK", "ISK"],
  "kr.": ["DKK", "SEK", "NOK", "ISK"],
  Rs: ["INR", "PKR", "LKR"],
  "Rs.": ["INR", "PKR", "LKR"],
};

/** Returns true for a currency sign or code. */
export const isCurrencySign = (sign: string): boolean =>
  Object.hasOwn(CURRENCIES_BY_SIGN, sign) || isCurrencyCode(sign);

/**
 * Returns the currency code for a sign; if several currencies share it, the local one wins.
 * @param localCurrency code of the currency of the user's region
 */
export function currencyOfSign(sign: string, localCurrency: string): string {
  const codes = Object.hasOwn(CURRENCIES_BY_SIGN, sign) ? (CURRENCIES_BY_SIGN[sign] ?? []) : [];
  return codes.includes(localCurrency) ? localCurrency : (codes[0] ?? sign);
}
