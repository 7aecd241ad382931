/** Reads texts with one JSON value per line (NDJSON). */

/** A line that is not blank. */
export interface Line {
  /** Its number, counting blank lines. */
  readonly number: number;
  readonly text: string;
}

/** White space of JSON and of line ends. */
const BLANK = /^[\t-\r ]*$/;

/** Returns the lines of a text that are not blank. @param firstLine the number of the first line */
export const linesOf = (text: string, firstLine = 1): Line[] =>
  text
    .split("\n")
    .map((line, at) => ({ number: firstLine + at, text: line }))
    .filter((line) => !BLANK.test(line.text));

/** Returns the JSON object in a line; null for any other text. */
export function parseObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
