import { civilTimeOf, DAY_S, midnightOf, MONTHS, startOfDay, WEEKDAYS, type CivilTime } from "./calendar.ts";
import { zoneAbbreviation } from "./zone-abbreviations.ts";
import { UTC, type Zone } from "./zones.ts";

/** Tokens of a date format as columns use them ("MMMM Do, YYYY"); text in brackets is literal. */
export const DATE_TOKENS =
  /\[[^\]]*\]|Mo|MM?M?M?|Do|DDDo|DD?D?D?|do|dd?d?d?|YYYY|YY|Y|Qo?|[Ee]|Wo|WW|W|wo|ww|w|GGGG|GG|gggg|gg|[Aa]|HH?|hh?|kk?|mm?|ss?|S{1,9}|ZZ?|zz?|[Xx]/g;

/** A timestamp with the fields that tokens display. */
interface DateParts extends CivilTime {
  /** Since the epoch. */
  readonly seconds: number;
  /** Seconds since the epoch of the local time, interpreted as UTC. */
  readonly local: number;
  readonly offset: number;
  readonly zone: Zone;
}

/** Formats a timestamp in the given format and zone. */
export function formatDate(seconds: number, format: string, zone: Zone = UTC): string {
  if (!Number.isFinite(new Date(seconds * 1000).getTime())) return "Invalid date";
  const offset = zone.offsetAt(seconds);
  const local = seconds + offset;
  const shown: DateParts = { ...civilTimeOf(local), seconds, local, offset, zone };
  return expandLocaleTokens(format).replace(DATE_TOKENS, (token) =>
    token.startsWith("[") ? token.slice(1, -1) : formatToken(token, shown),
  );
}

/** Returns a format with the locale tokens (`LL`, `LT`) expanded. */
export const expandLocaleTokens = (format: string): string =>
  format.replace(EXPANDABLE_TOKENS, (token) => TOKEN_EXPANSIONS[token] ?? token);

const EXPANDABLE_TOKENS = /\[[^\]]*\]|LTS?|L{1,4}|l{1,4}/g;

const TOKEN_EXPANSIONS: Readonly<Record<string, string>> = {
  LT: "h:mm A",
  LTS: "h:mm:ss A",
  L: "MM/DD/YYYY",
  LL: "MMMM D, YYYY",
  LLL: "MMMM D, YYYY h:mm A",
  LLLL: "dddd, MMMM D, YYYY h:mm A",
  l: "M/D/YYYY",
  ll: "MMM D, YYYY",
  lll: "MMM D, YYYY h:mm A",
  llll: "ddd, MMM D, YYYY h:mm A",
};

/** `1st`, `2nd`, `11th` */
export function ordinal(value: number): string {
  const tens = Math.floor(value / 10) % 10;
  const suffix = tens === 1 ? undefined : { 1: "st", 2: "nd", 3: "rd" }[value % 10];
  return `${value}${suffix ?? "th"}`;
}

const formatToken = (token: string, shown: DateParts): string =>
  TOKEN_FORMATTERS[token]?.(shown) ?? fraction(token, shown);

const pad = (value: number, length = 2): string => String(value).padStart(length, "0");

