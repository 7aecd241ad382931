/** What waits for webhooks: limits, restarts, the trash, clearing; with time that passes on demand. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createApp, type App } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { TestTimers } from "../helpers/clock.ts";
import { Receiver } from "../helpers/receiver.ts";

let receiver: Receiver;
let timers: TestTimers;
let server: TestApp;
/** The server that answers now: it may be another one on the same data. */
let app: App;
let doc: string;

const flags = () => ({
  "webhook-pause-ms": "0",
  "webhook-allow": receiver.host,
  "webhook-queue": "25",
  "webhook-max-attempts": "3",
});

beforeEach(async () => {
  receiver = new Receiver();
  timers = new TestTimers();
  server = await testApp({ flags: flags() });
  doc = `/api/docs/${(await sampleDocument(server)).doc}`;
  await server.app.close();
  restart();
});
afterEach(async () => {
  await app.close();
  await server[Symbol.asyncDispose]();
  receiver[Symbol.dispose]();
});

function restart(): void {
  const config = readConfig({ data: server.folder, ...flags() }, {});
  app = createApp(config, { clock: timers.clock, timers });
}

async function must<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { Host: "x", "Content-Type": "application/json", Authorization: `Bearer ${server.keys.owner}` };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await app.handle(new Request(`http://x/o/team${path}`, init));
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

const make = (fields: object = {}) =>
  must("POST", `${doc}/webhooks`, {
    webhooks: [{ fields: { url: receiver.url, tableId: "Table1", eventTypes: ["add"], ...fields } }],
  });
const add = (...values: number[]) =>
  must("POST", `${doc}/tables/Table1/records`, { records: values.map((A) => ({ fields: { A } })) });
interface Listed {
  readonly id: string;
  readonly usage: Readonly<Record<string, unknown>>;
}

const listed = async () => must<{ webhooks: Listed[] }>("GET", `${doc}/webhooks`).then(({ webhooks }) => webhooks);
const usage = async () => (await listed())[0]?.usage ?? {};
const settled = () => app.ctx.webhooks.settled();
const values = () => receiver.received.map(({ rows }) => rows.map(({ A }) => A as number));

test("what fails is tried at the times of the settings, each wait twice the one before", async () => {
  await make();
  receiver.replies.push(...Array.from({ length: 5 }, () => 500));
  await add(1);
  await settled();
  expect(await usage()).toMatchObject({ status: "sending", numWaiting: 1 });
  timers.pass(999);
  await settled();
  expect(receiver.received).toHaveLength(1);
  timers.pass(1);
  await settled();
  expect(receiver.received).toHaveLength(2);
  expect(await usage()).toMatchObject({ status: "retrying", lastEventBatch: { attempts: 2, status: "failure" } });
  timers.pass(1999);
  await settled();
  expect(receiver.received).toHaveLength(2);
  // Up to a fifth is chance.
  timers.pass(401);
  await settled();
  expect(receiver.received).toHaveLength(3);
  expect((await usage())["status"]).toBe("postponed");
  timers.pass(60_000);
  await settled();
  expect(receiver.received).toHaveLength(3);
});

test("events that follow each other closely go together", async () => {
  await app.close();
  const config = readConfig({ data: server.folder, ...flags(), "webhook-pause-ms": "50" }, {});
  app = createApp(config, { clock: timers.clock, timers });
  await make();
  await add(1);
  await settled();
  await add(2);
  await add(3);
  await settled();
  expect(values()).toEqual([[1]]);
  timers.pass(50);
  await settled();
  expect(values()).toEqual([[1], [2, 3]]);
});

test("what waits for its time does not wait longer when somebody sets the clock back", async () => {
  await make();
  receiver.replies.push(500, 500);
  await add(1);
  await settled();
  timers.clock.jump(-3_600_000);
  timers.pass(1000);
  await settled();
  expect(receiver.received).toHaveLength(2);
  timers.clock.jump(3_600_000);
  timers.pass(2400);
  await settled();
  expect(receiver.received).toHaveLength(3);
  expect((await usage())["status"]).toBe("idle");
});

