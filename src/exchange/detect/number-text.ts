import { isCurrencySign } from "./currency-signs.ts";

/** Decimal separators of the two notations: `1,234.5` and `1.234,5`. */
export type DecimalSign = "." | ",";

/** A text parsed as a number: properties that both notations share, and the decimals in each of them. */
export interface NumberText {
  /** Number of decimals with a decimal point; -1 if the text is not a number then. */
  pointDecimals: number;
  /** Like `pointDecimals`, with a decimal comma. */
  commaDecimals: number;
  /** The separator between groups of three digits, which may be a decimal separator; empty without one. */
  separator: string;
  /** True if the last digit is a zero. */
  endsInZero: boolean;
  isPercent: boolean;
  /** Parentheses denote a negative number. */
  isParenthesized: boolean;
  isScientific: boolean;
  /** Currency sign or code; empty without one. */
  currency: string;
  /** Whether groups of two digits precede the last one of three, as in India: `12,34,567`. */
  isIndian: boolean;
  /** True for identifiers: leading zeros, a leading plus, or more than 15 digits. */
  isCode: boolean;
}

/** Number of digits that a double represents exactly. */
const MAX_DIGITS = 15;
/** No number is longer; this bounds the parsing time of long texts. */
const MAX_NUMBER_LENGTH = 60;

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
 * Parses texts as numbers before the decimal separator is known. One scanner serves many texts: `read` fills its fields
 * and allocates nothing for plain numbers, because an import calls it for every cell.
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
  isIndian = false;
  isCode = false;
  /** Whether the last text has any digit: without one it is not a date either. */
  hasDigits = false;
  #isNegative = false;
  #isLong = false;
  #start = 0;
  #end = 0;
  #lastSeparatorAt = -1;

  /** Returns true if the text is a number in one of the notations, or an identifier; the fields then describe it. */
  read(text: string): boolean {
    this.pointDecimals = this.commaDecimals = -1;
    this.isCode = this.hasDigits = false;
    const { length } = text;
    if (length > MAX_NUMBER_LENGTH) return false;
    let start = 0;
    while (start < length && !isDigitAt(text, start)) start++;
    if (start === length) return false;
    this.hasDigits = true;
    let end = length - 1;
    while (!isDigitAt(text, end)) end--;
    end++;
    // A number may begin with its decimal separator, but not with the point of an abbreviation before it.
    if (start > 0 && isDecimalSign(text.charCodeAt(start - 1)) && !/\p{L}\.$/u.test(text.slice(0, start))) start--;
    const affixes = parseAffixes(text, start, end);
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
   * Returns the last number with the given decimal separator, also of an identifier if no digits are lost; else NaN.
   */
  value(text: string, decimal: DecimalSign): number {
    if ((decimal === "." ? this.pointDecimals : this.commaDecimals) < 0) return Number.NaN;
    let digits = text.slice(this.#start, this.#end);
    if (this.separator !== "") digits = digits.replaceAll(this.separator === decimal ? "\0" : this.separator, "");
    if (decimal === ",") digits = digits.replace(",", ".");
    // Scaled as text: 8.8 / 100 is not 0.088 in binary floating point.
    const size = Number(this.isPercent ? `${digits}e-2` : digits);
    if (this.#isLong && !Number.isSafeInteger(size)) return Number.NaN;
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
    this.isIndian = false;
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
        // All groups have the same separator. Each but the first has three digits, or two before the last one.
        if (separators > 1 && last !== group) return false;
        if (separators === 1) group = last;
        if (run !== 3 || this.isIndian) {
          const isPair = run === 2 && last === COMMA && code === COMMA && firstRun <= 2;
          if (isPair ? separators > 1 && !this.isIndian : run !== 3 || code === COMMA) return false;
          this.isIndian = true;
        }
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
    // A number with more decimals than a double represents is neither an identifier nor a number.
    if (this.#isLong && !this.isCode) return false;
    this.endsInZero = text.charCodeAt(end - 1) === ZERO;
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

  /** Returns where the digits before an exponent end. The exponent needs a decimal separator before it and a sign. */
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

/** Point, comma, blank, apostrophe, and the typographic blanks and apostrophe that separate groups. */
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

/** A longer text before or after the digits is not an affix of a number. */
const MAX_AFFIX_LENGTH = 12;
const MAX_CACHED = 500;
const prefixCache = new Map<string, Affix | null>();
const suffixCache = new Map<string, Affix | null>();
const affixPairCache = new WeakMap<Affix, WeakMap<Affix, Affixes | null>>();

/** Text before or after the digits of a number. */
interface Affix {
  readonly isNegative: boolean;
  readonly isParenthesis: boolean;
  readonly isPercent: boolean;
  readonly isPlus: boolean;
  readonly currency: string;
}

const NO_AFFIX: Affix = { isNegative: false, isParenthesis: false, isPercent: false, isPlus: false, currency: "" };

/** Parses the text around the digits of a number; null if it is not part of one. */
function parseAffixes(text: string, start: number, end: number): Affixes | null {
  const after = text.length - end;
  if (after === 0) {
    if (start === 0) return NO_AFFIXES;
    if (start === 1 && text.charCodeAt(0) === HYPHEN) return MINUS;
  }
  if (start > MAX_AFFIX_LENGTH || after > MAX_AFFIX_LENGTH) return null;
  const prefix = start === 0 ? NO_AFFIX : cached(prefixCache, text.slice(0, start), parsePrefix);
  if (!prefix) return null;
  const suffix = after === 0 ? NO_AFFIX : cached(suffixCache, text.slice(end), parseSuffix);
  return suffix && cachedPair(prefix, suffix);
}

function cached(cache: Map<string, Affix | null>, text: string, read: (text: string) => Affix | null): Affix | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const result = read(text);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, result);
  return result;
}

function cachedPair(prefix: Affix, suffix: Affix): Affixes | null {
  let withPrefix = affixPairCache.get(prefix);
  if (!withPrefix) affixPairCache.set(prefix, (withPrefix = new WeakMap()));
  let pair = withPrefix.get(suffix);
  if (pair === undefined) withPrefix.set(suffix, (pair = combineAffixes(prefix, suffix)));
  return pair;
}

function combineAffixes(prefix: Affix, suffix: Affix): Affixes | null {
  const isParenthesized = prefix.isParenthesis;
  const minusSigns = [isParenthesized, prefix.isNegative, suffix.isNegative].filter(Boolean).length;
  if (isParenthesized !== suffix.isParenthesis || minusSigns > 1) return null;
  const currency = prefix.currency || suffix.currency;
  if (prefix.currency !== "" && (suffix.currency !== "" || suffix.isPercent)) return null;
  const { isPlus } = prefix;
  return { isNegative: minusSigns > 0, isParenthesized, isPercent: suffix.isPercent, isPlus, currency };
}

const MINUS_SIGNS = /[-\u2212]/g;

function parsePrefix(text: string): Affix | null {
  const whole = text.replaceAll(/\s/g, "");
  // Spreadsheets put the currency inside the parentheses or before them.
  const isParenthesis = whole.startsWith("(") || whole.endsWith("(");
  return parseAffix(isParenthesis ? whole.replace("(", "") : whole, { isParenthesis, isPercent: false });
}

function parseSuffix(text: string): Affix | null {
  const whole = text.replaceAll(/\s/g, "");
  const isParenthesis = whole.endsWith(")") || whole.startsWith(")");
  const rest = isParenthesis ? whole.replace(")", "") : whole;
  const isPercent = /^[-\u2212]?%$|^%[-\u2212]$/.test(rest);
  return parseAffix(isPercent ? rest.replace("%", "") : rest, { isParenthesis, isPercent });
}

function parseAffix(text: string, marks: Pick<Affix, "isParenthesis" | "isPercent">): Affix | null {
  const minusSigns = text.match(MINUS_SIGNS)?.length ?? 0;
  const rest = text.replaceAll(MINUS_SIGNS, "");
  const isPlus = rest.startsWith("+");
  const currency = isPlus ? rest.slice(1) : rest;
  if (minusSigns > 1 || (currency !== "" && !isCurrencySign(currency))) return null;
  return { ...marks, isNegative: minusSigns > 0, isPlus, currency };
}
