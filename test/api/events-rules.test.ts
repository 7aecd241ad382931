/** Event streams of callers from whom access rules hide something. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { subscribe, subscribeNow, type EventReader } from "../helpers/event-reader.ts";
import { setRules } from "../helpers/access-rules.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let doc: string;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  ({ doc } = await createSharedFixture(server));
  const tables = [
    { id: "Open", columns: [{ id: "Text" }] },
    { id: "Closed", columns: [{ id: "Text" }] },
    { id: "Mixed", columns: [{ id: "Text" }, { id: "Team" }, { id: "Salary" }] },
    { id: "Staff", columns: [{ id: "Mail" }, { id: "Team" }] },
  ];
  await server.must("POST", `${doc}/tables`, { tables });
  await add("Staff", { Mail: "vito@example.com", Team: "red" }, { Mail: "emil@example.com", Team: "blue" });
  await add("Mixed", { Text: "a", Team: "red", Salary: "1" }, { Text: "b", Team: "blue", Salary: "2" });
});

const add = (table: string, ...rows: object[]) =>
  server.must("POST", `${doc}/tables/${table}/records`, { records: rows.map((fields) => ({ fields })) });
const change = (table: string, id: number, fields: object) =>
  server.must("PATCH", `${doc}/tables/${table}/records`, { records: [{ id, fields }] });

const RULES = {
  "Closed:*": [{ formula: "user.Access != OWNER", permissions: "none" }],
  "Staff:*": [{ formula: "user.Access != OWNER", permissions: "none" }],
  "Mixed:Salary": [{ formula: "user.Access != OWNER", permissions: "-R" }],
  "Mixed:*": [{ formula: "user.Access != OWNER and rec.Team != user.Staff.Team", permissions: "none" }],
};
const attribute = { name: "Staff", tableId: "Staff", lookupColId: "Mail", charId: "Email" };

async function hide(): Promise<void> {
  await setRules(server, doc, RULES);
  const resources = await server.must<{ records: { id: number }[] }>(
    "POST",
    `${doc}/tables/_grist_ACLResources/records`,
    { records: [{ fields: { tableId: "*", colIds: "*" } }] },
  );
  const fields = { resource: resources.records[0]?.id, userAttributes: JSON.stringify(attribute) };
  await server.must("POST", `${doc}/tables/_grist_ACLRules/records`, { records: [{ fields }] });
}

/** Returns the events until a marker in a table that all users can read. */
async function heard(reader: EventReader, mark: number): Promise<unknown[]> {
  const all: unknown[] = [];
  for (;;) {
    const event = await reader.next();
    if (!event) throw new Error("the stream ended");
    if (event.event !== "change") return [...all, event.event];
    for (const told of event.data.tables) {
      all.push(told);
      // Only callers who see everything get the number of the state.
      if (told.table === "Open" && (event.data.action ?? mark) >= mark) return all;
    }
  }
}

const newest = async () => (await server.must<{ states: { n: number }[] }>("GET", `${doc}/states`)).states[0]?.n ?? 0;

test("hidden tables are not mentioned, nor rows and columns of other tables", async () => {
  await hide();
  await using owner = await subscribeNow(server, "owner", doc);
  await using viewer = await subscribeNow(server, "viewer", doc);
  await add("Closed", { Text: "secret" });
  await change("Mixed", 1, { Salary: "1000" });
  await change("Mixed", 2, { Text: "c" });
  await server.must("PATCH", `${doc}/tables/Closed/columns`, {
    columns: [{ id: "Text", fields: { label: "Hidden" } }],
  });
  await add("Open", { Text: "end" });
  const mark = await newest();
  const told = await heard(viewer, mark);
  expect(new Set(told.map((one) => JSON.stringify(one)))).toEqual(
    new Set(['{"table":"Mixed","all":true}', '{"table":"Open","all":true}']),
  );
  const whole = await heard(owner, mark);
  expect(whole).toContainEqual({ table: "Closed", added: [1] });
  expect(whole).toContainEqual({ table: "Mixed", updated: [1], columns: ["Salary"] });
  expect(owner.lastId).toStartWith(`${mark}-`);
});

