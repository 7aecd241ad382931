/** Whose changes count, which keys may undo, and refusals. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { startSession } from "../../../src/services/accounts/sign-in.ts";
import { setRules } from "../../helpers/access-rules.ts";
import { testApp, type TestApp, USERS } from "../../helpers/app.ts";
import { callWithToken, createToken } from "../../helpers/end-users.ts";
import { NOWHERE } from "../../helpers/limited-keys.ts";
import { type UndoSetting, undoSetting } from "./setting.ts";

let server: TestApp;
let setting: UndoSetting;
let since: number;

beforeAll(async () => {
  server = await testApp({ flags: { "history-states": "20" } });
});
afterAll(() => server[Symbol.asyncDispose]());

async function fresh(): Promise<void> {
  setting = await undoSetting(server);
  since = await setting.newest();
}

const update = (by: string, row: number, fields: object, table = "People") =>
  setting.make([[by, "UpdateRecord", table, row, fields]]);

test("a time means the last state at or before it", async () => {
  await fresh();
  const before = new Date(Date.now() - 3_600_000).toISOString();
  await update("own", 1, { Age: 31 });
  const { body } = await setting.undo("own", { since: new Date(Date.now() + 60_000).toISOString() });
  expect(body).toMatchObject({ since: since + 1, counts: { cells: 0 } });
  expect((await setting.undo("own", { since: before })).body).toMatchObject({ since: 0, counts: { cells: 1 } });
  expect((await setting.undo("own", { since: String(since) })).body).toMatchObject({ since, counts: { cells: 1 } });
  expect((await setting.undo("own", { since: 0 })).body.counts).toMatchObject({ cells: 1 });
});

test.each([
  [{ since: "yesterday" }, 400, "since.invalid"],
  [{ since: "2026-01-31" }, 400, "since.invalid"],
  [{ since: 9999 }, 404, "state.not_found"],
  [{ since: -1 }, 400, "payload.invalid"],
  [{ since: 1.5 }, 400, "payload.invalid"],
  [{}, 400, "payload.invalid"],
  [{ since: 0, planId: 7 }, 400, "payload.invalid"],
  [{ since: 0, planId: "" }, 400, "payload.invalid"],
  [{ since: 0, planId: "0123456789abcdef" }, 409, "undo.plan_changed"],
])("%j is refused with %d %s", async (body, status, code) => {
  await fresh();
  await update("own", 1, { Age: 31 });
  const reply = await setting.undo("own", body);
  expect([reply.status, reply.body.details.code]).toEqual([status, code]);
  expect(await setting.newest()).toBe(since + 1);
});

test("a history that no longer has the state", async () => {
  await fresh();
  for (let age = 0; age < 40; age++) await update("own", 1, { Age: age });
  const reply = await setting.undo("own", { since });
  expect([reply.status, reply.body.details.code]).toEqual([404, "state.pruned"]);
  const { oldestState } = reply.body.details;
  expect((await setting.undo("own", { since: oldestState - 1 })).status).toBe(404);
  expect((await setting.undo("own", { since: oldestState })).body.counts).toMatchObject({ cells: 1 });
});

test("a plan is applied only as long as it is the same", async () => {
  await fresh();
  await update("own", 1, { Age: 31 });
  await update("own", 2, { Age: 41 });
  const { planId } = (await setting.undo("own", { since })).body;
  // Changes elsewhere do not matter.
  await update("editor", 3, { Age: 51 });
  expect((await setting.undo("own", { since })).body.planId).toBe(planId);
  await update("editor", 2, { Age: 42 });
  const before = await setting.newest();
  const refused = await setting.undo("own", { since, planId });
  expect([refused.status, refused.body.details.code]).toEqual([409, "undo.plan_changed"]);
  expect(await setting.newest()).toBe(before);
  const { plan } = refused.body.details;
  expect(plan).toMatchObject({ isApplied: false, counts: { cells: 1, conflicts: 1 } });
  // Neither another key nor another state has this plan.
  expect((await setting.undo("second", { since, planId: plan.planId })).status).toBe(409);
  expect((await setting.undo("own", { since: since - 1, planId: plan.planId })).status).toBe(409);
  expect((await setting.undo("own", { since, planId: plan.planId })).body).toMatchObject({
    isApplied: true,
    state: before + 1,
  });
});

test("the history attributes an undo to the key, with a note; its user undoes it like any change", async () => {
  await fresh();
  await update("own", 1, { Age: 31 });
  const { planId } = (await setting.undo("own", { since })).body;
  const { state } = (await setting.undo("own", { since, planId })).body;
  const { states } = await server.must<{ states: { n: number; note: string; key: { label: string } }[] }>(
    "GET",
    `${setting.doc}/history`,
  );
  expect(states[0]).toMatchObject({ n: state, note: `Undid own changes since state ${since}` });
  expect(states[0]?.key).toEqual(states[1]?.key as never);
  expect(states[0]?.key.label).toMatch(/^limited/);
  await server.must("POST", `${setting.doc}/states/${state}/undo`);
  expect((await setting.rows("People"))[1]).toMatchObject({ Age: 31 });
});

test("sessions and keys undo their own changes, end users none", async () => {
  await fresh();
  const { ctx } = server.app;
  const { userId } = actorForCommand(ctx, USERS.owner.email);
  const browser = { address: "192.0.2.1", userAgent: "", device: null };
  const { token: cookie } = ctx.home.transaction(() => startSession(ctx, userId, browser));
  const session = { Cookie: `quern_session=${cookie}`, "X-Requested-With": "XMLHttpRequest" };
  const bySession = (method: string, path: string, body: object) =>
    server.call("anon", method, `${setting.doc}${path}`, body, { headers: session });
  await update("second", 2, { Age: 9 });
  const token = await createToken(server, setting.doc, { email: "eve@app.example" });
  const byToken = (method: string, path: string, body: object) =>
    callWithToken(server, token, [method, `${setting.doc}${path}`, body]);
  const callers = [
    [1, bySession],
    [3, (method: string, path: string, body: object) => server.call("owner", method, `${setting.doc}${path}`, body)],
  ] as const;
  for (const [row, call] of callers) {
    const records = [{ id: row, fields: { Age: 9 } }];
    expect((await call("PATCH", "/tables/People/records", { records })).status).toBe(200);
  }
  const ofEndUser = { records: [{ id: 2, fields: { Name: "Eve" } }] };
  expect((await byToken("PATCH", "/tables/People/records", ofEndUser)).status).toBe(200);
  const refused = await byToken("POST", "/undo-changes", { since });
  expect([refused.status, refused.body.details.code]).toEqual([403, "access.token_denied"]);
  for (const [row, call] of callers) {
    const { status, body } = await call("POST", "/undo-changes", { since });
    expect([status, body.cells]).toEqual([200, [{ table: "People", row, column: "Age", from: 9, to: 20 + 10 * row }]]);
  }
});

test("callers who may not write records get no plan", async () => {
  await fresh();
  const documents = [setting.doc.split("/").at(-1) ?? ""];
  setting.addKey("reading", "owner", { scopes: ["records:read", "history:read"] });
  setting.addKey("writing", "owner", { scopes: ["records:write"], restrictions: { ...NOWHERE, documents } });
  const statusOf = async (by: string) => (await setting.undo(by, { since })).status;
  expect(await statusOf("viewer")).toBe(403);
  expect(await statusOf("stranger")).toBe(403);
  expect(await statusOf("reading")).toBe(403);
  expect(await statusOf("writing")).toBe(200);
  await update("editor", 1, { Age: 31 });
  await setRules(server, setting.doc, { "*:*": [{ formula: "user.Access != OWNER", permissions: "-UCD" }] });
  expect((await setting.undo("editor", { since })).body).toMatchObject({
    counts: { cells: 0, conflicts: 1 },
    conflicts: [{ table: "People", row: 1, column: "Age", reason: "not_permitted" }],
  });
});

test("an Idempotency-Key repeats the answer, and never a refusal because of another plan", async () => {
  await fresh();
  await update("own", 1, { Age: 31 });
  const { planId } = (await setting.undo("own", { since })).body;
  const key = { "Idempotency-Key": "undo-1" };
  const first = await setting.undo("own", { since, planId }, key);
  expect(first.body).toMatchObject({ isApplied: true, counts: { cells: 1 } });
  const second = await setting.undo("own", { since, planId }, key);
  expect([second.headers.get("Idempotency-Replayed"), second.body]).toEqual(["true", first.body]);
  expect(await setting.newest()).toBe(first.body.state);
  const other = { "Idempotency-Key": "undo-2" };
  const refused = await setting.undo("own", { since, planId }, other);
  expect([refused.status, refused.headers.get("Idempotency-Replayed")]).toEqual([409, null]);
  await update("own", 1, { Age: 31 });
  expect((await setting.undo("own", { since, planId }, other)).body).toMatchObject({ isApplied: true });
});
