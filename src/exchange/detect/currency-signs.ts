import { isCurrencyCode } from "../../values/currencies.ts";

/** Signs for money with the currencies they stand for, the most frequent first. */
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

/** True for a sign or a code of a currency. */
export const isCurrencySign = (sign: string): boolean =>
  Object.hasOwn(CURRENCIES_BY_SIGN, sign) || isCurrencyCode(sign);

/**
 * The code of the currency that a sign stands for: of several the one that the reader's region uses.
 * @param localCurrency the code of that currency
 */
export function currencyOfSign(sign: string, localCurrency: string): string {
  const codes = Object.hasOwn(CURRENCIES_BY_SIGN, sign) ? (CURRENCIES_BY_SIGN[sign] ?? []) : [];
  return codes.includes(localCurrency) ? localCurrency : (codes[0] ?? sign);
}
