import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testApp, sampleDocument, type Caller, type TestApp } from "../helpers/app.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

const ALL = "/api/service-accounts";
const REFUSED = { error: expect.any(String) };
const UNTIL = "2040-01-01T00:00:00.000Z";

interface Account {
  id: number;
  login: string;
  key: string;
}

const make = (fields: object = {}) => server.must<Account>("POST", ALL, { expiresAt: UNTIL, ...fields });
const withKey = (key: string, method: string, path: string, body?: unknown) =>
  server.call("anon", method, path, body, { headers: { Authorization: `Bearer ${key}` } });

test("is created with a key, listed and described without", async () => {
  const { key, ...account } = await make({ label: "Loader", description: "nightly" });
  expect(key).toMatch(/^[0-9a-f]{40}$/);
  expect(account).toEqual({
    id: expect.any(Number),
    login: expect.stringMatching(/^[0-9a-f-]{36}@serviceaccounts\.invalid$/),
    label: "Loader",
    description: "nightly",
    expiresAt: UNTIL,
    hasValidKey: true,
  } as never);
  expect(await server.must("GET", `${ALL}/${account.id}`)).toEqual(account);
  expect(await server.must<unknown[]>("GET", ALL)).toContainEqual(account);
  expect((await server.call("stranger", "GET", ALL)).body).toEqual([]);
});

describe("creation", () => {
  test.each<[as: Caller, body: unknown, status: number, answer: object]>([
    ["viewer", { expiresAt: "2001-02-03" }, 200, { expiresAt: "2001-02-03T00:00:00.000Z", hasValidKey: true }],
    ["viewer", { expiresAt: "2030-01-01T01:00:00+01:00" }, 200, { expiresAt: "2030-01-01T00:00:00.000Z" }],
    ["viewer", { expiresAt: UNTIL }, 200, { label: "", description: "" }],
    ["viewer", { expiresAt: UNTIL, label: "", description: "" }, 200, { label: "", description: "" }],
    ["viewer", {}, 400, REFUSED],
    ["viewer", undefined, 400, REFUSED],
    ["viewer", [], 400, REFUSED],
    ["viewer", { expiresAt: null }, 400, REFUSED],
    ["viewer", { expiresAt: "" }, 400, REFUSED],
    ["viewer", { expiresAt: "soon" }, 400, REFUSED],
    ["viewer", { expiresAt: 1_900_000_000_000 }, 400, REFUSED],
    ["viewer", { expiresAt: UNTIL, label: 5 }, 400, REFUSED],
    ["viewer", { expiresAt: UNTIL, description: null }, 400, REFUSED],
    ["viewer", { expiresAt: UNTIL, extra: true }, 400, REFUSED],
    ["anon", { expiresAt: UNTIL }, 401, REFUSED],
    ["badkey", { expiresAt: UNTIL }, 401, REFUSED],
  ])("as %s with %j → %i", async (as, body, status, answer) => {
    const reply = await server.call(as, "POST", ALL, body);
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject(answer);
  });
});

describe("change", () => {
  test.each<[body: unknown, status: number, after: object]>([
    [{ label: "b" }, 200, { label: "b", description: "x", expiresAt: UNTIL }],
    [{ label: "", description: "y" }, 200, { label: "a", description: "y" }],
    [{ expiresAt: "2041-05-06" }, 200, { expiresAt: "2041-05-06T00:00:00.000Z" }],
    [{}, 200, { label: "a", description: "x" }],
    [undefined, 200, { label: "a", description: "x" }],
    [{ nothing: 1 }, 400, { label: "a" }],
    [{ label: "b", nothing: 1 }, 400, { label: "a" }],
    [{ label: "b", expiresAt: "whenever" }, 400, { label: "a" }],
    [{ label: 5 }, 400, { label: "a" }],
    [{ expiresAt: null }, 400, { expiresAt: UNTIL }],
  ])("%j → %i", async (body, status, after) => {
    const { id } = await make({ label: "a", description: "x" });
    const reply = await server.call("owner", "PATCH", `${ALL}/${id}`, body);
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual(status === 200 ? null : expect.objectContaining(REFUSED));
    expect(await server.must<object>("GET", `${ALL}/${id}`)).toMatchObject(after);
  });
});

