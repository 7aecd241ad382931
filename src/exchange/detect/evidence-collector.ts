import type { CellValue } from "../../values/cell.ts";
import type { TextInterpretation } from "../table-parts.ts";
import { timeOfDaySeconds } from "../times-of-day.ts";
import { isBoolWord } from "./bool-words.ts";
import { isCurrencySign } from "./currency-signs.ts";
import { type DateText, parseDateCandidate } from "./date-text.ts";
import { type ColumnEvidence, type FormEvidence, emptyEvidence } from "./evidence.ts";
import { type DecimalSign, NumberScanner } from "./number-text.ts";
import { parseIsoDateText } from "./iso-text.ts";

/** Maximum number of currencies and of date forms that are counted separately in a column. */
const MAX_CURRENCIES = 4;
const MAX_DATE_FORMS = 6;

const MAX_PLACEHOLDER_LENGTH = 4;
/** Maximum length of a dash with a currency and blanks. */
const LONGEST_DASH = 12;

/** Placeholders that people enter for a missing number or date, or that spreadsheets display for a missing value. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(["-", "--", "–", "—", "n/a", "N/A", "N/a", "#N/A", "#NV", "#N/D"]);

/** `$ -`, `- €`: a dash in the accounting format of spreadsheets. */
const DASH_WITH_CURRENCY = /^(?:(\S+)\s*[-–—]|[-–—]\s*(\S+))$/;

/** Returns true for placeholders of a missing value. */
export function isPlaceholder(text: string): boolean {
  if (text.length > LONGEST_DASH) return false;
  if (text.length <= MAX_PLACEHOLDER_LENGTH && PLACEHOLDERS.has(text)) return true;
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  // This runs for every cell, so the cheap check comes first: a digit next to the dash makes it a number.
  if (!(isDash(first) && !isDigit(last)) && !(isDash(last) && !isDigit(first))) return false;
  const found = DASH_WITH_CURRENCY.exec(text);
  return found !== null && isCurrencySign(found[1] ?? found[2] ?? "");
}

const isDash = (code: number): boolean => code === 45 || code === 0x2013 || code === 0x2014;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** `="00123"`: the notation in which spreadsheets mark digits as text. */
export const MARKED_TEXT = /^="(.*)"$/s;

const scanner = new NumberScanner();

/** Collects evidence about a column's type from its cells, one at a time. */
export class EvidenceCollector {
  readonly evidence: ColumnEvidence = emptyEvidence();
  readonly #texts: TextInterpretation;
  #hasDates = false;
  /** The form of the previous date, which usually equals that of the next one. */
  #lastForm: FormEvidence | undefined;

  /** @param texts how texts in files of this format are interpreted */
  constructor(texts: TextInterpretation) {
    this.#texts = texts;
  }

  add(value: CellValue): void {
    if (typeof value === "string") this.#addText(value);
    else if (value === null) this.evidence.blanks++;
    else if (typeof value === "number") this.evidence.numbers++;
    else if (typeof value === "boolean") this.evidence.bools++;
    else if (value[0] === "d") this.evidence.days++;
    else if (value[0] === "D") this.evidence.moments++;
    else if (timeOfDaySeconds(value) !== undefined) this.#addTime();
    else this.evidence.others++;
  }

