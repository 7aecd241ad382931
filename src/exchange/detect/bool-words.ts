/**
 * Pairs of words for true and false. Does not include `yes` and `no`: users usually want to keep these answers as text.
 */
const BOOL_WORD_PAIRS: readonly (readonly [string, string])[] = [
  ["true", "false"],
  ["wahr", "falsch"],
  ["vrai", "faux"],
  ["vero", "falso"],
];

const MAX_WORD_LENGTH = 6;

/** Each pair in lower case, in capitals, and capitalized: a column uses one spelling. */
const SPELLED_PAIRS: readonly (readonly [string, string])[] = BOOL_WORD_PAIRS.flatMap(([yes, no]) => [
  [yes, no] as const,
  [yes.toUpperCase(), no.toUpperCase()] as const,
  [capitalized(yes), capitalized(no)] as const,
]);
const words: ReadonlySet<string> = new Set(SPELLED_PAIRS.flat());

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export const isBoolWord = (text: string): boolean => text.length <= MAX_WORD_LENGTH && words.has(text);

/** Returns the word that means true; null unless the words form one pair. */
export function trueWord(found: readonly string[]): string | null {
  const pair = SPELLED_PAIRS.find((words) => words.every((word) => found.includes(word)));
  return pair && found.length === 2 ? pair[0] : null;
}

/** Returns the boolean that a word in any spelling represents; undefined for other texts. */
export function boolOfWord(text: string): boolean | undefined {
  const lower = text.trim().toLowerCase();
  const pair = BOOL_WORD_PAIRS.find((one) => one.includes(lower));
  return pair && pair[0] === lower;
}
