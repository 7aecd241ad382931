/**
 * An answer made in the host: JSON as bytes, ready to send. `tag` is the value for ETag; where the caller's copy is
 * still good (`unchanged`) nothing was read.
 */
export type Rendered =
  | { readonly kind: "unchanged"; readonly tag: string }
  | { readonly kind: "bytes"; readonly tag: string; readonly bytes: Uint8Array }
  /** Too large for one message: `first` now, the rest by `next`. */
  | { readonly kind: "cursor"; readonly tag: string; readonly first: Uint8Array; readonly cursor: string };

/** What a reading verb needs to answer with `unchanged`. */
export interface CacheCondition {
  /** Everything the answer depends on besides the document: path, query, headers, what the caller may see, our build. */
  readonly seed: string;
  /** The tags of If-None-Match, without quotes or `W/`. */
  readonly tags: readonly string[];
}
