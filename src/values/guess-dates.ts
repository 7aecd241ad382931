import { MONTHS, WEEKDAYS } from "./calendar.ts";
import { formatDate } from "./date-format.ts";
import { MIN_MATCH_SHARE } from "./guess-numbers.ts";
import { parseDay } from "./date-parse.ts";
import { parseDateTime } from "./date-time-parse.ts";
import type { ParseSettings } from "./types/type-interfaces.ts";
import { UTC, zoneOrUtc, type Zone } from "./zones.ts";

/** Number of texts used to derive candidate formats; every text is validated against each candidate. */
const SAMPLE_SIZE = 20;

/** Formats that the user interface lists; all others are custom formats. */
const PRESET_DATE_FORMATS: ReadonlySet<string> = new Set([
  "YYYY-MM-DD",
  "MM-DD-YYYY",
  "MM/DD/YYYY",
  "MM-DD-YY",
  "MM/DD/YY",
  "DD MMM YYYY",
  "MMMM Do, YYYY",
  "DD-MM-YYYY",
]);
const PRESET_TIME_FORMATS: ReadonlySet<string> = new Set(["h:mma", "HH:mm", "HH:mm:ss"]);

interface DateTimeFormatGuess {
  readonly date: string;
  readonly time: string | undefined;
}

/**
 * Infers the format of dates, or of date-times in the document's zone. Returns undefined unless most texts are dates
 * and one format reproduces all of these exactly.
 */
export function guessDates(
  texts: readonly string[],
  settings: ParseSettings,
): { type: string; widgetOptions: Readonly<Record<string, unknown>> } | undefined {
  const zone = zoneOrUtc(settings.timezone);
  const tried = new Set<string>();
  for (const text of texts.slice(0, SAMPLE_SIZE)) {
    for (const format of formatsOf(text)) {
      const key = `${format.date} ${format.time ?? ""}`;
      if (!tried.has(key) && reproducesTexts(format, texts, settings, zone)) return toGuess(format, zone);
      tried.add(key);
    }
  }
  return undefined;
}

const toGuess = ({ date, time }: DateTimeFormatGuess, zone: Zone): ReturnType<typeof guessDates> => ({
  type: time === undefined ? "Date" : `DateTime:${zone.name}`,
  // A date without times has an empty time format, too, which is a custom one.
  widgetOptions:
    time === undefined
      ? { ...dateOptions(date, time), isCustomTimeFormat: true, timeFormat: "" }
      : dateOptions(date, time),
});

/** Returns the options of a column with a date format and an optional time format. */
export function dateOptions(date: string, time: string | undefined): Readonly<Record<string, unknown>> {
  const forDate = { dateFormat: date, isCustomDateFormat: !PRESET_DATE_FORMATS.has(date) };
  return time === undefined
    ? forDate
    : { ...forDate, timeFormat: time, isCustomTimeFormat: !PRESET_TIME_FORMATS.has(time) };
}

function reproducesTexts(
  { date, time }: DateTimeFormatGuess,
  texts: readonly string[],
  settings: ParseSettings,
  zone: Zone,
): boolean {
  const dateSettings = { ...settings, widgetOptions: { dateFormat: date } };
  const combinedFormat = time === undefined ? date : `${date} ${time}`;
  let allowedMisses = texts.length - Math.ceil(MIN_MATCH_SHARE * texts.length);
  return texts.every((text) => {
    const seconds = time === undefined ? parseDay(text, dateSettings, UTC) : parseDateTime(text, zone, dateSettings);
    if (seconds === undefined || seconds === null) return allowedMisses-- > 0;
    return formatDate(seconds, combinedFormat, time === undefined ? UTC : zone) === text;
  });
}

const WITH_TIME = /^(.*\S) (\d\d?:\d\d(?::\d\d)?( ?[ap]m)?)$/i;

/** Returns the formats that a text could be written in, the most likely first. */
function formatsOf(text: string): DateTimeFormatGuess[] {
  const match = WITH_TIME.exec(text);
  if (!match) return dateFormatsOf(text).map((date) => ({ date, time: undefined }));
  const [, date = "", time = "", half] = match;
  return dateFormatsOf(date).flatMap((format) => timeFormatsOf(time, half).map((one) => ({ date: format, time: one })));
}

function timeFormatsOf(time: string, half: string | undefined): string[] {
  const rest = time.split(":").length === 3 ? ":mm:ss" : ":mm";
  if (half === undefined) return [`HH${rest}`, `H${rest}`];
  const end = half.replace(/[ap]m/, "a").replace(/[AP]M/, "A");
  return [`h${rest}${end}`, `hh${rest}${end}`];
}

const DATE_TOKENS_IN_TEXT = /(\d+(?:st|nd|rd|th)?|[A-Za-z]+)/i;

function dateFormatsOf(text: string): string[] {
  let formats = [""];
  for (const [index, token] of text.split(DATE_TOKENS_IN_TEXT).entries()) {
    // Every second piece is the separator between two fields.
    const options = index % 2 === 0 ? [token] : candidateTokens(token);
    formats = formats.flatMap((format) => options.map((option) => format + option));
    if (formats.length > 500) return [];
  }
  return formats.filter(isCompleteDate).sort((a, b) => preferenceOf(a) - preferenceOf(b));
}

/** Returns the tokens that can match a piece of a date; an empty list if it cannot be one. */
function candidateTokens(token: string): string[] {
  if (/^\d+$/.test(token)) {
    if (token.length === 4) return ["YYYY"];
    // Two digits may or may not be zero-padded; the other texts decide.
    return token.length === 2 ? ["MM", "DD", "M", "D", "YY"] : token.length === 1 ? ["M", "D"] : [];
  }
  if (/^\d/.test(token)) return ["Do"];
  const sameAs = (name: string) => name.toLowerCase() === token.toLowerCase();
  return [
    ...(MONTHS.some((month) => sameAs(month.slice(0, 3))) ? ["MMM"] : []),
    ...(MONTHS.some(sameAs) ? ["MMMM"] : []),
    ...(WEEKDAYS.some((day) => sameAs(day.slice(0, 3))) ? ["ddd"] : []),
    ...(WEEKDAYS.some(sameAs) ? ["dddd"] : []),
  ];
}

function isCompleteDate(format: string): boolean {
  const parts = format.match(/Y+|M+|Do|D+/g) ?? [];
  const kinds = parts.map((part) => part[0]);
  const isSane = parts.length === 3 && new Set(kinds).size === 3;
  // No common format has the day between year and month, or the year between day and month.
  return isSane && !["YDM", "DYM", "MYD"].includes(kinds.join(""));
}

/** Orders month-first formats before day-first and year-first ones, and zero-padded numbers before others. */
function preferenceOf(format: string): number {
  const kinds = (format.match(/Y+|M+|Do|D+/g) ?? []).map((part) => part[0]).join("");
  const order = ["MDY", "DMY", "YMD"].indexOf(kinds);
  const bare = format.match(/(?<![MD])[MD](?![MDo])/g)?.length ?? 0;
  // Formats that pad only one field are the least likely.
  return order * 10 + (bare === 1 ? 2 : Math.sign(bare));
}
