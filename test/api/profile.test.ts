import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { USERS, testApp, type Caller, type TestApp } from "../helpers/app.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

const NAME = "/api/profile/user/name";
const LOCALE = "/api/profile/user/locale";
const KEY = "/api/profile/apikey";
const REFUSED = { error: expect.any(String) };

/** Caller, method, path, body → status, body. */
type Row = [as: Caller, method: string, path: string, body: unknown, status: number, answer: unknown];

describe("profile and name", () => {
  const rows: Row[] = [
    ["editor", "GET", "/api/profile/user", undefined, 200, { ...USERS.editor, picture: null }],
    ["editor", "GET", "/API/Profile/User/", undefined, 200, USERS.editor],
    ["anon", "GET", "/api/profile/user", undefined, 200, { name: "Anonymous", anonymous: true }],
    ["badkey", "GET", "/api/profile/user", undefined, 401, REFUSED],
    ["editor", "POST", NAME, { name: "Émile E." }, 200, "OK"],
    ["editor", "GET", "/api/profile/user", undefined, 200, { name: "Émile E." }],
    ["editor", "POST", NAME, {}, 400, REFUSED],
    ["editor", "POST", NAME, undefined, 400, REFUSED],
    ["editor", "POST", NAME, { name: "" }, 400, REFUSED],
    ["editor", "POST", NAME, { name: null }, 400, REFUSED],
    ["editor", "POST", NAME, { name: 5 }, 400, REFUSED],
    ["editor", "POST", NAME, ["name"], 400, REFUSED],
    ["editor", "GET", "/api/profile/user", undefined, 200, { name: "Émile E." }],
    ["anon", "POST", NAME, { name: "Nobody" }, 401, REFUSED],
    ["badkey", "POST", NAME, { name: "Nobody" }, 401, REFUSED],
    ["editor", "POST", LOCALE, { locale: "de-CH" }, 200, "OK"],
    ["editor", "GET", "/api/profile/user", undefined, 200, { locale: "de-CH" }],
    ["editor", "POST", LOCALE, { locale: 5 }, 400, REFUSED],
    ["editor", "GET", "/api/profile/user", undefined, 200, { locale: "de-CH" }],
    ["editor", "POST", LOCALE, { locale: null }, 200, "OK"],
    ["anon", "POST", LOCALE, { locale: "de" }, 401, REFUSED],
  ];
  test.each(rows)("%s %s %s %j → %i", async (as, method, path, body, status, answer) => {
    const reply = await server.call(as, method, path, body);
    expect(reply.status).toBe(status);
    if (typeof answer === "object") expect(reply.body).toMatchObject(answer as object);
    else expect(reply.body).toBe(answer);
  });

  test("a locale removed by null or by an absent value is no longer returned", async () => {
    await server.call("editor", "POST", LOCALE, { locale: "fr" });
    await server.call("editor", "POST", LOCALE);
    expect((await server.call("editor", "GET", "/api/profile/user")).body).not.toHaveProperty("locale");
  });
});

describe("the API key", () => {
  const withKey = (key: string, method: string, path: string, body?: unknown) =>
    server.call("anon", method, path, body, { headers: { Authorization: `Bearer ${key}` } });

  const rows: Row[] = [
    ["anon", "GET", KEY, undefined, 200, ""],
    ["badkey", "GET", KEY, undefined, 401, REFUSED],
    ["viewer", "POST", KEY, {}, 400, REFUSED],
    ["viewer", "POST", KEY, undefined, 400, REFUSED],
    ["viewer", "POST", KEY, { force: false }, 400, REFUSED],
    ["viewer", "POST", KEY, { force: "yes" }, 400, REFUSED],
    ["anon", "POST", KEY, {}, 401, REFUSED],
    ["anon", "DELETE", KEY, undefined, 401, REFUSED],
    ["badkey", "DELETE", KEY, undefined, 401, REFUSED],
    ["viewer", "GET", "/api/profile/user", undefined, 200, USERS.viewer],
  ];
  test.each(rows)("%s %s %s %j → %i", async (as, method, path, body, status, answer) => {
    const reply = await server.call(as, method, path, body);
    expect(reply.status).toBe(status);
    if (typeof answer === "object") expect(reply.body).toMatchObject(answer as object);
    else expect(reply.body).toBe(answer);
  });

  test("is shown masked, replaced with force, and deleted", async () => {
    const old = server.keys.stranger;
    const shown = await server.call("stranger", "GET", KEY);
    expect(shown.headers.get("content-type")).toStartWith("text/plain");
    expect(shown.body).toBe(old.slice(0, 6) + "*".repeat(34));

    const made = await server.call("stranger", "POST", KEY, { force: true });
    expect(made.status).toBe(200);
    const key = String(made.body);
    expect(key).toMatch(/^[0-9a-f]{40}$/);
    expect((await withKey(old, "GET", "/api/profile/user")).status).toBe(401);
    expect((await withKey(key, "GET", "/api/profile/user")).body.email).toBe(USERS.stranger.email);

    const removed = await withKey(key, "DELETE", KEY);
    expect([removed.status, removed.body]).toEqual([200, "OK"]);
    expect((await withKey(key, "GET", "/api/profile/user")).status).toBe(401);
  });

  test.each(["Basic abc", "bearer KEY", "Bearer  KEY", "Bearer", "Bearer ", "KEY"])(
    "is not taken from %p",
    async (header) => {
      const headers = { Authorization: header.replace("KEY", server.keys.owner) };
      expect((await server.call("anon", "GET", "/api/profile/user", undefined, { headers })).status).toBe(401);
    },
  );
});

