/** ETags and numbers of responses reveal nothing about changes that access rules hide. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { setRules } from "../helpers/access-rules.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let doc: string;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  ({ doc } = await createSharedFixture(server));
  const columns = [{ id: "Name" }, { id: "Pay", fields: { type: "Int" } }];
  await server.must("POST", `${doc}/tables`, { tables: [{ id: "Staff", columns }] });
  await server.must("POST", `${doc}/tables/Staff/records`, { records: [{ fields: { Name: "Ann", Pay: 1 } }] });
});

const hidePay = () => setRules(server, doc, { "Staff:Pay": [{ formula: "user.Access == EDITOR", permissions: "-R" }] });
const write = (fields: object) => server.must("PATCH", `${doc}/tables/Staff/records`, { records: [{ id: 1, fields }] });

const tagOf = async (as: Caller, path: string) => (await server.call(as, "GET", `${doc}/${path}`)).headers.get("etag");
const statusWith = async (as: Caller, path: string, tag: string | null) =>
  (await server.call(as, "GET", `${doc}/${path}`, undefined, { headers: { "If-None-Match": tag ?? "" } })).status;

const PATHS = [
  "tables/Staff/records",
  "tables/Staff/data",
  "tables/Staff/columns",
  "tables",
  "download/csv?tableId=Staff",
  "attachments",
];

test.each(PATHS)("a hidden change does not change the ETag of %s, a visible one does", async (path) => {
  await hidePay();
  const [editor, owner] = [await tagOf("editor", path), await tagOf("owner", path)];
  expect(editor).toMatch(/^"[0-9a-f]{32}"$/);
  await write({ Pay: 2 });
  expect([await tagOf("editor", path), await statusWith("editor", path, editor)]).toEqual([editor, 304]);
  expect(await tagOf("owner", path)).not.toBe(owner);
  await write({ Name: "Bea" });
  const isSeen = /records|data|csv/.test(path);
  expect((await tagOf("editor", path)) === editor).toBe(!isSeen);
  expect(await statusWith("editor", path, editor)).toBe(isSeen ? 200 : 304);
});

test("without rules, and for callers who read everything, any change changes it", async () => {
  const path = "tables/Staff/columns";
  const before = await tagOf("editor", path);
  await write({ Pay: 2 });
  expect(await tagOf("editor", path)).not.toBe(before);
  await hidePay();
  const viewer = await tagOf("viewer", path);
  await write({ Pay: 3 });
  expect(await tagOf("viewer", path)).not.toBe(viewer);
});

test("responses of more than a megabyte have no ETag for callers from whom something is hidden", async () => {
  await hidePay();
  const add = (names: string[]) => server.must("POST", `${doc}/tables/Staff/data`, { Name: names });
  await add(["x".repeat(500_000)]);
  expect(await tagOf("editor", "tables/Staff/records")).not.toBeNull();
  await add(["x".repeat(600_000)]);
  expect(await tagOf("editor", "tables/Staff/records")).toBeNull();
  expect(await tagOf("owner", "tables/Staff/records")).not.toBeNull();
  expect(await statusWith("editor", "tables/Staff/records", '""')).toBe(200);
  // A file of this size is streamed.
  expect(await tagOf("editor", "download/csv?tableId=Staff")).toBeNull();
});

interface States {
  states: { n: number; h: string }[];
}
const statesOf = async (as: Caller) => ((await server.call(as, "GET", `${doc}/states`)).body as States).states;

test("hashes of states, with which guesses could be verified, are computed from their numbers alone", async () => {
  await hidePay();
  const [seen, real] = [await statesOf("editor"), await statesOf("owner")];
  expect(seen.map(({ n }) => n)).toEqual(real.map(({ n }) => n));
  expect(new Set(seen.map(({ h }) => h)).size).toBe(seen.length);
  expect(seen.filter(({ h }) => real.some((state) => state.h === h))).toEqual([]);
  const rename = (as: Caller) => server.call(as, "POST", `${doc}/apply`, [["UpdateRecord", "Staff", 1, { Name: as }]]);
  const { body } = await rename("editor");
  expect((await statesOf("editor"))[0]).toEqual({ n: body.actionNum, h: body.actionHash });
  expect((await statesOf("owner"))[0]?.h).not.toBe(body.actionHash);
  const { body: own } = await rename("owner");
  expect((await statesOf("owner"))[0]).toEqual({ n: own.actionNum, h: own.actionHash });
});