test("Retry-After is kept to", async () => {
  await make();
  receiver.replies.push(() => new Response("", { status: 429, headers: { "Retry-After": "30" } }));
  await add(1);
  await settled();
  timers.pass(29_999);
  await settled();
  expect(receiver.received).toHaveLength(1);
  timers.pass(1);
  await settled();
  expect(receiver.received).toHaveLength(2);
});

describe("more than may wait", () => {
  test("loses the oldest, but for what is being sent, and tells how many", async () => {
    await make();
    receiver.replies.push(500);
    await add(1);
    await settled();
    for (let n = 2; n <= 40; n++) await add(n);
    expect(await usage()).toMatchObject({ numWaiting: 25, numDropped: 15 });
    timers.pass(1000);
    await settled();
    expect(values()).toEqual([[1], [1], Array.from({ length: 24 }, (_, n) => n + 17)]);
    expect(await usage()).toMatchObject({ numWaiting: 0, numDropped: 15, status: "idle" });
  });

  test("stays lost over a restart", async () => {
    await make();
    receiver.replies.push(500, 500);
    for (let n = 1; n <= 30; n++) {
      await add(n);
      await settled();
    }
    await app.close();
    restart();
    expect((await usage())["numWaiting"]).toBe(25);
    timers.pass(1000);
    await settled();
    timers.pass(3000);
    await settled();
    expect(values().at(-1)).toEqual(Array.from({ length: 24 }, (_, n) => n + 7));
  });
});

test("what waits is sent after a restart, the same as before, by whoever opens the document or nobody", async () => {
  await make();
  receiver.replies.push(500);
  await add(1, 2);
  await settled();
  await add(3);
  const before = await usage();
  await app.close();
  restart();
  await settled();
  timers.pass(1000);
  await settled();
  expect(values()).toEqual([[1, 2], [1, 2], [3]]);
  expect(new Set(receiver.received.slice(0, 2).map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
  expect(await usage()).toMatchObject({ numWaiting: 0, lastFailureTime: before["lastFailureTime"] });
});

test("nothing is sent from the trash, and everything when it is taken out", async () => {
  await make();
  receiver.replies.push(500);
  await add(1);
  await settled();
  await must("POST", `${doc}/remove`);
  timers.pass(5000);
  await settled();
  expect(receiver.received).toHaveLength(1);
  await must("POST", `${doc}/unremove`);
  timers.pass(60_000);
  await settled();
  expect(values()).toEqual([[1], [1]]);
});

test("the home database names documents with something to send, and no others", async () => {
  await make();
  const due = () => app.ctx.home.webhooks.due().length;
  expect(due()).toBe(0);
  receiver.replies.push(500);
  await add(1);
  expect(due()).toBe(1);
  await settled();
  timers.pass(1000);
  await settled();
  expect(receiver.received).toHaveLength(2);
  timers.pass(10_000);
  expect(due()).toBe(0);
});

test("a document keeps the last 50 tries, and no events that nobody needs", async () => {
  await make();
  const id = (await listed())[0]?.id ?? "";
  type Deliveries = { deliveries: { id: number }[] };
  for (let n = 1; n <= 60; n++) {
    await add(n);
    await settled();
  }
  const { deliveries } = await must<Deliveries>("GET", `${doc}/webhooks/${id}/deliveries`);
  expect(deliveries).toHaveLength(50);
  expect(deliveries[0]?.id).toBe(60);
  await must("POST", `${doc}/webhooks/${id}/deliveries/${deliveries[49]?.id}/redeliver`);
  expect(values().at(-1)).toEqual([11]);
  await app.close();
  restart();
  expect(await must<Deliveries>("GET", `${doc}/webhooks/${id}/deliveries`)).toEqual({ deliveries });
  const uuid = doc.split("/").at(-1) ?? "";
  using file = new Database(`${server.folder}/docs/${uuid}/document.grist`, { readonly: true });
  expect(file.query("select count(*) as n from _quern_outbox").get()).toEqual({ n: 50 });
});
