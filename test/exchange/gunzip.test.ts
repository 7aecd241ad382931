import { expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { gunzipFile } from "../../src/exchange/gunzip.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const folder = tempFolder();
const to = join(folder, "unpacked");
const MB = 1024 ** 2;

function unpack(bytes: Uint8Array, maxBytes = 100 * MB): Promise<void> {
  const from = join(folder, "packed");
  writeFileSync(from, bytes);
  return gunzipFile(from, to, { maxBytes });
}

const text = Array.from({ length: 20_000 }, (_, at) => `${at},${at * at}\n`).join("");
const packed = gzipSync(text);

test("unpacks a gzip file, also with several members", async () => {
  await unpack(Buffer.concat([packed, gzipSync("end\n")]));
  expect(readFileSync(to, "utf8")).toBe(`${text}end\n`);
  rmSync(to);
});

/** Returns the same bytes with one of them changed, at an offset from the end. */
function changed(at: number): Uint8Array {
  const copy = Buffer.from(packed);
  copy[copy.length + at] = (copy[copy.length + at] ?? 0) ^ 0xff;
  return copy;
}

const REFUSED: [what: string, bytes: () => Uint8Array, reason: string, message: RegExp][] = [
  ["a wrong checksum", () => changed(-6), "file.invalid", /damaged/],
  ["a wrong length", () => changed(-2), "file.invalid", /damaged/],
  ["damage in the middle", () => changed(-10_000), "file.invalid", /damaged/],
  ["half of one", () => packed.subarray(0, packed.length / 2), "file.invalid", /damaged/],
  ["one without its last byte", () => packed.subarray(0, -1), "file.invalid", /damaged/],
  ["text after the end", () => Buffer.concat([packed, Buffer.from("more")]), "file.invalid", /damaged|trailing data/],
  ["zeros after the end", () => Buffer.concat([packed, Buffer.alloc(300_000)]), "file.invalid", /trailing data/],
  ["one that unpacks to 1,000 times its size", () => gzipSync(Buffer.alloc(20 * MB)), "limit.upload_size", /200 times/],
  ["one that unpacks to more than an upload may have", () => packed, "limit.upload_size", /1000 bytes/],
];
test.each(REFUSED)("rejects %s and leaves no file", async (_, bytes, reason, message) => {
  const maxBytes = message.source.includes("1000") ? 1000 : undefined;
  const error = await unpack(bytes(), maxBytes).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ reason, message: expect.stringMatching(message) });
  expect(existsSync(to)).toBe(false);
});
