import { MONTHS, WEEKDAYS } from "./calendar.ts";
import { formatDate } from "./date-format.ts";
import { MIN_MATCH_SHARE } from "./guess-numbers.ts";
import { parseDay } from "./date-parse.ts";
import { parseDateTime } from "./date-time-parse.ts";
import type { ParseSettings } from "./types/type-interfaces.ts";
import { UTC, zoneOrUtc, type Zone } from "./zones.ts";

/** So many texts are looked at for formats; all are then held against each. */
const SAMPLE_SIZE = 20;

/** Formats that columns offer by name; others are the column's own. */
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
 * How these texts show dates, or dates with times in the document's zone; undefined unless most are dates and one
 * format shows all of those exactly as they are written.
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
  // The format of times is set for dates without one, too: none, which is none of those on offer.
  widgetOptions:
    time === undefined
      ? { ...dateOptions(date, time), isCustomTimeFormat: true, timeFormat: "" }
      : dateOptions(date, time),
});

/** The options of a column that shows dates in a format, and times if there is one for them. */
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

/** The formats in which a text could be written, the likeliest first. */
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
    // Every second piece is what stands between two parts.
    const options = index % 2 === 0 ? [token] : candidateTokens(token);
    formats = formats.flatMap((format) => options.map((option) => format + option));
    if (formats.length > 500) return [];
  }
  return formats.filter(isCompleteDate).sort((a, b) => preferenceOf(a) - preferenceOf(b));
}

/** The tokens that may stand for a piece of a date; none when it cannot be one. */
function candidateTokens(token: string): string[] {
  if (/^\d+$/.test(token)) {
    if (token.length === 4) return ["YYYY"];
    // Two digits may be padded or not, which others of the texts decide.
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
  // Nobody writes the day between year and month, or the year between the two.
  return isSane && !["YDM", "DYM", "MYD"].includes(kinds.join(""));
}

/** Month first where both are possible, then day first, then year first; padded numbers before others. */
function preferenceOf(format: string): number {
  const kinds = (format.match(/Y+|M+|Do|D+/g) ?? []).map((part) => part[0]).join("");
  const order = ["MDY", "DMY", "YMD"].indexOf(kinds);
  const bare = format.match(/(?<![MD])[MD](?![MDo])/g)?.length ?? 0;
  // Numbers padded in one part only are the least likely.
  return order * 10 + (bare === 1 ? 2 : Math.sign(bare));
}
