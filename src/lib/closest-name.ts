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
    if (Math.abs(other.length - wanted.length) >= least) continue;
    // Among equally close names, one that begins in the same way: SUMM means SUM rather than sum.
    const distance = editDistance(wanted, other) + (candidate[0] === name[0] ? 0 : 0.5);
    // A name that has nothing in common is not a misspelling.
    if (distance < least && distance < wanted.length) [closest, least] = [candidate, distance];
  }
  return closest;
}

/** The longest names that are compared; the cost is quadratic. */
const MAX_LENGTH = 60;

function editDistance(one: string, other: string): number {
  if (one.length > MAX_LENGTH || other.length > MAX_LENGTH) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1];
      const isSwapped = one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      current[at] = Math.min(
        (last[at] ?? 0) + 1,
        (current[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
}
