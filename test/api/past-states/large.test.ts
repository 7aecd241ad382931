/** Responses that are streamed, and many requests at once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../../src/lib/ids.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { createDocumentFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

const ROWS = 40_000;
const TEXT = "tea ".repeat(40);

let server: TestApp;
let place: DocumentFixture;
let records: string;

beforeAll(async () => {
  server = await testApp({ flags: { "max-parallel": "0" } });
  place = await createDocumentFixture(server);
  records = `${place.doc}/tables/Table1/records`;
  const ids = Array.from({ length: ROWS }, (_, i) => i + 1);
  await server.must("POST", `${place.doc}/apply`, [
    ["BulkAddRecord", "Table1", ids, { A: ids.map((id) => `${id} ${TEXT}`) }],
  ]);
});
afterAll(() => server[Symbol.asyncDispose]());

const request = (path: string) =>
  server.app.handle(
    new Request(`http://quern.test${path}`, {
      headers: { Host: "quern.test", Authorization: `Bearer ${server.keys.owner}` },
    }),
  );
const digest = async (path: string) => sha256Hex(await (await request(path)).text());

test("a large response of a state is complete, while the document changes and its copies are replaced", async () => {
  const expected = await digest(records);
  await server.must(
    "POST",
    `${place.doc}/tables/Table1/data/delete`,
    Array.from({ length: ROWS / 2 }, (_, i) => 2 * i + 1),
  );
  const response = await request(`${records}?at=2`);
  expect(response.headers.get("x-quern-state")).toBe("2");
  // Two other states take the place of this one.
  expect([await digest(`${records}?at=1`), await digest(`${records}?at=3`)]).toEqual([
    sha256Hex('{"records":[]}'),
    await digest(records),
  ]);
  expect(sha256Hex(await response.text())).toBe(expected);
  expect(await digest(`${records}?at=2`)).toBe(expected);
});

test("a client that goes away releases the response", async () => {
  const reader = (await request(`${records}?at=2`)).body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await reader?.cancel();
  expect((await request(`${records}?at=2&limit=1`)).status).toBe(200);
});

test("many requests for the same and other states are answered", async () => {
  const ats = Array.from({ length: 30 }, (_, i) => String((i % 3) + 1));
  const answers = await Promise.all(
    ats.map(async (at) => [at, (await request(`${records}?at=${at}&limit=1`)).headers.get("x-quern-state")]),
  );
  expect(answers).toEqual(ats.map((at) => [at, at]));
  const files = readdirSync(join(server.folder, "tmp")).filter((name) => name.startsWith("past-"));
  expect(files.length).toBeLessThanOrEqual(2);
});

test("beyond the limit of temporary files, the answer is 507, and nothing is left", async () => {
  await using small = await testApp({ flags: { "temp-bytes": "1MB" } });
  const { doc } = await createDocumentFixture(small);
  const ids = Array.from({ length: 10_000 }, (_, i) => i + 1);
  await small.must("POST", `${doc}/apply`, [["BulkAddRecord", "Table1", ids, { A: ids.map(() => TEXT) }]]);
  const { status, body } = await small.call("owner", "GET", `${doc}/tables/Table1/records?at=1`);
  expect([status, body.details.code]).toEqual([507, "storage.temporary"]);
  // The thread that was writing ends first.
  await expectPoll(() => readdirSync(join(small.folder, "tmp")).filter((name) => name.startsWith("past-"))).toEqual([]);
});
