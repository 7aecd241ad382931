import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { guardSignedIn } from "../../../src/services/access/guards.ts";
import { insertKey } from "../../../src/services/accounts/keys.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { SECOND, TestTimers } from "../../helpers/clock.ts";
import { callWithToken, createToken } from "../../helpers/end-users.ts";
import { type EventReader, subscribe } from "../../helpers/event-reader.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  place = await createSharedFixture(server);
});

const follow = (token: string, headers: Record<string, string> = {}): Promise<EventReader> =>
  subscribe(server, "anon", place.doc, { headers: { Authorization: `Bearer ${token}`, ...headers } });

async function followNow(token: string): Promise<EventReader> {
  const reader = await follow(token);
  expect(reader.status).toBe(200);
  await reader.until("ready");
  return reader;
}

const add = (token: string) =>
  callWithToken(server, token, ["POST", `${place.doc}/tables/Table1/records`, { records: [{ fields: {} }] }]);

test("an end user follows the changes, with the addresses of their authors", async () => {
  const token = await createToken(server, place.doc, { email: "eve@app.example" });
  await using reader = await followNow(token);
  await add(token);
  expect((await reader.until("change")).data).toMatchObject({
    user: { id: null, email: "eve@app.example", name: null },
    tables: [{ table: "Table1", added: [1] }],
  });
  // End users do not learn which addresses have an account.
  await server.must("POST", `${place.doc}/tables/Table1/records`, { records: [{ fields: {} }] });
  expect((await reader.until("change")).data.user).toEqual({ id: null, email: "olga@example.com", name: null });
});

test("viewers see no authors", async () => {
  await using reader = await followNow(await createToken(server, place.doc, { role: "viewers" }));
  await server.must("POST", `${place.doc}/tables/Table1/records`, { records: [{ fields: {} }] });
  expect((await reader.until("change")).data.user).toBeNull();
});

describe("a stream is refused", () => {
  test("without the scope, and from another origin", async () => {
    await using unscoped = await follow(await createToken(server, place.doc, { scopes: ["schema:read"] }));
    expect(unscoped.status).toBe(403);
    const origins = ["https://app.example"];
    const token = await createToken(server, place.doc, { origins });
    await using foreign = await follow(token, { Origin: "https://foreign.example" });
    expect(foreign.status).toBe(403);
    await using own = await follow(token, { Origin: "https://app.example" });
    expect([own.status, own.headers.get("access-control-allow-origin")]).toEqual([200, "https://app.example"]);
  });
});

describe("a stream ends", () => {
  const addKey = (label: string): { id: number; key: string } => {
    const { ctx } = server.app;
    const { userId } = guardSignedIn(actorForCommand(ctx, "olga@example.com")).actor;
    const key = ctx.home.transaction(() => insertKey(ctx, userId, { label: `${place.uuid} ${label}` }));
    return { id: Math.max(...ctx.home.keys.listOf(userId).map(({ id }) => id)), key };
  };
  const tokenOf = async (key: string): Promise<string> => {
    const body = { email: "eve@app.example", role: "viewers" };
    const { body: created } = await callWithToken(server, key, ["POST", `${place.doc}/tokens`, body]);
    return (created as { token: string }).token;
  };

  test("when the key is revoked, also while the document is idle; those of other keys go on", async () => {
    const { id, key } = addKey("first");
    await using reader = await followNow(await tokenOf(key));
    await using other = await followNow(await tokenOf(addKey("second").key));
    await server.must("DELETE", `/api/profile/keys/${id}`);
    expect(await reader.next()).toMatchObject({ event: "end", data: { reason: "signedOut" } });
    expect(await reader.next()).toBeNull();
    await server.must("POST", `${place.doc}/tables/Table1/records`, { records: [{ fields: {} }] });
    expect((await other.next())?.event).toBe("change");
  });

  test("when the token expires, without a heartbeat", async () => {
    const timers = new TestTimers();
    await using timed = await testApp({ clock: timers.clock, timers });
    const { doc } = await createSharedFixture(timed);
    const token = await createToken(timed, doc, { expiresIn: 90 });
    const headers = { Authorization: `Bearer ${token}` };
    await using reader = await subscribe(timed, "anon", doc, { headers });
    await reader.until("ready");
    // Delayed writes change the home database, so that access is checked again: they come first.
    timers.pass(80 * SECOND);
    timers.pass(SECOND);
    timers.pass(SECOND);
    timers.pass(8 * SECOND);
    expect(await reader.next()).toMatchObject({ event: "end", data: { reason: "signedOut" } });
    expect([await reader.next(), reader.heartbeats]).toEqual([null, 0]);
  });

  test("when the user of the key no longer owns the document", async () => {
    const owner = await server.must<{ key: string; login: string }>("POST", "/api/service-accounts", {
      expiresAt: "2040-01-01",
    });
    const share = (role: string) =>
      server.must("PATCH", `${place.doc}/access`, { delta: { users: { [owner.login]: role } } });
    await share("owners");
    await using reader = await followNow(await tokenOf(owner.key));
    await share("editors");
    expect(await reader.next()).toMatchObject({ event: "end", data: { reason: "signedOut" } });
  });
});
