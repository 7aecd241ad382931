import { afterAll, beforeAll, expect, test } from "bun:test";
import { serializeSessionCookie } from "../../src/lib/network/session-cookie.ts";
import { startSession } from "../../src/services/accounts/sign-in.ts";
import { USERS, testApp, type Caller, type TestApp } from "../helpers/app.ts";
import { BROWSER } from "../helpers/users.ts";

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
  const { token } = startSession(ctx, ctx.home.users.byEmail(USERS.editor.email)?.id ?? 0, BROWSER);
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

interface Listed {
  readonly sessions: { readonly id: string; readonly isCurrent: boolean }[];
}

const SESSIONS = "/api/profile/sessions";

/** Starts a session, and returns how to call with it. */
function signedIn(email: string) {
  const { ctx } = server.app;
  const { token } = startSession(ctx, ctx.home.users.byEmail(email)?.id ?? 0, BROWSER);
  // Browsers show with this header that a page of this server has sent the request.
  const headers = { Cookie: cookie(token), "X-Requested-With": "XMLHttpRequest" };
  return (method: string, path: string) => server.call("anon", method, path, undefined, { headers });
}

test("sessions are listed and ended by their user, without a key", async () => {
  const [first, second, third] = [1, 2, 3].map(() => signedIn(USERS.viewer.email));
  if (!first || !second || !third) throw new Error("no sessions");
  const list = async (call: typeof first) => (await call("GET", SESSIONS)).body as Listed;
  const ownId = async (call: typeof first) => (await list(call)).sessions.find(({ isCurrent }) => isCurrent)?.id ?? "";
  const statuses = async () => [
    (await first("GET", SESSIONS)).status,
    (await second("GET", SESSIONS)).status,
    (await third("GET", SESSIONS)).status,
  ];
  expect((await list(first)).sessions).toHaveLength(3);
  const other = signedIn(USERS.stranger.email);
  expect((await other("DELETE", `${SESSIONS}/${await ownId(first)}`)).body).toMatchObject({
    details: { code: "session.not_found" },
  });
  expect((await first("DELETE", `${SESSIONS}/${await ownId(second)}`)).body).toEqual({ success: true });
  expect(await statuses()).toEqual([200, 401, 200]);
  expect((await third("DELETE", SESSIONS)).body).toEqual({ success: true });
  expect(await statuses()).toEqual([401, 401, 200]);
  expect((await list(other)).sessions).toHaveLength(1);
});

test.each<[as: Caller, method: string, path: string, status: number]>([
  ["owner", "GET", SESSIONS, 403],
  ["owner", "DELETE", SESSIONS, 403],
  ["owner", "DELETE", `${SESSIONS}/abc`, 403],
  ["anon", "GET", SESSIONS, 401],
  ["anon", "DELETE", SESSIONS, 401],
])("%s %s %s → %i", async (as, method, path, status) => {
  expect((await server.call(as, method, path)).status).toBe(status);
});

test("a session of another origin is not accepted", async () => {
  const { ctx } = server.app;
  const { token } = startSession(ctx, ctx.home.users.byEmail(USERS.viewer.email)?.id ?? 0, BROWSER);
  const headers = { Cookie: cookie(token), Origin: "https://evil.example", "X-Requested-With": "XMLHttpRequest" };
  expect((await server.call("anon", "DELETE", SESSIONS, undefined, { headers })).status).toBe(401);
});
