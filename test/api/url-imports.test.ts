/** Imports of files by their address. The rules of addresses: test/services/imports/file-fetcher.test.ts */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { createSharedFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
let paths: string[] = [];
const CSV = "Item,Price\nBell,12.5\nLock,27.5\n";
const files = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname } = new URL(request.url);
    paths.push(pathname);
    if (pathname === "/page") return new Response("<p>", { headers: { "Content-Type": "text/html" } });
    return new Response(CSV, { headers: { "Content-Type": "text/csv" } });
  },
});
const FILE = `http://127.0.0.1:${files.port}/items.csv`;

beforeAll(async () => {
  server = await testApp({ flags: { "import-allow": `127.0.0.1:${files.port}` } });
  place = await createSharedFixture(server);
});
afterAll(async () => {
  await files.stop(true);
  await server[Symbol.asyncDispose]();
});
beforeEach(() => (paths = []));

const temporaryFiles = () => readdirSync(join(server.folder, "tmp"));
const post = (as: Caller, path: string, body: unknown) => server.call(as, "POST", path, body);

test("creates a document, and leaves no file", async () => {
  const { status, body } = await post("owner", `${place.shelf}/import?report=1`, {
    url: FILE,
    types: { Price: "Text" },
  });
  expect([status, body]).toMatchObject([
    200,
    { title: "items", tables: [{ rows: 2, columns: [{ id: "Item" }, { id: "Price", type: "Text" }] }] },
  ]);
  expect(temporaryFiles()).toEqual([]);
});

test("adds tables, and rows to a table", async () => {
  expect((await post("editor", `${place.doc}/import`, { url: FILE })).body.tables[0]).toMatchObject({ id: "Items" });
  const { body } = await post("editor", `${place.doc}/import?table=Items`, { url: FILE, key: ["Item"] });
  expect(body.tables[0]).toMatchObject({ unchanged: 2, added: 0 });
  expect(temporaryFiles()).toEqual([]);
});

test("a dry run stores the file for the import", async () => {
  for (const path of [`${place.shelf}/import`, `${place.doc}/import`]) {
    const preview = await post("owner", `${path}?dryRun=1`, { url: FILE });
    expect([preview.status, preview.body]).toMatchObject([200, { tables: [{ rows: 2 }] }]);
    paths = [];
    expect((await post("owner", path, { uploadId: preview.body.uploadId })).status).toBe(200);
    expect(paths).toEqual([]);
  }
});

test("can be stored like an upload", async () => {
  const { status, body } = await post("viewer", `${place.doc}/uploads`, { url: FILE });
  expect([status, body]).toEqual([
    200,
    { uploadId: expect.any(Number), files: [{ origName: "items.csv", size: CSV.length, ext: ".csv" }] },
  ]);
});

describe("is refused", () => {
  const refused: [as: Caller, url: unknown, status: number, code: string][] = [
    ["owner", FILE.replace("/items.csv", "/page"), 400, "import.url_page"],
    ["owner", "https://127.0.0.1/items.csv", 400, "import.url_denied"],
    ["owner", "http://example.com/items.csv", 400, "import.url_denied"],
    ["owner", FILE.replace("//", "//user:word@"), 400, "import.url_denied"],
    ["owner", 7, 400, "payload.invalid"],
    ["owner", `https://example.com/${"a".repeat(2000)}`, 400, "payload.invalid"],
  ];
  test.each(refused)("for %s: %p with %p %s", async (as, url, status, code) => {
    const before = temporaryFiles();
    for (const path of [`${place.shelf}/import`, `${place.doc}/import`, `${place.doc}/uploads`]) {
      const { status: got, body } = await post(as, path, { url });
      expect([got, body.details?.code]).toEqual([status, code]);
    }
    expect(temporaryFiles()).toEqual(before);
  });

  test("without access, before anything is fetched", async () => {
    expect((await post("viewer", `${place.doc}/import`, { url: FILE })).status).toBe(403);
    expect((await post("stranger", `${place.doc}/uploads`, { url: FILE })).status).toBe(403);
    expect((await post("anon", `${place.shelf}/import`, { url: FILE })).status).toBe(403);
    expect(paths).toEqual([]);
  });

  test("when the server has switched it off", async () => {
    await using other = await testApp({ flags: { "import-allow": "*", "import-urls": "off" } });
    const { doc } = await createSharedFixture(other);
    const { status, body } = await other.call("owner", "POST", `${doc}/import`, { url: FILE });
    expect([status, body.details.code, paths]).toEqual([400, "import.url_off", []]);
  });
});
