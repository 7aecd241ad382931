/** Filters of webhooks, and the events of their rows. */
import { describe, expect, test } from "bun:test";
import { useWebhookFixture, type WebhookFixture } from "../helpers/webhook-fixture.ts";

let server: WebhookFixture["server"];
let receiver: WebhookFixture["receiver"];
let doc: WebhookFixture["doc"];
let hooks: WebhookFixture["hooks"];
let make: WebhookFixture["make"];
let add: WebhookFixture["add"];
let change: WebhookFixture["change"];
let remove: WebhookFixture["remove"];
let listed: WebhookFixture["listed"];
let quiet: WebhookFixture["quiet"];

useWebhookFixture((all) => {
  ({ server, receiver, doc, hooks, make, add, change, remove, listed, quiet } = all);
});

const ALL = { eventTypes: ["add", "update", "remove"] as const };
const namesOf = (rows: readonly Record<string, unknown>[] | undefined) => rows?.map(({ Name }) => Name);
const refused = async (filter: unknown): Promise<unknown[]> => {
  const fields = { url: receiver.url, eventTypes: ["add"], tableId: "Goods", filter };
  const { status, body } = await server.call("owner", "POST", hooks, { webhooks: [{ fields }] });
  return [status, (body as { details: { code: string } }).details.code];
};

describe("a filter", () => {
  test("delivers the rows that it selects; a row that it begins to select is added", async () => {
    await make({ ...ALL, includeEvent: true, filter: { Price: { gt: 10 }, not: { Name: { startsWith: "x" } } } });
    await add({ Name: "a", Price: 5 }, { Name: "b", Price: 20 }, { Name: "xc", Price: 20 });
    const typesOf = async () =>
      (await receiver.next())[0]?.rows.map(({ Name, $event }) => [Name, ($event as { type: string }).type]);
    expect(await typesOf()).toEqual([["b", "add"]]);
    await change(1, { Price: 11 });
    expect(await typesOf()).toEqual([["a", "add"]]);
    await change(1, { Price: 12 });
    expect(await typesOf()).toEqual([["a", "update"]]);
    // No longer selected: neither the update nor the later removal is delivered.
    await change(1, { Price: 1 });
    await remove(1);
    await remove(2);
    expect(await typesOf()).toEqual([["b", "remove"]]);
    await quiet();
    expect(receiver.received).toHaveLength(4);
  });

  test("follows paths through references, and texts of dates and formulas", async () => {
    await server.must("POST", `${doc}/apply`, [
      ["AddTable", "Makers", [{ id: "City", type: "Text", isFormula: false }]],
      ["BulkAddRecord", "Makers", [1, 2], { City: ["Oslo", "Rome"] }],
      ["AddColumn", "Goods", "Maker", { type: "Ref:Makers", isFormula: false }],
    ]);
    await make({ ...ALL, filter: { "Maker.City": { eq: "Oslo" }, Double: { gte: 4 } } });
    await add({ Name: "a", Price: 2, Maker: 1 }, { Name: "b", Price: 2, Maker: 2 }, { Name: "c", Price: 1, Maker: 1 });
    expect(namesOf((await receiver.next())[0]?.rows)).toEqual(["a"]);
  });

  test("follows renamed columns and tables", async () => {
    await make({ ...ALL, filter: { or: [{ Price: { gt: 10 } }, { Name: ["keep"] }] } });
    await server.must("POST", `${doc}/apply`, [
      ["RenameColumn", "Goods", "Price", "Cost"],
      ["RenameTable", "Goods", "Wares"],
    ]);
    const [{ fields } = { fields: undefined }] = await listed();
    expect(fields).toMatchObject({ filter: { or: [{ Cost: { gt: 10 } }, { Name: ["keep"] }] } });
    await server.must("POST", `${doc}/tables/Wares/records`, {
      records: [{ fields: { Name: "a", Cost: 11 } }, { fields: { Name: "b", Cost: 1 } }, { fields: { Name: "keep" } }],
    });
    expect(namesOf((await receiver.next())[0]?.rows)).toEqual(["a", "keep"]);
  });

  test("delivers nothing once its column is deleted", async () => {
    await make({ ...ALL, filter: { Price: { gt: 10 } } });
    await server.must("DELETE", `${doc}/tables/Goods/columns/Price`);
    await add({ Name: "a" });
    await quiet();
    expect(receiver.received).toHaveLength(0);
    const [{ fields } = { fields: undefined }] = await listed();
    expect(fields).toMatchObject({ filter: { "?": { gt: 10 } } });
  });

  test("can be changed and removed", async () => {
    const id = await make({ ...ALL, filter: { Price: { gt: 10 } } });
    await server.must("PATCH", `${hooks}/${id}`, { filter: { Price: { lt: 10 } } });
    await add({ Name: "low", Price: 1 }, { Name: "high", Price: 20 });
    expect(namesOf((await receiver.next())[0]?.rows)).toEqual(["low"]);
    await server.must("PATCH", `${hooks}/${id}`, { filter: null });
    await add({ Name: "any", Price: 20 });
    expect(namesOf((await receiver.next())[0]?.rows)).toEqual(["any"]);
    const [{ fields } = { fields: undefined }] = await listed();
    expect(fields).not.toHaveProperty("filter");
  });

  test.each<[filter: unknown, code: string]>([
    [{ Nope: { gt: 1 } }, "column.unknown"],
    [{ Price: { above: 1 } }, "filter.operator"],
    [{ Price: { gt: "much" } }, "filter.operand"],
    [{ Name: { matches: "(" } }, "filter.operand"],
    [{ "Name.City": ["Oslo"] }, "column.unknown"],
    ["{}", "payload.invalid"],
    [{ Price: 1 }, "filter.invalid"],
  ])("%j is refused when a webhook is created", async (filter, code) => {
    expect(await refused(filter)).toEqual([400, code]);
    expect(await listed()).toEqual([]);
  });

  test("survives a restart of the document", async () => {
    await make({ ...ALL, includeOld: true, filter: { Price: { gt: 10 } } });
    await server.must("POST", `${doc}/force-reload`);
    await add({ Name: "a", Price: 5 }, { Name: "b", Price: 20 });
    expect(namesOf((await receiver.next())[0]?.rows)).toEqual(["b"]);
  });
});

