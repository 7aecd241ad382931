/** The limit of temporary files, `QUERN_TEMP_BYTES`: reaching it changes nothing and leaves no files. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { testApp, type TestApp } from "../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../helpers/request-steps.ts";
import { eventually } from "../helpers/server-process.ts";

const MAX_BYTES = 4_000_000;

let server: TestApp;
let place: DocumentFixture;
beforeAll(async () => {
  server = await testApp({ flags: { "temp-bytes": String(MAX_BYTES), "sql-timeout-ms": "20000" } });
  place = await createDocumentFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const csv = (bytes: number) => `Name,Note\n${"Ada,a note that fills the row with some text\n".repeat(bytes / 45)}`;

function send(path: string, name: string, content: string | Uint8Array) {
  const raw = new FormData();
  raw.append("upload", new File([content], name));
  return server.call("owner", "POST", path, undefined, { raw });
}

const traces = async () => ({
  workspace: await server.must("GET", place.shelf),
  tables: await server.must("GET", `${place.doc}/tables`),
  documents: readdirSync(join(server.folder, "docs")).length,
});

const isEmpty = () => readdirSync(join(server.folder, "tmp")).length === 0;

const CASES: readonly (readonly [
  what: string,
  path: () => string,
  name: string,
  content: () => string | Uint8Array,
])[] = [
  ["an upload larger than the limit", () => `${place.shelf}/import`, "a.csv", () => csv(MAX_BYTES + 100_000)],
  ["an import whose rows exceed it", () => `${place.shelf}/import`, "a.csv", () => csv(2_400_000)],
  ["an import into a document", () => `${place.doc}/import`, "a.csv", () => csv(MAX_BYTES + 100_000)],
  ["a compressed file that unpacks to more", () => `${place.doc}/import`, "a.csv.gz", () => gzipSync(csv(30_000_000))],
  ["attachments", () => `${place.doc}/attachments`, "a.bin", () => new Uint8Array(MAX_BYTES + 1)],
];

test.each(CASES)("%s → 507, and nothing is changed", async (_, path, name, content) => {
  const before = await traces();
  const { status, body } = await send(path(), name, content());
  expect([status, body]).toEqual([
    507,
    {
      error: "The server's limit of temporary files (QUERN_TEMP_BYTES) is reached; nothing was changed",
      details: { code: "storage.temporary" },
    },
  ]);
  expect(await traces()).toEqual(before);
  expect(await eventually(isEmpty)).toBe(true);
});

test("smaller files are imported afterwards", async () => {
  const { status } = await send(`${place.shelf}/import`, "a.csv", csv(400_000));
  expect(status).toBe(200);
  expect(isEmpty()).toBe(true);
});

test("a document larger than the limit is not downloaded", async () => {
  const body = { records: Array.from({ length: 300 }, () => ({ fields: { A: "x".repeat(20_000) } })) };
  await server.must("POST", `${place.doc}/tables/Table1/records`, body);
  const { status, body: answer } = await server.call("owner", "GET", `${place.doc}/download`);
  expect([status, answer.details.code]).toEqual([507, "storage.temporary"]);
  expect(isEmpty()).toBe(true);
});

test("an SQL query that sorts more is refused", async () => {
  const sql = `select length(b) as n from (select a.A || c.id as b from Table1 a, Table1 c) order by b`;
  const { status, body } = await server.call("owner", "POST", `${place.doc}/sql`, { sql });
  expect([status, body]).toEqual([
    400,
    {
      error: "The statement exceeds the limit of temporary files (QUERN_TEMP_BYTES)",
      details: expect.objectContaining({ code: "sql.limit" }),
    },
  ]);
});
