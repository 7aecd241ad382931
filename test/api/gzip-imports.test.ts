import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { testApp, type TestApp } from "../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../helpers/request-steps.ts";

const MAX_UPLOAD = 1024 ** 2;
const MAX_RATIO = 200;

let server: TestApp;
let place: DocumentFixture;
beforeAll(async () => {
  server = await testApp({ flags: { "max-upload": String(MAX_UPLOAD) } });
  place = await createDocumentFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

/** Returns what an import could leave behind: documents, tables, files, and open file handles. */
async function traces(): Promise<unknown> {
  const { docs } = await server.must<{ docs: unknown[] }>("GET", place.shelf);
  const { tables } = await server.must<{ tables: unknown[] }>("GET", `${place.doc}/tables`);
  const temporary = join(server.folder, "tmp");
  const open = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(join("/proc/self/fd", fd))];
    } catch {
      // The handle of reading the folder.
      return [];
    }
  });
  return {
    docs: docs.length,
    tables: tables.length,
    folders: readdirSync(join(server.folder, "docs")).length,
    temporary: readdirSync(temporary),
    open: open.filter((path) => path.startsWith(temporary)),
  };
}

function send(path: string, bytes: Uint8Array) {
  const raw = new FormData();
  raw.append("upload", new File([new Uint8Array(bytes)], "data.csv.gz"));
  return server.call("owner", "POST", path, undefined, { raw });
}

const TABLE = "a,b\n1,2\n3,4\n";
const packed = gzipSync(TABLE);

/** Returns lines that gzip compresses to about half. */
function digits(bytes: number): Buffer {
  let state = 1;
  const text = Buffer.alloc(bytes, "\n");
  for (let at = 0; at < bytes; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    if (at % 50 !== 49) text[at] = 48 + ((state >>> 24) % 10);
  }
  return text;
}

/** Returns the packed table with one byte replaced, counted from the end if negative. */
function withByte(at: number, byte: number): Uint8Array {
  const copy = Buffer.from(packed);
  copy[at < 0 ? copy.length + at : at] = byte;
  return copy;
}

const other = (at: number): number => (packed.at(at) ?? 0) ^ 0xff;

type Refusal = [what: string, bytes: () => Uint8Array, status: number, code: string, message: RegExp];
const REFUSED: Refusal[] = [
  ["two bytes that only begin as gzip", () => packed.subarray(0, 2), 400, "file.invalid", /damaged or incomplete/],
  ["the head without any data", () => packed.subarray(0, 10), 400, "file.invalid", /damaged or incomplete/],
  ["an unknown method of compression", () => withByte(2, 7), 400, "file.invalid", /damaged or incomplete/],
  ["reserved flags in the head", () => withByte(3, 0xe0), 400, "file.invalid", /damaged or incomplete/],
  [
    "an endless name in the head",
    () => Buffer.concat([withByte(3, 8).subarray(0, 10), Buffer.alloc(100_000, "n")]),
    400,
    "file.invalid",
    /damaged or incomplete/,
  ],
  ["a first block that is none", () => withByte(10, 0xff), 400, "file.invalid", /damaged or incomplete/],
  ["a wrong checksum", () => withByte(-8, other(-8)), 400, "file.invalid", /damaged or incomplete/],
  ["a wrong length", () => withByte(-4, other(-4)), 400, "file.invalid", /damaged or incomplete/],
  ["no checksum", () => packed.subarray(0, -8), 400, "file.invalid", /damaged or incomplete/],
  [
    "a wrong checksum of a second part",
    () => Buffer.concat([packed, withByte(-8, other(-8))]),
    400,
    "file.invalid",
    /damaged or incomplete/,
  ],
  [
    "a text after the end",
    () => Buffer.concat([packed, Buffer.from("5,6\n")]),
    400,
    "file.invalid",
    /damaged|trailing data/,
  ],
  ["a zero after the end", () => Buffer.concat([packed, Buffer.alloc(1)]), 400, "file.invalid", /trailing data/],
  [
    "zeros after the end that fill many reads",
    () => Buffer.concat([packed, Buffer.alloc(500_000)]),
    400,
    "file.invalid",
    /trailing data/,
  ],
  [
    "more than 200 times its size, within an upload's size",
    () => gzipSync(Buffer.alloc(MAX_UPLOAD - 1, "a,b\n"), { level: 9 }),
    413,
    "limit.upload_size",
    /200 times its size/,
  ],
  [
    "more than an upload may have, within 200 times its size",
    () => gzipSync(digits(MAX_UPLOAD + 1)),
    413,
    "limit.upload_size",
    new RegExp(`more than ${MAX_UPLOAD} bytes`),
  ],
  [
    "many parts that are too much together",
    () => Buffer.concat(Array<Buffer>(400).fill(gzipSync(digits(4096)))),
    413,
    "limit.upload_size",
    /unpacks to more than/,
  ],
  ["gzip in gzip", () => gzipSync(packed), 400, "file.unsupported", /compressed twice/],
  [
    "a bomb in gzip",
    () => gzipSync(gzipSync(Buffer.alloc(50 * MAX_UPLOAD))),
    400,
    "file.unsupported",
    /compressed twice/,
  ],
  ["an empty file in gzip", () => gzipSync(""), 400, "file.invalid", /^The file is empty$/],
  ["binary data in gzip", () => gzipSync(Buffer.from([1, 2, 3, 0, 5])), 400, "file.invalid", /is not a text file/],
];