describe("the event of a row", () => {
  test("is only sent on request", async () => {
    await make(ALL);
    await add({ Name: "a" });
    expect((await receiver.next())[0]?.rows[0]).not.toHaveProperty("$event");
    const [{ fields } = { fields: undefined }] = await listed();
    expect(Object.keys(fields ?? {})).not.toContain("includeEvent");
  });

  test("names its kind, who made the change, and previous values on request", async () => {
    await make({ ...ALL, includeOld: true });
    await add({ Name: "a", Price: 1 });
    const eventOf = async () => (await receiver.next())[0]?.rows[0]?.["$event"];
    const { id, name, email } = await server.must<{ id: number; name: string; email: string }>(
      "GET",
      "/api/profile/user",
    );
    const user = { id, name, email };
    expect(await eventOf()).toEqual({ type: "add", user });
    await change(1, { Price: 2 });
    expect(await eventOf()).toEqual({ type: "update", user, old: { Price: 1, Double: 2 } });
    await remove(1);
    expect(await eventOf()).toEqual({ type: "remove", user });
  });

  test("names the editor who made the change, and no previous values without includeOld", async () => {
    await make({ ...ALL, includeEvent: true });
    await add({ Name: "a" });
    await receiver.next();
    await server.must("PATCH", `${doc}/access`, { delta: { users: { "Emil@example.com": "editors" } } });
    await server.call("editor", "PATCH", `${doc}/tables/Goods/records`, {
      records: [{ id: 1, fields: { Name: "b" } }],
    });
    expect((await receiver.next())[0]?.rows[0]?.["$event"]).toEqual({
      type: "update",
      user: { id: expect.any(Number), name: expect.any(String), email: "emil@example.com" },
    });
  });
});
