/** Rows are compressed for pages alone: programs receive what they always did. */
import { expect, test } from "bun:test";
import { startSession } from "../../src/services/accounts/sign-in.ts";
import { sampleDocument, testApp, USERS } from "../helpers/app.ts";
import { BROWSER } from "../helpers/users.ts";

const GZIP = "gzip, deflate, br";

test.each([
  { name: "a page that accepts it", headers: { "Accept-Encoding": GZIP }, encoding: "gzip" },
  { name: "a page that does not", headers: { "Accept-Encoding": "identity" }, encoding: null },
  { name: "a few rows", headers: { "Accept-Encoding": GZIP }, limit: 1, encoding: null },
])("records for $name", async ({ headers, limit = 200, encoding }) => {
  await using t = await tableOfOwner();
  const path = `${t.path}?limit=${limit}`;
  const { status, headers: answered, bytes } = await t.get(path, headers);
  expect([status, answered.get("content-encoding"), answered.get("vary")]).toEqual([
    200,
    encoding,
    "Accept, Accept-Encoding",
  ]);
  const text = new TextDecoder().decode(encoding === "gzip" ? Bun.gunzipSync(new Uint8Array(bytes)) : bytes);
  expect((JSON.parse(text) as { records: unknown[] }).records).toHaveLength(limit);
  // The next request is answered without rows.
  const again = await t.get(path, { ...headers, "If-None-Match": answered.get("etag") ?? "" });
  expect([again.status, again.headers.get("content-encoding"), again.bytes.byteLength]).toEqual([304, null, 0]);
});

test("records for a program are not compressed", async () => {
  await using t = await tableOfOwner();
  const asProgram = { Cookie: "", Authorization: `Bearer ${t.key}`, "Accept-Encoding": GZIP };
  const { headers, bytes } = await t.get(t.path, asProgram);
  expect([headers.get("content-encoding"), headers.get("vary"), headers.get("etag")?.startsWith('"')]).toEqual([
    null,
    "Accept",
    true,
  ]);
  expect((JSON.parse(new TextDecoder().decode(bytes)) as { records: unknown[] }).records).toHaveLength(200);
});

test("refusals for a page are as for all others", async () => {
  await using t = await tableOfOwner();
  const { status, headers } = await t.get(`${t.path}?sort=Missing`, { "Accept-Encoding": GZIP });
  expect([status, headers.get("content-encoding")]).toEqual([400, null]);
});

/** A table of 200 rows, and requests of its owner's pages. */
async function tableOfOwner() {
  const t = await testApp();
  const { ctx } = t.app;
  const { doc } = await sampleDocument(t);
  const rows = Array.from({ length: 200 }, (_, at) => ({ fields: { Name: `Row ${at} of the table` } }));
  await t.must("POST", `/api/docs/${doc}/tables`, { tables: [{ id: "Names", columns: [{ id: "Name" }] }] });
  await t.must("POST", `/api/docs/${doc}/tables/Names/records`, { records: rows });
  const { token } = ctx.home.transaction(() =>
    startSession(ctx, ctx.home.users.byEmail(USERS.owner.email)?.id ?? 0, BROWSER),
  );
  return {
    path: `/api/docs/${doc}/tables/Names/records`,
    key: t.keys.owner,
    async get(path: string, headers: Record<string, string>) {
      const cookie = `quern_session=${token}`;
      const request = new Request(`http://quern.test${path}`, { headers: { Cookie: cookie, ...headers } });
      const response = await t.app.handle(request);
      return { status: response.status, headers: response.headers, bytes: await response.bytes() };
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}
