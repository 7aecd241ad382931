import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { setRules } from "../../helpers/access-rules.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { type LiveRecord, openLive } from "../../helpers/live-reader.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
let orders: string;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  place = await createSharedFixture(server);
  orders = `${place.doc}/tables/Orders/records`;
  await server.must("POST", `${place.doc}/tables`, {
    tables: [
      { id: "Customers", columns: [{ id: "Name" }, { id: "City" }] },
      {
        id: "Orders",
        columns: [
          { id: "Item" },
          { id: "Amount", fields: { type: "Numeric" } },
          { id: "Customer", fields: { type: "Ref:Customers" } },
          { id: "Due", fields: { type: "Date" } },
          { id: "Double", fields: { type: "Numeric", isFormula: true, formula: "$Amount * 2" } },
        ],
      },
    ],
  });
  await server.must("POST", `${place.doc}/tables/Customers/records`, {
    records: [{ fields: { Name: "Ada", City: "Oslo" } }, { fields: { Name: "Bob", City: "Lima" } }],
  });
  await server.must("POST", orders, {
    records: [
      { fields: { Item: "Tea", Amount: 10, Customer: 1 } },
      { fields: { Item: "Pot", Amount: 200, Customer: 2 } },
      { fields: { Item: "Cup", Amount: 30, Customer: 1 } },
    ],
  });
});

const read = async (query: Record<string, string>, as: "owner" | "viewer" = "owner") =>
  (await server.call(as, "GET", `${orders}?${new URLSearchParams(query).toString()}`)).body.records as LiveRecord[];
const patch = (path: string, ...records: object[]) => server.must("PATCH", path, { records });

describe("a subscriber of a query", () => {
  test("gets a stream that proxies and browsers do not buffer, and the result first", async () => {
    await using reader = await openLive(server, "viewer", orders, { query: { filter: '{"Amount":{"gt":20}}' } });
    expect(reader.status).toBe(200);
    expect(reader.reader.headers.get("content-type")).toStartWith("text/event-stream");
    expect(reader.reader.headers.get("cache-control")).toBe("no-store");
    expect(reader.reader.headers.get("x-accel-buffering")).toBe("no");
    const first = await reader.next();
    expect(first).toMatchObject({ event: "reset", id: expect.stringMatching(/^\d+-/), data: { reason: "start" } });
    expect(first?.data.records).toEqual(await read({ filter: '{"Amount":{"gt":20}}' }, "viewer"));
  });

  test("gets records that start, change and stop to match, and none else", async () => {
    const query = { filter: '{"Amount":{"gte":100}}', fields: "Item,Double" };
    await using reader = await openLive(server, "viewer", orders, { query });
    await reader.until("reset");
    await patch(orders, { id: 3, fields: { Amount: 5 } });
    await patch(orders, { id: 1, fields: { Amount: 100 } });
    expect((await reader.next())?.data).toEqual({
      added: [{ id: 1, fields: { Item: "Tea", Double: 200 } }],
      updated: [],
      removed: [],
    });
    await patch(orders, { id: 1, fields: { Amount: 101 } }, { id: 2, fields: { Amount: 99 } });
    expect((await reader.next())?.data).toEqual({
      added: [],
      updated: [{ id: 1, fields: { Item: "Tea", Double: 202 } }],
      removed: [2],
    });
    await server.must("POST", `${orders}/delete`, { filter: { Item: ["Tea"] } });
    expect((await reader.next())?.data).toEqual({ added: [], updated: [], removed: [1] });
    expect(reader.sorted()).toEqual(await read(query));
  });

  test.each<readonly [string, Record<string, string>]>([
    ["filter", { filter: '{"Customer.City":{"eq":"Oslo"}}' }],
    ["filter by the displayed text", { filter: '{"Customer":{"eq":"Oslo"}}' }],
    ["fields", { fields: "Item,Customer.City" }],
    ["expand", { expand: "Customer" }],
    ["display", { cellFormat: "display", fields: "Customer" }],
  ])("sees changes of another table: %s", async (_, query) => {
    const shown = await server.must<{ records: { id: number; fields: { colId: string; parentId: number } }[] }>(
      "GET",
      `${place.doc}/tables/_grist_Tables_column/records`,
    );
    const ref = (id: string) => shown.records.find(({ fields }) => fields.colId === id)?.id ?? 0;
    await server.must("POST", `${place.doc}/apply`, [
      ["UpdateRecord", "_grist_Tables_column", ref("Customer"), { visibleCol: ref("City") }],
      ["SetDisplayFormula", "Orders", null, ref("Customer"), "$Customer.City"],
    ]);
    await using reader = await openLive(server, "viewer", orders, { query });
    await reader.until("reset");
    expect(reader.sorted()).toEqual(await read(query));
    await patch(`${place.doc}/tables/Customers/records`, { id: 2, fields: { City: "Oslo" } });
    await reader.until("change");
    expect(reader.sorted()).toEqual(await read(query));
    expect(JSON.stringify(reader.sorted())).not.toContain("Lima");
  });

  test.each<readonly [string, Record<string, string>]>([
    ["filter", { filter: '{"Customer.City":{"eq":"Oslo"}}' }],
    ["fields", { fields: "Item,Customer.City" }],
    ["expand", { expand: "Customer" }],
  ])("sees changes of another table of which no formula reads: %s", async (_, query) => {
    await using reader = await openLive(server, "viewer", orders, { query });
    await reader.until("reset");
    await patch(`${place.doc}/tables/Customers/records`, { id: 2, fields: { City: "Oslo" } });
    await reader.until("change");
    expect(reader.sorted()).toEqual(await read(query, "viewer"));
  });

  test("sees that a row which it may not read counts in a summary, though the summary has not changed", async () => {
    type Metadata = { records: { id: number; fields: { colId: string; tableId: string } }[] };
    const list = async (table: string) =>
      (await server.must<Metadata>("GET", `${place.doc}/tables/${table}/records`)).records;
    const table = (await list("_grist_Tables")).find(({ fields }) => fields.tableId === "Orders")?.id;
    const column = (await list("_grist_Tables_column")).find(({ fields }) => fields.colId === "Customer")?.id;
    await server.must("POST", `${place.doc}/apply`, [["CreateViewSection", table, 0, "record", [column], null]]);
    const summary = `${place.doc}/tables/Orders_summary_Customer/records`;
    await setRules(server, place.doc, {
      "Orders:*": [{ formula: "user.Access == VIEWER and rec.Item == 'Secret'", permissions: "none" }],
    });
    await using reader = await openLive(server, "viewer", summary);
    await reader.until("reset");
    await patch(orders, { id: 3, fields: { Item: "Secret" } });
    await reader.until("change");
    expect(JSON.stringify(reader.sorted())).toContain('["C"]');
    expect(reader.sorted()).toEqual((await server.call("viewer", "GET", summary)).body.records as LiveRecord[]);
  });

  test("resumes where it was", async () => {
    const query = { filter: '{"Amount":{"gte":30}}' };
    await using first = await openLive(server, "viewer", orders, { query });
    await first.until("reset");
    const after = first.lastId ?? "";
    await using unchanged = await openLive(server, "editor", orders, { query: { ...query, after } });
    expect(await unchanged.next()).toMatchObject({ event: "current", id: after, data: {} });
    await patch(orders, { id: 1, fields: { Amount: 50 } }, { id: 2, fields: { Amount: 1 } });
    await using second = await openLive(server, "viewer", orders, { query, headers: { "Last-Event-ID": after } });
    expect(await second.next()).toMatchObject({
      event: "change",
      data: { added: [], updated: [{ id: 1, fields: { Amount: 50 } }], removed: [2] },
    });
    for (const other of [
      { ...query, after: "99999-abcdef01.0123456789ab" },
      { ...query, after: "~nonsense" },
      { filter: '{"Amount":{"gte":31}}', after },
    ]) {
      await using reader = await openLive(server, "viewer", orders, { query: other });
      expect(await reader.next()).toMatchObject({ event: "reset", data: { reason: "history" } });
    }
  });
});

