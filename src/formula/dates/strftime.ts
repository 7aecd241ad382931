import { MONTHS, WEEKDAYS } from "../../values/calendar.ts";
import { spendBytes } from "../runtime/budget.ts";
import { clockOf, dayOfYear, isoWeekOf, padded, partsOf, weekdayOf } from "./days.ts";
import { type LocalTime, writeOffset } from "./tzinfo.ts";

/** The input of `strftime`: a local time and its zone. */
export interface StrftimeInput extends LocalTime {
  /** The UTC offset in microseconds. */
  readonly offset?: number | undefined;
  readonly zoneName?: string | undefined;
}

interface FormattedField {
  readonly text: string;
  /** The number of digits to pad to, and the padding character. */
  readonly width?: number;
  readonly fill?: string;
}

const DIRECTIVE = /%([-_0^#]*)(\d{1,4})?(?:[EO](?=[a-zA-Z]))?([a-zA-Z%+])/g;

/** Formats a time by C's directives (`%d.%m.%Y`) in English; unknown directives are preserved. */
export function formatTime(format: string, time: StrftimeInput): string {
  let size = format.length;
  const text = format.replace(DIRECTIVE, (whole, flags: string, width: string | undefined, letter: string) => {
    const shown = DIRECTIVES[letter]?.(time);
    const written = shown === undefined ? whole : applyFlags(shown, flags, width);
    size += written.length;
    if (size > 100_000) spendBytes(size);
    return written;
  });
  spendBytes(text.length * 2);
  return text;
}

function applyFlags(
  { text, width = 0, fill = " " }: FormattedField,
  flags: string,
  requestedWidth: string | undefined,
): string {
  const flag = /[-_0]/g.exec(flags.split("").toReversed().join(""))?.[0];
  const length = requestedWidth === undefined ? (flag === "-" ? 0 : width) : Number(requestedWidth);
  const padding = flag === "_" || flag === "-" ? " " : flag === "0" ? "0" : fill;
  const filled = text.padStart(length, padding);
  if (flags.includes("^")) return filled.toUpperCase();
  return flags.includes("#") ? swapCase(filled) : filled;
}

const swapCase = (text: string): string => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase());

const digits = (value: number, width: number): FormattedField => ({ text: value.toString(), width, fill: "0" });
const spacePadded = (value: number): FormattedField => ({ text: value.toString(), width: 2, fill: " " });
const plain = (text: string): FormattedField => ({ text });

const hour12 = (time: LocalTime): number => clockOf(time.micros).hour % 12 || 12;
const isMorning = (time: LocalTime): boolean => clockOf(time.micros).hour < 12;
const shortWeekday = (time: LocalTime): string => longWeekday(time).slice(0, 3);
const longWeekday = ({ day }: LocalTime): string => WEEKDAYS[(weekdayOf(day) + 1) % 7] ?? "";
const longMonth = ({ day }: LocalTime): string => MONTHS[partsOf(day).month - 1] ?? "";

/**
 * Returns the week of the year, with weeks starting on the given weekday (0 for Monday); days before the first one are
 * in week 0.
 */
export function weekFrom(day: number, firstWeekday: number): number {
  const past = (weekdayOf(day) - firstWeekday + 7) % 7;
  return Math.floor((dayOfYear(day) - 1 + 7 - past) / 7);
}

const combine =
  (format: string) =>
  (time: StrftimeInput): FormattedField =>
    plain(formatTime(format, time));

const DIRECTIVES: Readonly<Record<string, (time: StrftimeInput) => FormattedField>> = {
  "%": () => plain("%"),
  a: (time) => plain(shortWeekday(time)),
  A: (time) => plain(longWeekday(time)),
  b: (time) => plain(longMonth(time).slice(0, 3)),
  h: (time) => plain(longMonth(time).slice(0, 3)),
  B: (time) => plain(longMonth(time)),
  c: combine("%a %b %e %H:%M:%S %-Y"),
  C: ({ day }) => digits(Math.floor(partsOf(day).year / 100), 0),
  d: ({ day }) => digits(partsOf(day).day, 2),
  D: combine("%m/%d/%y"),
  e: ({ day }) => spacePadded(partsOf(day).day),
  f: ({ micros }) => plain(padded(clockOf(micros).microsecond, 6)),
  F: combine("%Y-%m-%d"),
  // glibc writes early years without leading zeros.
  G: ({ day }) => digits(isoWeekOf(day).year, 0),
  g: ({ day }) => digits(isoWeekOf(day).year % 100, 2),
  H: ({ micros }) => digits(clockOf(micros).hour, 2),
  I: (time) => digits(hour12(time), 2),
  j: ({ day }) => digits(dayOfYear(day), 3),
  k: ({ micros }) => spacePadded(clockOf(micros).hour),
  l: (time) => spacePadded(hour12(time)),
  m: ({ day }) => digits(partsOf(day).month, 2),
  M: ({ micros }) => digits(clockOf(micros).minute, 2),
  n: () => plain("\n"),
  p: (time) => plain(isMorning(time) ? "AM" : "PM"),
  P: (time) => plain(isMorning(time) ? "am" : "pm"),
  r: combine("%I:%M:%S %p"),
  R: combine("%H:%M"),
  s: ({ day, micros }) => plain(String(day * 86_400 + Math.floor(micros / 1e6))),
  S: ({ micros }) => digits(clockOf(micros).second, 2),
  t: () => plain("\t"),
  T: combine("%H:%M:%S"),
  u: ({ day }) => digits(weekdayOf(day) + 1, 1),
  U: ({ day }) => digits(weekFrom(day, 6), 2),
  V: ({ day }) => digits(isoWeekOf(day).week, 2),
  w: ({ day }) => digits((weekdayOf(day) + 1) % 7, 1),
  W: ({ day }) => digits(weekFrom(day, 0), 2),
  x: combine("%m/%d/%y"),
  X: combine("%H:%M:%S"),
  y: ({ day }) => digits(partsOf(day).year % 100, 2),
  Y: ({ day }) => digits(partsOf(day).year, 0),
  z: ({ offset }) => plain(offset === undefined ? "" : writeOffset(offset, "")),
  Z: ({ zoneName }) => plain(zoneName ?? ""),
};
