/** Webhooks by the API, with a receiver of their own. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { type Sample, sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { Receiver } from "../helpers/receiver.ts";
import { play, statuses } from "../helpers/steps.ts";

let server: TestApp;
let receiver: Receiver;
let sample: Sample;
let doc: string;
let hooks: string;

beforeEach(async () => {
  receiver = new Receiver();
  server = await testApp({
    flags: { "webhook-allow": receiver.host, "webhook-retry-ms": "5", "webhook-timeout-ms": "400" },
  });
  sample = await sampleDocument(server);
  doc = `/api/docs/${sample.doc}`;
  hooks = `${doc}/webhooks`;
  const columns = [
    { id: "Name", fields: { type: "Text" } },
    { id: "Ready", fields: { type: "Bool" } },
    { id: "Price", fields: { type: "Numeric" } },
    { id: "Double", fields: { type: "Numeric", isFormula: true, formula: "$Price * 2" } },
  ];
  await server.must("POST", `${doc}/tables`, { tables: [{ id: "Goods", columns }] });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  receiver[Symbol.dispose]();
});

const EVERYTHING = { eventTypes: ["add", "update", "remove"], tableId: "Goods" };

async function make(fields: object = {}): Promise<string> {
  const given = { url: `${receiver.url}/hook`, ...EVERYTHING, ...fields };
  const { webhooks } = await server.must<{ webhooks: { id: string }[] }>("POST", hooks, {
    webhooks: [{ fields: given }],
  });
  return webhooks[0]?.id ?? "";
}

const add = (...fields: object[]): Promise<unknown> =>
  server.must("POST", `${doc}/tables/Goods/records`, { records: fields.map((one) => ({ fields: one })) });
const change = (id: number, fields: object): Promise<unknown> =>
  server.must("PATCH", `${doc}/tables/Goods/records`, { records: [{ id, fields }] });
const remove = (...ids: number[]): Promise<unknown> => server.must("POST", `${doc}/tables/Goods/data/delete`, ids);

// oxlint-disable-next-line typescript/no-explicit-any -- looked into freely
const listed = async (): Promise<any[]> => (await server.must<{ webhooks: any[] }>("GET", hooks)).webhooks;
const usage = async () => (await listed())[0].usage;
const quiet = () => server.app.ctx.webhooks.settled();

describe("a webhook is defined", () => {
  test("with nothing but what is needed, or with everything", async () => {
    await make();
    const all = {
      name: "Everything",
      memo: "a memo",
      enabled: false,
      isReadyColumn: "Ready",
      watchedColIds: ["Price", "Name"],
      authorization: "Bearer abc",
      headers: { "X-Team": "blue" },
    };
    await make(all);
    const key = expect.stringMatching(/^\w{32}$/);
    const none = { name: "", memo: "", enabled: true, isReadyColumn: null, watchedColIds: [], authorization: "" };
    const url = `${receiver.url}/hook`;
    const fresh = { numWaiting: 0, status: "idle", lastEventBatch: null };
    expect(await listed()).toEqual([
      { id: expect.any(String), fields: { ...EVERYTHING, ...none, url, unsubscribeKey: key }, usage: fresh },
      { id: expect.any(String), fields: { ...EVERYTHING, ...all, url, unsubscribeKey: key }, usage: fresh },
    ]);
  });

  test("by its table's number, and by owners alone", async () => {
    const ref = (await server.must<{ tables: { id: string; fields: { tableRef: number } }[] }>("GET", `${doc}/tables`))
      .tables[1]?.fields.tableRef;
    await make({ tableId: String(ref) });
    expect((await listed())[0].fields.tableId).toBe("Goods");
    await server.must("PATCH", `${doc}/access`, {
      delta: { users: { "emil@example.com": "editors", "vito@example.com": "viewers" } },
    });
    const body = { webhooks: [{ fields: { url: receiver.url, ...EVERYTHING } }] };
    expect(await statuses(server, ["editor", "viewer", "stranger", "anon"], ["POST", hooks, body])).toEqual([
      403, 403, 403, 403,
    ]);
    expect(await statuses(server, ["editor", "viewer", "stranger", "anon"], ["GET", hooks])).toEqual([
      403, 403, 403, 403,
    ]);
  });

  const good = { url: "https://example.com/", ...EVERYTHING };
  test.each([
    ["no url", { ...good, url: undefined }, 400],
    ["an empty url", { ...good, url: "" }, 403],
    ["words for a url", { ...good, url: "no url" }, 403],
    ["another protocol", { ...good, url: "ftp://example.com" }, 403],
    ["a plain address", { ...good, url: "http://example.com" }, 403],
    ["a private address", { ...good, url: "https://10.1.2.3/" }, 403],
    ["a password in the url", { ...good, url: "https://me:word@example.com/" }, 403],
    ["no event", { ...good, eventTypes: [] }, 400],
    ["an unknown event", { ...good, eventTypes: ["add", "read"] }, 400],
    ["an event that is no list", { ...good, eventTypes: "add" }, 400],
    ["an unknown table", { ...good, tableId: "goods" }, 404],
    ["an empty table", { ...good, tableId: "" }, 404],
    ["an unknown ready column", { ...good, isReadyColumn: "Nope" }, 404],
    ["an unknown watched column", { ...good, watchedColIds: ["Name", "Nope"] }, 404],
    ["a name that is a number", { ...good, name: 1 }, 400],
    ["a switch that is a text", { ...good, enabled: "yes" }, 400],
    ["a header with a line break", { ...good, authorization: "a\r\nX-Evil: 1" }, 400],
    ["a header that is ours", { ...good, headers: { "Content-Length": "0" } }, 400],
  ])("not with %s, and then none of the request", async (_, fields, status) => {
    const reply = await server.call("owner", "POST", hooks, { webhooks: [{ fields: good }, { fields }] });
    expect({ status: reply.status, error: reply.body.error }).toEqual({ status, error: expect.stringMatching(/./) });
    expect(await listed()).toEqual([]);
    const triggers = await server.must<{ records: unknown[] }>("GET", `${doc}/tables/_grist_Triggers/records`);
    expect(triggers.records).toEqual([]);
    const [id, before] = [await make(), await listed()];
    const patched = await server.call("owner", "PATCH", `${hooks}/${id}`, { name: "new", ...fields });
    expect(patched.status).toBe(fields.url === undefined && status === 400 ? 200 : status);
    if (patched.status !== 200) expect(await listed()).toEqual(before);
  });

  test("not without end", async () => {
    const many = Array.from({ length: 200 }, () => ({ fields: { ...good, enabled: false } }));
    await server.must("POST", hooks, { webhooks: many });
    expect((await server.call("owner", "POST", hooks, { webhooks: [{ fields: good }] })).status).toBe(400);
    expect((await server.call("owner", "POST", hooks, { webhooks: [] })).body).toEqual({ webhooks: [] });
  });

  test("anew: what is not said stays", async () => {
    const id = await make({ name: "a", isReadyColumn: "Ready", watchedColIds: ["Name"], authorization: "x" });
    await play(server, [
      ["owner", "PATCH", `${hooks}/${id}`, {}, 200, { success: true }],
      ["owner", "PATCH", `${hooks}/${id}`, { name: null, memo: null, other: 1 }, 200, { success: true }],
      ["owner", "PATCH", `${hooks}/nothing`, { name: "x" }, 404],
      ["owner", "PATCH", `${hooks}/${id}`, { tableId: "Table1", isReadyColumn: "Ready" }, 404],
    ]);
    expect((await listed())[0].fields).toMatchObject({
      name: null,
      memo: null,
      isReadyColumn: "Ready",
      watchedColIds: ["Name"],
      authorization: "x",
    });
    await server.must("PATCH", `${hooks}/${id}`, { tableId: "Goods", authorization: "" });
    expect((await listed())[0].fields).toMatchObject({ isReadyColumn: null, watchedColIds: [], authorization: "" });
    await server.must("PATCH", `${hooks}/${id}`, { isReadyColumn: "Ready", watchedColIds: ["Price"] });
    await server.must("PATCH", `${hooks}/${id}`, { tableId: "Table1", isReadyColumn: "A" });
    expect((await listed())[0].fields).toMatchObject({ tableId: "Table1", isReadyColumn: "A", watchedColIds: [] });
  });

  test("and follows its table and columns", async () => {
    await make({ isReadyColumn: "Ready", watchedColIds: ["Price", "Name"] });
    await server.must("POST", `${doc}/apply`, [
      ["RenameTable", "Goods", "Wares"],
      ["RenameColumn", "Wares", "Ready", "Done"],
      ["RenameColumn", "Wares", "Price", "Cost"],
      ["RemoveColumn", "Wares", "Name"],
    ]);
    const [{ fields }] = await listed();
    expect(fields).toMatchObject({ tableId: "Wares", isReadyColumn: "Done", watchedColIds: ["Cost"] });
    await server.must("POST", `${doc}/apply`, [["RemoveColumn", "Wares", "Done"]]);
    expect((await listed())[0].fields.isReadyColumn).toBeNull();
    await server.must("POST", `${doc}/apply`, [["RemoveTable", "Wares"]]);
    expect(await listed()).toEqual([]);
  });

  test("and leaves neither address nor secret in the document or its copies", async () => {
    const id = await make({ authorization: "Bearer very-secret" });
    const file = await server.app.handle(
      new Request(`http://quern.test/o/team${doc}/download`, {
        headers: { Host: "quern.test", Authorization: `Bearer ${server.keys.owner}` },
      }),
    );
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.includes(id)).toBe(true);
    for (const word of ["very-secret", receiver.url, "_quern_"]) expect(bytes.includes(word)).toBe(false);
    const copy = await server.must<string>("POST", `${doc}/copy`, {
      workspaceId: sample.workspaceId,
      documentName: "Copy",
    });
    expect(await server.must("GET", `/api/docs/${copy}/webhooks`)).toEqual({ webhooks: [] });
    const form = new FormData();
    form.append("upload", new Blob([bytes]), "again.grist");
    const path = `/api/workspaces/${sample.workspaceId}/import`;
    const imported = await server.call("owner", "POST", path, undefined, { raw: form });
    expect(await server.must("GET", `/api/docs/${imported.body.id}/webhooks`)).toEqual({ webhooks: [] });
    await server.must("POST", `/api/docs/${imported.body.id}/tables/Goods/records`, { records: [{ fields: {} }] });
    await quiet();
    expect(receiver.received).toEqual([]);
  });
});

describe("the receiver gets", () => {
  test("whole rows as they are after the change, with formulas", async () => {
    await make({ url: `${receiver.url}/path?with=query`, authorization: "Bearer s", headers: { "X-Team": "blue" } });
    await add({ Name: "plum", Price: 2 });
    const [one] = await receiver.next();
    const row = { id: 1, manualSort: 1, Name: "plum", Ready: false, Price: 2, Double: 4 };
    expect(one).toMatchObject({ path: "/path?with=query", method: "POST", rows: [row] });
    expect(one?.headers.get("content-type")).toBe("application/json");
    expect(one?.headers.get("authorization")).toBe("Bearer s");
    expect(one?.headers.get("x-team")).toBe("blue");
    await change(1, { Price: 3 });
    expect((await receiver.next())[0]?.rows).toEqual([{ ...row, Price: 3, Double: 6 }]);
  });

  test("up to 100 rows at a time, in order", async () => {
    await make();
    await add(...Array.from({ length: 230 }, (_, n) => ({ Name: `n${n}` })));
    const all = await receiver.next(3);
    expect(all.map(({ rows }) => rows.length)).toEqual([100, 100, 30]);
    expect(all.flatMap(({ rows }) => rows.map(({ id }) => id as number))).toEqual(
      Array.from({ length: 230 }, (_, n) => n + 1),
    );
  });

  test("one event of a row for all that a request does to it", async () => {
    await make();
    await server.must("POST", `${doc}/apply`, [
      ["BulkAddRecord", "Goods", [null, null], { Name: ["a", "b"] }],
      ["UpdateRecord", "Goods", 1, { Name: "c" }],
      ["RenameColumn", "Goods", "Name", "Title"],
      ["UpdateRecord", "Goods", 1, { Title: "d" }],
      ["RemoveRecord", "Goods", 2],
    ]);
    const [one] = await receiver.next();
    expect(one?.rows).toMatchObject([{ id: 1, Title: "d" }]);
    await server.must("POST", `${doc}/apply`, [
      ["UpdateRecord", "Goods", 1, { Title: "x" }],
      ["UpdateRecord", "Goods", 1, { Title: "d" }],
    ]);
    await change(1, { Title: "d" });
    await quiet();
    expect(receiver.received).toHaveLength(1);
  });

  test("rows that were removed as they were, told apart by a header", async () => {
    await make({ eventTypes: ["remove"] });
    await add({ Name: "a", Price: 1 }, { Name: "b", Price: 2 }, { Name: "c" });
    await server.must("POST", `${doc}/apply`, [
      ["UpdateRecord", "Goods", 1, { Name: "z" }],
      ["BulkRemoveRecord", "Goods", [2, 1]],
    ]);
    const [one] = await receiver.next();
    expect(one?.rows).toEqual([
      { id: 1, manualSort: 1, Name: "a", Ready: false, Price: 1, Double: 2 },
      { id: 2, manualSort: 2, Name: "b", Ready: false, Price: 2, Double: 4 },
    ]);
    expect(one?.headers.get("x-quern-event")).toBe("remove");
  });

  test("nothing of rows that were removed unless it asks for it", async () => {
    await make({ eventTypes: ["add", "update"] });
    await add({ Name: "a" });
    await receiver.next();
    await remove(1);
    await quiet();
    expect(receiver.received).toHaveLength(1);
  });

  test("what changes in other tables make of its rows", async () => {
    const fields = { type: "Any", isFormula: true, formula: "len(Table1.all)" };
    await server.must("POST", `${doc}/tables/Goods/columns`, { columns: [{ id: "Others", fields }] });
    await add({ Name: "a" }, { Name: "b" });
    await make({ eventTypes: ["update"], watchedColIds: ["Others"] });
    await change(1, { Name: "A" });
    await server.must("POST", `${doc}/tables/Table1/records`, { records: [{ fields: { A: 1 } }] });
    const [one] = await receiver.next();
    expect(one?.rows.map(({ id, Others }) => [id, Others])).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  test("rows once they are ready, and only true is ready", async () => {
    const free = { type: "Any", isFormula: false, formula: "" };
    await server.must("POST", `${doc}/tables/Goods/columns`, { columns: [{ id: "Free", fields: free }] });
    await make({ eventTypes: ["add"], isReadyColumn: "Free" });
    await add({ Name: "number", Free: 1 }, { Name: "text", Free: "true" }, { Name: "true", Free: true });
    expect((await receiver.next())[0]?.rows.map(({ Name }) => Name as string)).toEqual(["true"]);
    await change(3, { Name: "more" });
    await change(1, { Free: true });
    expect((await receiver.next())[0]?.rows.map(({ Name }) => Name as string)).toEqual(["number"]);
  });

  test("nothing of what happens while it is switched off", async () => {
    const id = await make();
    await server.must("PATCH", `${hooks}/${id}`, { enabled: false });
    await add({ Name: "off" });
    await server.must("PATCH", `${hooks}/${id}`, { enabled: true });
    await add({ Name: "on" });
    expect((await receiver.next())[0]?.rows).toMatchObject([{ Name: "on" }]);
    await quiet();
    expect(receiver.received).toHaveLength(1);
  });

  test("nothing of a change that is refused", async () => {
    await make();
    const actions = [
      ["AddRecord", "Goods", null, { Name: "a" }],
      ["AddRecord", "Nowhere", null, {}],
    ];
    expect((await server.call("owner", "POST", `${doc}/apply`, actions)).status).toBe(400);
    await add({ Name: "b" });
    expect((await receiver.next())[0]?.rows).toMatchObject([{ id: 1, Name: "b" }]);
    await quiet();
    expect(receiver.received).toHaveLength(1);
  });

  test("a signature that the secret of its creation explains", async () => {
    const body = { webhooks: [{ fields: { url: receiver.url, ...EVERYTHING } }] };
    type Made = { webhooks: { id: string; secret: string }[] };
    const { webhooks } = await server.must<Made>("POST", `${hooks}?secrets=true`, body);
    const verify = async (secret: string) => {
      await add({ Name: "signed" });
      const [one] = await receiver.next();
      const id = one?.headers.get("webhook-id") ?? "";
      const time = one?.headers.get("webhook-timestamp") ?? "";
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      const signature = createHmac("sha256", key).update(`${id}.${time}.${one?.text}`).digest("base64");
      expect(one?.headers.get("webhook-signature")).toBe(`v1,${signature}`);
      expect(Math.abs(Number(time) * 1000 - Date.now())).toBeLessThan(60_000);
    };
    const { id = "", secret = "" } = webhooks[0] ?? {};
    expect(secret).toMatch(/^whsec_[\w+/]{32}$/);
    await verify(secret);
    const renewed = await server.must<{ secret: string }>("POST", `${hooks}/${id}/secret`);
    expect(renewed.secret).not.toBe(secret);
    await verify(renewed.secret);
    expect(JSON.stringify(await listed())).not.toContain(renewed.secret);
  });
});

describe("what fails", () => {
  test("is sent again, the same and before anything else, until it is taken", async () => {
    await make();
    receiver.replies.push(500, 302, () => new Response("no", { status: 404 }), 204);
    await add({ Name: "first" });
    await receiver.next();
    await add({ Name: "second" });
    const [two, three, four, five] = await receiver.next(4);
    for (const one of [two, three, four]) expect(one?.rows).toMatchObject([{ Name: "first" }]);
    expect(new Set([two, three, four].map((one) => one?.headers.get("webhook-id"))).size).toBe(1);
    expect(five?.rows).toMatchObject([{ Name: "second" }]);
    await quiet();
    expect(await usage()).toEqual({
      numWaiting: 0,
      status: "idle",
      updatedTime: expect.any(Number),
      lastSuccessTime: expect.any(Number),
      lastFailureTime: expect.any(Number),
      lastErrorMessage: "no",
      lastHttpStatus: 200,
      lastEventBatch: { status: "success", httpStatus: 200, errorMessage: null, size: 1, attempts: 1 },
    });
  });

  test("holds up no other webhook", async () => {
    await make({ url: `${receiver.url}/slow` });
    await make({ url: `${receiver.url}/fast` });
    const hang = () => new Promise<Response>(() => {});
    receiver.replies.push((one) => (one.path === "/slow" ? hang() : new Response()));
    for (let n = 0; n < 5; n++) {
      await add({ Name: `n${n}` });
      await receiver.until((all) => all.filter(({ path }) => path === "/fast").length === n + 1);
      receiver.replies.push((one) => (one.path === "/slow" ? hang() : new Response()));
    }
  });

  test("is told: with the tries, and which of them", async () => {
    const id = await make();
    receiver.replies.push(503, () => new Promise<Response>(() => {}));
    await add({ Name: "a" }, { Name: "b" });
    await receiver.next(3);
    await quiet();
    const { deliveries } = await server.must<{ deliveries: { id: number; messageId: string }[] }>(
      "GET",
      `${hooks}/${id}/deliveries`,
    );
    const common = { size: 2, time: expect.any(String), messageId: expect.stringMatching(/^msg_/) };
    const first = deliveries.at(-1) ?? { id: 0, messageId: "" };
    const { messageId } = first;
    expect(deliveries).toMatchObject([
      { ...common, attempt: 3, status: "success", httpStatus: 200, errorMessage: null },
      { ...common, attempt: 2, status: "failure", httpStatus: null, errorMessage: expect.stringContaining("in time") },
      { ...common, attempt: 1, status: "failure", httpStatus: 503, errorMessage: "ok" },
    ]);
    const again = `${hooks}/${id}/deliveries/${first.id}/redeliver`;
    receiver.replies.push(() => new Response("seen it", { status: 409 }));
    expect(await server.must("POST", again)).toMatchObject({ success: false, httpStatus: 409, answer: "seen it" });
    const [repeated] = await receiver.next();
    expect(repeated?.rows).toMatchObject([{ Name: "a" }, { Name: "b" }]);
    expect(repeated?.headers.get("webhook-id")).toBe(messageId);
    expect((await server.call("owner", "POST", `${hooks}/${id}/deliveries/999/redeliver`)).status).toBe(404);
    expect((await usage()).lastEventBatch.status).toBe("success");
  });

  test("ends with its queue", async () => {
    const [id, other] = [await make(), await make({ url: `${receiver.url}/other` })];
    const fail = (one: { path: string }) => new Response("no", { status: one.path === "/other" ? 200 : 500 });
    receiver.replies.push(...Array.from({ length: 1000 }, () => fail));
    await add({ Name: "a" });
    await receiver.until((all) => all.length >= 4);
    expect((await listed())[0].usage).toMatchObject({ numWaiting: 1, lastEventBatch: { status: "failure" } });
    await server.must("DELETE", `${hooks}/queue/${id}`);
    const fresh = { numWaiting: 0, status: "idle", lastEventBatch: null };
    await quiet();
    expect((await listed()).map((one) => one.usage)).toEqual([fresh, fresh]);
    expect(await server.must("DELETE", `${hooks}/queue`)).toEqual({ success: true });
    expect(await server.must("DELETE", `${hooks}/queue/nothing`)).toEqual({ success: true });
    await server.must("DELETE", `${hooks}/${id}`);
    expect((await listed()).map((one) => one.id)).toEqual([other]);
    expect((await server.call("owner", "DELETE", `${hooks}/${id}`)).status).toBe(404);
  });
});

test("a test sends the first row, or what a new one would be", async () => {
  const id = await make();
  receiver.replies.push(() => new Response("x".repeat(100_000), { status: 201 }));
  const reply = await server.must<{ answer: string }>("POST", `${hooks}/${id}/test`);
  expect(reply).toMatchObject({ success: true, httpStatus: 201, errorMessage: null });
  expect(reply.answer).toBe("x".repeat(2000));
  expect((await receiver.next())[0]?.rows).toEqual([
    { id: 1, manualSort: 1, Name: "", Ready: false, Price: 0, Double: 0 },
  ]);
  await server.must("PATCH", `${hooks}/${id}`, { enabled: false });
  await add({ Name: "first" }, { Name: "second" });
  await server.must("POST", `${hooks}/${id}/test`);
  expect((await receiver.next())[0]?.rows).toMatchObject([{ id: 1, Name: "first" }]);
  expect(await usage()).toEqual({ numWaiting: 0, status: "idle", lastEventBatch: null });
  expect((await server.call("owner", "POST", `${hooks}/nothing/test`)).status).toBe(404);
});

test("automation services subscribe, and unsubscribe with the key", async () => {
  await server.must("PATCH", `${doc}/access`, { delta: { users: { "emil@example.com": "editors" } } });
  const table = `${doc}/tables/Goods`;
  const body = { url: receiver.url, eventTypes: ["add"] };
  expect((await server.call("editor", "POST", `${table}/_subscribe`, body)).status).toBe(403);
  type Subscribed = { webhookId: string; unsubscribeKey: string; triggerId: number };
  const made = await server.must<Subscribed>("POST", `${table}/_subscribe`, body);
  expect(made).toEqual({ webhookId: expect.any(String), unsubscribeKey: expect.any(String), triggerId: 1 });
  await add({ Name: "a" });
  expect((await receiver.next())[0]?.rows).toHaveLength(1);
  const { webhookId, unsubscribeKey } = made;
  await play(server, [
    ["editor", "POST", `${table}/_unsubscribe`, { webhookId }, 403],
    ["editor", "POST", `${table}/_unsubscribe`, { webhookId, unsubscribeKey: "wrong" }, 403],
    ["editor", "POST", `${table}/_unsubscribe`, { webhookId: "nothing", unsubscribeKey }, 404],
    ["editor", "POST", `${table}/_unsubscribe`, { webhookId, unsubscribeKey }, 200, { success: true }],
    ["owner", "POST", `${doc}/tables/Nope/_subscribe`, body, 404],
    ["owner", "POST", `${table}/_subscribe`, { ...body, eventTypes: [] }, 400],
  ]);
  expect(await listed()).toEqual([]);
});
