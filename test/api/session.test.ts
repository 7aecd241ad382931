import { afterAll, beforeAll, expect, test } from "bun:test";
import { serializeSessionCookie } from "../../src/lib/network/session-cookie.ts";
import { startSession } from "../../src/services/accounts/sign-in.ts";
import { USERS, testApp, type Caller, type TestApp } from "../helpers/app.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

const ACTIVE = "/api/session/access/active";
const ALL = "/api/session/access/all";
const REFUSED = { error: expect.any(String) };

test.each<[as: Caller, method: string, path: string, body: unknown, status: number, answer: unknown]>([
  [
    "owner",
    "GET",
    ACTIVE,
    undefined,
    200,
    { user: USERS.owner, org: { domain: "team", access: "owners", owner: null } },
  ],
  [
    "stranger",
    "GET",
    ACTIVE,
    undefined,
    200,
    { user: USERS.stranger, org: null, orgError: { ...REFUSED, status: 403 } },
  ],
  ["anon", "GET", ACTIVE, undefined, 200, { user: { anonymous: true }, org: null, orgError: { status: 403 } }],
  ["owner", "GET", `/o/nowhere${ACTIVE}`, undefined, 200, { org: null, orgError: { status: 404 } }],
  ["owner", "GET", `/o/docs${ACTIVE}`, undefined, 200, { user: USERS.owner, org: null }],
  ["badkey", "GET", ACTIVE, undefined, 401, REFUSED],
  ["owner", "POST", ACTIVE, {}, 400, REFUSED],
  ["owner", "POST", ACTIVE, { email: 5 }, 400, REFUSED],
  ["owner", "POST", ACTIVE, { email: USERS.stranger.email }, 403, REFUSED],
  ["owner", "POST", ACTIVE, { email: USERS.owner.email }, 403, REFUSED],
  ["anon", "POST", ACTIVE, { email: USERS.owner.email }, 403, REFUSED],
  [
    "owner",
    "GET",
    ALL,
    undefined,
    200,
    { users: [USERS.owner], orgs: [{ id: 0, domain: "docs" }, { domain: "team" }] },
  ],
  ["stranger", "GET", ALL, undefined, 200, { users: [USERS.stranger], orgs: [{ id: 0, domain: "docs" }] }],
  ["anon", "GET", ALL, undefined, 200, { users: [{ anonymous: true }], orgs: [] }],
  ["badkey", "GET", ALL, undefined, 401, REFUSED],
])("%s %s %s %j → %i", async (as, method, path, body, status, answer) => {
  const reply = await server.call(as, method, path, body);
  expect(reply.status).toBe(status);
  expect(reply.body).toMatchObject(answer as object);
});

test("the active session shows whether the user administers the installation, and their preferences", async () => {
  const user = async (as: Caller) => (await server.call(as, "GET", ACTIVE)).body.user as Record<string, unknown>;
  expect((await user("owner")).isInstallAdmin).toBe(false);
  expect((await user("anon")).isInstallAdmin).toBe(false);
  expect(await user("owner")).not.toHaveProperty("prefs");
  await server.must("PATCH", "/api/orgs/current", { userPrefs: { theme: "dark" } });
  const { home } = server.app.ctx;
  const id = home.users.byEmail(USERS.owner.email)?.id ?? 0;
  home.transaction(() => home.users.change(id, { isAdmin: true }));
  expect(await user("owner")).toMatchObject({ isInstallAdmin: true, prefs: { theme: "dark" } });
  expect(await user("anon")).not.toHaveProperty("prefs");
});

/** Returns the cookie as a browser sends it back. */
const cookie = (token: string): string =>
  serializeSessionCookie(token, { maxAgeS: 60, secure: false }).split(";")[0] ?? "";

test("a session cookie allows to select the signed-in user, and no other", async () => {
  const { ctx } = server.app;
  const { token } = startSession(ctx, ctx.home.users.byEmail(USERS.editor.email)?.id ?? 0);
  const headers = { Cookie: cookie(token) };
  const as = (method: string, path: string, body?: unknown) => server.call("anon", method, path, body, { headers });
  expect((await as("GET", "/api/profile/user")).body).toMatchObject(USERS.editor);
  expect((await as("POST", ACTIVE, { email: USERS.editor.email })).status).toBe(200);
  expect((await as("POST", ACTIVE, { email: USERS.owner.email })).status).toBe(403);
});

test("a cookie without a session is anonymous", async () => {
  const headers = { Cookie: cookie("0".repeat(64)) };
  expect((await server.call("anon", "GET", "/api/profile/user", undefined, { headers })).body.anonymous).toBe(true);
});
