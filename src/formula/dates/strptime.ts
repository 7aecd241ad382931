import { MONTHS, WEEKDAYS } from "../../values/calendar.ts";
import { spendSteps } from "../runtime/budget.ts";
import { PyError, valueError } from "../runtime/errors.ts";
import { quoteText } from "../runtime/text/text.ts";
import { clockMicros, dayNumber, dayOf, dayOfIsoWeek, SECOND_US, weekdayOf } from "./days.ts";
import type { LocalTime } from "./tzinfo.ts";

/** The result of `strptime`. */
export interface ParsedTime extends LocalTime {
  /** The UTC offset in microseconds, if the text contains one. */
  readonly offset: number | undefined;
  readonly zoneName: string | undefined;
}

const names = (words: readonly string[], length?: number): string =>
  words.map((word) => word.slice(0, length)).join("|");

const DIRECTIVES: Readonly<Record<string, string>> = {
  d: "3[01]|[12]\\d|0[1-9]|[1-9]| [1-9]",
  f: "\\d{1,6}",
  H: "2[0-3]|[01]\\d|\\d",
  I: "1[0-2]|0[1-9]|[1-9]",
  G: "\\d{4}",
  j: "36[0-6]|3[0-5]\\d|[12]\\d\\d|0[1-9]\\d|00[1-9]|[1-9]\\d|0[1-9]|[1-9]",
  m: "1[0-2]|0[1-9]|[1-9]",
  M: "[0-5]\\d|\\d",
  S: "6[01]|[0-5]\\d|\\d",
  U: "5[0-3]|[0-4]\\d|\\d",
  W: "5[0-3]|[0-4]\\d|\\d",
  V: "5[0-3]|0[1-9]|[1-4]\\d|\\d",
  w: "[0-6]",
  u: "[1-7]",
  y: "\\d\\d",
  Y: "\\d{4}",
  z: "[+-]\\d\\d:?[0-5]\\d(?::?[0-5]\\d(?:\\.\\d{1,6})?)?|Z",
  A: names(WEEKDAYS),
  a: names(WEEKDAYS, 3),
  B: names(MONTHS),
  b: names(MONTHS, 3),
  p: "AM|PM",
  Z: "UTC|GMT",
};

const COMBINED: Readonly<Record<string, string>> = {
  c: "%a %b %d %H:%M:%S %Y",
  x: "%m/%d/%y",
  X: "%H:%M:%S",
};

/** Parses a text by a `strftime` format. Throws PyError ValueError if it does not match. */
export function parseTime(text: string, format: string): ParsedTime {
  spendSteps(text.length + format.length);
  const match = patternOf(format).exec(text);
  if (!match) throw valueError(`time data ${quoteText(text)} does not match format ${quoteText(format)}`);
  if (match[0].length < text.length) throw valueError(`unconverted data remains: ${text.slice(match[0].length)}`);
  const parts: Parts = (letter) => match.groups?.[letter];
  return { day: parseDay(parts), micros: parseTimeOfDay(parts), ...parseZone(parts) };
}

type Parts = (letter: string) => string | undefined;

function patternOf(format: string): RegExp {
  const used = new Set<string>();
  const expanded = format.replace(/%([cxX])/g, (_, letter: string) => COMBINED[letter] ?? "");
  const pattern = expanded.replace(/%([^]?)|\s+|[\\.^$*+?(){}[\]|/]/gu, (whole, letter: string | undefined) => {
    if (letter === undefined) return /^\s/.test(whole) ? "\\s+" : `\\${whole}`;
    if (letter === "%") return "%";
    if (letter === "") throw valueError(`stray % in format ${quoteText(format)}`);
    const part = DIRECTIVES[letter];
    if (part === undefined) throw valueError(`'${letter}' is a bad directive in format ${quoteText(format)}`);
    if (used.has(letter)) throw new PyError("error", `redefinition of group name '${letter}'`);
    used.add(letter);
    return `(?<${letter}>${part})`;
  });
  return new RegExp(`^${pattern}`, "iu");
}