const TOKEN_FORMATTERS: Readonly<Record<string, (shown: DateParts) => string>> = {
  YYYY: ({ year }) => pad(year, 4),
  YY: ({ year }) => pad(year % 100),
  Y: ({ year }) => String(year),
  Q: ({ month }) => String(quarter(month)),
  Qo: ({ month }) => ordinal(quarter(month)),
  M: ({ month }) => String(month),
  Mo: ({ month }) => ordinal(month),
  MM: ({ month }) => pad(month),
  MMM: ({ month }) => (MONTHS[month - 1] ?? "").slice(0, 3),
  MMMM: ({ month }) => MONTHS[month - 1] ?? "",
  D: ({ day }) => String(day),
  Do: ({ day }) => ordinal(day),
  DD: ({ day }) => pad(day),
  DDD: (shown) => String(dayOfYear(shown)),
  DDDo: (shown) => ordinal(dayOfYear(shown)),
  DDDD: (shown) => pad(dayOfYear(shown), 3),
  d: (shown) => String(weekday(shown)),
  do: (shown) => ordinal(weekday(shown)),
  dd: (shown) => (WEEKDAYS[weekday(shown)] ?? "").slice(0, 2),
  ddd: (shown) => (WEEKDAYS[weekday(shown)] ?? "").slice(0, 3),
  dddd: (shown) => WEEKDAYS[weekday(shown)] ?? "",
  e: (shown) => String(weekday(shown)),
  E: (shown) => String(weekday(shown) || 7),
  w: (shown) => String(usWeek(shown).week),
  wo: (shown) => ordinal(usWeek(shown).week),
  ww: (shown) => pad(usWeek(shown).week),
  gg: (shown) => pad(usWeek(shown).year % 100),
  gggg: (shown) => pad(usWeek(shown).year, 4),
  W: (shown) => String(isoWeek(shown).week),
  Wo: (shown) => ordinal(isoWeek(shown).week),
  WW: (shown) => pad(isoWeek(shown).week),
  GG: (shown) => pad(isoWeek(shown).year % 100),
  GGGG: (shown) => pad(isoWeek(shown).year, 4),
  A: ({ hour }) => (hour < 12 ? "AM" : "PM"),
  a: ({ hour }) => (hour < 12 ? "am" : "pm"),
  H: ({ hour }) => String(hour),
  HH: ({ hour }) => pad(hour),
  h: ({ hour }) => String(hour % 12 || 12),
  hh: ({ hour }) => pad(hour % 12 || 12),
  k: ({ hour }) => String(hour || 24),
  kk: ({ hour }) => pad(hour || 24),
  m: ({ minute }) => String(minute),
  mm: ({ minute }) => pad(minute),
  s: ({ second }) => String(Math.floor(second)),
  ss: ({ second }) => pad(Math.floor(second)),
  Z: ({ offset }) => offsetText(offset, ":"),
  ZZ: ({ offset }) => offsetText(offset, ""),
  z: ({ zone, seconds, offset }) => zoneAbbreviation(zone, seconds, offset),
  zz: ({ zone, seconds, offset }) => zoneAbbreviation(zone, seconds, offset),
  X: ({ seconds }) => String(Math.floor(seconds)),
  x: ({ seconds }) => String(Math.floor(seconds * 1000)),
};

/** Formats fractions of a second, to the millisecond: `S`, `SS`, `SSS`, `SSS000`. */
function fraction(token: string, { second }: DateParts): string {
  const millis = Math.floor((second % 1) * 1000 + 1e-6);
  return pad(millis, 3).padEnd(token.length, "0").slice(0, token.length);
}

const quarter = (month: number): number => Math.ceil(month / 3);

const weekday = ({ local }: DateParts): number => (((Math.floor(local / DAY_S) + 4) % 7) + 7) % 7;

const dayOfYear = ({ local, year }: DateParts): number => (startOfDay(local) - midnightOf(year, 1, 1)) / DAY_S + 1;

/** Weeks begin on Sunday; week 1 contains January 1. */
const usWeek = (shown: DateParts): { year: number; week: number } => weekOfYear(shown, 6 - weekday(shown));

/** Weeks begin on Monday; week 1 contains the first Thursday. */
const isoWeek = (shown: DateParts): { year: number; week: number } => weekOfYear(shown, 4 - (weekday(shown) || 7));

/** Returns the week of the day, `shift` days away, that determines the week's year. */
function weekOfYear({ local }: DateParts, shift: number): { year: number; week: number } {
  const decidingDay = startOfDay(local) + shift * DAY_S;
  const { year } = civilTimeOf(decidingDay);
  return { year, week: Math.floor((decidingDay - midnightOf(year, 1, 1)) / DAY_S / 7) + 1 };
}

function offsetText(offset: number, between: string): string {
  const minutes = Math.round(Math.abs(offset) / 60);
  return `${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}${between}${pad(minutes % 60)}`;
}
