import { existsSync, fstatSync, statSync, type BigIntStats } from "node:fs";

/** The state of a document's file, determined without reading it. */
export interface FileState {
  /** Changes when the file is written or replaced. */
  readonly signature: string;
  /**
   * True if the file alone is the document: it is closed, or open with an empty write-ahead log. Any later change gives it
   * a log or another signature.
   */
  readonly isWhole: boolean;
  /** Time of the last change by the file system's clock, in milliseconds since the epoch. */
  readonly changedMs: number;
}

/** @throws a system error when the file does not exist */
export function fileState(path: string): FileState {
  const stats = statSync(path, { bigint: true });
  // With a replicated log, closed files stay in WAL mode, beside an empty log.
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const isWhole = logBytes === 0 && !existsSync(`${path}-journal`);
  return { signature: signatureOf(stats), isWhole, changedMs: Number(stats.ctimeNs / 1_000_000n) };
}

/** Returns the signature of an open file. */
export const openSignature = (fd: number): string => signatureOf(fstatSync(fd, { bigint: true }));

const signatureOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => `${ino}-${size}-${mtimeNs}-${ctimeNs}`;