function parseDay(parts: Parts): number {
  const number = (letter: string) => (parts(letter) === undefined ? undefined : Number(parts(letter)));
  const weekday = weekdayIn(parts);
  const isoYear = number("G");
  const isoWeek = number("V");
  const year = yearIn(parts);
  checkIso({ year, isoYear, isoWeek, weekday, hasDayOfYear: parts("j") !== undefined });
  if (isoYear !== undefined && isoWeek !== undefined && weekday !== undefined) {
    return dayOfIsoWeek(isoYear, isoWeek, weekday + 1);
  }
  const dayInYear = number("j") ?? (weekday === undefined ? undefined : dayOfYearFromWeek(parts, { year, weekday }));
  if (dayInYear !== undefined && year !== undefined) return dayNumber(year, 1, 1) + dayInYear - 1;
  return dayOf(year ?? 1900, monthIn(parts) ?? 1, number("d") ?? 1);
}

interface IsoParts {
  readonly year: number | undefined;
  readonly isoYear: number | undefined;
  readonly isoWeek: number | undefined;
  readonly weekday: number | undefined;
  readonly hasDayOfYear: boolean;
}

function checkIso({ year, isoYear, isoWeek, weekday, hasDayOfYear }: IsoParts): void {
  if (isoYear !== undefined) {
    if (hasDayOfYear) throw valueError("Day of the year directive '%j' is not compatible with ISO year directive '%G'");
    if (isoWeek === undefined || weekday === undefined) throw valueError("'%G' needs '%V' and a weekday");
  } else if (isoWeek !== undefined) {
    throw valueError(weekday === undefined || year === undefined ? "'%V' needs '%G' and a weekday" : "'%V' needs '%G'");
  }
}

function yearIn(parts: Parts): number | undefined {
  const short = parts("y");
  // Two-digit years are 1969 to 2068.
  if (short !== undefined) return Number(short) + (Number(short) <= 68 ? 2000 : 1900);
  return parts("Y") === undefined ? undefined : Number(parts("Y"));
}

const indexIn = (words: readonly string[], text: string): number =>
  words.findIndex((word) => word.toLowerCase().startsWith(text.toLowerCase()));

function monthIn(parts: Parts): number | undefined {
  const name = parts("B") ?? parts("b");
  if (name !== undefined) return indexIn(MONTHS, name) + 1;
  return parts("m") === undefined ? undefined : Number(parts("m"));
}

/** Returns the weekday, 0 for Monday. */
function weekdayIn(parts: Parts): number | undefined {
  const name = parts("A") ?? parts("a");
  if (name !== undefined) return (indexIn(WEEKDAYS, name) + 6) % 7;
  if (parts("w") !== undefined) return (Number(parts("w")) + 6) % 7;
  return parts("u") === undefined ? undefined : Number(parts("u")) - 1;
}

/** Returns the day of the year for a week and a weekday. */
function dayOfYearFromWeek(parts: Parts, weekParts: { year: number | undefined; weekday: number }): number | undefined {
  const week = parts("U") ?? parts("W");
  if (week === undefined || weekParts.year === undefined) return undefined;
  const fromSunday = parts("U") !== undefined;
  const first = (weekdayOf(dayNumber(weekParts.year, 1, 1)) + (fromSunday ? 1 : 0)) % 7;
  const weekday = fromSunday ? (weekParts.weekday + 1) % 7 : weekParts.weekday;
  const beforeFirst = (7 - first) % 7;
  return Number(week) === 0 ? 1 + weekday - first : 1 + beforeFirst + 7 * (Number(week) - 1) + weekday;
}

function parseTimeOfDay(parts: Parts): number {
  const number = (letter: string) => Number(parts(letter) ?? 0);
  const half = parts("I");
  const afternoon = parts("p")?.toLowerCase() === "pm";
  const hour = half === undefined ? number("H") : (Number(half) % 12) + (afternoon ? 12 : 0);
  const microsecond = Number((parts("f") ?? "").padEnd(6, "0"));
  return clockMicros({ hour, minute: number("M"), second: number("S"), microsecond });
}

function parseZone(parts: Parts): { offset: number | undefined; zoneName: string | undefined } {
  const text = parts("z");
  const zoneName = parts("Z")?.toUpperCase();
  if (text === undefined) return { offset: undefined, zoneName };
  if (text.toUpperCase() === "Z") return { offset: 0, zoneName };
  const [, hours, minutes, seconds = "0", fraction = ""] =
    /^.(\d\d):?(\d\d)(?::?(\d\d)(?:\.(\d+))?)?$/.exec(text) ?? [];
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  const micros = whole * SECOND_US + Number(fraction.padEnd(6, "0"));
  return { offset: text.startsWith("-") ? -micros : micros, zoneName };
}
