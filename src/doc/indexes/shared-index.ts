import type { ChangeCount } from "../change-counter.ts";

/** The memory of an index, which threads share. */
export type SharedBase =
  | {
      readonly kind: "column";
      readonly starts: Uint32Array;
      readonly hashes: Uint32Array;
      readonly ids: Uint32Array;
      readonly log: SharedArrayBuffer;
    }
  | { readonly kind: "order"; readonly ids: Uint32Array; readonly log: SharedArrayBuffer }
  /** The log has the ids of changed rows. */
  | { readonly kind: "text"; readonly files: readonly string[]; readonly log: SharedArrayBuffer };

/** An index of the document's own connection, as readers use it. Survives structured cloning. */
export interface SharedIndex {
  /** As `columnIndexName` and `orderIndexName` return it. */
  readonly name: string;
  readonly base: SharedBase;
  /** The commit that it was built at; null for a file without a change counter. */
  readonly since: ChangeCount | null;
  /** The epoch of all later commits. */
  readonly nextEpoch: string;
}

/**
 * Returns true when an index contains all rows as of a commit: the one that it was built at, or a later one of the same
 * opening of the file.
 */
export function covers({ since, nextEpoch }: SharedIndex, { epoch, seq }: ChangeCount): boolean {
  if (epoch === nextEpoch) return seq >= (since?.seq ?? 0);
  return epoch === since?.epoch && seq === since.seq;
}
