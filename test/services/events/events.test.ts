/** Tests of event streams with fake timers and subscribers that do not read. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { DocumentGrant } from "../../../src/authorization.ts";
import { reportCallbackErrors } from "../../../src/lib/callbacks.ts";
import { subscribeToDocument, type Subscriber } from "../../../src/services/events/events.ts";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { guardDocument } from "../../../src/services/access/guards.ts";
import { USERS, sampleDocument, testApp, type TestApp } from "../../helpers/app.ts";
import { TestTimers } from "../../helpers/clock.ts";

const MOST = { perDocument: 10, total: 10 };

let server: TestApp;
let timers: TestTimers;
let doc: string;
let grant: DocumentGrant;

beforeEach(async () => {
  timers = new TestTimers();
  server = await testApp({ timers, clock: timers.clock });
  ({ doc } = await sampleDocument(server));
  const actor = actorForCommand(server.app.ctx, USERS.owner.email);
  grant = guardDocument(server.app.ctx, actor, { kind: "personal" }, doc, "viewers");
});
afterEach(() => server[Symbol.asyncDispose]());

/** Collects frames, and lags on request. */
class KeepingFollower implements Subscriber {
  readonly texts: string[] = [];
  isLagging = false;
  isOver = false;

  reauthorize(): DocumentGrant {
    return grant;
  }

  send(text: string): void {
    this.texts.push(text);
  }

  end(): void {
    this.isOver = true;
  }

  /** Returns the names of the events since the last call. */
  take(): string[] {
    return this.texts.splice(0).map((text) => /^event: (\w+)$/m.exec(text)?.[1] ?? text.trim().slice(0, 5));
  }
}

async function joined(subscriber: Subscriber) {
  return subscribeToDocument(server.app.ctx, grant, { subscriber, after: null, limits: MOST });
}

const addRow = () => server.must("POST", `/api/docs/${doc}/apply`, [["AddRecord", "Table1", null, { A: 1 }]]);

/** Waits for the query of the document, which takes no time of the fake clock. */
async function passed(ms = 200): Promise<void> {
  timers.pass(ms);
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
}

test("sends a heartbeat every 20 seconds", async () => {
  const follower = new KeepingFollower();
  await joined(follower);
  expect(follower.take()).toEqual(["retry", "ready"]);
  for (let i = 0; i < 60; i++) await passed(1000);
  expect(follower.take()).toEqual([":", ":", ":"]);
});

test("changes in quick succession are queried once", async () => {
  const follower = new KeepingFollower();
  await joined(follower);
  follower.take();
  for (let i = 0; i < 30; i++) await addRow();
  await passed();
  expect(follower.take()).toEqual(["change"]);
});

test("a failure while subscribers are notified does not end the feed: they are notified again, once, in order", async () => {
  const failing = new KeepingFollower();
  const other = new KeepingFollower();
  await joined(failing);
  await joined(other);
  failing.take();
  other.take();
  const { send } = failing;
  failing.send = () => {
    throw new Error("a connection that breaks in an unforeseen way");
  };
  await addRow();
  await passed();
  expect([failing.take(), other.take()]).toEqual([[], []]);
  failing.send = send;
  await passed(2000);
  expect([failing.take(), other.take()]).toEqual([["change"], ["change"]]);
  await addRow();
  await passed();
  expect([failing.take(), other.take()]).toEqual([["change"], ["change"]]);
});

test("a listener that fails does not turn a committed change into an error", async () => {
  reportCallbackErrors(() => undefined);
  const stop = server.app.ctx.signals.subscribe(doc, () => {
    throw new Error("a listener with a bug");
  });
  await addRow();
  stop();
  reportCallbackErrors((error) => {
    throw error;
  });
});

describe("a subscriber that does not read", () => {
  test("gets no more events, and the missed ones in one batch when it has drained", async () => {
    const follower = new KeepingFollower();
    const { onDrained } = await joined(follower);
    follower.take();
    follower.isLagging = true;
    for (let i = 0; i < 25; i++) {
      await addRow();
      await passed();
    }
    for (let i = 0; i < 30; i++) await passed(1000);
    expect(follower.texts).toEqual([]);
    follower.isLagging = false;
    onDrained();
    await passed();
    expect(follower.texts.join("")).toContain('"actions":25');
    expect(follower.take()).toEqual(["change"]);
  });

  test("is disconnected after a minute", async () => {
    const follower = new KeepingFollower();
    await joined(follower);
    follower.isLagging = true;
    await addRow();
    for (let i = 0; i < 59; i++) await passed(1000);
    expect(follower.isOver).toBe(false);
    for (let i = 0; i < 41; i++) await passed(1000);
    expect(follower.isOver).toBe(true);
    expect(follower.texts.at(-1)).toContain('"slow"');
  });
});

test("changes by time-dependent formulas have no user", async () => {
  await server.must("POST", `/api/docs/${doc}/apply`, [
    ["AddColumn", "Table1", "Hour", { isFormula: true, formula: "NOW().hour" }],
    ["AddRecord", "Table1", null, {}],
  ]);
  const follower = new KeepingFollower();
  await joined(follower);
  const [{ n }] = (await server.must<{ states: [{ n: number }] }>("GET", `/api/docs/${doc}/states`)).states;
  follower.take();
  timers.clock.pass(3_600_000);
  await server.must("POST", `/api/docs/${doc}/apply`, [["UpdateCurrentTime"]]);
  await passed();
  const text = follower.texts.join("");
  expect(text).toStartWith(`id: ${n}-`);
  expect(JSON.parse(text.slice(text.indexOf("{")))).toEqual({
    action: n,
    actions: 0,
    time: expect.any(String),
    user: null,
    schema: false,
    tables: [{ table: "Table1", updated: [1], columns: ["Hour"] }],
  });
});
