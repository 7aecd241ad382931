/** Why the whole result of a live query is sent again, and why its stream ends. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { guardSignedIn } from "../../../src/services/access/guards.ts";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { setRules } from "../../helpers/access-rules.ts";
import { testApp, type TestApp, USERS } from "../../helpers/app.ts";
import { DAY, SECOND, TestTimers } from "../../helpers/clock.ts";
import { createToken } from "../../helpers/end-users.ts";
import { subscribe } from "../../helpers/event-reader.ts";
import { type LiveReader, openLive } from "../../helpers/live-reader.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

let timers: TestTimers;
let server: TestApp;
let place: DocumentFixture;
let orders: string;

beforeEach(async () => {
  timers = new TestTimers();
  server = await testApp({ timers, clock: timers.clock, flags: { "max-document-streams": "3" } });
  place = await createSharedFixture(server);
  orders = `${place.doc}/tables/Orders/records`;
  const due = { id: "Due", fields: { type: "Date" } };
  await server.must("POST", `${place.doc}/tables`, {
    tables: [
      { id: "Orders", columns: [{ id: "Item" }, { id: "Team" }, due] },
      { id: "Staff", columns: [{ id: "Mail" }, { id: "Team" }] },
    ],
  });
  const today = Math.floor(timers.clock.now() / DAY) * 86_400;
  await server.must("POST", orders, {
    records: [
      { fields: { Item: "Tea", Team: "red", Due: today } },
      { fields: { Item: "Pot", Team: "blue", Due: today + 86_400 } },
    ],
  });
  await server.must("POST", `${place.doc}/tables/Staff/records`, {
    records: [{ fields: { Mail: "vito@example.com", Team: "red" } }],
  });
});
afterEach(() => server[Symbol.asyncDispose]());

const ROW_RULES = {
  "*:*": [
    {
      userAttributes: JSON.stringify({ name: "Staff", tableId: "Staff", lookupColId: "Mail", charId: "Email" }),
    },
  ],
  "Orders:*": [{ formula: "user.Access != OWNER and rec.Team != user.Staff.Team", permissions: "none" }],
};
const apply = (...actions: unknown[]) => server.must("POST", `${place.doc}/apply`, actions);
const share = (role: string | null) =>
  server.must("PATCH", `${place.doc}/access`, { delta: { users: { [USERS.viewer.email]: role } } });

/** Shows whether a promise is settled. */
function settledOf(promise: Promise<unknown>): { readonly isSettled: boolean } {
  const state = { isSettled: false };
  const settle = (): void => void (state.isSettled = true);
  promise.then(settle, settle);
  return state;
}

/** Lets timers fire until the reader has an event: nothing takes longer than a second of the clock. */
async function within(reader: LiveReader, ms = SECOND): Promise<{ event: string; reason: unknown }> {
  const next = reader.next();
  const waiting = settledOf(next);
  for (let passed = 0; passed < ms && !waiting.isSettled; passed += 50) {
    timers.pass(50);
    for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  }
  const event = await next;
  return { event: event?.event ?? "end", reason: event?.data.reason };
}

const ids = (reader: LiveReader): number[] => reader.sorted().map(({ id }) => id);

/** Opens a live query, which needs timers to fire. */
async function opened(...args: Parameters<typeof openLive>): Promise<LiveReader> {
  const opening = openLive(...args);
  const waiting = settledOf(opening);
  while (!waiting.isSettled) {
    timers.pass(10);
    await new Promise(setImmediate);
  }
  const reader = await opening;
  if (reader.status === 200) await reader.next();
  return reader;
}

