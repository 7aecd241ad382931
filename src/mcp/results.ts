/** Keeps results small enough for the context of a model. */

/** Maximum size of a result as JSON. */
export const MAX_RESULT_CHARACTERS = 40_000;
/** Longer texts in cells are cut. */
export const MAX_CELL_CHARACTERS = 4000;

export interface CutList<T> {
  readonly items: T[];
  /** True if items are left out at the end. */
  readonly isCut: boolean;
}

/** Returns the first items that have at most `maxCharacters` as JSON, and at least one. */
export function cutList<T>(items: readonly T[], maxCharacters = MAX_RESULT_CHARACTERS): CutList<T> {
  let size = 0;
  for (const [i, item] of items.entries()) {
    size += (JSON.stringify(item) ?? "null").length + 1;
    if (size > maxCharacters && i > 0) return { items: items.slice(0, i), isCut: true };
  }
  return { items: [...items], isCut: false };
}

/** Cuts long texts anywhere in a value, and says how long they are. */
export function cutTexts<T>(value: T, maxCharacters = MAX_CELL_CHARACTERS): T {
  return cut(value, maxCharacters) as T;
}

function cut(value: unknown, max: number): unknown {
  if (typeof value === "string" && value.length > max)
    return `${value.slice(0, max).toWellFormed()}… (cut; the text has ${value.length} characters)`;
  if (Array.isArray(value)) return value.map((item) => cut(item, max));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item, max)]));
  return value;
}
