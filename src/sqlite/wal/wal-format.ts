/** The format of SQLite's write-ahead log: https://sqlite.org/fileformat2.html#walformat */

export const HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;

/** The lowest bit tells the byte order of the words that the checksums are computed from. */
const MAGIC = 0x377f0682;
const FORMAT_VERSION = 3007000;
const MIN_PAGE_BYTES = 512;
const MAX_PAGE_BYTES = 65_536;

/** A cumulative checksum: each frame's continues that of the frame before. */
export interface Checksum {
  readonly first: number;
  readonly second: number;
}

export interface WalHeader {
  readonly pageSize: number;
  /** Both change whenever SQLite begins the log again. */
  readonly salts: readonly [number, number];
  readonly isBigEndian: boolean;
  readonly checksum: Checksum;
}

export interface FrameHeader {
  readonly page: number;
  /** Size of the database in pages for the last frame of a commit; 0 for all others. */
  readonly databasePages: number;
}

/** True for a size that a page can have. */
export const isPageSize = (size: number): boolean =>
  size >= MIN_PAGE_BYTES && size <= MAX_PAGE_BYTES && (size & (size - 1)) === 0;

/** Returns the header of a log; null when it is incomplete or not valid, so that SQLite ignores the log. */
export function parseHeader(bytes: Uint8Array): WalHeader | null {
  if (bytes.length < HEADER_BYTES) return null;
  const view = viewOf(bytes);
  const magic = view.getUint32(0);
  const isBigEndian = magic === MAGIC + 1;
  if ((magic !== MAGIC && !isBigEndian) || view.getUint32(4) !== FORMAT_VERSION) return null;
  const pageSize = view.getUint32(8);
  if (!isPageSize(pageSize)) return null;
  const checksum = addToChecksum({ first: 0, second: 0 }, bytes.subarray(0, 24), isBigEndian);
  if (checksum.first !== view.getUint32(24) || checksum.second !== view.getUint32(28)) return null;
  return { pageSize, salts: [view.getUint32(16), view.getUint32(20)], isBigEndian, checksum };
}

/**
 * Returns the header of the frame that `bytes` begin with, and the checksum up to its end; null when the frame does not
 * belong to the log, or not after the frame that `before` is the checksum of.
 */
export function parseFrame(
  bytes: Uint8Array,
  log: WalHeader,
  before: Checksum,
): (FrameHeader & { readonly checksum: Checksum }) | null {
  const view = viewOf(bytes);
  const page = view.getUint32(0);
  if (page === 0 || view.getUint32(8) !== log.salts[0] || view.getUint32(12) !== log.salts[1]) return null;
  const head = addToChecksum(before, bytes.subarray(0, 8), log.isBigEndian);
  const content = bytes.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + log.pageSize);
  const checksum = addToChecksum(head, content, log.isBigEndian);
  if (checksum.first !== view.getUint32(16) || checksum.second !== view.getUint32(20)) return null;
  return { page, databasePages: view.getUint32(4), checksum };
}

/** @param bytes a multiple of eight bytes */
function addToChecksum(before: Checksum, bytes: Uint8Array, isBigEndian: boolean): Checksum {
  let first = before.first | 0;
  let second = before.second | 0;
  const isAligned = bytes.byteOffset % 4 === 0;
  if (isBigEndian || !isAligned) {
    const view = viewOf(bytes);
    for (let at = 0; at < bytes.length; at += 8) {
      first = (first + view.getUint32(at, !isBigEndian) + second) | 0;
      second = (second + view.getUint32(at + 4, !isBigEndian) + first) | 0;
    }
  } else {
    // All supported processors are little-endian. Four times as fast as a DataView.
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    for (let at = 0; at < words.length; at += 2) {
      first = (first + (words[at] ?? 0) + second) | 0;
      second = (second + (words[at + 1] ?? 0) + first) | 0;
    }
  }
  return { first: first >>> 0, second: second >>> 0 };
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
