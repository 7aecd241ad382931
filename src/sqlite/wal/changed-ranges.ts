/** A range of bytes, from `start` (inclusive) to `end` (exclusive). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Equal bytes between two ranges that cost no more than another range. */
const MAX_GAP_BYTES = 8;

/**
 * Returns the ranges in which two contents of a page differ, in multiples of four bytes; null when the whole page is
 * hardly larger.
 * @param before of the same length, a multiple of four
 */
export function changedRanges(before: Uint8Array, after: Uint8Array): ByteRange[] | null {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const ranges: { start: number; end: number }[] = [];
  let changedBytes = 0;
  for (let word = 0; word < now.length; word++) {
    if (old[word] === now[word]) continue;
    const [start, end] = [word * 4, word * 4 + 4];
    const last = ranges.at(-1);
    if (last && start - last.end <= MAX_GAP_BYTES) {
      changedBytes += end - last.end;
      last.end = end;
    } else {
      ranges.push({ start, end });
      changedBytes += end - start;
    }
  }
  return changedBytes < after.length * 0.75 ? ranges : null;
}

/** Pages begin at multiples of their size in buffers of their own. */
const wordsOf = (bytes: Uint8Array): Int32Array => new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
