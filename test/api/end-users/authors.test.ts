/** An end user and an account with the same address are different authors of changes. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { startSession } from "../../../src/services/accounts/sign-in.ts";
import { testApp, type TestApp, USERS } from "../../helpers/app.ts";
import { createToken } from "../../helpers/end-users.ts";
import { limitedKey } from "../../helpers/limited-keys.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
let headers: Record<"session" | "profile" | "key" | "boss" | "bossAgain" | "eve", Readonly<Record<string, string>>>;

type Caller = keyof typeof headers;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  place = await createSharedFixture(server);
  const { ctx } = server.app;
  const { userId, email } = actorForCommand(ctx, USERS.owner.email);
  const browser = { address: "192.0.2.1", userAgent: "", device: null };
  const { token } = ctx.home.transaction(() => startSession(ctx, userId, browser));
  const bearer = (credentials: string) => ({ Authorization: `Bearer ${credentials}` });
  headers = {
    session: { Cookie: `quern_session=${token}`, "X-Requested-With": "XMLHttpRequest" },
    profile: bearer(server.keys.owner),
    key: bearer(limitedKey(server, "owner", {})),
    // Created with the profile key, for the address of its user.
    boss: bearer(await createToken(server, place.doc, { email })),
    bossAgain: bearer(await createToken(server, place.doc, { email: email.toUpperCase() })),
    eve: bearer(await createToken(server, place.doc)),
  };
});

const call = (by: Caller, method: string, path: string, body: unknown = {}) =>
  server.call("anon", method, `${place.doc}${path}`, body, { headers: headers[by] });

async function change(by: Caller): Promise<number> {
  const added = await call(by, "POST", "/tables/Table1/records", { records: [{ fields: { A: "x" } }] });
  expect(added.status).toBe(200);
  const { states } = await server.must<{ states: { n: number }[] }>("GET", `${place.doc}/states`);
  return states[0]?.n ?? 0;
}

test.each<[author: Caller, caller: Caller, status: number]>([
  ["session", "session", 200],
  ["session", "key", 200],
  ["profile", "session", 200],
  ["session", "boss", 403],
  ["profile", "boss", 403],
  ["key", "boss", 403],
  ["session", "eve", 403],
  ["boss", "boss", 200],
  ["boss", "bossAgain", 200],
  ["boss", "eve", 403],
  ["boss", "session", 403],
  ["boss", "profile", 403],
  ["boss", "key", 403],
  ["eve", "eve", 200],
  ["eve", "profile", 403],
])("a change by %s and its undo by %s: %d", async (author, caller, status) => {
  const state = await change(author);
  expect((await call(caller, "POST", `/states/${state}/undo`)).status).toBe(status);
  // A dry run tells no more.
  const tried = await call(caller, "POST", `/states/${state}/undo?dryrun=1`);
  if (status === 403) expect(tried.status).toBe(403);
});

test.each<[author: Caller, caller: Caller, removedRows: number]>([
  ["profile", "profile", 1],
  ["boss", "profile", 0],
  ["eve", "profile", 0],
  ["session", "session", 1],
  ["boss", "session", 0],
])("of the changes by %s, a plan for %s removes %d rows", async (author, caller, removedRows) => {
  const since = (await change("key")) - 1;
  await change(author);
  const { status, body } = await call(caller, "POST", "/undo-changes", { since });
  expect([status, body.counts]).toMatchObject([200, { removedRows, conflicts: 0 }]);
});
