import { createHash } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { syncToDisk } from "../../lib/sync-to-disk.ts";
import { applyPageSet, decodePageSet } from "../../sqlite/wal/page-set.ts";
import type { BaseRow } from "../postgres/statements/bases.ts";
import type { DocumentSnapshot, StoredLogRow } from "../postgres/statements/snapshot.ts";
import type { LogPosition } from "../protocol/log-types.ts";
import { chainedChecksum } from "./checksum-chain.ts";

/** The log contradicts itself: a missing row, or a checksum that does not match. The document must not be opened. */
export class DamagedLogError extends Error {}

/** Where to stop: the head by default. */
export interface RebuildLimit {
  /** The last row to apply. */
  readonly seq?: number;
}

/**
 * Builds the file of a document from a base and the rows after it, and moves it to `path`. An existing file is
 * replaced; its write-ahead log is removed first.
 * @returns the position that was reached
 * @throws DamagedLogError if a checksum does not match
 */
export async function rebuildFile(
  snapshot: DocumentSnapshot,
  base: BaseRow,
  path: string,
  limit: RebuildLimit = {},
): Promise<LogPosition> {
  const temporary = `${path}.rebuilt`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(temporary, "w+", 0o600);
  try {
    await writeBase(snapshot, base, file);
    const from = { seq: base.seq, checksum: Buffer.from(base.chain).toString("hex") };
    const reached = await applyRows(snapshot, file, from, limit);
    fsyncSync(file);
    for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
    renameSync(temporary, path);
    syncToDisk(dirname(path));
    return reached;
  } finally {
    closeSync(file);
    rmSync(temporary, { force: true });
  }
}

/**
 * Applies the rows after a position to a closed file without write-ahead log. A crash meanwhile leaves a mixture: the
 * caller marks the file as not intact before.
 * @throws DamagedLogError as `rebuildFile`
 */
export async function applyTail(snapshot: DocumentSnapshot, path: string, from: LogPosition): Promise<LogPosition> {
  const file = openSync(path, "r+");
  try {
    const reached = await applyRows(snapshot, file, from, {});
    fsyncSync(file);
    return reached;
  } finally {
    closeSync(file);
  }
}

async function writeBase(snapshot: DocumentSnapshot, base: BaseRow, file: number): Promise<void> {
  const hash = createHash("sha256");
  let position = 0;
  for await (const chunk of snapshot.chunks(base)) {
    const bytes = Bun.zstdDecompressSync(chunk);
    hash.update(bytes);
    for (let written = 0; written < bytes.length;) {
      written += writeSync(file, bytes, written, bytes.length - written, position + written);
    }
    position += bytes.length;
  }
  if (position !== base.sizeBytes || !hash.digest().equals(base.checksum)) {
    throw new DamagedLogError(`The checksum of base ${base.ref} does not match its content`);
  }
}

async function applyRows(
  snapshot: DocumentSnapshot,
  file: number,
  from: LogPosition,
  { seq: last = Infinity }: RebuildLimit,
): Promise<LogPosition> {
  let reached = from;
  for await (const row of snapshot.rows(from.seq)) {
    if (row.seq > last) break;
    if (row.seq !== reached.seq + 1) throw new DamagedLogError(`Row ${reached.seq + 1} is missing`);
    const checksum = checkRow(row, reached.checksum);
    applyPageSet(file, decodePageSet(row.frames));
    reached = { seq: row.seq, checksum };
  }
  return reached;
}

function checkRow({ seq, epoch, contentEpoch, frames, checksum }: StoredLogRow, previous: string): string {
  const expected = chainedChecksum(previous, { epoch, seq, contentEpoch, bytes: frames });
  if (Buffer.from(checksum).toString("hex") === expected) return expected;
  throw new DamagedLogError(`The checksum of row ${seq} does not match its content`);
}
