/**
 * An answer rendered by the runtime: JSON as bytes, ready to send. `tag` is the ETag value; for `unchanged` the
 * caller's copy is still valid and no data was read.
 */
export type Rendered =
  | { readonly kind: "unchanged"; readonly tag: string }
  | { readonly kind: "bytes"; readonly tag: string; readonly bytes: Uint8Array }
  /** Too large for one message: `first` now, the rest via `Documents.next`. */
  | { readonly kind: "cursor"; readonly tag: string; readonly first: Uint8Array; readonly cursor: string };

/** What a conditional read needs to answer with `unchanged`. */
export interface CacheCondition {
  /**
   * Everything the answer depends on besides the document: path, query, headers, the caller's visibility, the build.
   */
  readonly seed: string;
  /** The ETags of If-None-Match, without quotes or `W/`. */
  readonly tags: readonly string[];
}
