/** Contents of attachments as the other layers see them; see `files/attachment-store.ts`. */

/** Bytes of a content: an array if it is small, else a stream. */
export type ContentBytes = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** A byte range of a content. */
export interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** A file on disk to be stored. */
export interface LocalFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** The bucket of the installation; names are below its prefix. */
export interface ContentBucket {
  put(name: string, file: LocalFile): Promise<void>;
  size(name: string): Promise<number | null>;
  read(name: string, range?: ByteRange): Promise<ContentBytes | null>;
  remove(name: string): Promise<void>;
  list(under?: string): AsyncIterable<{ readonly name: string; readonly storedAt: number }>;
}

/** Under which epoch this node owns a document, and what of it is in the log. */
export interface Ownership {
  readonly node: string;
  readonly epoch: number;
  readonly acknowledgedSeq: number;
  /** False while a failover may have lost the acquisition. */
  readonly mayRead: boolean;
}

/** Returns what is known of an owned document; null if this node does not own it. */
export const toOwnership = (
  owned:
    | {
        readonly node: string;
        readonly epoch: number;
        readonly log: { readonly acknowledged: { readonly seq: number }; readonly mayRead: boolean };
      }
    | undefined,
): Ownership | null =>
  owned
    ? { node: owned.node, epoch: owned.epoch, acknowledgedSeq: owned.log.acknowledged.seq, mayRead: owned.log.mayRead }
    : null;
