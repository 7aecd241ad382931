/** End users are callers of their own: for limits, repeated requests, jobs, cursors and caches. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createApp } from "../../../src/app.ts";
import { readConfig } from "../../../src/config.ts";
import { TEST_FLAGS, testApp, type TestApp } from "../../helpers/app.ts";
import { TestClock } from "../../helpers/clock.ts";
import { callWithToken, createToken } from "../../helpers/end-users.ts";
import { isReplay, withKey } from "../../helpers/idempotency.ts";
import { countOf, FULL, lines, lineTable, NDJSON } from "../../helpers/record-lines.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
let eve: string;
let eveAgain: string;
let max: string;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
  eve = await createToken(server, place.doc, { email: "eve@app.example" });
  eveAgain = await createToken(server, place.doc, { email: "Eve@app.example", role: "viewers" });
  max = await createToken(server, place.doc, { email: "max@app.example" });
});
afterAll(() => server[Symbol.asyncDispose]());

const EDITOR = { email: "eve@app.example", role: "editors" } as const;
const ADD = { records: [{ fields: {} }] };

test("an Idempotency-Key is for one address of one key", async () => {
  const add = (token: string) =>
    callWithToken(server, token, ["POST", `${place.doc}/tables/Table1/records`, ADD], withKey("same"));
  const [first, again, other] = [await add(eve), await add(eve), await add(max)];
  expect([first, again, other].map(({ status }) => status)).toEqual([200, 200, 200]);
  expect([first, again, other].map(isReplay)).toEqual([false, true, false]);
  expect(again.body).toEqual(first.body);
  expect(other.body).not.toEqual(first.body);
  const owner = await server.call("owner", "POST", `${place.doc}/tables/Table1/records`, ADD, withKey("same"));
  expect(isReplay(owner)).toBeFalse();
});

test("a repeated request needs the role as well", async () => {
  const step = ["POST", `${place.doc}/tables/Table1/records`, ADD] as const;
  expect((await callWithToken(server, eve, step, withKey("role"))).status).toBe(200);
  const reply = await callWithToken(server, eveAgain, step, withKey("role"));
  expect([reply.status, isReplay(reply)]).toEqual([403, false]);
});

describe("jobs", () => {
  const start = async (token: string) => {
    const table = await lineTable(server, place);
    const raw = `${lines(FULL + 1).join("\n")}\n`;
    const options = { raw, headers: NDJSON };
    const reply = await callWithToken(server, token, ["POST", `${table}/records`], options);
    expect(reply.status).toBe(202);
    return { table, id: (reply.body as { id: string }).id };
  };
  const get = async (token: string, id: string): Promise<[status: number, state: unknown]> => {
    const { status, body } = await callWithToken(server, token, ["GET", `/o/docs/api/jobs/${id}`]);
    return [status, body.status ?? body.details.code];
  };

  test("run to their end, and are found by the same address only", async () => {
    const { table, id } = await start(eve);
    await server.app.ctx.jobs.whenIdle();
    expect(await countOf(server, table)).toBe(FULL + 1);
    expect([await get(eve, id), await get(eveAgain, id)]).toEqual([
      [200, "completed"],
      [200, "completed"],
    ]);
    expect(await get(max, id)).toEqual([404, "job.not_found"]);
    expect((await server.call("owner", "GET", `/o/docs/api/jobs/${id}`)).status).toBe(404);
    const list = async (token: string) => {
      const { body } = await callWithToken(server, token, ["GET", `${place.doc}/jobs`]);
      return (body as { jobs: { id: string }[] }).jobs.map((job) => job.id);
    };
    expect(await list(eve)).toContain(id);
    expect(await list(max)).not.toContain(id);
    const other = await createSharedFixture(server);
    const outside = await createToken(server, other.doc, { email: "eve@app.example" });
    expect(await get(outside, id)).toEqual([401, "auth.token_document"]);
  });

  const limitKey = (at: TestApp, id: number, scopes: readonly string[]) =>
    at.app.ctx.home.transaction(() =>
      at.app.ctx.home.raw.run("update api_keys set scopes = ? where id = ?", JSON.stringify(scopes), id),
    );
  test.each<[change: string, change: (at: TestApp, keyId: number) => unknown, rows: number, state: string]>([
    ["nothing changes", () => undefined, FULL + 1, "completed"],
    ["its key is revoked", (at, id) => at.must("DELETE", `/api/profile/keys/${id}`), 0, "failed"],
    ["its key lost a scope", (at, id) => limitKey(at, id, ["tokens:create", "records:read"]), 0, "failed"],
  ])("go on after a restart as far as the token allows: %s", async (_, change, rows, state) => {
    const first = await testApp();
    const { doc, uuid } = await createSharedFixture(first);
    const table = await lineTable(first, { doc });
    const { id, key } = await first.must<{ id: number; key: string }>("POST", "/api/profile/keys", { label: "tokens" });
    const { body } = await callWithToken(first, key, ["POST", `${doc}/tokens`, EDITOR]);
    await first.app.ctx.jobs.stop();
    const options = { raw: lines(FULL + 1).join("\n"), headers: NDJSON };
    const started = await callWithToken(
      first,
      (body as { token: string }).token,
      ["POST", `${table}/records`],
      options,
    );
    expect(started.status).toBe(202);
    await change(first, id);
    const later = await createToken(first, doc, EDITOR);
    await first.app.close();

    await using second = createApp(readConfig({ data: first.folder, ...TEST_FLAGS }, {}));
    await second.ctx.jobs.whenIdle();
    const read = async (path: string): Promise<unknown> => {
      const headers = { Host: "quern.test", Authorization: `Bearer ${later}` };
      return (await second.handle(new Request(`http://quern.test/api/docs/${uuid}${path}`, { headers }))).json();
    };
    expect(await read("/jobs")).toMatchObject({ jobs: [{ status: state }] });
    const { records } = (await read(table.slice(doc.length).concat("/records"))) as { records: unknown[] };
    expect(records).toHaveLength(rows);
  });

  test("of accounts are not found", async () => {
    const table = await lineTable(server, place);
    const raw = `${lines(FULL + 1).join("\n")}\n`;
    const reply = await server.call("owner", "POST", `${table}/records`, undefined, { raw, headers: NDJSON });
    await server.app.ctx.jobs.whenIdle();
    const asOlga = await createToken(server, place.doc, { email: "olga@example.com" });
    expect(await get(asOlga, reply.body.id)).toEqual([404, "job.not_found"]);
  });

  test("are not cancelled by others, and need the scope", async () => {
    const { id } = await start(eve);
    const cancel = (token: string) => callWithToken(server, token, ["DELETE", `/o/docs/api/jobs/${id}`]);
    expect((await cancel(max)).status).toBe(404);
    const reader = await createToken(server, place.doc, { email: "eve@app.example", scopes: ["records:read"] });
    expect((await cancel(reader)).body.details.code).toBe("scope.missing");
    expect((await cancel(eve)).status).toBe(200);
    await server.app.ctx.jobs.whenIdle();
  });
});

test("a cursor belongs to an address", async () => {
  await server.must("POST", `${place.doc}/tables/Table1/records`, { records: [{ fields: {} }, { fields: {} }] });
  const page = (token: string, cursor: string) =>
    callWithToken(server, token, ["GET", `${place.doc}/tables/Table1/records?limit=1&cursor=${cursor}`]);
  const { next } = (await page(eve, "start")).body as { next: string };
  expect((await page(eve, next)).status).toBe(200);
  expect((await page(eveAgain, next)).status).toBe(200);
  expect((await page(max, next)).body.details.code).toBe("cursor.invalid");
});

test("an ETag is for one address and role", async () => {
  const path = `${place.doc}/tables/Table1/records`;
  const etag = (await callWithToken(server, eve, ["GET", path])).headers.get("etag") ?? "";
  const again = async (token: string) =>
    (await callWithToken(server, token, ["GET", path], { headers: { "If-None-Match": etag } })).status;
  expect([await again(eve), await again(eveAgain), await again(max)]).toEqual([304, 200, 200]);
});

test("the rate is limited by address, apart from that of the key", async () => {
  await using limited = await testApp({ clock: new TestClock(), flags: { "rate-per-key": "20" } });
  const { doc } = await createSharedFixture(limited);
  const tokens = [await createToken(limited, doc, { email: "a@app.example" })];
  tokens.push(await createToken(limited, doc, { email: "b@app.example" }));
  tokens.push(await createToken(limited, doc, { email: "a@app.example", role: "viewers" }));
  const [a = "", b = "", aAgain = ""] = tokens;
  const read = async (token: string) => (await callWithToken(limited, token, ["GET", `${doc}/tables`])).status;
  for (let i = 0; i < 20; i++) expect(await read(a)).toBe(200);
  expect([await read(a), await read(aAgain), await read(b)]).toEqual([429, 429, 200]);
  expect((await limited.call("owner", "GET", `${doc}/tables`)).status).toBe(200);
});

test("a dry run changes nothing", async () => {
  const step = ["POST", `${place.doc}/tables/Table1/records?dryrun=1`, ADD] as const;
  const before = await countOf(server, `${place.doc}/tables/Table1`);
  expect((await callWithToken(server, eve, step)).status).toBe(200);
  expect(await countOf(server, `${place.doc}/tables/Table1`)).toBe(before);
});

test("attachments are uploaded and downloaded", async () => {
  const form = new FormData();
  form.append("upload", new File(["content"], "a.txt"));
  const headers = { "X-Requested-With": "XMLHttpRequest" };
  const uploaded = await callWithToken(server, eve, ["POST", `${place.doc}/attachments`], { raw: form, headers });
  expect(uploaded.status).toBe(200);
  const read = await callWithToken(server, eve, ["GET", `${place.doc}/attachments/${uploaded.body[0]}/download`]);
  expect([read.status, read.body]).toEqual([200, "content"]);
});
