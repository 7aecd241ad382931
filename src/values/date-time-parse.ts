import { civilTimeOf, secondsOf, type CivilTime } from "./calendar.ts";
import { MAX_DATE_LENGTH, parseTimestamp, parseDay } from "./date-parse.ts";
import type { ParseSettings } from "./types/type-interfaces.ts";
import { abbreviationsOf, type Zone } from "./zones.ts";

const UTC_NAME = /(?<![A-Za-z])(?:UTC?|GMT|Z)$/i;
const OFFSET = /([+-])(\d\d?)(?::?(\d\d))?$/;
const TIME = /(?:^|\s+|T)(?:(\d\d?)(?::(\d\d?)(?::(\d\d?))?)?|(\d\d?)(\d\d))\s*(?:([ap])m?)?$/i;

/**
 * Parses a date, an optional time and an optional zone; the default zone is `zone`. Returns null for an invalid time
 * ("25:00"), undefined if the text is not a date with an optional time.
 */
export function parseDateTime(text: string, zone: Zone, settings: ParseSettings): number | null | undefined {
  const trimmed = text.trim();
  const timestamp = parseTimestamp(trimmed);
  if (timestamp !== undefined) return timestamp;
  const dateOnly = parseDay(trimmed, settings, zone);
  if (dateOnly !== undefined) return zone.toUtc(civilTimeOf(dateOnly), "forward");
  if (trimmed.length > MAX_DATE_LENGTH) return undefined;
  const { rest, offset } = splitZone(trimmed, zone);
  const time = TIME.exec(rest);
  const day = time ? parseDay(rest.slice(0, time.index), settings, zone) : undefined;
  if (!time || day === undefined) return undefined;
  const seconds = secondsInDay(time);
  if (seconds === undefined) return null;
  const local: CivilTime = civilTimeOf(day + seconds);
  return offset === undefined ? zone.toUtc(local, "forward") : secondsOf(local) - offset;
}

/** Splits a time zone off the end of a text. Returns no offset if the text names no zone or the column's own. */
function splitZone(text: string, zone: Zone): { rest: string; offset: number | undefined } {
  if (UTC_NAME.test(text)) return { rest: text.replace(UTC_NAME, "").trimEnd(), offset: 0 };
  const ownAbbreviation = abbreviationPattern(zone)?.exec(text);
  if (ownAbbreviation) return { rest: text.slice(0, ownAbbreviation.index).trimEnd(), offset: undefined };
  const match = OFFSET.exec(text);
  if (!match) return { rest: text, offset: undefined };
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60;
  return { rest: text.slice(0, match.index).trimEnd(), offset: match[1] === "-" ? -seconds : seconds };
}

const abbreviationPatterns = new WeakMap<Zone, RegExp | null>();

/** Returns an expression that matches the zone's abbreviations at the end of a text; null if it has none. */
function abbreviationPattern(zone: Zone): RegExp | null {
  let expression = abbreviationPatterns.get(zone);
  if (expression === undefined) {
    const names = abbreviationsOf(zone);
    expression = names.length ? new RegExp(`(?<![A-Za-z])(?:${names.join("|")})$`, "i") : null;
    abbreviationPatterns.set(zone, expression);
  }
  return expression;
}

/** Returns seconds since midnight; undefined for invalid times. 24:00 is the next midnight. */
function secondsInDay([, hour, minute, second, bareHour, bareMinute, half]: RegExpExecArray): number | undefined {
  const minutes = Number(minute ?? bareMinute ?? 0);
  const seconds = Number(second ?? 0);
  const hours = to24Hours(Number(hour ?? bareHour ?? 0), half?.toLowerCase());
  if (hours > 24 || minutes > 59 || seconds > 59 || (hours === 24 && minutes + seconds > 0)) return undefined;
  return hours * 3600 + minutes * 60 + seconds;
}

function to24Hours(hour: number, half: string | undefined): number {
  if (half === "p" && hour < 12) return hour + 12;
  return half === "a" && hour === 12 ? 0 : hour;
}
