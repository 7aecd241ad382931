import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { packTar, unpackTar } from "modern-tar";
import { AppError } from "../../src/errors.ts";
import { readArchive } from "../../src/files/archive-reader.ts";
import { type ArchiveEntry, type ArchiveFormat, checkZipSize, writeArchive } from "../../src/files/archive-writer.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const FORMATS: ArchiveFormat[] = ["zip", "tar"];
const encoder = new TextEncoder();

function entry(name: string, content: string): ArchiveEntry {
  const bytes = encoder.encode(content);
  const opened = { content: bytes, sizeBytes: bytes.length };
  return { name, modifiedAtMs: Date.UTC(2026, 0, 2, 3, 4, 6), open: () => Promise.resolve(opened) };
}

const bytesOf = async (stream: ReadableStream<Uint8Array>) => new Uint8Array(await new Response(stream).arrayBuffer());

const everything = (): boolean => true;

/**
 * Writes an archive to disk and reads it again; returns the extracted files, the skipped names, and the files left on
 * disk.
 */
async function read(
  archive: Uint8Array,
  format: ArchiveFormat,
  {
    wants: accepts = everything,
    maxFileBytes = 1e6,
  }: { wants?: (name: string) => boolean; maxFileBytes?: number } = {},
) {
  const folder = tempFolder();
  const path = join(tempFolder(), "archive");
  writeFileSync(path, archive);
  const taken: unknown[] = [];
  const passed: string[] = [];
  await readArchive(path, {
    format,
    folder,
    maxFileBytes,
    accepts,
    onSkipped: (name) => void passed.push(name),
    async onFile(name, file) {
      taken.push([name, file && readFileSync(file.path, "utf8")]);
      if (file) expect(file.sha1).toBe(new Bun.CryptoHasher("sha1").update(readFileSync(file.path)).digest("hex"));
    },
  });
  expect(readdirSync(folder)).toEqual([]);
  return { taken, passed };
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => "not refused",
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? error.code : String(error);
}

describe.each(FORMATS)("%s", (format) => {
  test("reads back the written files", async () => {
    const long = `${"x".repeat(180)}.txt`;
    const files = [entry("a.txt", "first"), entry("größe 日本.txt", "zweite"), entry("empty", ""), entry(long, "long")];
    const { taken } = await read(await bytesOf(writeArchive(format, files)), format);
    expect(taken).toEqual([
      ["a.txt", "first"],
      ["größe 日本.txt", "zweite"],
      ["empty", ""],
      [long, "long"],
    ]);
  });

  test("is readable by other programs", async () => {
    const bytes = await bytesOf(writeArchive(format, [entry("ü.txt", "text"), entry("b", "b".repeat(100_000))]));
    const found =
      format === "zip"
        ? Object.entries(unzipSync(bytes)).map(([name, data]) => [name, data.length])
        : (await unpackTar(bytes)).map(({ header, data }) => [header.name, data?.length]);
    expect(found).toEqual([
      ["ü.txt", 4],
      ["b", 100_000],
    ]);
  });

  test("omits files that no longer exist", async () => {
    const gone: ArchiveEntry = { ...entry("gone", ""), open: () => Promise.resolve(null) };
    const { taken } = await read(await bytesOf(writeArchive(format, [gone, entry("here", "x")])), format);
    expect(taken).toEqual([["here", "x"]]);
  });

  test("may be empty", async () => {
    expect((await read(await bytesOf(writeArchive(format, [])), format)).taken).toEqual([]);
  });

  test("fails if a file cannot be read", async () => {
    const broken: ArchiveEntry = { ...entry("b", ""), open: () => Promise.reject(new Error("disk")) };
    expect(await refusal(bytesOf(writeArchive(format, [entry("a", "x"), broken])))).toBe("Error: disk");
  });

  test("opens files lazily", async () => {
    let opened = 0;
    const content = "x".repeat(300_000);
    const files = Array.from({ length: 20 }, (_, i) => {
      const { open, ...rest } = entry(`${i}`, content);
      return { ...rest, open: () => (opened++, open()) };
    });
    const reader = writeArchive(format, files).getReader();
    await reader.read();
    await reader.read();
    expect(opened).toBeLessThan(4);
    await reader.cancel();
  });

  test("extracts accepted files only", async () => {
    const bytes = await bytesOf(writeArchive(format, [entry("a", "1"), entry("b", "2"), entry("c", "3")]));
    const { taken, passed } = await read(bytes, format, { wants: (name) => name === "b" });
    expect([taken, passed]).toEqual([[["b", "2"]], ["a", "c"]]);
  });

  test("skips files that are too large", async () => {
    const bytes = await bytesOf(writeArchive(format, [entry("a", "x".repeat(2000)), entry("b", "small")]));
    expect((await read(bytes, format, { maxFileBytes: 1000 })).taken).toEqual([
      ["a", null],
      ["b", "small"],
    ]);
  });

  test("rejects other files", async () => {
    const whole = await bytesOf(writeArchive(format, [entry("a", "x".repeat(5000))]));
    for (const bytes of [encoder.encode("text"), whole.slice(0, 3000), encoder.encode("x".repeat(5000))]) {
      expect(await refusal(read(bytes, format))).toBe("invalid");
    }
  });
});

test("zip: skips files that unpack to more than their limit", async () => {
  const bomb = zipSync({ bomb: new Uint8Array(5_000_000), ok: encoder.encode("ok") });
  expect(bomb.length).toBeLessThan(50_000);
  expect((await read(bomb, "zip", { maxFileBytes: 100_000 })).taken).toEqual([
    ["bomb", null],
    ["ok", "ok"],
  ]);
});

test("tar: skips links and folders", async () => {
  const archive = await packTar([
    { header: { name: "folder/", type: "directory", size: 0 } },
    { header: { name: "link", type: "symlink", linkname: "/etc/passwd", size: 0 } },
    { header: { name: "folder/file", size: 1 }, body: "x" },
  ]);
  const { taken, passed } = await read(archive, "tar");
  expect([taken, passed]).toEqual([[["folder/file", "x"]], []]);
});

test("zip: rejects excessive sizes in advance", () => {
  const file = { name: "a", sizeBytes: 2 ** 31 };
  expect(() => checkZipSize([file])).not.toThrow();
  expect(() => checkZipSize([file, file])).toThrow(AppError);
  expect(() => checkZipSize(Array.from({ length: 65_536 }, () => ({ name: "a", sizeBytes: 0 })))).toThrow(AppError);
});
