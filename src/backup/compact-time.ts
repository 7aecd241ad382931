import { isoTime } from "../lib/time/clock.ts";

/** Formats a time for file names so that it sorts as text: `20260131T235959123Z`. */
export const formatCompactTime = (ms: number): string => isoTime(ms).replaceAll(/[-:.]/g, "");

/** Parses a text that begins with such a time to milliseconds since the epoch; null for other texts. */
export function parseCompactTime(text: string): number | null {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(text);
  if (!parts) return null;
  const [, year, month, day, hours, minutes, seconds, milliseconds] = parts;
  const ms = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${milliseconds}Z`);
  return Number.isNaN(ms) ? null : ms;
}