describe("a refused gzip file leaves nothing behind", () => {
  const paths = () => [
    `${place.shelf}/import`,
    `${place.shelf}/import?dryRun=1`,
    `${place.doc}/import`,
    `${place.doc}/import?dryRun=1`,
  ];
  test.each(REFUSED)("%s", async (_, bytes, status, code, message) => {
    const before = await traces();
    for (const path of paths()) {
      const reply = await send(path, bytes());
      expect([path, reply.status, reply.body]).toEqual([
        path,
        status,
        { error: expect.stringMatching(message), details: expect.objectContaining({ code }) },
      ]);
      expect(await traces()).toEqual(before);
    }
  });
});

describe("a gzip file at its limits is imported", () => {
  /** Returns the number of rows of a file with one column of digits. */
  async function rowCount(bytes: Uint8Array): Promise<number> {
    const { status, body } = await send(`${place.shelf}/import?report=1`, bytes);
    expect([status, body.error]).toEqual([200, undefined]);
    expect(readdirSync(join(server.folder, "tmp"))).toEqual([]);
    return body.tables[0].rows as number;
  }

  test("one that unpacks to exactly the upload limit", async () => {
    expect(await rowCount(gzipSync(digits(MAX_UPLOAD)))).toBe(Math.ceil(MAX_UPLOAD / 50));
  });

  test("one that unpacks to just under 200 times its size", async () => {
    const ones = Buffer.alloc(950_000, `${"1".repeat(49)}\n`);
    const bytes = Buffer.concat([gzipSync(digits(4500)), gzipSync(ones, { level: 9 })]);
    const ratio = 954_500 / bytes.length;
    expect([ratio > MAX_RATIO * 0.9, ratio < MAX_RATIO]).toEqual([true, true]);
    expect(await rowCount(bytes)).toBe(954_500 / 50);
  });

  test("one of several members, as appending tools create them", async () => {
    expect(await rowCount(Buffer.concat([packed, gzipSync("5,6\n"), gzipSync("")]))).toBe(3);
  });

  test("one with the name and the time of the file in its header", async () => {
    const name = Buffer.from("data.csv\0");
    const named = Buffer.concat([withByte(3, 8).subarray(0, 10), name, packed.subarray(10)]);
    expect(await rowCount(named)).toBe(2);
  });
});
