import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let doc: string;
let copy: string;

beforeAll(async () => {
  server = await testApp();
  ({ doc } = await createSharedFixture(server));
  ({ doc: copy } = await createSharedFixture(server));
  for (const one of [doc, copy]) {
    const records = Array.from({ length: 25 }, (_, at) => ({ fields: { A: `row ${(at * 7) % 25}` } }));
    await server.must("POST", `${one}/tables/Table1/records`, { records });
  }
});
afterAll(() => server[Symbol.asyncDispose]());

interface Page {
  readonly records: readonly { readonly id: number; readonly fields: { readonly A: string } }[];
  readonly next: string | null;
}

const path = (cursor: string, of = doc) => `${of}/tables/Table1/records?sort=A&limit=10&cursor=${cursor}`;

test("a client reads page by page", async () => {
  const texts: string[] = [];
  for (let cursor: string | null = "start"; cursor !== null;) {
    const { status, body, headers } = await server.call("viewer", "GET", path(cursor));
    expect([status, headers.get("etag")]).toEqual([200, null]);
    const { records, next } = body as Page;
    texts.push(...records.map(({ fields }) => fields.A));
    cursor = next;
  }
  expect(texts).toEqual(
    Array.from({ length: 25 }, (_, at) => `row ${at}`).toSorted(new Intl.Collator("en-US").compare),
  );
});

test.each<[as: Caller, place: string, status: number]>([
  ["owner", "same", 200],
  ["editor", "same", 400],
  ["owner", "copy", 400],
])("a cursor of the owner, used by the %s in the %s document: %d", async (as, place, status) => {
  const { next } = await server.must<Page>("GET", path("start"));
  const reply = await server.call(as, "GET", path(next ?? "", place === "same" ? doc : copy));
  expect(reply.status).toBe(status);
  if (status === 400) expect(reply.body.details).toEqual({ code: "cursor.invalid" });
});

test("records/list takes the cursor in its body, also of a page that GET returned", async () => {
  const { next } = await server.must<Page>("GET", path("start"));
  const query = { sort: ["A"], limit: 10 };
  const second = await server.must<Page>("POST", `${doc}/tables/Table1/records/list`, { ...query, cursor: next });
  expect(second.records).toEqual((await server.must<Page>("GET", path(next ?? ""))).records as never);
  expect(second.next).toBeString();
});
