import type { Readable } from "node:stream";

/** Something that lies in a place for backups. */
export interface StoredFile {
  readonly key: string;
  readonly sizeBytes: number;
  /** By the place's own clock, in milliseconds since the epoch. */
  readonly storedAtMs: number;
}

/**
 * A place that backups are kept in, as files by name: `backups/<name>.json` is what makes a backup, written last;
 * `blobs/…` are contents that backups share. Refusals are AppErrors that name the place.
 */
export interface BackupTarget {
  /** For people: the folder, or `s3://bucket/prefix`. */
  readonly label: string;
  /** A folder of this machine for files on their way there. */
  readonly temporaryFolder: string;
  /**
   * Makes the place ready to be written to, until what this gives is disposed of.
   * @throws AppError `conflict` while another program writes to it, `invalid` when it is not for backups
   */
  prepare(): Promise<Disposable>;
  /** Stores a file, whole or not at all, so that it survives a power cut. The file itself may be gone afterwards. */
  put(key: string, file: string): Promise<void>;
  /** The content of a file; null when there is none. */
  read(key: string): Promise<Readable | null>;
  /** What lies there under names that begin with `prefix`, which ends in a slash. */
  list(prefix: string): AsyncIterable<StoredFile>;
  /** Fine when there is none. */
  remove(key: string): Promise<void>;
}
