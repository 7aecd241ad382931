import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { limitedKey, NOWHERE } from "../helpers/limited-keys.ts";
import { createSharedFixture, type DocumentFixture, runSteps } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
  const { must } = server;
  await must("PATCH", place.doc, { name: "Lamp catalogue" });
  await must("POST", `${place.shelf}/docs`, { name: "Private lamps" });
  const removed = await must<string>("POST", `${place.shelf}/docs`, { name: "Removed lamps" });
  await must("POST", `/o/docs/api/docs/${removed}/remove`, {});
  await must("POST", `${place.doc}/tables/Table1/records`, { records: [{ fields: { A: "A lamp", B: "desk" } }] });
});
afterAll(() => server[Symbol.asyncDispose]());

test.each<[as: Caller, q: string, names: string[]]>([
  ["owner", "lamp", ["Lamp catalogue", "Private lamps"]],
  ["owner", "LAMPS", ["Private lamps"]],
  ["owner", "lamp cat", ["Lamp catalogue"]],
  ["editor", "lamp", ["Lamp catalogue"]],
  ["viewer", "lamp", ["Lamp catalogue"]],
  ["stranger", "lamp", []],
  ["anon", "lamp", []],
])("the %s finds documents by %j", async (as, q, names) => {
  const { status, body } = await server.call(as, "GET", `/api/search?q=${encodeURIComponent(q)}`);
  expect(status).toBe(200);
  const { documents } = body as { documents: { name: string }[] };
  expect(documents.map(({ name }) => name)).toEqual(names);
  for (const found of documents) {
    expect(found).toMatchObject({ workspace: { name: "Shelf" }, site: { name: "Fresh" }, access: expect.any(String) });
  }
});

test("a document is searched by its readers", async () => {
  const names = { tableTitle: "Table1", columnLabel: "A", label: "A lamp" };
  const result = { table: "Table1", row: 1, column: "A", excerpt: "A lamp", score: 3, ...names };
  const found = { results: [result], isComplete: true };
  const path = `${place.doc}/search`;
  await runSteps(server, [
    ["owner", "GET", `${path}?q=lamp`, undefined, 200, found],
    ["viewer", "GET", `${path}?q=LAMP&limit=1`, undefined, 200, found],
    ["viewer", "GET", `${path}?q=chair`, undefined, 200, { results: [], isComplete: true }],
    ["stranger", "GET", `${path}?q=lamp`, undefined, 403],
    ["viewer", "GET", path, undefined, 400],
    ["viewer", "GET", `${path}?q=%20`, undefined, 400],
    ["viewer", "GET", `${path}?q=lamp&limit=0`, undefined, 400],
    ["viewer", "GET", `${path}?q=lamp&limit=101`, undefined, 400],
    ["viewer", "GET", `${path}?q=lamp&limit=x`, undefined, 400],
    ["owner", "GET", "/api/search", undefined, 400],
  ]);
});

test("keys search what they reach", async () => {
  const search = async (limits: Parameters<typeof limitedKey>[2]) => {
    const headers = { Authorization: `Bearer ${limitedKey(server, "owner", limits)}` };
    return (await server.call("owner", "GET", `${place.doc}/search?q=lamp`, undefined, { headers })).status;
  };
  expect(await search({})).toBe(200);
  expect(await search({ scopes: ["records:read"] })).toBe(200);
  expect(await search({ scopes: ["documents:read"] })).toBe(403);
  expect(await search({ restrictions: { ...NOWHERE, documents: [place.uuid] } })).toBe(200);
  expect(await search({ restrictions: NOWHERE })).toBe(404);
  expect(await search({ restrictions: { ...NOWHERE, tables: { [place.uuid]: ["Table1"] } } })).toBe(403);
});