describe("access", () => {
  const paths: [method: string, path: (id: number | string) => string, body?: unknown][] = [
    ["GET", (id) => `${ALL}/${id}`],
    ["PATCH", (id) => `${ALL}/${id}`, { label: "x" }],
    ["DELETE", (id) => `${ALL}/${id}`],
    ["POST", (id) => `${ALL}/${id}/apikey`, {}],
    ["DELETE", (id) => `${ALL}/${id}/apikey`],
  ];
  test.each(paths)("%s", async (method, path, body) => {
    const { id, key } = await make();
    const status = async (as: Caller, of: number | string) => (await server.call(as, method, path(of), body)).status;
    expect(await status("stranger", id)).toBe(403);
    expect((await withKey(key, method, path(id), body)).status).toBe(403);
    expect(await status("anon", id)).toBe(401);
    expect(await status("badkey", id)).toBe(401);
    expect(await status("owner", 987_654_321)).toBe(404);
    expect(await status("owner", "abc")).toBe(400);
    expect(await status("owner", id)).toBe(200);
  });
});

describe("its key", () => {
  test("authenticates a user of its own, which can be shared with by its login", async () => {
    const { doc } = await sampleDocument(server);
    const { key, login } = await make();
    expect((await withKey(key, "GET", "/api/profile/user")).body).toMatchObject({ email: login, name: "" });
    expect((await withKey(key, "GET", `/api/docs/${doc}`)).status).toBe(403);
    await server.must("PATCH", `/api/docs/${doc}/access`, { delta: { users: { [login]: "editors" } } });
    expect((await withKey(key, "GET", `/api/docs/${doc}`)).body).toMatchObject({ access: "editors" });
    expect((await withKey(key, "POST", ALL, { expiresAt: UNTIL })).status).toBe(403);
  });

  test("is refused while the account is expired", async () => {
    const { id, key } = await make();
    const status = async () => (await withKey(key, "GET", "/api/orgs")).status;
    expect(await status()).toBe(200);
    await server.must("PATCH", `${ALL}/${id}`, { expiresAt: "2001-01-01" });
    expect(await status()).toBe(401);
    await server.must("PATCH", `${ALL}/${id}`, { expiresAt: UNTIL });
    expect(await status()).toBe(200);
  });

  test("is replaced, deleted, and gone with the account", async () => {
    const { id, key } = await make();
    const renewed = await server.must<Account>("POST", `${ALL}/${id}/apikey`, {});
    expect(renewed).toMatchObject({ id, hasValidKey: true });
    expect((await withKey(key, "GET", "/api/orgs")).status).toBe(401);
    expect((await withKey(renewed.key, "GET", "/api/orgs")).status).toBe(200);
    for (let times = 0; times < 2; times++) {
      expect(await server.must("DELETE", `${ALL}/${id}/apikey`)).toBeNull();
      expect((await withKey(renewed.key, "GET", "/api/orgs")).status).toBe(401);
      expect(await server.must<object>("GET", `${ALL}/${id}`)).toMatchObject({ hasValidKey: false });
    }
    const last = await server.must<Account>("POST", `${ALL}/${id}/apikey`, {});
    expect(await server.must("DELETE", `${ALL}/${id}`)).toBeNull();
    expect((await withKey(last.key, "GET", "/api/orgs")).status).toBe(401);
    expect((await server.call("owner", "GET", `${ALL}/${id}`)).status).toBe(404);
    expect((await server.call("owner", "DELETE", `${ALL}/${id}`)).status).toBe(404);
  });
});
