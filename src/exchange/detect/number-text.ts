import { isCurrencySign } from "./currency-signs.ts";

/** The two ways to write numbers: `1,234.5` and `1.234,5`. */
export type DecimalSign = "." | ",";

/** How a text reads as a number: what is common to both ways, and the decimals in each of them. */
export interface NumberText {
  /** Decimals with a decimal point; -1 where the text is no number then. */
  pointDecimals: number;
  /** As `pointDecimals`, with a decimal comma. */
  commaDecimals: number;
  /** The sign between groups of three digits, whatever it means; empty without one. */
  separator: string;
  /** True when the last of several decimals is a zero. */
  endsInZero: boolean;
  isPercent: boolean;
  /** In parentheses, which stand for a minus. */
  isParenthesized: boolean;
  isScientific: boolean;
  /** The sign or code of a currency; empty without one. */
  currency: string;
  /** True for digits that name something: with leading zeros, a leading plus, or more than 15 of them. */
  isCode: boolean;
}

/** So many digits survive conversion to a number. */
const MAX_DIGITS = 15;
/** No number is longer; it bounds the time spent on long texts. */
const MAX_LENGTH = 60;

interface Affixes {
  readonly isNegative: boolean;
  readonly isParenthesized: boolean;
  readonly isPercent: boolean;
  readonly isPlus: boolean;
  readonly currency: string;
}

const NO_AFFIXES: Affixes = {
  isNegative: false,
  isParenthesized: false,
  isPercent: false,
  isPlus: false,
  currency: "",
};
const MINUS: Affixes = { ...NO_AFFIXES, isNegative: true };

/**
 * Reads texts as numbers without knowing yet which sign parts decimals. One scanner serves many texts: `read` fills its
 * fields and allocates nothing for plain numbers, because an import calls it for every cell.
 */
export class NumberScanner implements NumberText {
  pointDecimals = -1;
  commaDecimals = -1;
  separator = "";
  endsInZero = false;
  isPercent = false;
  isParenthesized = false;
  isScientific = false;
  currency = "";
  isCode = false;
  /** Whether the text that was read last has a digit at all: without one it is no date either. */
  hasDigits = false;
  #isNegative = false;
  #isLong = false;
  #start = 0;
  #end = 0;
  #lastSeparatorAt = -1;

