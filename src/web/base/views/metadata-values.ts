/** Values of metadata cells. Clients may have stored anything in them. */

export const integerOf = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : 0;

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns the object of a JSON text; an empty one for other texts. */
export function jsonObject(value: unknown): Readonly<Record<string, unknown>> {
  const parsed = parsedJson(value);
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : {};
}

/** Returns the list of a JSON text; an empty one for other texts. */
export function jsonList(value: unknown): readonly unknown[] {
  const parsed = parsedJson(value);
  return Array.isArray(parsed) ? parsed : [];
}

/** Returns a list in parsed JSON; an empty one for other values. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns an object in parsed JSON; an empty one for other values. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

function parsedJson(value: unknown): unknown {
  if (typeof value !== "string" || value === "") return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return value.length > 2 * MAX_DEPTH && isDeep(parsed) ? undefined : parsed;
  } catch {
    return undefined;
  }
}

/** Texts that nest deeper are no settings: what walks their values, or formats them, would exhaust the stack. */
const MAX_DEPTH = 1000;

function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? (Object.values(each) as unknown[]) : [],
    );
  }
  return false;
}

/** Returns a JSON text with some keys changed, of which `undefined` removes one; other keys stay as they are. */
export function withJsonKeys(text: string, changes: Readonly<Record<string, unknown>>): string {
  const keys = Object.entries({ ...jsonObject(text), ...changes }).filter(([, value]) => value !== undefined);
  return keys.length === 0 ? "" : JSON.stringify(Object.fromEntries(keys));
}
