import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { unpackTar } from "modern-tar";
import { Database } from "../../src/sqlite/database.ts";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { formOf, type SentFile, upload } from "../helpers/attachments.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ flags: { "attachments-inside": "100" } });
});
afterAll(() => server[Symbol.asyncDispose]());

const sha1 = (text: string): string => new Bun.CryptoHasher("sha1").update(text).digest("hex");
const LARGE = "large ".repeat(100);
const NAMES = [`${sha1("one")}_one.txt`, `${sha1(LARGE)}_großer Plan.md`, `${sha1("x")}_README.bin`];

async function filled(): Promise<string> {
  const { doc } = await sampleDocument(server);
  const files = [
    { name: "one.txt", content: "one" },
    { name: "folder/großer Plan.MD", content: LARGE },
    { name: "again.txt", content: "one" },
    { name: "README", content: "x", type: "application/octet-stream" },
  ];
  const { body } = await upload(server, { doc, files });
  expect(body).toEqual([1, 2, 3, 4]);
  return doc;
}

async function archiveOf(doc: string, query = "") {
  const url = `http://quern.test/o/team/api/docs/${doc}/attachments/archive${query}`;
  const headers = { Authorization: `Bearer ${server.keys.owner}`, Host: "quern.test" };
  const response = await server.app.handle(new Request(url, { headers }));
  return { headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

const restore = (doc: string, file: SentFile) =>
  server.call("owner", "POST", `/api/docs/${doc}/attachments/archive`, undefined, { raw: formOf([file]) });

test("an archive has each distinct file once, named after it", async () => {
  const doc = await filled();
  const zip = await archiveOf(doc);
  expect(zip.headers.get("content-type")).toBe("application/zip");
  expect(zip.headers.get("content-disposition")).toBe('attachment; filename="Sample-Attachments.zip"');
  expect(zip.headers.get("cache-control")).toBe("no-store");
  const unzipped = Object.entries(unzipSync(zip.bytes));
  expect(unzipped.map(([name, { length }]) => [name, length])).toEqual(
    NAMES.map((name, i) => [name, [3, LARGE.length, 1][i] ?? 0]),
  );
  const tar = await archiveOf(doc, "?format=tar");
  expect(tar.headers.get("content-type")).toBe("application/x-tar");
  expect((await unpackTar(tar.bytes)).map(({ header }) => header.name)).toEqual(NAMES);
  for (const format of ["rar", ""]) {
    const reply = await server.call("owner", "GET", `/api/docs/${doc}/attachments/archive?format=${format}`);
    expect([format, reply.status]).toEqual([format, 400]);
  }
});

test("names in an archive do not escape from its folder", async () => {
  const doc = await filled();
  const path = join(server.folder, "docs", doc, "document.grist");
  await server.must("POST", `/api/docs/${doc}/apply`, [
    ["AddRecord", "_grist_Attachments", null, { fileIdent: "../../evil", fileName: "a\\b\n.txt", fileSize: 4 }],
  ]);
  using db = new Database(path);
  db.run("insert into _gristsys_Files (ident, data) values ('../../evil', cast('evil' as blob))");
  expect(Object.keys(unzipSync((await archiveOf(doc)).bytes))).toEqual([...NAMES, ".._.._evil_a_b_.txt"]);
  expect((await server.call("owner", "HEAD", `/api/docs/${doc}/attachments/archive`)).status).toBe(200);
});

test.each(["zip", "tar"])("missing files are restored from a %s archive", async (format) => {
  const doc = await filled();
  const { bytes } = await archiveOf(doc, `?format=${format}`);
  const file = { name: `all.${format}`, content: bytes };
  expect((await restore(doc, file)).body).toEqual({ added: 0, errored: 0, unused: 3 });
  rmSync(join(server.folder, "docs", doc, "attachments"), { recursive: true });
  expect((await server.call("owner", "GET", `/api/docs/${doc}/attachments/2/download`)).status).toBe(404);
  expect((await restore(doc, file)).body).toEqual({ added: 1, errored: 0, unused: 2 });
  expect((await server.call("owner", "GET", `/api/docs/${doc}/attachments/2/download`)).body).toBe(LARGE);
});

test("an archive is accepted in any field of the form, next to other files", async () => {
  const doc = await filled();
  const { bytes } = await archiveOf(doc);
  rmSync(join(server.folder, "docs", doc, "attachments"), { recursive: true });
  const raw = formOf([{ name: "all.zip", content: bytes }], "archive");
  raw.append("upload", new File(["x"], "note.txt", { type: "text/plain" }));
  const reply = await server.call("owner", "POST", `/api/docs/${doc}/attachments/archive`, undefined, { raw });
  expect([reply.status, reply.body]).toEqual([200, { added: 1, errored: 0, unused: 2 }]);
});

test("only files that match their hash are restored", async () => {
  const doc = await filled();
  rmSync(join(server.folder, "docs", doc, "attachments"), { recursive: true });
  const forged = zipSync({ [`${sha1(LARGE)}_plan.md`]: Buffer.from("forged"), other: Buffer.from("other") });
  const reply = await restore(doc, { name: "a.zip", content: new Uint8Array(forged) });
  expect(reply.body).toEqual({ added: 0, errored: 1, unused: 1 });
  expect((await server.call("owner", "GET", `/api/docs/${doc}/attachments/2/download`)).status).toBe(404);
});

test.each<[what: string, file: SentFile]>([
  ["another file", { name: "a.txt", content: "x", type: "text/plain" }],
  ["a broken archive", { name: "a.tar", content: "x".repeat(2000), type: "application/x-tar" }],
  ["what only calls itself one", { name: "a.zip", content: "x", type: "application/zip" }],
])("%s is refused", async (_what, file) => {
  const doc = await filled();
  const reply = await restore(doc, file);
  expect([reply.status, typeof reply.body.error]).toEqual([400, "string"]);
});
