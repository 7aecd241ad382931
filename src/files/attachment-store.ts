/** Bytes of a file: at once where they are few, else as a stream. */
export type FileContent = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** A part of a file, in bytes. */
export interface ByteRange {
  readonly start: number;
  /** The first byte that does not belong to it any more. */
  readonly end: number;
}

/** A file on disk that is to be stored. */
export interface LocalFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/**
 * Where contents of the attachments of one document are kept, by their `ident`: the SHA-1 of the bytes as hex, and the
 * ending of the name. Bytes that were stored once never change.
 */
export interface AttachmentStore {
  /** By which a document says that a content is in it: `storageId` in the document file; null for the file itself. */
  readonly id: string | null;
  /**
   * Stores a file's bytes; when this ends they survive a power cut. Storing again what is there changes nothing. The
   * file may be gone afterwards: a store on the same disk takes it over.
   */
  put(ident: string, file: LocalFile): Promise<void>;
  /** The size in bytes of what is stored; null when it is not there. */
  size(ident: string): Promise<number | null>;
  /** What is stored, or a part of it; null when it is not there. */
  read(ident: string, range?: ByteRange): Promise<FileContent | null>;
}

/** A store outside of the document's file: after a crash it may hold contents that nobody refers to. */
export interface ExternalStore extends AttachmentStore {
  readonly id: string;
  /** Fine when there is no such content. */
  remove(ident: string): Promise<void>;
  /** Removes what was stored before `before` (ms since the epoch) and is not wanted. Answers how many went. */
  sweep(isReferenced: (ident: string) => boolean, before: number): Promise<number>;
  /** Removes everything the document has in it. */
  clear(): Promise<void>;
}

/** True for what can be the name of a content in a store; documents from elsewhere may say anything. */
export const isIdent = (ident: string): boolean => /^[0-9a-f]{40}(\.[^\p{C}\p{Z}/\\]{1,20})?$/u.test(ident);

/** A content as a stream, however it came. */
export const toStream = (content: FileContent): ReadableStream<Uint8Array> =>
  content instanceof Uint8Array ? new Blob([content]).stream() : content;
