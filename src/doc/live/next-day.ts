import { DAY_S } from "../../values/calendar.ts";
import { zoneOrUtc } from "../../values/zones.ts";
import type { OpenDocument } from "../document.ts";
import { currentDay } from "../filters/compile-filter.ts";

/** Where the offset of the zone changes on this day, the next midnight may be later than computed: look again after a second. */
const RETRY_MS = 1000;

/** Returns when the next day begins in the document's time zone at the earliest, in ms since the epoch. */
export function nextDay(document: OpenDocument): number {
  const nowMs = document.clock.now();
  const zone = zoneOrUtc(document.timezone);
  const midnight = currentDay(document) + DAY_S;
  const offset = Math.max(zone.offsetAt(nowMs / 1000), zone.offsetAt(nowMs / 1000 + DAY_S));
  return Math.max((midnight - offset) * 1000, nowMs + RETRY_MS);
}
