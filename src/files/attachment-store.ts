/** Bytes of a file: an array if it is small, else a stream. */
export type FileContent = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** A byte range of a file. */
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

/**
 * Stores the attachment contents of one document by their `ident`: the SHA-1 of the bytes as hex, and the file
 * extension. Contents are immutable.
 */
export interface AttachmentStore {
  /** Identifies the store in the document file, as `storageId`; null for the document file itself. */
  readonly id: string | null;
  /**
   * Stores a file's bytes durably: they survive a power cut once the promise resolves. Idempotent. The file may have
   * been moved afterwards: a store on the same disk renames it.
   */
  put(ident: string, file: LocalFile): Promise<void>;
  /** Returns the size in bytes; null if the content does not exist. */
  size(ident: string): Promise<number | null>;
  /** Returns the content or a range of it; null if it does not exist. */
  read(ident: string, range?: ByteRange): Promise<FileContent | null>;
}

/** Identifies an external store in document files. */
export type StoreId = "quern-folder" | "quern-bucket";

/** A store outside of the document's file. After a crash it may contain unreferenced contents. */
export interface ExternalStore extends AttachmentStore {
  readonly id: StoreId;
  /** Idempotent. */
  remove(ident: string): Promise<void>;
  /** Deletes unreferenced contents that were stored before `before` (ms since the epoch). Returns their number. */
  sweep(isReferenced: (ident: string) => boolean, before: number): Promise<number>;
  /** Deletes all contents of the document. */
  clear(): Promise<void>;
}

/** Returns true for valid content names. Documents from elsewhere may contain any text. */
export const isIdent = (ident: string): boolean => /^[0-9a-f]{40}(\.[^\p{C}\p{Z}/\\]{1,20})?$/u.test(ident);

/** Returns a content as a stream. */
export const toStream = (content: FileContent): ReadableStream<Uint8Array> =>
  content instanceof Uint8Array ? new Blob([content]).stream() : content;
