/** Encoding of the pages of commits. */
import { expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  applyPageSet,
  decodePageSet,
  encodePageSet,
  type PageSet,
  PageSetEncoder,
  type PageWrites,
} from "../../../src/sqlite/wal/page-set.ts";
import { Random } from "../../helpers/random.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

const PAGES: PageSet = {
  pageSize: 512,
  databasePages: 9,
  numbers: [1, 2, 5, 9],
  content: Uint8Array.from({ length: 4 * 512 }, (_, index) => (index * 7 + (index >> 9)) & 255),
};

/** The same pages after a change of a few bytes in some of them. */
const CHANGED: PageSet = { ...PAGES, content: PAGES.content.map((byte, at) => (at % 700 < 5 ? 255 - byte : byte)) };

const encodedFully = (): Uint8Array => encodePageSet(PAGES);

/** An encoded page set of changed ranges. */
function encodedAsChanges(): Uint8Array {
  const encoder = new PageSetEncoder();
  encoder.encode(PAGES);
  return encoder.encode(CHANGED);
}

const KINDS: [string, () => Uint8Array][] = [
  ["of whole pages", encodedFully],
  ["of changed ranges", encodedAsChanges],
];

const isDamaged = expect.objectContaining({ code: "damaged", message: "The entry of the log is damaged" });

/** Applies page sets to an empty file in order. */
function applied(...sets: PageWrites[]): Uint8Array {
  const path = join(tempFolder(), "a.sqlite");
  writeFileSync(path, "");
  const file = openSync(path, "r+");
  for (const set of sets) applyPageSet(file, set);
  closeSync(file);
  return readFileSync(path);
}

const pageOf = (file: Uint8Array, page: number): number[] => [...file.subarray((page - 1) * 512, page * 512)];

function expectPages(file: Uint8Array, { numbers, content, databasePages }: PageSet): void {
  expect(file.length).toBe(databasePages * 512);
  for (const [index, page] of numbers.entries()) {
    expect(pageOf(file, page)).toEqual([...content.subarray(index * 512, (index + 1) * 512)]);
  }
}

test("a page set survives encoding, as whole pages and as changed ranges", () => {
  expectPages(applied(decodePageSet(encodedFully())), PAGES);
  expectPages(applied(decodePageSet(encodedFully()), decodePageSet(encodedAsChanges())), CHANGED);
  expect(decodePageSet(encodedAsChanges()).writes.every(({ bytes }) => bytes.length < 30)).toBe(true);
  // A part of a larger buffer, as drivers return it.
  const encoded = encodedFully();
  const within = new Uint8Array(encoded.length + 3);
  within.set(encoded, 3);
  expect(decodePageSet(within.subarray(3))).toEqual(decodePageSet(encoded));
});

test("changed ranges that are applied again, or were applied in part before, give the same pages", () => {
  const [whole, changes] = [decodePageSet(encodedFully()), decodePageSet(encodedAsChanges())];
  const part = { ...changes, writes: changes.writes.slice(0, 2) };
  expectPages(applied(whole, part, changes, changes), CHANGED);
  expectPages(applied(whole, changes, whole, changes), CHANGED);
});

test("a page that was cut off is encoded as a whole when the database grows again", () => {
  const encoder = new PageSetEncoder();
  const sets = [PAGES, { ...PAGES, databasePages: 3, numbers: [1], content: PAGES.content.slice(0, 512) }, CHANGED].map(
    (pages) => decodePageSet(encoder.encode(pages)),
  );
  const file = applied(...sets);
  expect(pageOf(file, 9)).toEqual([...CHANGED.content.subarray(3 * 512)]);
});

test("pages are encoded as a whole after commits that were not encoded", () => {
  const encoder = new PageSetEncoder();
  encoder.encode(PAGES);
  encoder.clear();
  expect(decodePageSet(encoder.encode(CHANGED)).writes.map(({ bytes }) => bytes.length)).toEqual([512, 512, 512, 512]);
});

test.each(KINDS)("a damaged page set %s is refused, wherever it is damaged or cut off", (_, encode) => {
  const encoded = encode();
  for (let at = 1; at < encoded.length; at++) {
    for (const bit of [0, 3, 7]) {
      const damaged = encoded.slice();
      damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
      expect(() => decodePageSet(damaged)).toThrow(isDamaged);
    }
    expect(() => decodePageSet(encoded.subarray(0, at))).toThrow(isDamaged);
  }
});

test.each(KINDS)("a forged page set %s writes only within the database, and allocates little", (_, encode) => {
  const random = new Random(11);
  const encoded = encode();
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 20_000; round++) {
    const forged = encoded.slice();
    for (let change = 0; change <= random.below(4); change++)
      forged[5 + random.below(forged.length - 5)] = random.below(256);
    new DataView(forged.buffer).setUint32(1, Bun.hash.crc32(forged.subarray(5)), true);
    expectWithinOrDamaged(forged);
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2);
});

test.each(KINDS)("a forged body of a page set %s writes only within the database", (_, encode) => {
  const random = new Random(12);
  const head = encode().subarray(0, 17);
  const body = Bun.zstdDecompressSync(encode().subarray(17));
  for (let round = 0; round < 20_000; round++) {
    const forgedBody = Uint8Array.from(body.subarray(0, random.oneIn(3) ? random.below(body.length) : body.length));
    for (let change = 0; change <= random.below(3); change++) forgedBody[random.below(40)] = random.below(256);
    const packed = Bun.zstdCompressSync(forgedBody);
    const forged = new Uint8Array([...head, ...packed]);
    new DataView(forged.buffer).setUint32(13, forgedBody.length, true);
    new DataView(forged.buffer).setUint32(1, Bun.hash.crc32(forged.subarray(5)), true);
    expectWithinOrDamaged(forged);
  }
});

function expectWithinOrDamaged(forged: Uint8Array): void {
  try {
    const { pageSize, databasePages, writes } = decodePageSet(forged);
    for (const { position, bytes } of writes) {
      if (bytes.length > pageSize || position + bytes.length > databasePages * pageSize) throw new Error("outside");
    }
  } catch (error) {
    expect(error).toEqual(isDamaged);
  }
}

test("a page set of a newer version is refused with what to do", () => {
  const newer = encodedFully();
  newer[0] = 2;
  expect(() => decodePageSet(newer)).toThrow("Upgrade Quern");
});

test("applying a page set truncates or extends the file to the size of the database", () => {
  const path = join(tempFolder(), "a.sqlite");
  for (const former of [3, 9, 20]) {
    writeFileSync(path, new Uint8Array(former * 512).fill(200));
    const file = openSync(path, "r+");
    applyPageSet(file, decodePageSet(encodedFully()));
    closeSync(file);
    const found = readFileSync(path);
    expectPages(found, PAGES);
    expect(found[6 * 512]).toBe(former > 6 ? 200 : 0);
  }
});

test("a page set is not applied to a file of another page size", () => {
  const path = join(tempFolder(), "a.sqlite");
  writeFileSync(path, new Uint8Array(700));
  const file = openSync(path, "r+");
  expect(() => applyPageSet(file, decodePageSet(encodedFully()))).toThrow(isDamaged);
  closeSync(file);
});
