import { ftruncateSync, fstatSync, writeSync } from "node:fs";
import { AppError } from "../../errors.ts";
import { changedRanges } from "./changed-ranges.ts";
import { isPageSize } from "./wal-format.ts";

/** The pages that one or several commits wrote: a database with the content before becomes the one after. */
export interface PageSet {
  readonly pageSize: number;
  /** Size of the database in pages afterwards. */
  readonly databasePages: number;
  /** Page numbers, from 1, in ascending order. */
  readonly numbers: readonly number[];
  /** The content of these pages, in the same order. */
  readonly content: Uint8Array;
}

/** A decoded page set: what to write where. Writing it twice, or only in part before, gives the same result. */
export interface PageWrites {
  readonly pageSize: number;
  readonly databasePages: number;
  readonly writes: readonly { readonly position: number; readonly bytes: Uint8Array }[];
}

/**
 * `version (1 byte), CRC-32 of what follows (4), page size (4), pages of the database (4), size of the body (4), zstd of the
 * body`. The body has for each page its number (4) and the number of changed ranges (2): none is followed by the whole page,
 * otherwise each range is `offset (2), length - 1 (2), bytes`. Numbers are little-endian.
 */
const VERSION = 1;
const HEAD_BYTES = 17;
const PAGE_HEAD_BYTES = 6;
const RANGE_HEAD_BYTES = 4;

/** No body is larger: above 8 MB of pages a base replaces a page set. */
const MAX_BODY_BYTES = 16 * 1024 ** 2;

/** Encodes a page set on its own. */
export const encodePageSet = (pages: PageSet): Uint8Array<ArrayBuffer> => new PageSetEncoder().encode(pages);

/** Pages whose last content is remembered: the ends of tables and histories, and the counter, change with most commits. */
const MAX_KNOWN_PAGES = 48;

/**
 * Encodes the page sets of consecutive commits. Of pages that were in one before, only changed ranges are encoded, which
 * takes a fifth of the size.
 */
export class PageSetEncoder {
  /** The last content of pages, least recently changed first. */
  readonly #known = new Map<number, Uint8Array>();

