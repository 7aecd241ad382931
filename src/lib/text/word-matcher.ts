/** Maximum number of words of a query; further ones are ignored. */
const MAX_WORDS = 10;
/** Occurrences of a word in a text that are rated. */
const MAX_OCCURRENCES = 20;

/** How well a word matches: inside of a word, at its beginning, as a whole word, as the whole text. */
const SCORES = { inside: 1, start: 2, word: 3, text: 5 } as const;

const LETTER = /[\p{L}\p{N}]/u;

/** The score of a word that is the whole text. */
export const WHOLE_TEXT_SCORE: number = SCORES.text;

/** Returns the words of a search query, without regard to case and accents. */
export const wordsOf = (query: string): string[] =>
  [...new Set(fold(query).split(/\s+/))].filter(Boolean).slice(0, MAX_WORDS);

const ASCII = /^[\0-\x7f]*$/;

/** Accents of Latin, Greek and Cyrillic letters. Marks of other scripts are vowels, or make another letter. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Returns a text as words are found in it: in lower case and without accents. */
export const fold = (text: string): string =>
  (ASCII.test(text) ? text : text.normalize("NFD").replaceAll(ACCENTS, "").normalize("NFC")).toLowerCase();

/** Returns the index in a text of a place in the folded text: folding can change the length. */
export function foldedPlace(text: string, at: number): number {
  if (fold(text).length === text.length) return at;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fold(text.slice(0, middle)).length <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface WordMatch {
  readonly score: number;
  /** Index of the occurrence with this score. */
  readonly at: number;
}

/** Rates a word in a text, both folded; null where it does not occur. Depends on nothing but the two. */
export function matchWord(text: string, word: string): WordMatch | null {
  let best: WordMatch | null = null;
  let at = text.indexOf(word);
  for (let count = 0; at >= 0 && count < MAX_OCCURRENCES; count++) {
    const score = scoreAt(text, word, at);
    if (best === null || score > best.score) best = { score, at };
    at = text.indexOf(word, at + word.length);
  }
  return best;
}

function scoreAt(text: string, word: string, at: number): number {
  if (text.length === word.length) return SCORES.text;
  const isStart = at === 0 || !LETTER.test(text[at - 1] ?? "");
  const isEnd = !LETTER.test(text[at + word.length] ?? " ");
  return isStart ? (isEnd ? SCORES.word : SCORES.start) : SCORES.inside;
}
