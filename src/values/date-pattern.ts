import { isValidDate, midnightOf, MONTHS, WEEKDAYS } from "./calendar.ts";
import { DATE_TOKENS } from "./date-format.ts";

/** Supplies the fields that a text omits. */
export interface ReferenceDate {
  readonly year: number;
  readonly month: number;
}

/** Parses dates in one format, ignoring separators. */
export interface DatePattern {
  /**
   * Returns midnight UTC of the date in `words`, which are separated by single spaces; undefined if they do not match.
   */
  parse(words: string, today: ReferenceDate): number | undefined;
}

/** Runs of characters other than ASCII letters and digits. */
const SEPARATORS = /[\W_]+/g;

/** More fields than any date has. Without this bound, repeated fields cause catastrophic backtracking. */
const MAX_DATE_FIELDS = 6;

/** Replaces separators with single spaces. */
export const dateWords = (text: string): string => text.replace(SEPARATORS, " ").trim();

type Field = "year" | "shortYear" | "month" | "monthName" | "day" | "dayOfYear" | "none";

/** Compiles a format; returns null if it has tokens that cannot be parsed. */
export function datePattern(format: string): DatePattern | null {
  const fields: Field[] = [];
  let readable = true;
  const source = formatWords(format)
    .split(" ")
    .map((word) => wordPattern(word, fields, () => (readable = false)))
    .join(" ");
  if (!readable || fields.length > MAX_DATE_FIELDS || fields.every((field) => field === "none")) return null;
  const expression = new RegExp(`^${source}$`, "i");
  return {
    parse(words, today) {
      const match = expression.exec(words);
      return match ? dayOf(fields, match.slice(1), today) : undefined;
    },
  };
}

/** Replaces the separators of a format with single spaces; literals stay in brackets. */
export function formatWords(format: string): string {
  const spaced = format.replaceAll(/\[([^\]]*)\]|[\W_]+/g, (_, text?: string) => {
    return text === undefined ? " " : dateWords(text).replaceAll(/\w+/g, "[$&]");
  });
  return spaced.trim();
}

function wordPattern(word: string, fields: Field[], onUnsupported: () => void): string {
  // Without separators between fields, only a fixed width of two digits shows where each ends.
  const joined = (word.match(DATE_TOKENS)?.length ?? 0) > 1;
  const rest = word.replace(DATE_TOKENS, "");
  if (rest !== "") onUnsupported();
  return word.replace(DATE_TOKENS, (token) => {
    if (token.startsWith("[")) return token.slice(1, -1);
    const part = TOKEN_PATTERNS[token];
    if (!part) onUnsupported();
    else fields.push(part.field);
    return part ? (joined && part.joined) || part.source : "";
  });
}

const names = (list: readonly string[], length?: number): string =>
  `(${list.map((name) => name.slice(0, length)).join("|")})`;

const TOKEN_PATTERNS: Readonly<Record<string, { field: Field; source: string; joined?: string }>> = {
  YYYY: { field: "year", source: "(\\d{4})" },
  Y: { field: "year", source: "(\\d{4})" },
  YY: { field: "shortYear", source: "(\\d\\d)" },
  M: { field: "month", source: "(\\d\\d?)" },
  MM: { field: "month", source: "(\\d\\d?)", joined: "(\\d\\d)" },
  MMM: { field: "monthName", source: names(MONTHS, 3) },
  MMMM: { field: "monthName", source: names(MONTHS) },
  D: { field: "day", source: "(\\d\\d?)" },
  DD: { field: "day", source: "(\\d\\d?)", joined: "(\\d\\d)" },
  DDD: { field: "dayOfYear", source: "(\\d{1,3})", joined: "(\\d{3})" },
  DDDD: { field: "dayOfYear", source: "(\\d{3})" },
  Do: { field: "day", source: "(\\d\\d?)(?:st|nd|rd|th)" },
  dd: { field: "none", source: names(WEEKDAYS, 2) },
  ddd: { field: "none", source: names(WEEKDAYS, 3) },
  dddd: { field: "none", source: names(WEEKDAYS) },
};

function dayOf(fields: readonly Field[], texts: readonly string[], today: ReferenceDate): number | undefined {
  let year: number | undefined;
  let month: number | undefined;
  let day: number | undefined;
  for (const [index, field] of fields.entries()) {
    const text = texts[index] ?? "";
    if (field === "year") year = Number(text);
    else if (field === "shortYear") year = fullYear(Number(text), today);
    else if (field === "month") month = Number(text);
    else if (field === "monthName") month = monthOf(text);
    else if (field === "day") day = Number(text);
    else if (field === "dayOfYear") return midnightOfYearDay(year ?? today.year, Number(text));
  }
  // Fields above the first given one default to today, fields below it to the first.
  month ??= year === undefined ? today.month : 1;
  year ??= today.year;
  day ??= 1;
  return isValidDate(year, month, day) ? midnightOf(year, month, day) : undefined;
}

/** Returns midnight of the nth day of a year; undefined if the year has no such day. */
function midnightOfYearDay(year: number, count: number): number | undefined {
  const midnight = midnightOf(year, 1, 1) + (count - 1) * 86_400;
  return count >= 1 && year >= 1 && midnight < midnightOf(year + 1, 1, 1) ? midnight : undefined;
}

/** Expands a two-digit year to one at most ten years in the future. */
const fullYear = (digits: number, today: ReferenceDate): number =>
  digits + (2000 + digits > today.year + 10 ? 1900 : 2000);

const monthOf = (name: string): number =>
  MONTHS.findIndex((month) => month.toLowerCase().startsWith(name.toLowerCase())) + 1;
