import { BoundedCache } from "../lib/bounded-cache.ts";
import { isRepresentable, secondsOf, startOfDay, type CivilTime } from "./calendar.ts";

/** How to resolve local times that a transition skips or repeats. */
export type DstGapRule =
  /** The usual rule: a skipped time moves forward by the length of the gap. */
  | "forward"
  /** A skipped time uses the offset after the transition. */
  | "after";

/** A time zone of the IANA database, with offsets cached by day. */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat | undefined;
  /** Offsets at the start of UTC days, in seconds; asking Intl takes a microsecond each. */
  readonly #offsetByDay = new BoundedCache<number, number>({ maxEntries: MAX_CACHED_DAYS });

  constructor(name: string) {
    this.name = name;
    this.#format = name === "UTC" ? undefined : new Intl.DateTimeFormat("en-US", { ...FIELDS, timeZone: name });
  }

  /** Returns the offset from UTC in seconds at a timestamp. */
  offsetAt(seconds: number): number {
    if (!this.#format || !isRepresentable(seconds)) return 0;
    const day = startOfDay(seconds);
    const before = this.#dayOffset(day);
    // Between two equal offsets a day apart there is no transition.
    return before === this.#dayOffset(day + 86_400) ? before : this.#computeOffset(this.#format, seconds);
  }

  /** Returns the timestamp of a local time; of a repeated time, the first. */
  toUtc(local: CivilTime, gap: DstGapRule): number {
    const localSeconds = secondsOf(local);
    const earlier = this.offsetAt(localSeconds - 86_400);
    const later = this.offsetAt(localSeconds + 86_400);
    const first = localSeconds - Math.max(earlier, later);
    if (first + this.offsetAt(first) === localSeconds) return first;
    const second = localSeconds - Math.min(earlier, later);
    if (second + this.offsetAt(second) === localSeconds) return second;
    return gap === "after" ? localSeconds - later : localSeconds - earlier;
  }

  #dayOffset(day: number): number {
    return this.#offsetByDay.get(day, () => (this.#format ? this.#computeOffset(this.#format, day) : 0));
  }

  #computeOffset(format: Intl.DateTimeFormat, seconds: number): number {
    const whole = Math.floor(seconds);
    const fields = FORMATTED_TIME.exec(format.format(whole * 1000));
    if (!fields) return 0;
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = fields.slice(1).map(Number);
    return secondsOf({ year, month, day, hour, minute, second }) - whole;
  }
}

const FIELDS = {
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
} as const;
const FORMATTED_TIME = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/;
const MAX_CACHED_DAYS = 20_000;

/** Bounded, because requests can name arbitrary zones. */
const MAX_CACHED_ZONES = 2000;
const zoneCache = new BoundedCache<string, Zone | null>({ maxEntries: MAX_CACHED_ZONES });

export const UTC = new Zone("UTC");

/** Returns the zone with this name; null if it does not exist. */
export const findZone = (name: string): Zone | null =>
  name === "UTC" ? UTC : zoneCache.get(name, () => (isZoneName(name) ? new Zone(name) : null));

/** Returns the zone with this name, or UTC. */
export const zoneOrUtc = (name: string | undefined): Zone => (name && findZone(name)) || UTC;

function isZoneName(name: string): boolean {
  // Offsets such as "+02:00" are not zone names, though Intl accepts them.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** The start of January and of July 2024: winter and summer under today's rules. */
const SEASON_SAMPLES = [1_704_067_200, 1_719_792_000];

/** Returns the abbreviations of a zone's standard and summer time ("EST" and "EDT") that are known. */
export function abbreviationsOf(zone: Zone): readonly string[] {
  return [...new Set(SEASON_SAMPLES.map((seconds) => abbreviationAt(zone, seconds)))].filter((text) =>
    /^[A-Z]+$/i.test(text),
  );
}

/** Returns the abbreviation of a zone at a timestamp: "CEST", or "GMT+3" if none is known. */
export function abbreviationAt(zone: Zone, seconds: number): string {
  if (zone.name === "UTC") return "UTC";
  let fallback = "";
  // Intl knows each abbreviation only in the locale of a country that uses it.
  for (const locale of ["en-US", "en-GB", "en-AU", "en-IN", "en-CA", "en-NZ", "en-ZA"]) {
    const parts = shortNameFormat(locale, zone.name).formatToParts(seconds * 1000);
    const text = parts.find((zoneNamePart) => zoneNamePart.type === "timeZoneName")?.value ?? "";
    if (/^[A-Z]+$/.test(text)) return text;
    fallback ||= text;
  }
  return fallback;
}

const shortNameFormats = new BoundedCache<string, Intl.DateTimeFormat>({ maxEntries: MAX_CACHED_ZONES });

const shortNameFormat = (locale: string, timeZone: string): Intl.DateTimeFormat =>
  shortNameFormats.get(
    `${locale} ${timeZone}`,
    () => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: "short" }),
  );
