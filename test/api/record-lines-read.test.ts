import { afterAll, beforeAll, expect, test } from "bun:test";
import { setRules } from "../helpers/access-rules.ts";
import { testApp, type Caller, type TestApp } from "../helpers/app.ts";
import { NDJSON } from "../helpers/record-lines.ts";
import { createTeaFixture } from "../helpers/tea-fixture.ts";
import type { DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
let records: string;

beforeAll(async () => {
  server = await testApp({ flags: { "cors-origins": "https://elm.example" } });
  place = await createTeaFixture(server);
  records = `${place.doc}/tables/Tea/records`;
});
afterAll(() => server[Symbol.asyncDispose]());

const ACCEPT = { Accept: "application/x-ndjson" };
const get = (query: string, headers: Record<string, string> = ACCEPT, as: Caller = "owner") =>
  server.call(as, "GET", `${records}${query}`, undefined, { headers });
/** Returns the records of an answer; the helper has parsed that of a single line. */
const listed = (body: unknown): unknown[] =>
  typeof body === "string"
    ? body
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown)
    : [body];

const QUERIES = [
  "",
  "?hidden=1",
  "?sort=-Name",
  "?limit=1&offset=1",
  "?limit=1&total=1",
  `?filter=${encodeURIComponent('{"Name":["Sencha"]}')}`,
  `?filter=${encodeURIComponent('{"Name":["none"]}')}`,
  "?cellFormat=typed",
  "?cellFormat=display",
  "?fields=Name,Friend.Name",
  "?expand=Friend",
];

test.each(QUERIES)("lines are the records of the same request in JSON: %s", async (query) => {
  const json = await get(query, {});
  const lines = await get(query);
  expect(lines.status).toBe(200);
  expect(lines.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  for (const { headers } of [json, lines]) expect(headers.get("vary")).toBe("Accept");
  expect(listed(lines.body)).toEqual(json.body.records as unknown[]);
});

test("records/list answers with lines too", async () => {
  const list = (headers: Record<string, string>) =>
    server.call("owner", "POST", `${records}/list`, { limit: 1 }, { headers });
  const [json, lines] = [await list({}), await list(ACCEPT)];
  expect([json.status, lines.status]).toEqual([200, 200]);
  for (const { headers } of [json, lines]) expect(headers.get("vary")).toBe("Accept");
  expect(listed(lines.body)).toEqual(json.body.records as unknown[]);
});

test.each([
  ["application/json", false],
  ["*/*", false],
  ["application/*", false],
  ["text/html, application/x-ndjson;q=0.9", true],
  ["APPLICATION/X-NDJSON", true],
  ["application/x-ndjson-other", false],
])("Accept: %s", async (accept, isLines) => {
  const { headers } = await get("", { Accept: accept });
  expect(String(headers.get("content-type")).startsWith("application/x-ndjson")).toBe(isLines);
});

test.each([
  ["", "Accept"],
  ["https://elm.example", "Accept, Origin"],
])("a response that was not modified, for the origin %j, depends on %s", async (origin, vary) => {
  const sent = origin === "" ? {} : { Origin: origin };
  const tag = (await get("", sent)).headers.get("etag") ?? "";
  const { status, headers } = await get("", { "If-None-Match": tag, ...sent });
  expect([status, headers.get("vary")]).toEqual([304, vary]);
});

test("the two forms have ETags of their own", async () => {
  const [json, lines] = [await get("", {}), await get("")];
  const [jsonTag, linesTag] = [json, lines].map(({ headers }) => headers.get("etag") ?? "");
  expect(jsonTag).not.toBe(linesTag);
  expect((await get("", { ...ACCEPT, "If-None-Match": linesTag ?? "" })).status).toBe(304);
  expect((await get("", { ...ACCEPT, "If-None-Match": jsonTag ?? "" })).status).toBe(200);
  expect((await get("", { "If-None-Match": jsonTag ?? "" })).status).toBe(304);
});

test("refusals are JSON", async () => {
  expect((await get("?sort=Nope")).body).toMatchObject({ error: expect.any(String), details: {} });
  expect(await get("", ACCEPT, "stranger")).toMatchObject({ status: 403, body: { details: {} } });
});

test("exported lines can be sent again, and large tables are streamed", async () => {
  const raw = Array.from({ length: 1000 }, (_, n) => JSON.stringify({ Name: `${n} ${"x".repeat(9000)}` })).join("\n");
  expect((await server.call("owner", "POST", records, undefined, { raw, headers: NDJSON })).status).toBe(200);
  const { body } = await get("?fields=Name");
  expect(listed(body)).toHaveLength(1002);
  const copy = await server.must<{ tables: { id: string }[] }>("POST", `${place.doc}/tables`, {
    tables: [{ id: "Copy", columns: [{ id: "Name", fields: { type: "Text" } }] }],
  });
  expect(copy.tables).toHaveLength(1);
  const sent = String(body).split("\n").slice(0, 1000).join("\n");
  const target = `${place.doc}/tables/Copy/records`;
  expect((await server.call("owner", "POST", target, undefined, { raw: sent, headers: NDJSON })).status).toBe(200);
  const { records: copied } = await server.must<{ records: unknown[] }>("GET", target);
  expect(copied).toEqual(
    listed(body)
      .slice(0, 1000)
      .map((record, at) => ({ ...(record as object), id: at + 1 })),
  );
});

test("lines hide what access rules hide", async () => {
  await using other = await testApp();
  const { doc } = await createTeaFixture(other);
  await setRules(other, doc, {
    "Tea:*": [{ formula: 'user.Access != OWNER and rec.Name == "Assam"', permissions: "-R" }],
    "Tea:Length": [{ formula: "user.Access != OWNER", permissions: "-R" }],
  });
  const read = async (as: Caller, headers: Record<string, string>) =>
    (await other.call(as, "GET", `${doc}/tables/Tea/records`, undefined, { headers })).body as unknown;
  expect(listed(await read("owner", ACCEPT))).toHaveLength(2);
  const seen = listed(await read("viewer", ACCEPT));
  expect(seen).toEqual(((await read("viewer", {})) as { records: unknown[] }).records);
  expect(JSON.stringify(seen)).not.toMatch(/Assam|Length/);
  expect(seen).toHaveLength(1);
});
