import { editDistance } from "./edit-distance.ts";

/** The longest names that are compared; the cost is quadratic. */
const MAX_LENGTH = 60;

/**
 * Returns the candidate that a misspelt name most likely means: the same letters in another case, or the smallest number
 * of insertions, deletions, replacements and swaps, up to a third of the name. Undefined when none is that close.
 */
export function closestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let closest: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 0.75;
  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    if (other === wanted) return candidate;
    if (Math.max(wanted.length, other.length) > MAX_LENGTH || Math.abs(other.length - wanted.length) >= least) continue;
    // Among equally close names, one that begins in the same way: SUMM means SUM rather than sum.
    const distance = editDistance(wanted, other) + (candidate[0] === name[0] ? 0 : 0.5);
    // A name that has nothing in common is not a misspelling.
    if (distance < least && distance < wanted.length) [closest, least] = [candidate, distance];
  }
  return closest;
}
