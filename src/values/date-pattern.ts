import { isValidDate, midnightOf, MONTHS, WEEKDAYS } from "./calendar.ts";
import { DATE_TOKENS } from "./date-format.ts";

/** What fills the parts a text leaves out. */
export interface ReferenceDate {
  readonly year: number;
  readonly month: number;
}

/** Reads dates written in one format; their separators do not matter. */
export interface DatePattern {
  /** The midnight (UTC) of the day that `words` names, which are parted by single blanks; undefined if they do not fit. */
  parse(words: string, today: ReferenceDate): number | undefined;
}

/** Runs of anything but ASCII letters and digits. */
const SEPARATORS = /[\W_]+/g;

/** More parts than a date has; without a bound many of them in a row could be matched in too many ways. */
const MAX_DATE_FIELDS = 6;

/** A text with its separators replaced by single blanks. */
export const dateWords = (text: string): string => text.replace(SEPARATORS, " ").trim();

type Field = "year" | "shortYear" | "month" | "monthName" | "day" | "dayOfYear" | "none";

/** The pattern for a format; null when it has parts that dates cannot be read from. */
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

/** A format with its separators replaced by single blanks; words in brackets stay in brackets. */
export function formatWords(format: string): string {
  const spaced = format.replaceAll(/\[([^\]]*)\]|[\W_]+/g, (_, text?: string) => {
    return text === undefined ? " " : dateWords(text).replaceAll(/\w+/g, "[$&]");
  });
  return spaced.trim();
}

function wordPattern(word: string, fields: Field[], onUnsupported: () => void): string {
  // Where parts follow each other without a separator, only two digits tell where one ends.
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
  // What stands before the first part given is that of today, what stands after it is the first.
  month ??= year === undefined ? today.month : 1;
  year ??= today.year;
  day ??= 1;
  return isValidDate(year, month, day) ? midnightOf(year, month, day) : undefined;
}

/** The midnight of the nth day of a year; undefined if it has none. */
function midnightOfYearDay(year: number, count: number): number | undefined {
  const midnight = midnightOf(year, 1, 1) + (count - 1) * 86_400;
  return count >= 1 && year >= 1 && midnight < midnightOf(year + 1, 1, 1) ? midnight : undefined;
}

/** Two digits mean a year up to ten years ahead, or one of the last century. */
const fullYear = (digits: number, today: ReferenceDate): number =>
  digits + (2000 + digits > today.year + 10 ? 1900 : 2000);

const monthOf = (name: string): number =>
  MONTHS.findIndex((month) => month.toLowerCase().startsWith(name.toLowerCase())) + 1;
