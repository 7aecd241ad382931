/** Webhook deliveries and their status. */
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { EVERYTHING, useWebhookFixture, type WebhookFixture } from "../helpers/webhook-fixture.ts";

let server: WebhookFixture["server"];
let receiver: WebhookFixture["receiver"];
let doc: WebhookFixture["doc"];
let hooks: WebhookFixture["hooks"];
let make: WebhookFixture["make"];
let add: WebhookFixture["add"];
let change: WebhookFixture["change"];
let remove: WebhookFixture["remove"];
let listed: WebhookFixture["listed"];
let usage: WebhookFixture["usage"];
let quiet: WebhookFixture["quiet"];

useWebhookFixture((all) => {
  ({ server, receiver, doc, hooks, make, add, change, remove, listed, usage, quiet } = all);
});

describe("the receiver gets", () => {
  test("whole rows in their state after the change, with formulas", async () => {
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
    expect(all.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(Array.from({ length: 230 }, (_, n) => n + 1));
  });

  test("one event per row for all changes of a request", async () => {
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

  test("removed rows with their last values, marked by a header", async () => {
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

  test("no removed rows unless subscribed to", async () => {
    await make({ eventTypes: ["add", "update"] });
    await add({ Name: "a" });
    await receiver.next();
    await remove(1);
    await quiet();
    expect(receiver.received).toHaveLength(1);
  });

  test("rows changed by formulas that depend on other tables", async () => {
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

  test("rows once they are ready; only true is ready", async () => {
    const free = { type: "Any", isFormula: false, formula: "" };
    await server.must("POST", `${doc}/tables/Goods/columns`, { columns: [{ id: "Free", fields: free }] });
    await make({ eventTypes: ["add"], isReadyColumn: "Free" });
    await add({ Name: "number", Free: 1 }, { Name: "text", Free: "true" }, { Name: "true", Free: true });
    expect((await receiver.next())[0]?.rows.map(({ Name }) => Name)).toEqual(["true"]);
    await change(3, { Name: "more" });
    await change(1, { Free: true });
    expect((await receiver.next())[0]?.rows.map(({ Name }) => Name)).toEqual(["number"]);
  });

  test("nothing for changes while it is disabled", async () => {
    const id = await make();
    await server.must("PATCH", `${hooks}/${id}`, { enabled: false });
    await add({ Name: "off" });
    await server.must("PATCH", `${hooks}/${id}`, { enabled: true });
    await add({ Name: "on" });
    expect((await receiver.next())[0]?.rows).toMatchObject([{ Name: "on" }]);
    await quiet();
    expect(receiver.received).toHaveLength(1);
  });

  test("nothing for a refused change", async () => {
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

  test("a signature that can be verified with its secret", async () => {
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

describe("a failed delivery", () => {
  test("is retried unchanged and in order, until it succeeds", async () => {
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

  test("shows usage from the first event on, with null for unknown values", async () => {
    await make();
    receiver.replies.push(() => new Promise<Response>(() => {}));
    const before = server.app.ctx.clock.now();
    await add({ Name: "first" });
    await receiver.next();
    const { updatedTime, ...others } = await usage();
    expect(Number(updatedTime)).toBeWithin(before, server.app.ctx.clock.now() + 1);
    expect(others).toEqual({
      numWaiting: 1,
      status: "sending",
      lastSuccessTime: null,
      lastFailureTime: null,
      lastErrorMessage: null,
      lastHttpStatus: null,
      lastEventBatch: null,
    });
  });

  test("does not block other webhooks", async () => {
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

  test("is listed with its attempts and their results", async () => {
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
    const [last, late, refused] = await Promise.all(
      deliveries.map((each) => server.must<{ body: string }>("GET", `${hooks}/${id}/deliveries/${each.id}`)),
    );
    expect(last).toMatchObject({ ...deliveries[0], event: "rows", answer: "ok" });
    expect(JSON.parse(last?.body ?? "")).toMatchObject([{ Name: "a" }, { Name: "b" }]);
    expect([late, refused]).toMatchObject([
      { ...deliveries[1], answer: "" },
      { ...deliveries[2], answer: "ok", body: last?.body },
    ]);
    expect((await server.call("owner", "GET", `${hooks}/${id}/deliveries/999`)).status).toBe(404);
    const again = `${hooks}/${id}/deliveries/${first.id}/redeliver`;
    receiver.replies.push(() => new Response("seen it", { status: 409 }));
    expect(await server.must("POST", again)).toMatchObject({ success: false, httpStatus: 409, answer: "seen it" });
    const [repeated] = await receiver.next();
    expect(repeated?.rows).toMatchObject([{ Name: "a" }, { Name: "b" }]);
    expect(repeated?.headers.get("webhook-id")).toBe(messageId);
    expect((await server.call("owner", "POST", `${hooks}/${id}/deliveries/999/redeliver`)).status).toBe(404);
    expect(await usage()).toMatchObject({ lastEventBatch: { status: "success" } });
  });

  test("ends with its queue", async () => {
    const [id, other] = [await make(), await make({ url: `${receiver.url}/other` })];
    const fail = (one: { path: string }) => new Response("no", { status: one.path === "/other" ? 200 : 500 });
    receiver.replies.push(...Array.from({ length: 1000 }, () => fail));
    await add({ Name: "a" });
    await receiver.until((all) => all.length >= 4);
    expect((await listed())[0]?.usage).toMatchObject({ numWaiting: 1, lastEventBatch: { status: "failure" } });
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

test("a test sends the first row, or a sample of a new one", async () => {
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
