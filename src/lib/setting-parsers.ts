/** Parsers of setting values. Each throws an Error with the rest of the sentence "--port …" for invalid text. */

/** Any text that is not empty. */
export function nonEmpty(text: string): string {
  if (text.trim() === "") throw new Error("must not be empty");
  return text;
}

/** An integer from `min` to `max`. */
export function integerBetween(text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Error(`must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`);
  }
  return value;
}

/** One of several words. */
export function oneOf<T extends string>(text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (!found) throw new Error(`must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}`);
  return found;
}

const BYTE_UNITS: Record<string, number> = { "": 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** A size in bytes: digits and a unit in any case. */
export function byteSize(text: string): number {
  const match = /^(\d+)\s*(KB|MB|GB|)$/i.exec(text.trim());
  const bytes = match ? Number(match[1]) * (BYTE_UNITS[match[2]?.toUpperCase() ?? ""] ?? 1) : 0;
  if (bytes < 1 || bytes > 2 ** 40)
    throw new Error(`must be a size like 500KB, 16MB or 1GB, not ${JSON.stringify(text)}`);
  return bytes;
}

const TIME_UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** A duration in milliseconds: digits and a unit, at most a year. */
export function duration(text: string): number {
  const match = /^(\d+)\s*([smhdw])$/i.exec(text.trim());
  const ms = match ? Number(match[1]) * (TIME_UNITS[match[2]?.toLowerCase() ?? ""] ?? 0) : 0;
  if (ms < 1000 || ms > 366 * 86_400_000) {
    throw new Error(`must be a duration like 30m, 6h or 1d, not ${JSON.stringify(text)}`);
  }
  return ms;
}

/** Limits a value; the error message shows the limit as `maxText`. */
export function atMost(value: number, max: number, maxText: string): number {
  if (value > max) throw new Error(`must be at most ${maxText}`);
  return value;
}

/** Comma-separated parts, trimmed. */
export function commaList(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** A domain name, in lower case. */
export function domainName(text: string): string {
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text)) throw new Error(`must be a domain name, not ${JSON.stringify(text)}`);
  return text.toLowerCase();
}

/** The name of a header, in lower case. */
export function headerName(text: string): string {
  if (!/^[A-Za-z0-9-]+$/.test(text)) throw new Error(`must be the name of a header, not ${JSON.stringify(text)}`);
  return text.toLowerCase();
}

/** An http(s) URL without a trailing slash. */
export function httpUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new Error(`must be an http or https URL, not ${JSON.stringify(text)}`);
  }
  return url.href.replace(/\/$/, "");
}

/** The URL of a PostgreSQL database. The text may contain a password and does not appear in errors. */
export function postgresUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "postgres:" && url.protocol !== "postgresql:")) {
    throw new Error("must be a URL like postgres://user:password@host:5432/name");
  }
  return text;
}