test("callers from whom something is hidden get no counters, neither in events nor in their ids", async () => {
  await hide();
  await using viewer = await subscribe(server, "viewer", doc);
  const ready = await viewer.until("ready");
  expect(Object.keys(ready.data)).toEqual([]);
  await add("Closed", { Text: "secret" });
  await add("Open", { Text: "end" });
  const change = await viewer.next();
  expect(change).toMatchObject({ event: "change", data: { user: null, tables: [{ table: "Open", all: true }] } });
  expect(Object.keys(change?.data as object).toSorted()).toEqual(["schema", "tables", "time", "user"]);
  expect(ready.id).toMatch(/^~[\w-]{80}$/);
  expect(change?.id).toMatch(/^~[\w-]{80}$/);
  expect(change?.id).not.toBe(ready.id);
});

test("ids do not advance with a hidden change", async () => {
  await hide();
  await using owner = await subscribeNow(server, "owner", doc);
  await using viewer = await subscribeNow(server, "viewer", doc);
  await add("Closed", { Text: "secret" });
  // Sent to the owner, and so evaluated for the viewer.
  await owner.change("Closed");
  await add("Open", { Text: "end" });
  await viewer.until("change");
  expect(viewer.ids).toHaveLength(2);
});

test("a hidden change is not sent, and reconnecting resumes from the id of the last event", async () => {
  await hide();
  await using viewer = await subscribeNow(server, "viewer", doc);
  await add("Open", { Text: "seen" });
  const { id } = await viewer.until("change");
  await add("Closed", { Text: "secret" });
  await using quiet = await subscribe(server, "viewer", doc, { query: `?after=${id}` });
  expect(await quiet.next()).toMatchObject({ event: "ready" });
  await add("Open", { Text: "missed" });
  await using back = await subscribe(server, "viewer", doc, { query: `?after=${id}` });
  expect(await back.next()).toMatchObject({ event: "change", data: { tables: [{ table: "Open", all: true }] } });
  expect(await back.next()).toMatchObject({ event: "ready" });
});

test("numbers of states reveal nothing to callers from whom something is hidden", async () => {
  await hide();
  const now = await newest();
  const other = await createSharedFixture(server);
  await using elsewhere = await subscribe(server, "owner", other.doc);
  const { id: foreign } = await elsewhere.until("ready");
  for (const after of [1, now - 1, now, now + 1, foreign, `~${"A".repeat(80)}`]) {
    await using reader = await subscribe(server, "viewer", doc, { query: `?after=${after}` });
    expect(await reader.next()).toMatchObject({ event: "reset", data: { reason: "history" } });
    expect(await reader.next()).toMatchObject({ event: "ready" });
  }
});

test("changed rules reset all streams, and apply from then on", async () => {
  await using viewer = await subscribeNow(server, "viewer", doc);
  await add("Closed", { Text: "not yet secret" });
  expect((await viewer.until("change")).data.tables).toEqual([{ table: "Closed", added: [1] }]);
  await hide();
  expect((await viewer.until("reset")).data).toMatchObject({ reason: "rules" });
  await add("Closed", { Text: "secret" });
  await add("Open", { Text: "end" });
  expect(JSON.stringify(await heard(viewer, await newest()))).not.toContain("Closed");
  await setRules(server, doc, {});
  expect((await viewer.until("reset")).data).toMatchObject({ reason: "rules" });
});

test("changes to user attributes are evaluated immediately", async () => {
  await hide();
  await using owner = await subscribeNow(server, "owner", doc);
  await using viewer = await subscribeNow(server, "viewer", doc);
  await change("Staff", 1, { Team: "blue" });
  expect(await viewer.next()).toMatchObject({ event: "reset", data: { reason: "rules" } });
  expect((await owner.next())?.event).toBe("change");
});

test("another role has another view", async () => {
  await hide();
  await using viewer = await subscribeNow(server, "viewer", doc);
  await server.must("PATCH", `${doc}/access`, { delta: { users: { "vito@example.com": "owners" } } });
  expect(await viewer.next()).toMatchObject({ event: "reset", data: { reason: "access" } });
  await add("Closed", { Text: "to owners" });
  expect((await viewer.until("change")).data.tables).toEqual([{ table: "Closed", added: [1] }]);
});
