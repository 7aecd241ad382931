/** Texts from `from` to before `to`, compared as SQLite's NOCASE collation does. */
export type TextRange = readonly [from: string, to: string];

/** How many characters of a text are compared. */
const MAX_COMPARED = 4;

const SPACE = " ";
/** The plain characters in the order of the collator, with the one that follows each group in ASCII. */
const GROUPS = [
  [SPACE, "!"],
  ["0", ":"],
  ["a", "{"],
] as const;

interface RangeOptions {
  /** How many characters at the beginning are not compared: most texts have them in common. */
  readonly skipped: number;
  readonly descending: boolean;
}

/**
 * Returns ranges of texts that come after `text` in any collation of English: they begin with the same plain characters
 * (spaces, digits, letters of either case) and continue with a plain one of another weight. Texts outside of the ranges
 * may come after it as well.
 */
export function rangesAfter(text: string, { skipped, descending }: RangeOptions): TextRange[] {
  const ranges: TextRange[] = [];
  const plain = text.toLowerCase();
  for (let at = 0; at < Math.min(skipped + MAX_COMPARED, plain.length + 1); at++) {
    const start = plain.slice(0, at);
    if (at >= skipped)
      ranges.push(...continuations(plain[at], descending).map(([from, to]) => [start + from, start + to] as const));
    if (!isPlain(text[at])) break;
  }
  return ranges;
}

const isPlain = (character: string | undefined): boolean => character !== undefined && /^[ 0-9A-Za-z]$/.test(character);

/** Returns ranges of characters after one of a text, or after its end. */
function continuations(character: string | undefined, descending: boolean): TextRange[] {
  if (character === undefined) return descending ? [] : [...GROUPS];
  const own = GROUPS.findIndex(([first, end]) => character >= first && character < end);
  if (own < 0) return [];
  const [first = "", end = ""] = GROUPS[own] ?? [];
  const next = String.fromCharCode(character.charCodeAt(0) + 1);
  const ranges: TextRange[] = descending
    ? [...GROUPS.slice(0, own), [first, character]]
    : [[next, end], ...GROUPS.slice(own + 1)];
  return ranges.filter(([from, to]) => from < to);
}
