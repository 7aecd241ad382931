import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { testApp, type TestApp } from "../helpers/app.ts";
import {
  createDocumentFixture,
  type DocumentFixture,
  runSteps,
  createSharedFixture,
} from "../helpers/request-steps.ts";

let server: TestApp;
let source: DocumentFixture;
beforeAll(async () => {
  server = await testApp();
  source = await createDocumentFixture(server);
  await server.must("POST", `${source.doc}/tables`, { tables: [{ id: "Tea", columns: [{ id: "Name" }] }] });
  await server.must("POST", `${source.doc}/tables/Tea/records`, { records: [{ fields: { Name: "Assam" } }] });
});
afterAll(() => server[Symbol.asyncDispose]());

const tea = { records: [{ id: 1, fields: { Name: "Assam" } }] };

test("the content is replaced; name, sharing and the source are unchanged", async () => {
  const { doc } = await createDocumentFixture(server);
  const access = { delta: { users: { "vito@example.com": "viewers" } } };
  await server.must("PATCH", `${doc}/access`, access);
  const before = await server.call("owner", "GET", `${doc}/tables`);
  await runSteps(server, [
    ["owner", "POST", `${doc}/replace`, { sourceDocId: source.uuid }, 200, null],
    ["viewer", "GET", `${doc}/tables/Tea/records`, undefined, 200, tea],
    ["viewer", "GET", doc, undefined, 200, { name: "Paper", access: "viewers" }],
    ["owner", "POST", `${doc}/tables/Tea/records`, { records: [{ fields: { Name: "Mint" } }] }, 200],
    ["owner", "GET", `${source.doc}/tables/Tea/records`, undefined, 200, tea],
    ["owner", "POST", `${doc}/replace`, { sourceDocId: source.uuid }, 200, null],
    ["owner", "GET", `${doc}/tables/Tea/records`, undefined, 200, tea],
  ]);
  const headers = { "If-None-Match": before.headers.get("etag") ?? "" };
  expect((await server.call("owner", "GET", `${doc}/tables`, undefined, { headers })).status).toBe(200);
  expect(readdirSync(join(server.folder, "tmp"))).toEqual([]);
});

test("nothing happens without a source, or with the document itself", async () => {
  await runSteps(server, [
    ["owner", "POST", `${source.doc}/replace`, {}, 200, null],
    ["owner", "POST", `${source.doc}/replace`, undefined, 200, null],
    ["owner", "POST", `${source.doc}/replace`, { sourceDocId: source.uuid }, 200, null],
    ["owner", "GET", `${source.doc}/tables/Tea/records`, undefined, 200, tea],
  ]);
});

test("requires an owner, and a source that is visible to them", async () => {
  const { doc, uuid } = await createSharedFixture(server);
  const sourceDocId = source.uuid;
  await runSteps(server, [
    ["editor", "POST", `${doc}/replace`, { sourceDocId }, 403],
    ["viewer", "POST", `${doc}/replace`, { sourceDocId }, 403],
    ["anon", "POST", `${doc}/replace`, { sourceDocId }, 403],
    ["owner", "POST", `${doc}/replace`, { sourceDocId: "nothing" }, 404],
    ["owner", "POST", `${doc}/replace`, { sourceDocId: [1] }, 400],
    ["owner", "POST", `${doc}/replace`, { snapshotId: "x" }, 400],
  ]);
  const theirs = await createDocumentFixture(server);
  await server.must("PATCH", `${theirs.doc}/access`, { delta: { users: { "Emil@example.com": "owners" } } });
  await runSteps(server, [
    ["editor", "POST", `${theirs.doc}/replace`, { sourceDocId }, 403],
    ["editor", "POST", `${theirs.doc}/replace`, { sourceDocId: uuid }, 200, null],
  ]);
});

test("concurrent reads and writes see either content as a whole, or are refused with a retry", async () => {
  const { doc } = await createDocumentFixture(server);
  const replacing = server.call("owner", "POST", `${doc}/replace`, { sourceDocId: source.uuid });
  const reads = Array.from({ length: 6 }, () => server.call("owner", "GET", `${doc}/tables`));
  const [replaced, ...answers] = await Promise.all([replacing, ...reads]);
  expect(replaced.status).toBe(200);
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    const ids = (body.tables as { id: string }[]).map(({ id }) => id).join();
    expect(["Table1", "Table1,Tea"]).toContain(ids);
  }
  await runSteps(server, [["owner", "GET", `${doc}/tables/Tea/records`, undefined, 200, tea]]);
});
