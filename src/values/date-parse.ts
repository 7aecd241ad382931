import { BoundedCache } from "../lib/bounded-cache.ts";
import { civilTimeOf } from "./calendar.ts";
import { expandLocaleTokens } from "./date-format.ts";
import { datePattern, dateWords, formatWords, type DatePattern, type ReferenceDate } from "./date-pattern.ts";
import type { ParseSettings } from "./types/type-interfaces.ts";
import { UTC, type Zone } from "./zones.ts";

export const DEFAULT_DATE_FORMAT = "YYYY-MM-DD";

/** Seconds since the epoch, as some people and programs give moments. */
const TIMESTAMP = /^[1-9]\d{8,9}$/;
/** No date is longer, and the time to look for one grows with the square of a text's length. */
export const MAX_DATE_LENGTH = 100;
/** A time of day alone is no date, though its parts could be month and day. */
const TIME_OF_DAY = /^\s*\d{1,2}:\d\d(:\d\d)?\s*$/;

/** Forms that can mean one day only, tried after the column's own format. */
const UNAMBIGUOUS: readonly DatePattern[] = [
  "YYYY M D",
  ...["MMMM", "MMM"].flatMap((month) => [
    `${month} D YYYY`,
    `${month} D`,
    `${month} Do YYYY`,
    `${month} Do`,
    `D ${month} YYYY`,
    `D ${month}`,
    `Do ${month} YYYY`,
    `Do ${month}`,
  ]),
]
  .map(datePattern)
  .filter((pattern) => pattern !== null);

/**
 * The day that a text names, in the column's format or an unambiguous one, as its midnight in UTC; nine or ten digits
 * are taken as seconds since the epoch. Undefined when it names none.
 */
export function parseDate(text: string, settings: ParseSettings): number | undefined {
  return parseTimestamp(text) ?? parseDay(text, settings, UTC);
}

/** The moment that nine or ten digits mean. */
export const parseTimestamp = (text: string): number | undefined => (TIMESTAMP.test(text) ? Number(text) : undefined);

/** As `parseDate`, for digits never a moment; today is the day it is in `zone`. */
export function parseDay(text: string, settings: ParseSettings, zone: Zone): number | undefined {
  if (text.length > MAX_DATE_LENGTH) return undefined;
  const words = dateWords(text);
  if (words === "" || TIME_OF_DAY.test(text)) return undefined;
  const format = settings.widgetOptions?.dateFormat;
  const today = todayIn(zone, settings.nowMs ?? Date.now());
  const patterns = columnPatterns(
    isFormat(format) ? expandLocaleTokens(format) : DEFAULT_DATE_FORMAT,
    countWords(words),
  );
  return firstMatch(patterns, words, today) ?? firstMatch(UNAMBIGUOUS, words, today);
}

const isFormat = (format: unknown): format is string =>
  typeof format === "string" && format !== "" && format.length <= MAX_DATE_LENGTH;

function firstMatch(patterns: readonly DatePattern[], words: string, today: ReferenceDate): number | undefined {
  for (const pattern of patterns) {
    const day = pattern.parse(words, today);
    if (day !== undefined) return day;
  }
  return undefined;
}

function todayIn(zone: Zone, nowMs: number): ReferenceDate {
  const now = nowMs / 1000;
  return civilTimeOf(now + zone.offsetAt(now));
}

const countWords = (words: string): number => words.split(" ").length;

/** Formats come from columns' options, which anybody may set. */
const patternCache = new BoundedCache<string, readonly DatePattern[]>({ maxEntries: 1000 });

/** The column's format and what counts as the same, for a text of so many words. */
const columnPatterns = (format: string, wordCount: number): readonly DatePattern[] =>
  patternCache.get(`${wordCount} ${format}`, () =>
    formatVariants(shortenFormat(formatWords(format), wordCount))
      .map(datePattern)
      .filter((pattern) => pattern !== null),
  );

/** The format without the year, and then without the month, as long as the text has fewer words. */
function shortenFormat(format: string, wordCount: number): string {
  let short = format;
  for (const part of [/Y+/, /M+/]) {
    if (countWords(short) > wordCount) short = dateFormatWithout(short, part);
  }
  return short;
}

const dateFormatWithout = (format: string, part: RegExp): string =>
  format.replace(part, "").replaceAll(/ +/g, " ").trim();

/** The format itself, with the other length of the year, and with numbers in place of names of months. */
function formatVariants(format: string): string[] {
  const years = format.includes("YYYY") ? format.replace("YYYY", "YY") : format.replace("YY", "YYYY");
  const all = [format, years];
  return [...new Set([...all, ...all.map((one) => one.replace(/MMMM?/, "M"))])];
}