describe("a reset", () => {
  test.each<
    readonly [reason: string, Record<string, string>, change: () => Promise<unknown>, before: number[], after: number[]]
  >([
    ["rules", {}, () => setRules(server, place.doc, ROW_RULES), [1, 2], [1]],
    ["schema", {}, () => apply(["AddVisibleColumn", "Orders", "New", {}]), [1, 2], [1, 2]],
    ["schema", { fields: "Due" }, () => apply(["ModifyColumn", "Orders", "Due", { type: "Text" }]), [1, 2], [1, 2]],
    ["access", {}, () => share("editors"), [1, 2], [1, 2]],
    ["clock", { filter: '{"Due":{"eq":"today"}}' }, async () => timers.clock.pass(DAY), [1], [2]],
    ["clock", { filter: '{"Due":{"within":"next7days"}}' }, async () => timers.clock.pass(DAY), [1, 2], [2]],
  ])("%s %j", async (reason, query, change, before, after) => {
    await using reader = await opened(server, "viewer", orders, { query });
    expect(ids(reader)).toEqual(before);
    await change();
    expect(await within(reader)).toEqual({ event: "reset", reason });
    expect(ids(reader)).toEqual(after);
  });

  test("midnight is that of the document's time zone, and filters without such dates do not wait for it", async () => {
    await apply(["UpdateRecord", "_grist_DocInfo", 1, { timezone: "Asia/Tokyo" }]);
    await using reader = await opened(server, "viewer", orders, { query: { filter: '{"Due":{"eq":"today"}}' } });
    await using other = await opened(server, "viewer", orders, { query: { filter: '{"Due":{"lt":"2030-01-01"}}' } });
    // It is midnight in UTC, and nine in the morning in Tokyo.
    timers.clock.pass(15 * 3600 * SECOND - 5 * SECOND);
    await server.must("PATCH", orders, { records: [{ id: 1, fields: { Item: "Mug" } }] });
    expect(await within(reader)).toEqual({ event: "change", reason: undefined });
    expect(await within(other)).toEqual({ event: "change", reason: undefined });
    expect(await within(reader, 10 * SECOND)).toEqual({ event: "reset", reason: "clock" });
    expect(ids(reader)).toEqual([2]);
    await server.must("PATCH", orders, { records: [{ id: 1, fields: { Item: "Pan" } }] });
    expect(await within(other)).toEqual({ event: "change", reason: undefined });
  });

  test("a table in which rules look users up changes", async () => {
    await setRules(server, place.doc, ROW_RULES);
    await using reader = await opened(server, "viewer", orders);
    expect(ids(reader)).toEqual([1]);
    await apply(["UpdateRecord", "Staff", 1, { Team: "blue" }]);
    expect(await within(reader)).toEqual({ event: "reset", reason: "rules" });
    expect(ids(reader)).toEqual([2]);
  });

  test("the content of the document is replaced", async () => {
    const sourceDocId = await server.must<string>("POST", `${place.doc}/copy`, {
      workspaceId: place.shelfId,
      documentName: "Copy",
    });
    await using reader = await opened(server, "viewer", orders);
    await apply(["RemoveRecord", "Orders", 1]);
    await within(reader);
    await server.must("POST", `${place.doc}/replace`, { sourceDocId });
    expect(await within(reader)).toEqual({ event: "reset", reason: "replaced" });
    expect(ids(reader)).toEqual([1, 2]);
  });
});

