import { existsSync, fstatSync, statSync, type BigIntStats } from "node:fs";

/** The state of a document's file, determined without reading it. */
export interface FileState {
  /** Changes when the file is written or replaced. */
  readonly signature: string;
  /** False while a program has it open, or after a crash. */
  readonly isClosed: boolean;
  /** Time of the last change by the file system's clock, in milliseconds since the epoch. */
  readonly changedMs: number;
}

/** @throws a system error when the file does not exist */
export function fileState(path: string): FileState {
  const stats = statSync(path, { bigint: true });
  const isClosed = !existsSync(`${path}-wal`) && !existsSync(`${path}-journal`);
  return { signature: signatureOf(stats), isClosed, changedMs: Number(stats.ctimeNs / 1_000_000n) };
}

/** Returns the signature of an open file. */
export const openSignature = (fd: number): string => signatureOf(fstatSync(fd, { bigint: true }));

const signatureOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => `${ino}-${size}-${mtimeNs}-${ctimeNs}`;