describe("refusals", () => {
  test.each<readonly [Record<string, string>, number, string]>([
    [{ limit: "5" }, 400, "live.parameter"],
    [{ offset: "5" }, 400, "live.parameter"],
    [{ sort: "Amount" }, 400, "live.parameter"],
    [{ sort: "Amount", limit: "5" }, 400, "live.parameter"],
    [{ cursor: "start" }, 400, "live.parameter"],
    [{ total: "1" }, 400, "live.parameter"],
    [{ at: "1" }, 400, "live.parameter"],
    [{ after: "two words" }, 400, "payload.invalid"],
    [{ filter: "{" }, 400, "filter.invalid"],
    [{ filter: '{"Nothing":[1]}' }, 400, "column.unknown"],
    [{ filter: '{"Amount":{"about":1}}' }, 400, "filter.operator"],
    [{ fields: "Nothing" }, 400, "column.unknown"],
    [{ fields: "Customer.Nothing" }, 400, "column.unknown"],
    [{ expand: "Item" }, 400, "fields.invalid"],
    [{ cellFormat: "fancy" }, 400, "payload.invalid"],
  ])("%j", async (query, status, code) => {
    const { status: answered, body } = await server.call(
      "viewer",
      "GET",
      `${orders}/live?${new URLSearchParams(query).toString()}`,
    );
    expect({ status: answered, code: body.details?.code }).toEqual({ status, code });
  });

  test.each(["X-Sort", "X-Limit"])("the header %s", async (name) => {
    const reply = await server.call("viewer", "GET", `${orders}/live`, undefined, { headers: { [name]: "1" } });
    expect({ status: reply.status, code: reply.body.details.code }).toEqual({ status: 400, code: "live.parameter" });
  });

  test("unknown tables, and callers without access", async () => {
    const unknown = await server.call("viewer", "GET", `${place.doc}/tables/Nothing/records/live`);
    expect(unknown.status).toBe(404);
    expect((await server.call("stranger", "GET", `${orders}/live`)).status).toBe(403);
  });
});
