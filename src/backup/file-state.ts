import { existsSync, fstatSync, statSync, type BigIntStats } from "node:fs";

/** What can be told of a document's file without reading it. */
export interface FileState {
  /** Differs once the file was written to, or another one took its place. */
  readonly signature: string;
  /** False while a program has it open, or left it in the middle of something. */
  readonly isClosed: boolean;
  /** When it was changed last, by the clock of the disk, in milliseconds since the epoch. */
  readonly changedMs: number;
}

/** @throws the error of the system when there is no file */
export function fileState(path: string): FileState {
  const stats = statSync(path, { bigint: true });
  const isClosed = !existsSync(`${path}-wal`) && !existsSync(`${path}-journal`);
  return { signature: signatureOf(stats), isClosed, changedMs: Number(stats.ctimeNs / 1_000_000n) };
}

/** As that of `fileState`, of an open file. */
export const openSignature = (fd: number): string => signatureOf(fstatSync(fd, { bigint: true }));

const signatureOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => `${ino}-${size}-${mtimeNs}-${ctimeNs}`;