describe("labelled keys", () => {
  const KEYS = "/api/profile/keys";
  // The other keys were revoked above.
  let fresh: TestApp;
  beforeAll(async () => {
    fresh = await testApp();
  });
  afterAll(() => fresh[Symbol.asyncDispose]());
  const as = (key: string, method = "GET", path = KEYS, body?: unknown) =>
    fresh.call("anon", method, path, body, { headers: { Authorization: `Bearer ${key}` } });

  test("are created in addition to others, shown once, listed with their last use, and deleted one by one", async () => {
    const made = await fresh.call("viewer", "POST", KEYS, { label: "stock" });
    expect(made.status).toBe(200);
    const { id, label, key } = made.body as { id: number; label: string; key: string };
    expect([label, key]).toEqual(["stock", expect.stringMatching(/^[0-9a-f]{40}$/)]);
    const listed = await as(key);
    expect(listed.body.keys).toEqual([
      expect.objectContaining({ label: null }),
      {
        id,
        label: "stock",
        prefix: key.slice(0, 6),
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        lastUsedAt: expect.stringMatching(/Z$/),
        lastUsedAddress: "127.0.0.1",
        useCount: 1,
        expiresAt: null,
        scopes: null,
        restrictions: null,
        networks: null,
      },
    ]);
    expect(JSON.stringify(listed.body)).not.toContain(key);
    expect((await fresh.call("editor", "DELETE", `${KEYS}/${id}`)).status).toBe(404);
    expect((await as(key)).status).toBe(200);
    expect(await fresh.call("viewer", "DELETE", `${KEYS}/${id}`)).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await as(key)).status).toBe(401);
    expect((await fresh.call("viewer", "DELETE", `${KEYS}/${id}`)).status).toBe(404);
  });

  test.each([
    ["a label that is taken", "viewer", { label: "twice" }, 400],
    ["an empty label", "viewer", { label: "" }, 400],
    ["a blank label", "viewer", { label: "  " }, 400],
    ["no label", "viewer", {}, 400],
    ["a label that is too long", "viewer", { label: "x".repeat(101) }, 400],
    ["nobody", "anon", { label: "x" }, 401],
    ["a wrong key", "badkey", { label: "x" }, 401],
  ] as const)("are refused for %s", async (_, who, body, status) => {
    if ("label" in body && body.label === "twice") await fresh.call("viewer", "POST", KEYS, body);
    const labels = async () =>
      ((await fresh.call("viewer", "GET", KEYS)).body as { keys: { label: unknown }[] }).keys.map(({ label }) => label);
    const before = await labels();
    expect(await fresh.call(who, "POST", KEYS, body)).toMatchObject({ status, body: REFUSED });
    expect(await labels()).toEqual(before);
  });

  test("are limited in number", async () => {
    for (let at = 1; at < 100; at++) await fresh.call("stranger", "POST", KEYS, { label: `key ${at}` });
    const { body } = await fresh.call("stranger", "POST", KEYS, { label: "one more" });
    expect(body.error).toContain("100 keys");
    expect((await fresh.call("stranger", "DELETE", `${KEYS}/x`)).status).toBe(400);
  });
});