  /** Encodes the commits after those of the last call. */
  encode(pages: PageSet): Uint8Array<ArrayBuffer> {
    const { pageSize, databasePages, numbers, content } = pages;
    // Pages that were cut off have another content when the database grows again.
    for (const page of this.#known.keys()) if (page > databasePages) this.#known.delete(page);
    const body = new Uint8Array(numbers.length * (PAGE_HEAD_BYTES + pageSize));
    const view = new DataView(body.buffer);
    let size = 0;
    for (const [index, page] of numbers.entries()) {
      const bytes = content.subarray(index * pageSize, (index + 1) * pageSize);
      const known = this.#known.get(page);
      const ranges = known?.length === pageSize ? changedRanges(known, bytes) : null;
      if (ranges?.length === 0) continue;
      view.setUint32(size, page, true);
      view.setUint16(size + 4, ranges?.length ?? 0, true);
      size += PAGE_HEAD_BYTES;
      if (!ranges) {
        body.set(bytes, size);
        size += pageSize;
      }
      for (const { start, end } of ranges ?? []) {
        view.setUint16(size, start, true);
        view.setUint16(size + 2, end - start - 1, true);
        body.set(bytes.subarray(start, end), size + RANGE_HEAD_BYTES);
        size += RANGE_HEAD_BYTES + end - start;
      }
      this.#remember(page, bytes);
    }
    return pack({ pageSize, databasePages, body: body.subarray(0, size) });
  }

  /** Forgets all pages. Call when commits were not encoded. */
  clear(): void {
    this.#known.clear();
  }

  #remember(page: number, bytes: Uint8Array): void {
    this.#known.delete(page);
    this.#known.set(page, bytes.slice());
    if (this.#known.size <= MAX_KNOWN_PAGES) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}

interface Unpacked {
  readonly pageSize: number;
  readonly databasePages: number;
  readonly body: Uint8Array;
}

function pack({ pageSize, databasePages, body }: Unpacked): Uint8Array<ArrayBuffer> {
  const packed = Bun.zstdCompressSync(body, { level: 1 });
  const encoded = new Uint8Array(HEAD_BYTES + packed.length);
  const view = new DataView(encoded.buffer);
  view.setUint8(0, VERSION);
  view.setUint32(5, pageSize, true);
  view.setUint32(9, databasePages, true);
  view.setUint32(13, body.length, true);
  encoded.set(packed, HEAD_BYTES);
  view.setUint32(1, Bun.hash.crc32(encoded.subarray(5)), true);
  return encoded;
}

/** @throws AppError `damaged` when the bytes are not a page set, `unavailable` when a newer version encoded it */
export function decodePageSet(encoded: Uint8Array): PageWrites {
  const { pageSize, databasePages, body } = unpack(encoded);
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const writes: { position: number; bytes: Uint8Array }[] = [];
  let at = 0;
  const take = (length: number): number => {
    const start = at;
    at += length;
    if (at > body.length) throw damaged();
    return start;
  };
  for (let former = 0; at < body.length;) {
    const head = take(PAGE_HEAD_BYTES);
    const page = view.getUint32(head, true);
    const ranges = view.getUint16(head + 4, true);
    if (page <= former || page > databasePages) throw damaged();
    former = page;
    const position = (page - 1) * pageSize;
    if (ranges === 0) writes.push({ position, bytes: body.subarray(take(pageSize), at) });
    for (let range = 0; range < ranges; range++) {
      const rangeHead = take(RANGE_HEAD_BYTES);
      const offset = view.getUint16(rangeHead, true);
      const length = view.getUint16(rangeHead + 2, true) + 1;
      if (offset + length > pageSize) throw damaged();
      writes.push({ position: position + offset, bytes: body.subarray(take(length), at) });
    }
  }
  return { pageSize, databasePages, writes };
}

/**
 * Applies a page set to the file of a database that nothing has open, which has no write-ahead log, and the content before
 * the page set. The file is not synced.
 * @throws AppError `damaged` when its pages have another size
 */
export function applyPageSet(file: number, { pageSize, databasePages, writes }: PageWrites): void {
  if (fstatSync(file).size % pageSize !== 0) throw damaged();
  for (const { position, bytes } of writes) {
    for (let written = 0; written < bytes.length;) {
      written += writeSync(file, bytes, written, bytes.length - written, position + written);
    }
  }
  ftruncateSync(file, databasePages * pageSize);
}

/** Checks everything that determines how much memory is allocated before it unpacks the body. */
function unpack(encoded: Uint8Array): Unpacked {
  if (encoded.length < HEAD_BYTES) throw damaged();
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  if (view.getUint8(0) > VERSION) {
    throw new AppError("unavailable", "A newer version of Quern wrote this entry of the log. Upgrade Quern.");
  }
  if (view.getUint8(0) !== VERSION || view.getUint32(1, true) !== Bun.hash.crc32(encoded.subarray(5))) throw damaged();
  const pageSize = view.getUint32(5, true);
  const databasePages = view.getUint32(9, true);
  const size = view.getUint32(13, true);
  const packed = encoded.subarray(HEAD_BYTES);
  if (!isPageSize(pageSize) || databasePages === 0 || size > MAX_BODY_BYTES || contentSize(packed) !== size)
    throw damaged();
  try {
    const body = Bun.zstdDecompressSync(packed);
    if (body.length === size) return { pageSize, databasePages, body };
  } catch {
    // Reported below.
  }
  throw damaged();
}

const ZSTD_MAGIC = 0xfd2fb528;

/** Returns the content size in the header of a zstd frame (RFC 8878, 3.1.1.1); null when it has none. */
function contentSize(packed: Uint8Array): number | null {
  if (packed.length < 9) return null;
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  if (view.getUint32(0, true) !== ZSTD_MAGIC) return null;
  const descriptor = view.getUint8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 0][descriptor >> 6] ?? 0;
  if (sizeBytes === 0 || at + sizeBytes > packed.length) return null;
  if (sizeBytes === 1) return view.getUint8(at);
  return sizeBytes === 2 ? view.getUint16(at, true) + 256 : view.getUint32(at, true);
}

const damaged = (): AppError => new AppError("damaged", "The entry of the log is damaged");
