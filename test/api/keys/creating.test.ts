/** Creating, listing and deleting limited keys by the API. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Reply, type Sample, sampleDocument, testApp, type TestApp } from "../../helpers/app.ts";

let server: TestApp;
let sample: Sample;
let count = 0;

beforeAll(async () => {
  server = await testApp();
  sample = await sampleDocument(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const call = (method: string, path: string, body?: unknown, key?: string, headers = {}): Promise<Reply> =>
  server.call("owner", method, path, body, { headers: { ...(key && { Authorization: `Bearer ${key}` }), ...headers } });

const create = (limits: object, key?: string) =>
  call("POST", "/api/profile/keys", { label: `key ${count++}`, ...limits }, key);

const created = async (limits: object): Promise<string> => {
  const { body } = await create(limits);
  return body.key as string;
};

const soon = () => new Date(Date.now() + 3_600_000).toISOString();

test("a key has the limits that it was created with", async () => {
  const restrictions = { sites: ["team"], tables: [{ document: sample.doc, tables: ["Table1", "Table1"] }] };
  const { body } = await create({
    scopes: ["records:read"],
    restrictions,
    networks: ["10.0.0.0/8", "::1"],
    expiresAt: "2100-01-01T00:00:00.000Z",
  });
  const { body: list } = await call("GET", "/api/profile/keys");
  const found = list.keys.find(({ id }: { id: number }) => id === body.id);
  expect(found).toMatchObject({
    scopes: ["records:read"],
    networks: ["10.0.0.0/8", "::1"],
    expiresAt: "2100-01-01T00:00:00.000Z",
    lastUsedAddress: null,
    useCount: 0,
  });
  expect(found.restrictions.sites).toEqual([expect.any(Number)]);
  expect(found.restrictions.tables).toEqual([{ document: expect.any(String), tables: ["Table1"] }]);
});

test("a key without limits can do everything, and lists as such", async () => {
  const key = await created({});
  const { body } = await call("GET", "/api/profile/keys", undefined, key);
  expect(body.keys.at(-1)).toMatchObject({ scopes: null, restrictions: null, networks: null, expiresAt: null });
  expect((await create({}, key)).status).toBe(200);
});

test("time, address and number of uses are listed", async () => {
  const key = await created({ scopes: ["records:read"] });
  await call("GET", "/api/profile/user", undefined, key);
  await call("GET", "/api/profile/user", undefined, key);
  const { body } = await call("GET", "/api/profile/keys");
  const found = body.keys.find(({ prefix }: { prefix: string }) => key.startsWith(prefix));
  expect([found.useCount, found.lastUsedAddress]).toEqual([2, "127.0.0.1"]);
});

describe("a key is refused", () => {
  test.each([
    ["an unknown scope", { scopes: ["records:eat"] }, 400, "key.invalid"],
    ["no scope", { scopes: [] }, 400, "key.invalid"],
    ["an invalid network", { networks: ["10.0.0.0/99"] }, 400, "key.invalid"],
    ["no network", { networks: [] }, 400, "key.invalid"],
    ["a time in the past", { expiresAt: "2001-01-01" }, 400, "key.invalid"],
    ["empty restrictions", { restrictions: {} }, 400, "key.invalid"],
    ["an unknown document", { restrictions: { documents: ["nothing"] } }, 404, "document.not_found"],
    ["an unknown workspace", { restrictions: { workspaces: [987654] } }, 404, "workspace.not_found"],
    ["an unknown site", { restrictions: { sites: ["nowhere"] } }, 404, "site.not_found"],
    ["scopes of another type", { scopes: "records:read" }, 400, "payload.invalid"],
  ])("with %s", async (_, limits, status, code) => {
    const before = (await call("GET", "/api/profile/keys")).body.keys.length;
    const reply = await create(limits);
    expect([reply.status, reply.body.details.code]).toEqual([status, code]);
    expect((await call("GET", "/api/profile/keys")).body.keys.length).toBe(before);
  });

  test("with tables of a document that it has as a whole", async () => {
    const restrictions = { documents: [sample.doc], tables: [{ document: sample.doc, tables: ["Table1"] }] };
    expect((await create({ restrictions })).body.details.code).toBe("key.invalid");
  });

  test("for a document without access", async () => {
    const reply = await server.call("stranger", "POST", "/api/profile/keys", {
      label: "x",
      restrictions: { documents: [sample.doc] },
    });
    expect(reply.status).toBe(403);
  });
});

describe("a limited key with the scope admin creates keys that are no stronger", () => {
  const reach = () => ({ documents: [sample.doc] });
  const own = () => ({
    scopes: ["admin", "records:write"],
    restrictions: reach(),
    networks: ["127.0.0.0/8"],
    expiresAt: soon(),
  });

  test("what is left out is as for itself", async () => {
    const limits = own();
    const { body, status } = await create({}, await created(limits));
    expect(status).toBe(200);
    const { keys } = (await call("GET", "/api/profile/keys")).body;
    const found = keys.find(({ id }: { id: number }) => id === body.id);
    expect(found).toMatchObject({ networks: limits.networks, expiresAt: limits.expiresAt });
    expect(found.scopes.toSorted()).toEqual(["admin", "documents:read", "records:read", "records:write"]);
    expect(found.restrictions.documents).toHaveLength(1);
  });

  const ALLOWED: readonly (readonly [string, () => object])[] = [
    ["fewer scopes", () => ({ scopes: ["records:read"] })],
    ["a table", () => ({ restrictions: { tables: [{ document: sample.doc, tables: ["Table1"] }] } })],
    ["a smaller network", () => ({ networks: ["127.0.0.1", "127.1.0.0/16"] })],
    ["an earlier expiry", () => ({ expiresAt: new Date(Date.now() + 60_000).toISOString() })],
  ];
  test.each(ALLOWED)("allowed: %s", async (_, limits) => {
    expect((await create(limits(), await created(own()))).status).toBe(200);
  });

  const REFUSED: readonly (readonly [string, () => object, number, string])[] = [
    ["another scope", () => ({ scopes: ["schema:read"] }), 403, "key.too_strong"],
    [
      "the workspace of its document",
      () => ({ restrictions: { workspaces: [sample.workspaceId] } }),
      403,
      "key.too_strong",
    ],
    ["the site of its document", () => ({ restrictions: { sites: ["team"] } }), 403, "key.too_strong"],
    ["another document", () => ({ restrictions: { documents: ["other"] } }), 404, "document.not_found"],
    ["a larger network", () => ({ networks: ["0.0.0.0/0"] }), 403, "key.too_strong"],
    ["another network", () => ({ networks: ["10.0.0.1"] }), 403, "key.too_strong"],
    ["a later expiry", () => ({ expiresAt: "2100-01-01" }), 403, "key.too_strong"],
  ];
  test.each(REFUSED)("refused: %s", async (_, limits, status, code) => {
    const key = await created(own());
    const before = (await call("GET", "/api/profile/keys")).body.keys.length;
    const reply = await create(limits(), key);
    expect([reply.status, reply.body.details.code]).toEqual([status, code]);
    expect((await call("GET", "/api/profile/keys")).body.keys.length).toBe(before);
  });

  test("and lists and deletes no stronger ones", async () => {
    const key = await created({ scopes: ["admin", "records:read"] });
    const stronger = await create({});
    const weaker = await create({ scopes: ["records:read"] }, key);
    const ids = (await call("GET", "/api/profile/keys", undefined, key)).body.keys.map(({ id }: { id: number }) => id);
    expect([ids.includes(stronger.body.id), ids.includes(weaker.body.id)]).toEqual([false, true]);
    const remove = (id: number) => call("DELETE", `/api/profile/keys/${id}`, undefined, key);
    const [hidden, missing] = [await remove(stronger.body.id), await remove(987654)];
    expect([hidden.status, hidden.body]).toEqual([404, missing.body]);
    expect((await remove(weaker.body.id)).status).toBe(200);
  });

  test("nor does it replace or delete the key without limits", async () => {
    const key = await created({ scopes: ["admin"] });
    const before = (await call("GET", "/api/profile/apikey")).body;
    for (const [method, path, body] of [
      ["POST", "/api/profile/apikey", { force: true }],
      ["DELETE", "/api/profile/apikey", undefined],
    ] as const) {
      expect((await call(method, path, body, key)).body.details.code).toBe("key.too_strong");
    }
    expect((await call("GET", "/api/profile/apikey")).body).toBe(before);
  });

  test("keys of service accounts have its limits", async () => {
    const key = await created({ scopes: ["admin"], networks: ["127.0.0.1"] });
    const { body } = await call("POST", "/api/service-accounts", { expiresAt: "2100-01-01" }, key);
    const reply = await call("GET", "/o/docs/api/orgs", undefined, body.key);
    expect([reply.status, reply.body.details]).toEqual([
      403,
      { code: "scope.missing", missingScope: "documents:read" },
    ]);
  });
});

describe("networks", () => {
  // Requests of tests come from 127.0.0.1.
  test.each([
    [["127.0.0.0/8"], 200],
    [["::1", "127.0.0.1"], 200],
    [["10.0.0.0/8"], 403],
    [["::1"], 403],
  ])("%p: %d", async (networks, status) => {
    const reply = await call("GET", "/api/profile/user", undefined, await created({ networks }));
    expect([reply.status, reply.body.details?.code]).toEqual([status, status === 403 ? "key.network" : undefined]);
  });

  test("a header of a client that is no trusted proxy changes nothing", async () => {
    const key = await created({ networks: ["10.0.0.0/8"] });
    const headers = { "X-Forwarded-For": "10.0.0.1" };
    expect((await call("GET", "/api/profile/user", undefined, key, headers)).status).toBe(403);
  });
});
