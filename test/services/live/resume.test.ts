/** Resuming live queries under access rules, and replacing a document while its live queries are read. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { LiveQueryArgs } from "../../../src/hosts/documents.ts";
import type { Context } from "../../../src/services/context.ts";
import { setRules } from "../../helpers/access-rules.ts";
import { testApp, type TestApp, type UserName } from "../../helpers/app.ts";
import { TestTimers } from "../../helpers/clock.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";
import { LiveClient } from "./live-world.ts";

let server: TestApp;
let timers: TestTimers;
let place: DocumentFixture;
let ctx: Context;
/** Called when a result was read, before it is delivered. */
let onRead: (() => Promise<unknown>) | null;

beforeEach(async () => {
  timers = new TestTimers();
  server = await testApp({ timers, clock: timers.clock });
  place = await createSharedFixture(server);
  await apply(["BulkAddRecord", "Table1", [1, 2, 3], { A: ["x", "y", "hidden"], B: ["b", "b", "b"] }]);
  onRead = null;
  const { documents } = server.app.ctx;
  const call: typeof documents.call = async (grant, verb, args) => {
    const result = await documents.call(grant, verb, args);
    const work = onRead;
    if (verb === "live.read" && work) {
      onRead = null;
      await work();
    }
    return result;
  };
  ctx = { ...server.app.ctx, documents: { ...documents, call } };
});
afterEach(() => server[Symbol.asyncDispose]());

const QUERY: LiveQueryArgs = { table: "Table1", hidden: false };
const apply = (...actions: unknown[]) => server.must("POST", `${place.doc}/apply`, actions);
const hideRows = () =>
  setRules(server, place.doc, {
    "Table1:*": [{ formula: "user.Access != OWNER and rec.A == 'hidden'", permissions: "none" }],
  });

async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    timers.pass(100);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }
}

/** Connects a client; one that has an id of an event resumes from it. */
async function connect(client: LiveClient): Promise<LiveClient> {
  await client.look();
  await during(client.open({ resumes: client.lastId !== null }));
  return client;
}

/** Lets timers fire until a promise is settled. */
async function during<T>(promise: Promise<T>): Promise<T> {
  const state = { isSettled: false };
  const onSettled = (): void => void (state.isSettled = true);
  promise.then(onSettled, onSettled);
  while (!state.isSettled) await settle();
  return promise;
}
const connected = (user: UserName, query = QUERY) =>
  connect(new LiveClient(server, { ctx, doc: place.uuid, user, query }));

describe("a caller from whom rules hide rows", () => {
  test("gets ids that reveal nothing about the document", async () => {
    await hideRows();
    const ids: (string | null)[] = [];
    for (let i = 0; i < 3; i++) {
      const client = await connected("viewer");
      ids.push(client.lastId);
      client.leave();
      await apply(["AddRecord", "Table1", null, { A: i === 0 ? "hidden" : "z".repeat(50) }]);
    }
    const { states } = await server.must<{ states: { n: number; h: string }[] }>("GET", `${place.doc}/states`);
    expect(ids.every((id) => id?.startsWith("~"))).toBe(true);
    expect(new Set(ids).size).toBe(3);
    for (const { h } of states) expect(ids.some((id) => id?.includes(h.slice(0, 8)))).toBe(false);
  });

  test.each<readonly [string, unknown[], string]>([
    ["a hidden row was changed", ["UpdateRecord", "Table1", 3, { B: "other" }], "current"],
    ["a hidden row was removed", ["RemoveRecord", "Table1", 3], "current"],
    ["a visible row was changed", ["UpdateRecord", "Table1", 1, { B: "other" }], "reset history"],
    ["a visible row became hidden", ["UpdateRecord", "Table1", 1, { A: "hidden" }], "reset history"],
  ])("resumes after %s", async (_, action, expected) => {
    await hideRows();
    const client = await connected("viewer");
    client.leave();
    await apply(action);
    await connect(client);
    expect(client.log).toEqual(["reset start", expected]);
    expect(client.copy).toBe(client.states.at(-1) ?? "");
    expect(client.mistakes).toEqual([]);
  });

  test("does not get the ids of hidden rows with the id of an event of a caller who can read them", async () => {
    await hideRows();
    const owner = await connected("owner");
    const { lastId } = owner;
    expect(lastId).toStartWith(`${(await newestState()).n}-`);
    await apply(["UpdateRecord", "Table1", 3, { B: "other" }], ["UpdateRecord", "Table1", 1, { B: "other" }]);
    const viewer = new LiveClient(server, { ctx, doc: place.uuid, user: "viewer", query: QUERY });
    viewer.lastId = lastId;
    await connect(viewer);
    expect(viewer.log).toEqual(["reset history"]);
    expect([...viewer.records.keys()]).toEqual([1, 2]);
  });

  test("does not learn which rows have changed in hidden columns from such an id", async () => {
    await setRules(server, place.doc, { "Table1:B": [{ formula: "user.Access == VIEWER", permissions: "-R" }] });
    const { lastId } = await connected("owner");
    await apply(["UpdateRecord", "Table1", 2, { B: "other" }]);
    const viewer = new LiveClient(server, { ctx, doc: place.uuid, user: "viewer", query: QUERY });
    viewer.lastId = lastId;
    await connect(viewer);
    expect(viewer.log).toEqual(["reset history"]);
  });

  test("does not learn whether the ids of other callers lead to the same records", async () => {
    await hideRows();
    const editor = await connected("editor");
    const viewer = new LiveClient(server, { ctx, doc: place.uuid, user: "viewer", query: QUERY });
    viewer.lastId = editor.lastId;
    await connect(viewer);
    expect(viewer.copy).toBe(editor.copy);
    expect(viewer.log).toEqual(["reset history"]);
  });

  test("does not resume with the id of another query that has the same records", async () => {
    await hideRows();
    const client = await connected("viewer");
    const other = new LiveClient(server, {
      ctx,
      doc: place.uuid,
      user: "viewer",
      query: { ...QUERY, filter: '{"id":{"gte":1}}' },
    });
    other.lastId = client.lastId;
    await connect(other);
    expect(other.log).toEqual(["reset history"]);
  });
});