  /** True when the text is a number in one of the two ways, or a code; the fields tell how it is written then. */
  read(text: string): boolean {
    this.pointDecimals = this.commaDecimals = -1;
    this.isCode = this.hasDigits = false;
    const { length } = text;
    if (length > MAX_LENGTH) return false;
    let start = 0;
    while (start < length && !isDigitAt(text, start)) start++;
    if (start === length) return false;
    this.hasDigits = true;
    let end = length - 1;
    while (!isDigitAt(text, end)) end--;
    end++;
    // A number may begin with its decimal sign, but the point of an abbreviation before it is none.
    if (start > 0 && isDecimalSign(text.charCodeAt(start - 1)) && !/\p{L}\.$/u.test(text.slice(0, start))) start--;
    const affixes = affixesOf(text, start, end);
    if (!affixes) return false;
    this.isPercent = affixes.isPercent;
    this.isParenthesized = affixes.isParenthesized;
    this.currency = affixes.currency;
    this.#isNegative = affixes.isNegative;
    this.#start = start;
    this.#end = end;
    if (!this.#readDigits(text)) return false;
    if (affixes.isPlus) this.isCode = true;
    return true;
  }

  /**
   * The number that was read last, with the given decimal sign, also of a code where that loses no digits; NaN where it is
   * none.
   */
  value(text: string, decimal: DecimalSign): number {
    if (this.#isLong || (decimal === "." ? this.pointDecimals : this.commaDecimals) < 0) return Number.NaN;
    let digits = text.slice(this.#start, this.#end);
    if (this.separator !== "") digits = digits.replaceAll(this.separator === decimal ? "\0" : this.separator, "");
    if (decimal === ",") digits = digits.replace(",", ".");
    // Shifted as a text: 8.8 / 100 is not 0.088 in binary fractions.
    const size = Number(this.isPercent ? `${digits}e-2` : digits);
    return this.#isNegative && size !== 0 ? -size : size;
  }

  #readDigits(text: string): boolean {
    const end = this.#exponentStart(text);
    const first = text.charCodeAt(this.#start) === ZERO;
    let run = 0;
    let firstRun = -1;
    let separators = 0;
    let group = 0;
    let last = 0;
    let digits = 0;
    let isLeading = true;
    this.#lastSeparatorAt = -1;
    for (let at = this.#start; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code >= ZERO && code <= NINE) {
        run++;
        if (code !== ZERO) isLeading = false;
        if (!isLeading) digits++;
        continue;
      }
      if (!isSeparator(code)) return false;
      if (separators > 0) {
        // Every group but the first has three digits, and all have one sign between them.
        if (run !== 3 || (separators > 1 && last !== group)) return false;
        if (separators === 1) group = last;
      } else firstRun = run;
      separators++;
      last = code;
      this.#lastSeparatorAt = at;
      run = 0;
    }
    if (run === 0) return false;
    this.separator = "";
    if (separators > 0) this.#decide(text, { separators, group, last, firstRun, lastRun: run, startsWithZero: first });
    else if (!this.isScientific) {
      firstRun = run;
      this.pointDecimals = this.commaDecimals = 0;
    }
    if (this.pointDecimals < 0 && this.commaDecimals < 0) return false;
    this.#isLong = digits > MAX_DIGITS;
    this.isCode = (first && firstRun > 1) || (this.#isLong && separators === 0);
    // More decimals than a number keeps are no code, but no number either.
    if (this.#isLong && !this.isCode) return false;
    this.endsInZero = run > 1 && text.charCodeAt(end - 1) === ZERO;
    return true;
  }

  #decide(
    text: string,
    {
      separators,
      group,
      last,
      firstRun,
      lastRun,
      startsWithZero,
    }: {
      separators: number;
      group: number;
      last: number;
      firstRun: number;
      lastRun: number;
      startsWithZero: boolean;
    },
  ): void {
    const canGroup = firstRun >= 1 && firstRun <= 3 && !startsWithZero;
    const isGroups = canGroup && lastRun === 3 && (separators === 1 || last === group) && !this.isScientific;
    if (isGroups) {
      this.separator = text.charAt(this.#lastSeparatorAt);
      if (last !== POINT) this.pointDecimals = 0;
      if (last !== COMMA) this.commaDecimals = 0;
    }
    const isDecimal = separators === 1 || (canGroup && last !== group);
    if (!isDecimal || !isDecimalSign(last)) return;
    if (separators > 1) this.separator = String.fromCharCode(group);
    if (last === POINT) this.pointDecimals = lastRun;
    else this.commaDecimals = lastRun;
  }

  /** Where the digits before an exponent end: it needs a decimal sign before it and a sign of its own. */
  #exponentStart(text: string): number {
    this.isScientific = false;
    for (let at = this.#end - 1; at > this.#start && at >= this.#end - 5; at--) {
      const code = text.charCodeAt(at);
      if (code !== UPPER_E && code !== LOWER_E) continue;
      const sign = text.charCodeAt(at + 1);
      if (sign !== HYPHEN && sign !== PLUS) return this.#end;
      this.isScientific = true;
      return at;
    }
    return this.#end;
  }
}

const ZERO = 48;
const NINE = 57;
const COMMA = 44;
const POINT = 46;
const HYPHEN = 45;
const PLUS = 43;
const UPPER_E = 69;
const LOWER_E = 101;

/** Point, comma, blank, apostrophe, and the blanks and the apostrophe that typography uses between groups. */
const isSeparator = (code: number): boolean =>
  code === POINT ||
  code === COMMA ||
  code === 32 ||
  code === 39 ||
  code === 0xa0 ||
  code === 0x202f ||
  code === 0x2009 ||
  code === 0x2019;

const isDecimalSign = (code: number): boolean => code === POINT || code === COMMA;

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= ZERO && code <= NINE;
}

/** Longer texts before or after the digits are no affixes of a number. */
const MAX_AFFIX = 12;
const MAX_KEPT = 500;
const known = new Map<string, Affixes | null>();

/** What is around the digits of a number; null when it belongs to none. */
function affixesOf(text: string, start: number, end: number): Affixes | null {
  const after = text.length - end;
  if (after === 0) {
    if (start === 0) return NO_AFFIXES;
    if (start === 1 && text.charCodeAt(0) === HYPHEN) return MINUS;
  }
  if (start > MAX_AFFIX || after > MAX_AFFIX) return null;
  const key = `${text.slice(0, start)}0${text.slice(end)}`;
  let affixes = known.get(key);
  if (affixes === undefined) {
    affixes = readAffixes(text.slice(0, start), text.slice(end));
    if (known.size >= MAX_KEPT) known.clear();
    known.set(key, affixes);
  }
  return affixes;
}

const MINUS_SIGNS = /[-\u2212]/g;

function readAffixes(before: string, after: string): Affixes | null {
  let prefix = before.replaceAll(/\s/g, "");
  let suffix = after.replaceAll(/\s/g, "");
  const isParenthesized = prefix.startsWith("(") && suffix.endsWith(")");
  if (isParenthesized) [prefix, suffix] = [prefix.slice(1), suffix.slice(0, -1)];
  const minusSigns = `${prefix}${suffix}`.match(MINUS_SIGNS)?.length ?? 0;
  if (minusSigns > 1 || (isParenthesized && minusSigns > 0)) return null;
  [prefix, suffix] = [prefix.replace(MINUS_SIGNS, ""), suffix.replace(MINUS_SIGNS, "")];
  const isPlus = prefix.startsWith("+");
  if (isPlus) prefix = prefix.slice(1);
  const isPercent = suffix === "%";
  if (isPercent) suffix = "";
  if (prefix !== "" && suffix !== "") return null;
  const currency = prefix || suffix;
  if (currency !== "" && (isPercent || !isCurrencySign(currency))) return null;
  return { isNegative: isParenthesized || minusSigns > 0, isParenthesized, isPercent, isPlus, currency };
}
