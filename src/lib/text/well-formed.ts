/**
 * Unpaired surrogates: JSON can carry them (`"\ud800"`), UTF-8 cannot, so SQLite would store a different text from the
 * one that was checked, compared or signed.
 */

/** Returns the value with U+FFFD for every unpaired surrogate in its texts and keys, as UTF-8 encoders do. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || malformedPath(value, "") === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}

/** Returns the path of the first text or key with an unpaired surrogate, beginning with `path`; null without one. */
export function malformedPath(value: unknown, path: string): string | null {
  if (typeof value === "string") return value.isWellFormed() ? null : path;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    if (!key.isWellFormed()) return path;
    const found = malformedPath(item, `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}
