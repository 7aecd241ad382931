/** Compares texts as people search them: whatever their case and their accents. */

import { fold } from "../../../../../lib/text/word-matcher.ts";

/**
 * Returns the entries whose text contains the typed one: equal ones first, then beginnings, then the others.
 * Entries of the same kind keep their order.
 */
export function rankMatches<T>(entries: readonly T[], textOf: (entry: T) => string, typed: string): T[] {
  const needle = fold(typed.trim());
  if (needle === "") return [...entries];
  const rankOf = (entry: T): number => {
    const text = textOf(entry);
    if (text === typed.trim()) return 0;
    const folded = fold(text);
    if (folded === needle) return 1;
    return folded.startsWith(needle) ? 2 : 3;
  };
  return entries
    .filter((entry) => fold(textOf(entry)).includes(needle))
    .map((entry) => ({ entry, rank: rankOf(entry) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
}

/** The API refuses longer patterns. */
const MAX_PATTERN_LENGTH = 1000;
/** Letters with accents, from À to ɏ. */
const FIRST_ACCENTED = 0xc0;
const LAST_ACCENTED = 0x24f;
const LETTERS = /^[a-z]$/;

let variants: Map<string, string> | undefined;

/** Letters that differ from a letter by their accents only, in both cases. */
function variantsOf(letter: string): string {
  if (!variants) {
    variants = new Map();
    for (let code = FIRST_ACCENTED; code <= LAST_ACCENTED; code++) {
      const accented = String.fromCodePoint(code);
      const base = fold(accented);
      if (LETTERS.test(base)) variants.set(base, (variants.get(base) ?? "") + accented);
    }
  }
  return variants.get(letter) ?? "";
}

/** Returns a regular expression that finds the text with any accents; null if it would be too long. */
export function accentPattern(text: string): string | null {
  const parts = fold(text)
    .split("")
    .map((each) =>
      LETTERS.test(each) ? `[${each}${variantsOf(each)}]\\pM*` : each.replace(/[\\^$.*+?()[\]{}|]/, "\\$&"),
    );
  const pattern = `(?i)${parts.join("")}`;
  return pattern.length > MAX_PATTERN_LENGTH ? null : pattern;
}
