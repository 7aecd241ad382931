import type { Readable } from "node:stream";

/** A file in a backup target. */
export interface StoredFile {
  readonly key: string;
  readonly sizeBytes: number;
  /** By the target's own clock, in milliseconds since the epoch. */
  readonly storedAtMs: number;
}

/**
 * A storage location for backups, as files by key: `backups/<name>.json` is the manifest of a backup, written last;
 * `blobs/…` are contents that backups share. Errors are AppErrors that name the target.
 */
export interface BackupTarget {
  /** For display: the folder, or `s3://bucket/prefix`. */
  readonly label: string;
  /** A local folder for files that are being uploaded. */
  readonly temporaryFolder: string;
  /**
   * Prepares the target for writing, until the returned object is disposed of.
   * @throws AppError `conflict` while another program writes to it, `invalid` when it is not for backups
   */
  prepare(): Promise<Disposable>;
  /** Stores a file atomically and durably. The local file may be moved. */
  put(key: string, file: string): Promise<void>;
  /** Returns the content of a file; null when it does not exist. */
  read(key: string): Promise<Readable | null>;
  /** Lists the files with a key prefix, which ends in a slash. */
  list(prefix: string): AsyncIterable<StoredFile>;
  /** Idempotent. */
  remove(key: string): Promise<void>;
}
