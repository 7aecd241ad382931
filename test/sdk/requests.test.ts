/** The requests that the client sends: their form, and when they are repeated. */
import { describe, expect, test } from "bun:test";
import { type AnySchema, type Client, createClient, QuernError } from "../../src/sdk/index.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { json, lost, recording, type Use } from "./recording.ts";

test.each([undefined, null, 80])("the address %p is refused when the client is created", (url) => {
  expect(() => createClient({ url: url as never })).toThrow(new TypeError("url must be the address of a server"));
});

const RECORDS = "/api/docs/d/tables/T/records";
const table = (client: Client<AnySchema>) => client.doc("d").table("T");

describe("requests have only what the caller uses", () => {
  test.each<[name: string, use: Use, method: string, path: string, query: Record<string, string>, body: unknown]>([
    ["list", (c) => table(c).list(), "GET", RECORDS, {}, undefined],
    [
      "list with options",
      (c) => table(c).list({ filter: { A: [1] }, sort: ["-A", "B"], limit: 5, hidden: true }),
      "GET",
      RECORDS,
      { filter: '{"A":[1]}', sort: "-A,B", limit: "5", hidden: "true" },
      undefined,
    ],
    ["list with false options", (c) => table(c).list({ hidden: false, total: false }), "GET", RECORDS, {}, undefined],
    [
      "list with a long filter",
      (c) => table(c).list({ filter: { A: ["x".repeat(2000)] }, sort: "A", limit: 5 }),
      "POST",
      `${RECORDS}/list`,
      {},
      { filter: { A: ["x".repeat(2000)] }, sort: ["A"], limit: 5 },
    ],
    [
      "create",
      (c) => table(c).create([{ A: 1 }, {}]),
      "POST",
      RECORDS,
      {},
      { records: [{ fields: { A: 1 } }, { fields: {} }] },
    ],
    [
      "create without parsing",
      (c) => table(c).create([{ A: "1" }], { noparse: true }),
      "POST",
      RECORDS,
      { noparse: "true" },
      { records: [{ fields: { A: "1" } }] },
    ],
    [
      "update",
      (c) => table(c).update([{ id: 1, fields: { A: 2 } }]),
      "PATCH",
      RECORDS,
      {},
      { records: [{ id: 1, fields: { A: 2 } }] },
    ],
    [
      "upsert",
      (c) => table(c).upsert([{ require: { A: 1 }, fields: { B: 2 } }], { onmany: "all", noadd: true }),
      "PUT",
      RECORDS,
      { onmany: "all", noadd: "true" },
      { records: [{ require: { A: 1 }, fields: { B: 2 } }] },
    ],
    ["delete", (c) => table(c).delete([1, 2]), "POST", `${RECORDS}/delete`, {}, [1, 2]],
    [
      "SQL",
      (c) => c.doc("d").sql`select ${1}, ${"x"}`,
      "POST",
      "/api/docs/d/sql",
      {},
      { sql: "select ?, ?", args: [1, "x"] },
    ],
    [
      "names in paths",
      (c) => c.doc("a/b").table("x y?").list(),
      "GET",
      "/api/docs/a%2Fb/tables/x%20y%3F/records",
      {},
      undefined,
    ],
  ])("%s", async (_, use, method, path, query, body) => {
    const { client, sent } = recording([json({ records: [] })]);
    await use(client);
    const [first] = sent;
    expect(sent).toHaveLength(1);
    expect({ method: first?.method, path: first?.path, query: first?.query, body: first?.body }).toEqual({
      method,
      path,
      query,
      body,
    });
    const isWrite = method !== "GET";
    expect(Object.keys(first?.headers ?? {}).toSorted()).toEqual(
      isWrite ? ["Authorization", "Content-Type", "Idempotency-Key"] : ["Authorization"],
    );
  });
});

describe("a request is repeated", () => {
  const read: Use = (c) => table(c).list();
  const write: Use = (c) => table(c).create([{}]);
  const unkeyed: Use = (c) => table(c).create([{}], { idempotencyKey: false });
  const busy = json({ error: "busy" }, 503);
  const limited = json({ error: "slow down", details: { code: "limit.requests" } }, 429);
  const inProgress = json({ error: "in progress", details: { code: "idempotency.in_progress" } }, 409);
  const conflict = json({ error: "conflict", details: { code: "request.conflict" } }, 409);
  const done = json({ records: [] });

  test.each<[name: string, use: Use, answer: () => Response | Promise<Response>, attempts: number]>([
    ["a read after 503", read, busy, 2],
    ["a read after 502", read, json("bad gateway", 502), 2],
    ["a read after 504", read, json("timeout", 504), 2],
    ["a read after 429", read, limited, 2],
    ["a read whose answer was lost", read, lost, 2],
    ["a read that is refused", read, json({ error: "no" }, 403), 1],
    ["a read that is not found", read, json({ error: "no" }, 404), 1],
    ["a read after a bug", read, json({ error: "bug" }, 500), 1],
    ["a keyed write after 503", write, busy, 2],
    ["a keyed write whose answer was lost", write, lost, 2],
    ["a keyed write while the first one is in progress", write, inProgress, 2],
    ["a keyed write after another conflict", write, conflict, 1],
    ["a keyed write that is wrong", write, json({ error: "no" }, 400), 1],
    ["an unkeyed write after 503", unkeyed, busy, 1],
    ["an unkeyed write whose answer was lost", unkeyed, lost, 1],
  ])("%s: %#", async (_, use, answer, attempts) => {
    const { client, sent } = recording([answer, done]);
    await use(client).catch((error: unknown) => expect(error).toBeInstanceOf(QuernError));
    expect(sent).toHaveLength(attempts);
    expect(new Set(sent.map(({ headers }) => headers["Idempotency-Key"])).size).toBe(1);
  });

  test("at most as often as allowed", async () => {
    for (const retries of [0, 1]) {
      const { client, sent } = recording([busy], { key: "k", retries });
      const error = await read(client).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ status: 503, message: "busy" });
      expect(sent).toHaveLength(retries + 1);
    }
  });

  test("not before the server allows", async () => {
    const { client } = recording([json({ error: "later" }, 503, { "Retry-After": "1" }), done]);
    const start = performance.now();
    await read(client);
    expect(performance.now() - start).toBeGreaterThanOrEqual(990);
  });

  test("not after its signal has ended it, which also ends the wait", async () => {
    const controller = new AbortController();
    const answer = () => {
      setTimeout(() => controller.abort(new Error("left")), 0);
      return new Response("{}", { status: 503, headers: { "Retry-After": "3600" } });
    };
    const { client, sent } = recording([answer]);
    const ended = await table(client)
      .list({ signal: controller.signal })
      .catch((error: unknown) => error);
    expect(ended).toEqual(new Error("left"));
    expect(sent).toHaveLength(1);
  });
});