async function newestState(): Promise<{ n: number }> {
  const { states } = await server.must<{ states: { n: number }[] }>("GET", `${place.doc}/states`);
  const [newest] = states;
  if (!newest) throw new Error("no states");
  return newest;
}

test("clients that resume from the same state get the same bytes, which are read once", async () => {
  const clients = [await connected("viewer"), await connected("editor"), await connected("owner")];
  for (const client of clients) client.leave();
  await apply(["UpdateRecord", "Table1", 1, { B: "other" }]);
  await Promise.all(clients.map(connect));
  for (const client of clients) {
    expect(client.log).toEqual(["reset start", "change"]);
    expect(client.copy).toBe(client.states.at(-1) ?? "");
  }
});

describe("a document that is replaced while a result is read", () => {
  /** Replaces the document when the next result has been read; resolves then. */
  function replaceDuringRead(client: LiveClient, sourceDocId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    onRead = () => replace(client, sourceDocId).finally(resolve);
    return promise;
  }
  const replace = async (client: LiveClient, sourceDocId: string): Promise<void> => {
    await server.must("POST", `${place.doc}/replace`, { sourceDocId });
    await client.look();
    // Its former content must not arrive any more.
    client.forgetStates();
  };
  const copied = () =>
    server.must<string>("POST", `${place.doc}/copy`, { workspaceId: place.shelfId, documentName: "Copy" });

  test("discards the result", async () => {
    const sourceDocId = await copied();
    const client = await connected("viewer");
    await apply(["UpdateRecord", "Table1", 1, { A: "changed" }]);
    await client.look();
    await during(replaceDuringRead(client, sourceDocId));
    await settle();
    expect(client.log).toEqual(["reset start", "reset replaced"]);
    expect(client.mistakes).toEqual([]);
    expect(client.copy).toBe(client.states.at(-1) ?? "");
    await apply(["UpdateRecord", "Table1", 2, { A: "later" }]);
    await client.look();
    await settle();
    expect(client.log).toEqual(["reset start", "reset replaced", "change"]);
  });

  test("is not followed by records that were kept for later subscribers", async () => {
    const sourceDocId = await copied();
    await apply(["UpdateRecord", "Table1", 1, { A: "changed" }]);
    const client = await connected("viewer");
    await during(replace(client, sourceDocId));
    await settle();
    expect(client.log).toEqual(["reset start", "reset replaced"]);
    expect(client.copy).toBe(client.states.at(-1) ?? "");
  });

  test("also discards the first result of a subscriber, and records for later subscribers", async () => {
    const sourceDocId = await copied();
    await apply(["UpdateRecord", "Table1", 1, { A: "changed" }]);
    const client = new LiveClient(server, { ctx, doc: place.uuid, user: "viewer", query: QUERY });
    void replaceDuringRead(client, sourceDocId);
    await connect(client);
    const later = await connected("viewer");
    for (const each of [client, later]) {
      expect(each.log).toEqual(["reset start"]);
      expect(each.mistakes).toEqual([]);
      expect(each.copy).not.toContain("changed");
    }
  });
});
