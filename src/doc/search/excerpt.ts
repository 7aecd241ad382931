/** Characters before a match, and of the whole excerpt. */
const BEFORE = 40;
const LENGTH = 160;

/** Returns the part of a text around a match, in one line, with marks where something is left out. */
export function excerptOf(text: string, at: number): string {
  const start = at <= BEFORE ? 0 : at - BEFORE;
  const end = Math.min(text.length, start + LENGTH);
  const part = text.slice(start, end).toWellFormed().replaceAll(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${part}${end < text.length ? "…" : ""}`;
}
