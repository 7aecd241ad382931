import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "bun:test";
import { LineSpool } from "../../src/files/line-spool.ts";
import { Random } from "../helpers/random.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const LIMITS = { maxBytes: 1_000_000, maxLineBytes: 10_000 };
const encoder = new TextEncoder();

async function* chunksOf(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}

const receive = (folder: string, chunks: AsyncIterable<Uint8Array> | null, limits: Partial<typeof LIMITS> = {}) =>
  LineSpool.receive({ type: null, sizeBytes: null, chunks }, { folder, ...LIMITS, ...limits });

async function partsOf(spool: LineSpool, limits: { maxLines: number; maxBytes: number }) {
  const parts: { firstLine: number; text: string }[] = [];
  for await (const { firstLine, bytes } of spool.parts(limits)) {
    parts.push({ firstLine, text: new TextDecoder().decode(bytes) });
  }
  return parts;
}

const isBlank = (line: string): boolean => /^[\t-\r ]*$/.test(line);

describe("a spool", () => {
  test.each(Array.from({ length: 40 }, (_, seed) => [seed]))("has the lines of its body (seed %d)", async (seed) => {
    const random = new Random(seed);
    const pick = () => random.pick(["", " ", "\r", "{}", '{"a":"ä€😀"}', "x".repeat(random.below(300)), "\t{}\r"]);
    const text = Array.from({ length: random.below(60) }, pick).join("\n");
    const bytes = encoder.encode((seed % 3 === 0 ? "\uFEFF" : "") + text);
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const end = Math.min(bytes.length, at + 1 + random.below(seed % 2 === 0 ? 5 : 400));
      chunks.push(bytes.subarray(at, end));
      at = end;
    }
    await using spool = await receive(tempFolder(), chunksOf(...chunks));
    const all = text.split("\n").map((line, at) => ({ number: at + 1, text: line }));
    const expected = all.filter((line) => !isBlank(line.text));
    // A byte order mark is no blank.
    if (!(seed % 3 === 0 && isBlank(all[0]?.text ?? ""))) expect(spool.lines).toBe(expected.length);
    expect(await spool.readLines()).toEqual(expected);
    const limits = { maxLines: 1 + random.below(5), maxBytes: 1 + random.below(500) };
    const parts = await partsOf(spool, limits);
    expect(parts.map((part) => part.text).join("")).toBe(text);
    const numbered = parts.flatMap(({ firstLine, text: lines }) =>
      lines.split("\n").map((line, at) => ({ number: firstLine + at, text: line })),
    );
    expect(numbered.filter((line) => !isBlank(line.text))).toEqual(expected);
    for (const { text: lines } of parts) {
      const count = lines.split("\n").filter((line) => !isBlank(line)).length;
      expect(count).toBeLessThanOrEqual(limits.maxLines);
    }
  });

  test("is deleted when it is disposed of", async () => {
    const folder = tempFolder();
    {
      await using spool = await receive(folder, chunksOf(encoder.encode("{}")));
      expect(existsSync(spool.path)).toBe(true);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test("of no body has no lines", async () => {
    await using spool = await receive(tempFolder(), null);
    expect([spool.lines, spool.sizeBytes]).toEqual([0, 0]);
    expect(await partsOf(spool, { maxLines: 1, maxBytes: 1 })).toEqual([]);
  });

  async function* failing(): AsyncGenerator<Uint8Array> {
    yield encoder.encode("{}\n");
    throw await Promise.resolve(new Error("the client has left"));
  }
  const refused: readonly [name: string, chunks: () => AsyncIterable<Uint8Array>, message: RegExp][] = [
    [
      "a long line",
      () => chunksOf(encoder.encode(`{}\n${"x".repeat(60)}`), encoder.encode("x".repeat(60))),
      /Line 2 exceeds/,
    ],
    ["a large body", () => chunksOf(encoder.encode("{}\n".repeat(100))), /maximum size of 200 bytes/],
    ["invalid UTF-8", () => chunksOf(new Uint8Array([0x7b, 0xc3]), new Uint8Array([0x28])), /not valid UTF-8/],
    ["a character that ends early", () => chunksOf(new Uint8Array([0x7b, 0xe2, 0x82])), /not valid UTF-8/],
    ["a broken connection", failing, /the client has left/],
  ];
  test.each(refused)("of %s is refused and leaves no file", async (_, chunks, message) => {
    const folder = tempFolder();
    expect(receive(folder, chunks(), { maxBytes: 200, maxLineBytes: 100 })).rejects.toThrow(message);
    await receive(folder, chunks(), { maxBytes: 200, maxLineBytes: 100 }).catch(() => {});
    expect(readdirSync(folder)).toEqual([]);
  });
});
