/** The queue of pending events: limits, restarts, the trash, clearing; with simulated time. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createApp, type App } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { yieldToEventLoop } from "../../src/lib/time/timers.ts";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { TestTimers } from "../helpers/clock.ts";
import { WebhookReceiver, type Reply } from "../helpers/webhook-receiver.ts";

let receiver: WebhookReceiver;
let timers: TestTimers;
let server: TestApp;
/** The current server: tests may restart it on the same data. */
let app: App;
let doc: string;

const flags = () => ({
  "webhook-pause-ms": "0",
  "webhook-allow": receiver.host,
  "webhook-queue": "25",
  "webhook-max-attempts": "3",
});

beforeEach(async () => {
  receiver = new WebhookReceiver();
  timers = new TestTimers();
  server = await testApp({ flags: flags() });
  doc = `/api/docs/${(await sampleDocument(server)).doc}`;
  await server.app.close();
  start();
});
afterEach(async () => {
  await app.close();
  await server[Symbol.asyncDispose]();
  receiver[Symbol.dispose]();
});

function start(more: Record<string, string> = {}): void {
  const config = readConfig({ data: server.folder, ...flags(), ...more }, {});
  app = createApp(config, { clock: timers.clock, timers });
}

async function restart(more: Record<string, string> = {}): Promise<void> {
  await app.close();
  start(more);
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
const settled = () => app.ctx.webhooks.whenIdle();
/** Advances the time, and waits for due deliveries. */
const pass = async (ms: number) => {
  timers.pass(ms);
  await settled();
};
/** Creates a webhook and the first row, with the given responses to the first attempts. */
const begin = async (...replies: Reply[]) => {
  await make();
  receiver.replies.push(...replies);
  await add(1);
  await settled();
};
const values = () => receiver.received.map(({ rows }) => rows.map(({ A }) => A as number));

test("failed deliveries are retried at the configured times, each delay twice the previous one", async () => {
  await begin(500, 500, 500, 500, 500);
  expect(await usage()).toMatchObject({ status: "sending", numWaiting: 1 });
  await pass(999);
  expect(receiver.received).toHaveLength(1);
  await pass(1);
  expect(receiver.received).toHaveLength(2);
  expect(await usage()).toMatchObject({ status: "retrying", lastEventBatch: { attempts: 2, status: "failure" } });
  await pass(1999);
  expect(receiver.received).toHaveLength(2);
  // Up to a fifth is jitter.
  await pass(401);
  expect(receiver.received).toHaveLength(3);
  expect((await usage())["status"]).toBe("postponed");
  await pass(60_000);
  expect(receiver.received).toHaveLength(3);
});

test("an event is sent once when lookups of pending events overlap", async () => {
  await app.close();
  // With the system's time, documents run in threads: a lookup waits for other changes.
  app = createApp(readConfig({ data: server.folder, ...flags(), "doc-threads": "1" }, {}));
  await make();
  await must("POST", `${doc}/tables`, { tables: [{ id: "Busy", columns: [{ id: "A" }] }] });
  const [uuid = ""] = app.ctx.home.webhooks.documents();
  const done = new AbortController();
  const keepBusy = async () => {
    while (!done.signal.aborted)
      await must("POST", `${doc}/tables/Busy/data`, { A: Array.from({ length: 500 }, () => 0) });
  };
  const keepWaking = async () => {
    for (; !done.signal.aborted; await yieldToEventLoop()) app.ctx.webhooks.wake(uuid);
  };
  const others = [keepBusy(), keepBusy(), keepWaking()];
  for (let n = 1; n <= 20; n++) await add(n);
  done.abort();
  await Promise.all(others);
  await settled();
  expect(values().flat()).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
});

test("events in quick succession are batched", async () => {
  await restart({ "webhook-pause-ms": "50" });
  await begin();
  await add(2);
  await add(3);
  await settled();
  expect(values()).toEqual([[1]]);
  await pass(50);
  expect(values()).toEqual([[1], [2, 3]]);
});

test("setting the clock back does not delay pending deliveries", async () => {
  await begin(500, 500);
  timers.clock.jump(-3_600_000);
  await pass(1000);
  expect(receiver.received).toHaveLength(2);
  timers.clock.jump(3_600_000);
  await pass(2400);
  expect(receiver.received).toHaveLength(3);
  expect((await usage())["status"]).toBe("idle");
});

test("Retry-After is honored", async () => {
  await begin(() => new Response("", { status: 429, headers: { "Retry-After": "30" } }));
  await pass(29_999);
  expect(receiver.received).toHaveLength(1);
  await pass(1);
  expect(receiver.received).toHaveLength(2);
});

describe("events beyond the queue limit", () => {
  test("discard the oldest, except those in flight, and are counted", async () => {
    await begin(500);
    for (let n = 2; n <= 40; n++) await add(n);
    expect(await usage()).toMatchObject({ numWaiting: 25, numDropped: 15 });
    await pass(1000);
    expect(values()).toEqual([[1], [1], Array.from({ length: 24 }, (_, n) => n + 17)]);
    expect(await usage()).toMatchObject({ numWaiting: 0, numDropped: 15, status: "idle" });
  });

  test("stay discarded after a restart", async () => {
    await make();
    receiver.replies.push(500, 500);
    for (let n = 1; n <= 30; n++) {
      await add(n);
      await settled();
    }
    await restart();
    expect((await usage())["numWaiting"]).toBe(25);
    await pass(1000);
    await pass(3000);
    expect(values().at(-1)).toEqual(Array.from({ length: 24 }, (_, n) => n + 7));
  });
});

test("pending events are delivered unchanged after a restart, whether or not a client opens the document", async () => {
  await make();
  receiver.replies.push(500);
  await add(1, 2);
  await settled();
  await add(3);
  const before = await usage();
  await restart();
  await settled();
  await pass(1000);
  expect(values()).toEqual([[1, 2], [1, 2], [3]]);
  expect(new Set(receiver.received.slice(0, 2).map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
  expect(await usage()).toMatchObject({ numWaiting: 0, lastFailureTime: before["lastFailureTime"] });
});

test("nothing is delivered from the trash, and everything after restoring", async () => {
  await begin(500);
  await must("POST", `${doc}/remove`);
  await pass(5000);
  expect(receiver.received).toHaveLength(1);
  await must("POST", `${doc}/unremove`);
  await pass(60_000);
  expect(values()).toEqual([[1], [1]]);
});

test("the home database marks only documents with pending events", async () => {
  await make();
  const due = () => app.ctx.home.webhooks.due().length;
  expect(due()).toBe(0);
  receiver.replies.push(500);
  await add(1);
  expect(due()).toBe(1);
  await settled();
  await pass(1000);
  expect(receiver.received).toHaveLength(2);
  timers.pass(10_000);
  expect(due()).toBe(0);
});

test("a document keeps the last 50 attempts, and no unneeded events", async () => {
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
  await restart();
  expect(await must<Deliveries>("GET", `${doc}/webhooks/${id}/deliveries`)).toEqual({ deliveries });
  const uuid = doc.split("/").at(-1) ?? "";
  using file = new Database(`${server.folder}/docs/${uuid}/document.grist`, { readonly: true });
  expect(file.query("select count(*) as n from _quern_outbox").get()).toEqual({ n: 50 });
});