  /** A time of day becomes a text that is neither a number nor a date. */
  #addTime(): void {
    this.evidence.texts++;
    this.evidence.words = null;
  }

  #addText(whole: string): void {
    const { evidence } = this;
    const text = whole.trim();
    if (text === "") {
      evidence.blanks++;
      return;
    }
    evidence.texts++;
    if (this.#texts !== "anything") evidence.words = null;
    else if (evidence.words) this.#addWord(text, evidence.words);
    if (this.#texts === "dates") {
      const date = parseIsoDateText(text);
      if (date) this.#addDate(date);
    } else if (isPlaceholder(text)) evidence.placeholders++;
    else if (!this.#hasDates) this.#addNumberOrDate(text);
    // No text is both a number and a date; in columns of dates, parsing them first is faster.
    else if (!this.#tryDate(text)) this.#addNumberOrDate(text);
  }

  #addNumberOrDate(text: string): void {
    if (scanner.read(text)) this.#addNumber();
    else if (text.startsWith("=") && MARKED_TEXT.test(text)) this.evidence.codes++;
    else if (scanner.hasDigits && !this.#hasDates) this.#hasDates = this.#tryDate(text);
  }

  #tryDate(text: string): boolean {
    const date = parseDateCandidate(text);
    if (date) this.#addDate(date);
    return date !== undefined;
  }

  #addWord(text: string, words: string[]): void {
    if (words.includes(text)) return;
    if (words.length < 2 && isBoolWord(text)) words.push(text);
    else this.evidence.words = null;
  }

  #addNumber(): void {
    const { evidence } = this;
    if (scanner.isCode) {
      evidence.codes++;
      return;
    }
    if (scanner.isPercent) evidence.percents++;
    if (scanner.isParenthesized) evidence.parenthesized++;
    if (scanner.isScientific) evidence.scientific++;
    this.#addGroup();
    if (scanner.currency !== "") this.#addCurrency(scanner.currency);
    if (scanner.pointDecimals >= 0) this.#addNotation(".", scanner.pointDecimals);
    if (scanner.commaDecimals >= 0) this.#addNotation(",", scanner.commaDecimals);
  }

  #addNotation(decimal: DecimalSign, decimals: number): void {
    const way = this.evidence.notations[decimal];
    way.matches++;
    if (scanner.separator !== "" && scanner.separator !== decimal) way.grouped++;
    if (decimals === 0) {
      way.whole++;
      return;
    }
    if (decimals < way.minDecimals) way.minDecimals = decimals;
    if (decimals > way.maxDecimals) way.maxDecimals = decimals;
    if (scanner.endsInZero && decimals > way.zeroDecimals) way.zeroDecimals = decimals;
  }

  /** A single separator followed by three digits is ambiguous: it may group digits or separate decimals. */
  #addGroup(): void {
    if (scanner.separator === "") return;
    const isSure =
      scanner.pointDecimals < 0 || scanner.commaDecimals < 0 || scanner.pointDecimals === scanner.commaDecimals;
    if (isSure) this.evidence.group = scanner.separator;
    if (scanner.isIndian) this.evidence.indian++;
  }

  #addCurrency(sign: string): void {
    const { currencies } = this.evidence;
    const count = currencies[sign] ?? 0;
    // Beyond the limit, currencies are no longer counted separately, but the map still shows that there are several.
    if (count > 0 || Object.keys(currencies).length < MAX_CURRENCIES) currencies[sign] = count + 1;
  }

  #addDate({ day, time }: DateText): void {
    const { dates } = this.evidence;
    const timeForm = time?.form ?? "";
    let dateForm = this.#lastForm;
    if (dateForm?.date !== day.form || dateForm.time !== timeForm) dateForm = formFor(dates.forms, day.form, timeForm);
    // A column with many date forms is not a date column.
    if (!dateForm) return;
    this.#lastForm = dateForm;
    if (!Number.isNaN(day.dayFirst)) dates.matches.dmy++;
    if (!Number.isNaN(day.monthFirst)) dates.matches.mdy++;
    if (day.form.startsWith("A")) dates.ambiguous++;
    if (time) dates.timed++;
    dateForm.count++;
    if (day.isUnpadded !== undefined) dateForm[day.isUnpadded ? "bare" : "padded"] = true;
    if (time?.isUnpadded !== undefined) dateForm[time.isUnpadded ? "bareHour" : "paddedHour"] = true;
    if (day.name === "long") dateForm.longNames = true;
    if (day.name === null) dateForm.foreignNames = true;
  }
}

function formFor(forms: FormEvidence[], date: string, time: string): FormEvidence | undefined {
  let form = forms.find((one) => one.date === date && one.time === time);
  if (form || forms.length === MAX_DATE_FORMS) return form;
  form = {
    date,
    time,
    count: 0,
    padded: false,
    bare: false,
    paddedHour: false,
    bareHour: false,
    longNames: false,
    foreignNames: false,
  };
  forms.push(form);
  return form;
}
