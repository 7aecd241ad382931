/** The requests that the client sends: their form, and when they are repeated. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AnySchema, type Client, createClient, QuernError } from "../../src/sdk/index.ts";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A client whose requests are recorded, and get the given answers one after the other, then the last one. */
function recording(
  answers: readonly (() => Response | Promise<Response>)[],
  options: { key?: string; retries?: number } = { key: "k" },
) {
  const sent: Sent[] = [];
  const client = createClient({
    url: "https://quern.test/o/team/",
    ...options,
    fetch: async (address, { method = "", headers, body }) => {
      const url = new URL(address);
      sent.push({
        method,
        path: url.pathname.replace("/o/team", ""),
        query: Object.fromEntries(url.searchParams),
        body: typeof body === "string" ? (JSON.parse(body) as unknown) : undefined,
        headers: headers as Record<string, string>,
      });
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (!answer) throw new Error("no answer");
      return answer();
    },
  });
  return { client, sent };
}

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify(body), { status, headers });
const lost = () => Promise.reject(new TypeError("the connection was lost"));

type Use = (client: Client<AnySchema>) => Promise<unknown>;

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

/** Recorded exchanges with the established server, where they are beside the checkout. */
const EXCHANGES = process.env["QUERN_TEST_EXCHANGES"] ?? "";

interface RecordedStep {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly read?: string;
  readonly expected?: { readonly status: number; readonly body?: unknown };
}

function recordedSteps(): RecordedStep[] {
  const areas = ["records", "sql", "values", "rules", "access"];
  return areas.flatMap((area) =>
    readdirSync(join(EXCHANGES, area)).flatMap(
      (name) => (JSON.parse(readFileSync(join(EXCHANGES, area, name), "utf8")) as { steps: RecordedStep[] }).steps,
    ),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the call of the client that the recorded request is the form of; undefined if it has none. */
function callOf(step: RecordedStep): Use | undefined {
  const { method, query = {}, body } = step;
  const [, doc = "", id = "", end = ""] =
    /^\/api\/docs\/([^/?]+)\/(?:tables\/([^/?]+)\/records(\/delete|\/list)?|sql)$/.exec(step.path) ?? [];
  if (doc === "" || step.rawBody !== undefined || step.read !== undefined) return undefined;
  const on = (client: Client<AnySchema>) => client.doc(doc).table(id);
  const form = `${method} ${id === "" ? "sql" : end}`;
  const only = (...names: string[]) => Object.keys(query).every((name) => names.includes(name));
  const flag = (name: string) => query[name] === "true";
  const records =
    isObject(body) && Object.keys(body).join() === "records" && Array.isArray(body["records"])
      ? (body["records"] as unknown[])
      : null;
  const all = (...names: string[]) =>
    records?.every((one) => isObject(one) && Object.keys(one).toSorted().join() === names.join()) ?? false;
  switch (form) {
    case "GET ": {
      const { filter, sort, limit, hidden, ...others } = query;
      if (Object.keys(others).length > 0 || (hidden !== undefined && hidden !== "true")) return undefined;
      if (limit !== undefined && !/^[1-9]\d*$/.test(limit)) return undefined;
      const parsed = filter === undefined ? undefined : parseFilter(filter);
      if (parsed === null) return undefined;
      return (client) =>
        on(client).list({
          ...(parsed && { filter: parsed }),
          ...(sort !== undefined && { sort }),
          ...(limit !== undefined && { limit: Number(limit) }),
          ...(hidden !== undefined && { hidden: true }),
        });
    }
    case "POST ":
      if (!all("fields") || !only("noparse")) return undefined;
      return (client) =>
        on(client).create(
          (records as { fields: never }[]).map(({ fields }) => fields),
          { noparse: flag("noparse") },
        );
    case "PATCH ":
      if (!all("fields", "id") || !only("noparse")) return undefined;
      return (client) => on(client).update(records as never, { noparse: flag("noparse") });
    case "PUT ": {
      if (!all("fields", "require") || !only("onmany", "noadd", "noupdate", "allow_empty_require", "noparse"))
        return undefined;
      const { onmany } = query;
      const flags = Object.fromEntries(
        Object.entries(query)
          .filter(([name]) => name !== "onmany")
          .map(([name]) => [name, flag(name)]),
      );
      return (client) =>
        on(client).upsert(records as never, { ...flags, ...(onmany !== undefined && { onmany: onmany as never }) });
    }
    case "POST /delete":
      if (!Array.isArray(body) || !only()) return undefined;
      return (client) => on(client).delete(body as number[]);
    case "POST sql": {
      if (
        !isObject(body) ||
        !only() ||
        typeof body["sql"] !== "string" ||
        !Array.isArray(body["args"]) ||
        "timeout" in body
      )
        return undefined;
      const parts = body["sql"].split("?");
      if (parts.length !== body["args"].length + 1) return undefined;
      return (client) => client.doc(doc).sql(parts as never, ...(body["args"] as never[]));
    }
    default:
      return undefined;
  }
}

/** Returns null for a filter in another form than the client's. */
function parseFilter(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && JSON.stringify(value) === text ? value : null;
  } catch {
    return null;
  }
}

if (!existsSync(EXCHANGES))
  console.log(
    "No recorded exchanges: skipping their comparison with the client. QUERN_TEST_EXCHANGES names their folder.",
  );

test.skipIf(!existsSync(EXCHANGES))("requests and answers are those of recorded exchanges", async () => {
  const counts: Record<string, number> = {};
  for (const step of recordedSteps()) {
    const use = callOf(step);
    const { expected } = step;
    if (!use || !expected) continue;
    const { client, sent } = recording([json(expected.body ?? null, expected.status)], { key: "k", retries: 0 });
    const answer = await use(client).catch((error: unknown) => error);
    const [request] = sent;
    const { method, query = {}, body } = step;
    expect({ method: request?.method, query: withoutFalse(request?.query ?? {}), body: request?.body }).toEqual({
      method,
      query: withoutFalse(query),
      body,
    });
    expect(decodeURIComponent(request?.path ?? "")).toBe(step.path);
    if (expected.status >= 400) expect(answer).toMatchObject({ name: "QuernError", status: expected.status });
    else expect(answer).toEqual(resultOf(step));
    counts[`${method}${expected.status < 400 ? "" : " refused"}`] =
      (counts[`${method}${expected.status < 400 ? "" : " refused"}`] ?? 0) + 1;
  }
  console.log(`Recorded exchanges of the client's calls: ${JSON.stringify(counts)}`);
  for (const kind of ["GET", "POST", "PATCH", "PUT", "GET refused", "POST refused", "PATCH refused", "PUT refused"])
    expect(counts[kind] ?? 0).toBeGreaterThan(3);
});

/** Flags that are false are left out: that is their default. */
const withoutFalse = (query: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(query).filter(
      ([name, value]) =>
        name === "filter" || name === "sort" || value === "true" || !/^(no|off|false|0|YES|ON)$/i.test(value),
    ),
  );

/** Returns what the client makes of the recorded answer. */
function resultOf({ method, path, expected }: RecordedStep): unknown {
  const body = expected?.body;
  if (method === "POST" && path.endsWith("/records"))
    return (body as { records: { id: number }[] }).records.map(({ id }) => id);
  if (path.endsWith("/sql")) return (body as { records: { fields: unknown }[] }).records.map(({ fields }) => fields);
  return body ?? null;
}