describe("the stream is closed", () => {
  const stopping = async (): Promise<void> => server.app.ctx.signals.stop();
  test.each<readonly [reason: string, what: string, change: () => Promise<unknown>, status: number]>([
    ["access", "access is withdrawn", () => share(null), 403],
    [
      "access",
      "the table is hidden",
      () => setRules(server, place.doc, { "Orders:*": [{ formula: "user.Access != OWNER", permissions: "none" }] }),
      403,
    ],
    ["removed", "the document is in the trash", () => server.must("POST", `${place.doc}/remove`), 404],
    ["query", "a column of the filter is renamed", () => apply(["RenameColumn", "Orders", "Item", "Thing"]), 400],
    ["query", "a column of the filter is removed", () => apply(["RemoveColumn", "Orders", "Item"]), 400],
    [
      "query",
      "the column becomes of another type",
      () => apply(["ModifyColumn", "Orders", "Item", { type: "Bool" }]),
      400,
    ],
    ["query", "the table is removed", () => apply(["RemoveTable", "Orders"]), 404],
    ["query", "the table is renamed", () => apply(["RenameTable", "Orders", "Sales"]), 404],
    ["stopping", "the server stops", stopping, 503],
  ])("%s: %s", async (reason, _, change, status) => {
    const query = { filter: '{"Item":{"contains":"e"}}' };
    await using reader = await opened(server, "viewer", orders, { query });
    await change();
    expect(await within(reader)).toEqual({ event: "closed", reason });
    expect(await reader.next()).toBeNull();
    expect((await server.call("viewer", "GET", `${orders}/live?${new URLSearchParams(query).toString()}`)).status).toBe(
      status,
    );
  });

  const expiringKey = async (): Promise<string> => {
    const expiresAt = new Date(timers.clock.now() + 90 * SECOND).toISOString();
    return (await server.must<{ key: string }>("POST", "/api/profile/keys", { label: "short", expiresAt })).key;
  };
  test.each<readonly [string, () => Promise<string>]>([
    ["key", expiringKey],
    ["token for an end user", () => createToken(server, place.doc, { expiresIn: 90 })],
  ])("signedOut: the %s expires while the document is idle", async (_, create) => {
    const headers = { Authorization: `Bearer ${await create()}` };
    await using reader = await opened(server, "anon", orders, { headers });
    expect(reader.status).toBe(200);
    timers.pass(85 * SECOND);
    expect(await within(reader, 6 * SECOND)).toEqual({ event: "closed", reason: "signedOut" });
  });

  test("signedOut: the key is revoked", async () => {
    const key = await expiringKey();
    const [{ id } = { id: 0 }] = server.app.ctx.home.keys
      .listOf(guardSignedIn(actorForCommand(server.app.ctx, USERS.owner.email)).actor.userId)
      .filter(({ label }) => label === "short");
    await using reader = await opened(server, "anon", orders, { headers: { Authorization: `Bearer ${key}` } });
    await server.must("DELETE", `/api/profile/keys/${id}`);
    expect(await within(reader)).toEqual({ event: "closed", reason: "signedOut" });
  });

  test("tooLarge: the result grows beyond 10,000 records; one that is larger is refused", async () => {
    await using reader = await opened(server, "viewer", orders, { query: { fields: "Team" } });
    const rows = (count: number) => ({ Team: Array.from({ length: count }, () => "red") });
    await server.must("POST", `${place.doc}/tables/Orders/data`, rows(9998));
    expect(await within(reader, 10 * SECOND)).toEqual({ event: "change", reason: undefined });
    expect(reader.records.size).toBe(10_000);
    await server.must("POST", `${place.doc}/tables/Orders/data`, rows(1));
    expect(await within(reader, 10 * SECOND)).toEqual({ event: "closed", reason: "tooLarge" });
    const refused = server.call("viewer", "GET", `${orders}/live`);
    for (let i = 0; i < 50; i++) {
      timers.pass(10);
      await new Promise(setImmediate);
    }
    const { status, body } = await refused;
    expect({ status, code: body.details.code }).toEqual({ status: 413, code: "limit.live_rows" });
    await using some = await opened(server, "viewer", orders, { query: { filter: '{"Team":["blue"]}' } });
    expect(ids(some)).toEqual([2]);
  });
});

test("streams of events and live queries are limited together", async () => {
  await using _events = await subscribe(server, "viewer", place.doc);
  await using _first = await opened(server, "viewer", orders);
  await using second = await opened(server, "owner", orders);
  const { status, body, headers } = await server.call("viewer", "GET", `${orders}/live`);
  expect({ status, code: body.details.code, retry: headers.get("retry-after") }).toEqual({
    status: 429,
    code: "limit.streams",
    retry: "10",
  });
  expect((await server.call("viewer", "GET", `${place.doc}/events`)).status).toBe(429);
  await second.reader.leave();
  await using third = await opened(server, "viewer", orders);
  expect(third.status).toBe(200);
});
