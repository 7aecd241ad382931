/** Definition of webhooks by the API. */
import { describe, expect, test } from "bun:test";
import { EVERYTHING, useWebhookFixture, type WebhookFixture } from "../helpers/webhook-fixture.ts";
import { runSteps, statusesByCaller } from "../helpers/request-steps.ts";

let server: WebhookFixture["server"];
let receiver: WebhookFixture["receiver"];
let sample: WebhookFixture["sample"];
let doc: WebhookFixture["doc"];
let hooks: WebhookFixture["hooks"];
let make: WebhookFixture["make"];
let add: WebhookFixture["add"];
let listed: WebhookFixture["listed"];
let quiet: WebhookFixture["quiet"];

useWebhookFixture((all) => {
  ({ server, receiver, sample, doc, hooks, make, add, listed, quiet } = all);
});

describe("a webhook is defined", () => {
  test("with empty texts among the watched columns, which are ignored", async () => {
    const id = await make({ watchedColIds: ["", "Price", ""] });
    expect((await listed())[0]?.fields["watchedColIds"]).toEqual(["Price"]);
    await server.must("PATCH", `${hooks}/${id}`, { watchedColIds: ["Name", ""] });
    expect((await listed())[0]?.fields["watchedColIds"]).toEqual(["Name"]);
    await server.must("PATCH", `${hooks}/${id}`, { watchedColIds: [""] });
    expect((await listed())[0]?.fields["watchedColIds"]).toEqual([]);
  });

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
    expect((await listed())[0]?.fields["tableId"]).toBe("Goods");
    await server.must("PATCH", `${doc}/access`, {
      delta: { users: { "emil@example.com": "editors", "vito@example.com": "viewers" } },
    });
    const body = { webhooks: [{ fields: { url: receiver.url, ...EVERYTHING } }] };
    expect(await statusesByCaller(server, ["editor", "viewer", "stranger", "anon"], ["POST", hooks, body])).toEqual([
      403, 403, 403, 403,
    ]);
    expect(await statusesByCaller(server, ["editor", "viewer", "stranger", "anon"], ["GET", hooks])).toEqual([
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

  test("limited in number", async () => {
    const many = Array.from({ length: 200 }, () => ({ fields: { ...good, enabled: false } }));
    await server.must("POST", hooks, { webhooks: many });
    expect((await server.call("owner", "POST", hooks, { webhooks: [{ fields: good }] })).status).toBe(400);
    expect((await server.call("owner", "POST", hooks, { webhooks: [] })).body).toEqual({ webhooks: [] });
  });

  test("modified: absent fields are unchanged", async () => {
    const id = await make({ name: "a", isReadyColumn: "Ready", watchedColIds: ["Name"], authorization: "x" });
    await runSteps(server, [
      ["owner", "PATCH", `${hooks}/${id}`, {}, 200, { success: true }],
      ["owner", "PATCH", `${hooks}/${id}`, { name: null, memo: null, other: 1 }, 200, { success: true }],
      ["owner", "PATCH", `${hooks}/nothing`, { name: "x" }, 404],
      ["owner", "PATCH", `${hooks}/${id}`, { tableId: "Table1", isReadyColumn: "Ready" }, 404],
    ]);
    expect((await listed())[0]?.fields).toMatchObject({
      name: null,
      memo: null,
      isReadyColumn: "Ready",
      watchedColIds: ["Name"],
      authorization: "x",
    });
    await server.must("PATCH", `${hooks}/${id}`, { tableId: "Goods", authorization: "" });
    expect((await listed())[0]?.fields).toMatchObject({ isReadyColumn: null, watchedColIds: [], authorization: "" });
    await server.must("PATCH", `${hooks}/${id}`, { isReadyColumn: "Ready", watchedColIds: ["Price"] });
    await server.must("PATCH", `${hooks}/${id}`, { tableId: "Table1", isReadyColumn: "A" });
    expect((await listed())[0]?.fields).toMatchObject({ tableId: "Table1", isReadyColumn: "A", watchedColIds: [] });
  });

  test("and follows its table and columns", async () => {
    await make({ isReadyColumn: "Ready", watchedColIds: ["Price", "Name"] });
    await server.must("POST", `${doc}/apply`, [
      ["RenameTable", "Goods", "Wares"],
      ["RenameColumn", "Wares", "Ready", "Done"],
      ["RenameColumn", "Wares", "Price", "Cost"],
      ["RemoveColumn", "Wares", "Name"],
    ]);
    const fields = (await listed())[0]?.fields;
    expect(fields).toMatchObject({ tableId: "Wares", isReadyColumn: "Done", watchedColIds: ["Cost"] });
    await server.must("POST", `${doc}/apply`, [["RemoveColumn", "Wares", "Done"]]);
    expect((await listed())[0]?.fields["isReadyColumn"]).toBeNull();
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
  await runSteps(server, [
    ["editor", "POST", `${table}/_unsubscribe`, { webhookId }, 400],
    ["editor", "POST", `${table}/_unsubscribe`, {}, 400],
    ["editor", "POST", `${table}/_unsubscribe`, { webhookId, unsubscribeKey: "wrong" }, 401],
    ["viewer", "POST", `${table}/_unsubscribe`, { webhookId, unsubscribeKey }, 403],
    ["owner", "POST", `${table}/_unsubscribe`, {}, 404],
    ["editor", "POST", `${table}/_unsubscribe`, { webhookId: "nothing", unsubscribeKey }, 404],
    ["editor", "POST", `${table}/_unsubscribe`, { webhookId, unsubscribeKey }, 200, { success: true }],
    ["owner", "POST", `${doc}/tables/Nope/_subscribe`, body, 404],
    ["owner", "POST", `${table}/_subscribe`, { ...body, eventTypes: [] }, 400],
  ]);
  expect(await listed()).toEqual([]);
});