test("writes without an API key have no Idempotency-Key unless the caller gives one, and are not repeated", async () => {
  const { client, sent } = recording([json({ error: "busy" }, 503)], {});
  await table(client)
    .create([{}])
    .catch(() => {});
  expect([sent.length, sent[0]?.headers["Idempotency-Key"], sent[0]?.headers["Authorization"]]).toEqual([
    1,
    undefined,
    undefined,
  ]);
  const own = recording([json({ records: [] })], {});
  await table(own.client).create([{}], { idempotencyKey: "mine" });
  expect(own.sent[0]?.headers["Idempotency-Key"]).toBe("mine");
});

test("a function returns the current token for each attempt, also of a subscription", async () => {
  let calls = 0;
  const key = () => Promise.resolve(`token ${++calls}`);
  const { client, sent } = recording([json({ error: "busy" }, 503), json({ records: [] })], { key });
  await table(client).create([{}]);
  await table(client).list();
  expect(sent.map(({ headers }) => headers["Authorization"])).toEqual([1, 2, 3].map((n) => `Bearer token ${n}`));
  expect(sent[0]?.headers["Idempotency-Key"]).toBe(sent[1]?.headers["Idempotency-Key"] ?? "");

  const expiring = recording([() => new Response('id: t1\nevent: reset\ndata: {"records":[]}\n\n')], { key });
  const live = table(expiring.client).subscribe();
  await expectPoll(() => expiring.sent.length).toBeGreaterThan(1);
  live.unsubscribe();
  const [first, second] = expiring.sent.map(({ headers }) => headers["Authorization"]);
  expect([first, second]).toEqual(["Bearer token 4", "Bearer token 5"]);
});

test("a function that fails is an error with its cause", async () => {
  const cause = new Error("signed out of the application");
  const { client, sent } = recording([json({})], { key: () => Promise.reject(cause), retries: 0 });
  const error = await table(client)
    .list()
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: 0, cause });
  expect(sent).toHaveLength(0);
});

test("each write has a key of its own", async () => {
  const { client, sent } = recording([json({ records: [] })]);
  for (let n = 0; n < 100; n++) await table(client).create([{}]);
  expect(new Set(sent.map(({ headers }) => headers["Idempotency-Key"])).size).toBe(100);
});

test.each<[name: string, answer: () => Response, error: object]>([
  [
    "a refusal",
    json({ error: "No access", details: { code: "access.denied", memos: ["m"] } }, 403, { "X-Request-Id": "r1" }),
    { status: 403, message: "No access", code: "access.denied", details: { memos: ["m"] }, requestId: "r1" },
  ],
  [
    "a refusal without a code",
    json({ error: "No access" }, 403),
    { status: 403, message: "No access", code: undefined, details: {} },
  ],
  [
    "an answer of a proxy",
    () => new Response("<h1>Bad request</h1>", { status: 400 }),
    { status: 400, message: "The server answered with status 400", code: undefined },
  ],
  [
    "an answer that is not JSON",
    () => new Response("<h1>Welcome</h1>"),
    { status: 200, message: "The answer is not JSON" },
  ],
])("%s is an error with its facts", async (_, answer, expected) => {
  const { client } = recording([answer]);
  const error = await table(client)
    .list()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(QuernError);
  expect(error).toMatchObject(expected);
});

test.each<[name: string, use: Use]>([
  ["a document ..", (c) => c.doc("..").sql`select 1`],
  ["a document .", (c) => c.doc(".").table("T").list()],
  ["a table ..", (c) => c.doc("d").table("..").delete([1])],
])("%s would reach another path, and is not sent", async (_, use) => {
  const { client, sent } = recording([json({ records: [] })]);
  const error = await Promise.resolve(use(client)).catch((thrown: unknown) => thrown);
  expect(error).toEqual(new RangeError("An id cannot be . or .."));
  expect(sent).toHaveLength(0);
});
