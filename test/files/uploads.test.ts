import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { AppError } from "../../src/errors.ts";
import { receiveUpload, type UploadSource } from "../../src/files/uploads.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const BOUNDARY = "----cut-here";
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const part = (headers: string, content: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n`;
const END = `--${BOUNDARY}--\r\n`;
const FILE = part('name="upload"; filename="a.txt"', "hello");

const sha1 = (text: string): string => new Bun.CryptoHasher("sha1").update(text).digest("hex");

/** A body that arrives in chunks with arbitrary boundaries. */
function source(
  text: string,
  { type = TYPE, piece = 7, sizeBytes = null }: Partial<UploadSource> & { piece?: number } = {},
) {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + piece));
      at += piece;
    },
  });
  return { type, sizeBytes, chunks: body } satisfies UploadSource;
}

async function refusalOf(upload: UploadSource, maxBytes = 10_000): Promise<[code: string, left: string[]]> {
  const folder = tempFolder();
  try {
    await receiveUpload(upload, { folder, maxBytes });
  } catch (error) {
    return [error instanceof AppError ? error.code : String(error), readdirSync(folder)];
  }
  throw new Error("not refused");
}

describe("a form", () => {
  test("provides its fields, and its files on disk until it is disposed", async () => {
    const folder = tempFolder();
    const form = [
      part('name="documentName"', "Ünï"),
      FILE,
      part('name="more"; filename="sub/dir/b.bin"', "x".repeat(5000)),
      part('name="last"', "z"),
      END,
    ].join("");
    {
      await using upload = await receiveUpload(source(form), { folder, maxBytes: 10_000 });
      expect({ ...upload.fields }).toEqual({ documentName: "Ünï", last: "z" });
      expect(upload.files.map(({ field, name }) => [field, name])).toEqual([
        ["upload", "a.txt"],
        ["more", "b.bin"],
      ]);
      expect(upload.files.map(({ path }) => readFileSync(path, "utf8"))).toEqual(["hello", "x".repeat(5000)]);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test("provides size, digest and declared type of its files, and optionally keeps folders in names", async () => {
    const image = part('name="upload"; filename="a/b%22c.png"\r\nContent-Type: image/png; x=y', "pixels");
    const options = { folder: tempFolder(), maxBytes: 10_000, keepPaths: true };
    await using upload = await receiveUpload(source(image + FILE + END), options);
    const told = upload.files.map(({ path: _path, ...file }) => file);
    expect(told).toEqual([
      { field: "upload", name: 'a/b"c.png', type: "image/png", sizeBytes: 6, sha1: sha1("pixels") },
      { field: "upload", name: "a.txt", type: "text/plain", sizeBytes: 5, sha1: sha1("hello") },
    ]);
  });

  test("passes on all its texts in their order, also when it is refused", async () => {
    const texts: [string, string][] = [];
    const receiver = { maxTexts: 3, maxBytes: 10, add: (...text: [string, string]) => void texts.push(text) };
    const parts = ["a", "b", "a"].map((name) => part(`name="${name}"`, "123"));
    const folder = tempFolder();
    await using upload = await receiveUpload(source([...parts, END].join("")), {
      folder,
      maxBytes: 10_000,
      texts: receiver,
    });
    expect(texts).toEqual([
      ["a", "123"],
      ["b", "123"],
      ["a", "123"],
    ]);
    expect({ ...upload.fields }).toEqual({ a: "123", b: "123" });
    const refusal = async (...more: string[]) => {
      texts.length = 0;
      const form = source([...parts.slice(0, 2), ...more, END].join(""));
      const error: unknown = await receiveUpload(form, { folder, maxBytes: 10_000, texts: receiver }).catch(
        (caught: unknown) => caught,
      );
      return [error instanceof AppError ? error.reason : error, texts.length];
    };
    expect(await refusal(part('name="c"', "12345"))).toEqual(["limit.upload_size", 2]);
    expect(await refusal(part('name="c"', "x".repeat(5000)))).toEqual(["limit.upload_size", 2]);
    expect(await refusal(part('name="c"', "1"), part('name="d"', "1"))).toEqual(["limit.exceeded", 3]);
  });

  test("may be empty", async () => {
    await using upload = await receiveUpload(source(END), { folder: tempFolder(), maxBytes: 100 });
    expect(upload.files).toEqual([]);
  });
});

describe("a rejected upload leaves no file on disk", () => {
  test.each([null, "application/json", "multipart/form-data", "text/plain; boundary=x"])("type %j", async (type) => {
    expect(await refusalOf(source(FILE + END, { type }))).toEqual(["unsupportedMedia", []]);
  });

  test("a body that ends early", async () => {
    const whole = FILE + END;
    for (const length of [20, 60, 90, FILE.length - 4, FILE.length]) {
      expect(await refusalOf(source(whole.slice(0, length)))).toEqual(["invalid", []]);
    }
  });

  test("a body that is too large, declared or not", async () => {
    const large = part('name="upload"; filename="a"', "x".repeat(3000)) + END;
    expect(await refusalOf(source(large), 2000)).toEqual(["tooLarge", []]);
    expect(await refusalOf(source(large, { sizeBytes: 3500 }), 2000)).toEqual(["tooLarge", []]);
    expect(await refusalOf(source(large, { sizeBytes: 10 }), 2000)).toEqual(["tooLarge", []]);
  });

  test("a file that is too large among others, and too many files", async () => {
    const three = [1, 2000, 3].map((size) => part('name="upload"; filename="a"', "x".repeat(size))).join("") + END;
    const limits = { folder: tempFolder(), maxBytes: 10_000 };
    for (const [limit, code] of [
      [{ maxFileBytes: 1999 }, "tooLarge"],
      [{ maxFiles: 2 }, "invalid"],
    ] as const) {
      const error: unknown = await receiveUpload(source(three, { piece: 300 }), { ...limits, ...limit }).catch(
        (thrown: unknown) => thrown,
      );
      expect((error as AppError).code).toBe(code);
      expect(readdirSync(limits.folder)).toEqual([]);
    }
    await using upload = await receiveUpload(source(three), { ...limits, maxFileBytes: 2000, maxFiles: 3 });
    expect(upload.files.map(({ sizeBytes }) => sizeBytes)).toEqual([1, 2000, 3]);
  });

  test("a form of too many parts", async () => {
    const fields = Array.from({ length: 102 }, (_, i) => part(`name="f${i}"`, "1")).join("");
    expect(await refusalOf(source(FILE + fields + END, { piece: 1000 }), 100_000)).toEqual(["invalid", []]);
  });

  test("a body that is aborted", async () => {
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(FILE.slice(0, 100)));
      },
      pull(controller) {
        controller.error(new Error("connection lost"));
      },
    });
    expect(await refusalOf({ type: TYPE, sizeBytes: null, chunks: broken })).toEqual(["invalid", []]);
  });
});
