import { BoundedCache } from "../lib/bounded-cache.ts";
import { civilTimeOf } from "./calendar.ts";
import { expandLocaleTokens } from "./date-format.ts";
import { datePattern, dateWords, formatWords, type DatePattern, type ReferenceDate } from "./date-pattern.ts";
import type { ParseSettings } from "./types/type-interfaces.ts";
import { UTC, type Zone } from "./zones.ts";

export const DEFAULT_DATE_FORMAT = "YYYY-MM-DD";

/** Unix timestamps in seconds. */
const TIMESTAMP = /^[1-9]\d{8,9}$/;
/** No valid date is longer. A bound is needed because parsing takes quadratic time. */
export const MAX_DATE_LENGTH = 100;
/** A time of day alone is not a date, though its parts could be a month and a day. */
const TIME_OF_DAY = /^\s*\d{1,2}:\d\d(:\d\d)?\s*$/;

/** Unambiguous formats, tried after the column's own format. */
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
 * Parses a date in the column's format or an unambiguous one and returns its midnight in UTC. Nine or ten digits are a
 * Unix timestamp. Returns undefined for other strings.
 */
export function parseDate(text: string, settings: ParseSettings): number | undefined {
  return parseTimestamp(text) ?? parseDay(text, settings, UTC);
}

/** Parses nine or ten digits as a Unix timestamp. */
export const parseTimestamp = (text: string): number | undefined => (TIMESTAMP.test(text) ? Number(text) : undefined);

/** Like `parseDate`, but never parses digits as a timestamp; `zone` determines today's date. */
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

/** Bounded, because any editor can set a column's format. */
const patternCache = new BoundedCache<string, readonly DatePattern[]>({ maxEntries: 1000 });

/** Returns patterns for the column's format and its variants, for a text with this number of words. */
const columnPatterns = (format: string, wordCount: number): readonly DatePattern[] =>
  patternCache.get(`${wordCount} ${format}`, () =>
    formatVariants(shortenFormat(formatWords(format), wordCount))
      .map(datePattern)
      .filter((pattern) => pattern !== null),
  );

/** Returns the format without the year, then without the month, while the text has fewer words. */
function shortenFormat(format: string, wordCount: number): string {
  let short = format;
  for (const part of [/Y+/, /M+/]) {
    if (countWords(short) > wordCount) short = dateFormatWithout(short, part);
  }
  return short;
}

const dateFormatWithout = (format: string, part: RegExp): string =>
  format.replace(part, "").replaceAll(/ +/g, " ").trim();

/** Returns the format itself, with the other length of the year, and with numbers in place of month names. */
function formatVariants(format: string): string[] {
  const years = format.includes("YYYY") ? format.replace("YYYY", "YY") : format.replace("YY", "YYYY");
  const all = [format, years];
  return [...new Set([...all, ...all.map((one) => one.replace(/MMMM?/, "M"))])];
}
