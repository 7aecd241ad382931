import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { guardSignedIn } from "../../../src/services/access/guards.ts";
import { insertKey } from "../../../src/services/accounts/keys.ts";
import { type Caller, testApp, type TestApp } from "../../helpers/app.ts";
import { callWithToken, createToken } from "../../helpers/end-users.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const EVE = { email: "eve@app.example", role: "viewers" };
const HOUR_MS = 3_600_000;

describe("a body", () => {
  test.each<[body: unknown, status: number]>([
    [EVE, 200],
    [{ ...EVE, role: "editors" }, 200],
    [{ ...EVE, expiresIn: 1 }, 200],
    [{ ...EVE, expiresIn: 86_400 }, 200],
    [{ ...EVE, origins: ["https://app.example", "http://localhost:3000"] }, 200],
    [{ ...EVE, role: "owners" }, 400],
    [{ ...EVE, role: "guests" }, 400],
    [{ role: "viewers" }, 400],
    [{ email: EVE.email }, 400],
    [{ ...EVE, email: "eve" }, 400],
    [{ ...EVE, email: "" }, 400],
    [{ ...EVE, email: `${"e".repeat(250)}@app.example` }, 400],
    [{ ...EVE, email: "anon@getgrist.com" }, 400],
    [{ ...EVE, email: "Everyone@getgrist.com" }, 400],
    [{ ...EVE, expiresIn: 0 }, 400],
    [{ ...EVE, expiresIn: -5 }, 400],
    [{ ...EVE, expiresIn: 1.5 }, 400],
    [{ ...EVE, expiresIn: 86_401 }, 400],
    [{ ...EVE, expiresIn: null }, 400],
    [{ ...EVE, origins: [] }, 400],
    [{ ...EVE, origins: ["*"] }, 400],
    [{ ...EVE, origins: ["https://app.example/"] }, 400],
    [{ ...EVE, origins: ["https://app.example/path"] }, 400],
    [{ ...EVE, origins: ["HTTPS://app.example"] }, 400],
    [{ ...EVE, origins: ["null"] }, 400],
    [{ ...EVE, origins: ["file:///tmp"] }, 400],
    [{ ...EVE, origins: Array.from({ length: 21 }, (_, i) => `https://a${i}.example`) }, 400],
    [{ ...EVE, documents: ["other"] }, 400],
    [[], 400],
  ])("%j → %i", async (body, status) => {
    const reply = await server.call("owner", "POST", `${place.doc}/tokens`, body);
    expect(reply.status).toBe(status);
    if (status === 200) expect(Object.keys(reply.body)).toEqual(["token", "expiresAt"]);
    else expect(reply.body.details.code).toBe("payload.invalid");
  });
});

describe("as", () => {
  test.each<[as: Caller, status: number, code: string | null]>([
    ["owner", 200, null],
    ["editor", 403, "access.owner_required"],
    ["viewer", 403, "access.owner_required"],
    ["stranger", 403, "access.view_denied"],
    ["anon", 403, "access.view_denied"],
    ["badkey", 401, "auth.key_invalid"],
  ])("%s → %i", async (as, status, code) => {
    const reply = await server.call(as, "POST", `${place.doc}/tokens`, EVE);
    expect([reply.status, reply.body.details?.code ?? null]).toEqual([status, code]);
  });

  test("the owner with a session: refused, as a token ends with its key", async () => {
    await using proxied = await testApp({ flags: { "forward-auth-header": "X-User", "trusted-proxies": "0.0.0.0/0" } });
    const doc = await createSharedFixture(proxied);
    const headers = { "X-User": "olga@example.com" };
    const reply = await proxied.call("anon", "POST", `${doc.doc}/tokens`, EVE, { headers });
    expect([reply.status, reply.body.details?.code]).toEqual([403, "access.key_required"]);
  });

  test("a service account that owns the document", async () => {
    const { key, login } = await server.must<{ key: string; login: string }>("POST", "/api/service-accounts", {
      expiresAt: "2040-01-01",
    });
    await server.must("PATCH", `${place.doc}/access`, { delta: { users: { [login]: "owners" } } });
    const reply = await callWithToken(server, key, ["POST", `${place.doc}/tokens`, EVE]);
    expect(reply.status).toBe(200);
    const read = await callWithToken(server, reply.body.token, ["GET", `${place.doc}/tables`]);
    expect(read.status).toBe(200);
  });

  test("an end user: a token creates no tokens", async () => {
    const token = await createToken(server, place.doc);
    const reply = await callWithToken(server, token, ["POST", `${place.doc}/tokens`, EVE]);
    expect([reply.status, reply.body.details.code]).toEqual([403, "access.token_denied"]);
  });
});

describe("the lifetime", () => {
  test("is one hour by default", async () => {
    const before = Date.now();
    const { body } = await server.call("owner", "POST", `${place.doc}/tokens`, EVE);
    const expiresAt = Date.parse(body.expiresAt);
    expect(expiresAt).toBeGreaterThanOrEqual(before + HOUR_MS);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + HOUR_MS);
  });

  test("ends with the key", async () => {
    const { ctx } = server.app;
    const keyExpiresAt = Date.now() + 60_000;
    const { userId } = guardSignedIn(actorForCommand(ctx, "olga@example.com")).actor;
    const key = ctx.home.transaction(() => insertKey(ctx, userId, { label: "brief", expiresAt: keyExpiresAt }));
    const reply = await callWithToken(server, key, ["POST", `${place.doc}/tokens`, EVE]);
    expect(Date.parse(reply.body.expiresAt)).toBe(keyExpiresAt);
  });
});

test("documents that are disabled or in the trash get no tokens", async () => {
  const doc = `${place.shelf}/docs`;
  const uuid = await server.must<string>("POST", doc, { name: "Old" });
  await server.must("POST", `/o/docs/api/docs/${uuid}/remove`);
  const reply = await server.call("owner", "POST", `/o/docs/api/docs/${uuid}/tokens`, EVE);
  expect([reply.status, reply.body.details.code]).toEqual([404, "document.not_found"]);
});
