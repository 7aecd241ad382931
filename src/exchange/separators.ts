/** What may stand between the cells of a line, the likeliest first. */
const CANDIDATES = [",", ";", "\t", "|", "\u{1f4a9}"];
/** So many lines are looked at. */
const SAMPLED = 50;

/**
 * Finds out what stands between the cells of a text: the separator that parts most lines into the same number of
 * cells, more than one. A comma when none does.
 * @param text the beginning of it
 */
export function guessSeparator(text: string): string {
  let best = ",";
  let bestScore = 0;
  for (const candidate of CANDIDATES) {
    const counts = cellCounts(text, candidate);
    const [first = 1] = counts;
    if (first < 2) continue;
    const same = counts.filter((count) => count === first).length / counts.length;
    // Agreement first; of two that agree equally, the one that makes more cells.
    const score = same + Math.min(first, 100) / 1000;
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}

/** How many cells each line has; separators and line breaks in quotes do not count. */
function cellCounts(text: string, separator: string): number[] {
  const counts: number[] = [];
  let count = 1;
  let isQuoted = false;
  let isEmpty = true;
  for (let at = 0; at < text.length && counts.length < SAMPLED; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === "\n") {
      if (!isEmpty) counts.push(count);
      [count, isEmpty] = [1, true];
      continue;
    } else if (!isQuoted && text.startsWith(separator, at)) count++;
    if (character !== "\r") isEmpty = false;
  }
  // The last line may be cut off in the middle.
  if (counts.length === 0 && !isEmpty) counts.push(count);
  return counts;
}
