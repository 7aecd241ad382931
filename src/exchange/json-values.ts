import { invalidFile } from "../errors.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export const isPlainObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Matches numbers that may have more digits than a double represents. */
const LONG_NUMBER = /\d{16}/;

/**
 * Parses JSON, or JSON lines; returns undefined if the text is neither.
 * @param isLines true for files that are known to have lines
 * @throws AppError `invalid` with the number of the line that is not valid JSON
 */
export function parseJson(text: string, { isLines }: { isLines: boolean }): unknown {
  if (!isLines) {
    const whole = parseOrUndefined(text);
    if (whole !== undefined) return whole;
  }
  const lines = text.split(/\r?\n/);
  const first = lines.find((line) => line.trim() !== "");
  // Many programs give JSON lines the extension .json.
  if (!isLines && (first === undefined || !isPlainObject(parseOrUndefined(first)))) return undefined;
  const values: unknown[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const value = parseOrUndefined(line);
    if (value === undefined) throw invalidFile(`Line ${at + 1} is not valid JSON`);
    values.push(value);
  }
  return values;
}

function parseOrUndefined(text: string): unknown {
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, preserveLongIntegers) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Converts integers with more digits than a double represents to texts: they are identifiers. */
function preserveLongIntegers(
  this: unknown,
  _key: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const { source } = context ?? {};
  return source !== undefined && /^-?\d{16,}$/.test(source) ? source : value;
}
