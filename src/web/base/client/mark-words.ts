/** Marks the words of a search in its results. */
import { fold } from "../../../lib/text/word-matcher.ts";
import { type Child, h } from "./dom.ts";

/** Marks words, as `wordsOf` returns them, in a text, except where folding changes its length. */
export function markWords(text: string, words: readonly string[]): Child[] {
  const folded = fold(text);
  if (folded.length !== text.length) return [text];
  const marks = words.flatMap((word) => {
    const at = folded.indexOf(word);
    return at < 0 ? [] : [{ from: at, to: at + word.length }];
  });
  const parts: Child[] = [];
  let end = 0;
  for (const { from, to } of marks.toSorted((a, b) => a.from - b.from)) {
    if (from < end) continue;
    parts.push(text.slice(end, from), h("mark", {}, text.slice(from, to)));
    end = to;
  }
  return [...parts, text.slice(end)];
}
