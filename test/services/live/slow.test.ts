/** Slow subscribers of live queries, and subscribers that share the work. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { LiveQueryArgs } from "../../../src/hosts/documents.ts";
import type { Context } from "../../../src/services/context.ts";
import { setRules } from "../../helpers/access-rules.ts";
import { testApp, type TestApp, type UserName } from "../../helpers/app.ts";
import { SECOND, TestTimers } from "../../helpers/clock.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";
import { LiveClient } from "./live-world.ts";

let server: TestApp;
let timers: TestTimers;
let place: DocumentFixture;
let ctx: Context;
/** The verbs that were called. */
let calls: string[];

beforeEach(async () => {
  timers = new TestTimers();
  server = await testApp({ timers, clock: timers.clock });
  place = await createSharedFixture(server);
  await server.must("POST", `${place.doc}/apply`, [["BulkAddRecord", "Table1", [1, 2], { A: ["x", "y"] }]]);
  calls = [];
  const { documents } = server.app.ctx;
  const call: typeof documents.call = (grant, verb, args) => {
    calls.push(verb);
    return documents.call(grant, verb, args);
  };
  ctx = { ...server.app.ctx, documents: { ...documents, call } };
});
afterEach(() => server[Symbol.asyncDispose]());

const QUERY: LiveQueryArgs = { table: "Table1", hidden: false };
const change = (A: string) => server.must("POST", `${place.doc}/apply`, [["UpdateRecord", "Table1", 1, { A }]]);

async function pass(ms = 100): Promise<void> {
  timers.pass(ms);
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
}

async function connected(user: UserName, query = QUERY): Promise<LiveClient> {
  const client = new LiveClient(server, { ctx, doc: place.uuid, user, query });
  await client.look();
  const opening = client.open({ resumes: false });
  for (let i = 0; i < 5; i++) await pass();
  await opening;
  return client;
}

test("a client that does not read gets the newest result once it reads, and nothing is buffered beyond a limit", async () => {
  const client = await connected("viewer");
  client.isLagging = true;
  for (let i = 0; i < 20; i++) {
    await change(`value ${i}`);
    await client.look();
    await pass();
  }
  const buffered = client.log.filter((one) => one === "change").length;
  expect(buffered).toBeGreaterThan(0);
  expect(buffered).toBeLessThan(5);
  client.drain();
  await pass();
  expect(client.log.slice(1 + buffered)).toEqual(["reset slow"]);
  expect(client.copy).toBe(client.states.at(-1) ?? "");
  expect(client.mistakes).toEqual([]);
  await change("the next one");
  await client.look();
  await pass();
  expect(client.log.at(-1)).toBe("change");
});

test("a client that does not read for a minute is disconnected", async () => {
  const client = await connected("viewer");
  client.isLagging = true;
  for (let i = 0; i < 130 && client.isOpen; i++) await pass(SECOND);
  expect(client.log).toEqual(["reset start", "closed slow"]);
});

test("equal queries with equal rights are read once for all", async () => {
  const clients = [
    await connected("owner"),
    await connected("viewer"),
    await connected("editor"),
    await connected("viewer"),
  ];
  const other = await connected("viewer", { ...QUERY, filter: '{"A":["y"]}' });
  calls.length = 0;
  await change("z");
  for (const client of clients) await client.look();
  calls.length = 0;
  await pass();
  expect(calls).toEqual(["live.read", "live.read"]);
  expect(clients.map(({ log }) => log.at(-1))).toEqual(["change", "change", "change", "change"]);
  expect(other.log).toEqual(["reset start"]);
});

test("under rules, only the same user's queries are read together", async () => {
  await setRules(server, place.doc, {
    "Table1:A": [{ formula: "user.Email == 'vito@example.com'", permissions: "-R" }],
  });
  const clients = [await connected("owner"), await connected("viewer"), await connected("viewer")];
  calls.length = 0;
  await change("z");
  await pass();
  expect(calls).toEqual(["live.read", "live.read"]);
  expect(clients.map(({ copy }) => copy.includes('"z"'))).toEqual([true, false, false]);
  // The change is in a column that is hidden from the viewer.
  expect(clients.map(({ log }) => log.at(-1))).toEqual(["change", "reset start", "reset start"]);
});

test("a role that is reduced while a result is being read does not get it", async () => {
  await setRules(server, place.doc, { "Table1:A": [{ formula: "user.Access == VIEWER", permissions: "-R" }] });
  const role = (name: string) =>
    server.must("PATCH", `${place.doc}/access`, { delta: { users: { "vito@example.com": name } } });
  await role("editors");
  const client = await connected("viewer");
  await client.look();
  await change("secret");
  const { documents } = ctx;
  const { call } = documents;
  // The role changes after the result was read.
  const late: typeof call = async (grant, verb, args) => {
    const result = await call(grant, verb, args);
    if (verb === "live.read") await role("viewers");
    return result;
  };
  (documents as { call: typeof call }).call = late;
  for (let i = 0; i < 5; i++) await pass();
  (documents as { call: typeof call }).call = call;
  for (let i = 0; i < 5; i++) await pass();
  expect(client.copy).not.toContain("secret");
  expect(client.log).toEqual(["reset start", "reset access"]);
});

/** Counts the reads from now on that return all records. */
function countWholeReads(): { readonly count: number } {
  const reads = { count: 0 };
  const { documents } = ctx;
  const { call } = documents;
  const observed: typeof call = async (grant, verb, args) => {
    const result = await call(grant, verb, args);
    if (verb === "live.read" && (result as { records: unknown }).records !== null) reads.count++;
    return result;
  };
  (documents as { call: typeof call }).call = observed;
  return reads;
}

describe("the memory of results that clients have not read", () => {
  const LARGE = 100_000;
  const QUERIES: readonly LiveQueryArgs[] = [QUERY, { ...QUERY, fields: "A" }, { ...QUERY, fields: "A,B" }];
  beforeEach(() =>
    server.must("POST", `${place.doc}/apply`, [["UpdateRecord", "Table1", 2, { A: "y".repeat(LARGE) }]]),
  );

  /** Returns clients of several queries, as many as there are flags that tell whether they read. */
  async function opened(...reads: readonly (readonly [query: number, reads: boolean])[]): Promise<LiveClient[]> {
    const clients: LiveClient[] = [];
    for (const [query, isReading] of reads) {
      const options = { ctx, doc: place.uuid, user: "viewer", query: QUERIES[query] ?? QUERY } as const;
      const client = new LiveClient(server, { ...options, bufferedBytes: 1.5 * LARGE });
      await client.look();
      void client.open({ resumes: false, isLagging: !isReading });
      clients.push(client);
      for (let i = 0; i < 5; i++) await pass();
    }
    return clients;
  }
  const logs = (clients: readonly LiveClient[]) => clients.map(({ log }) => log);
  const wait = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) await pass();
  };

  test("is limited for all together: further clients wait for room, and get the newest result then", async () => {
    const clients = await opened([0, false], [1, true], [2, true]);
    expect(logs(clients)).toEqual([["reset start"], [], []]);
    await change("changed");
    for (const client of clients) await client.look();
    const wholeReads = countWholeReads();
    await wait();
    expect(logs(clients).slice(1)).toEqual([[], []]);
    expect(wholeReads.count).toBe(0);
    clients[0]?.drain();
    await wait();
    expect(logs(clients).slice(1)).toEqual([["reset start"], ["reset start"]]);
    for (const client of clients) {
      expect(client.copy).toBe(client.states.at(-1) ?? "");
      expect(client.mistakes).toEqual([]);
    }
  });

  test("counts once for clients of equal queries", async () => {
    expect(logs(await opened([0, false], [0, false], [0, false]))).toEqual(
      Array.from({ length: 3 }, () => ["reset start"]),
    );
  });

  test("is released when clients leave, or are disconnected because they do not read", async () => {
    for (const end of [(client?: LiveClient) => client?.leave(), () => pass(81 * SECOND)]) {
      const [slow, other] = await opened([0, false], [1, true]);
      expect(other?.log).toEqual([]);
      await end(slow);
      for (let i = 0; i < 5; i++) await pass(20 * SECOND);
      expect(slow?.isOpen).toBe(false);
      expect(other?.log).toEqual(["reset start"]);
      other?.leave();
    }
  });

  test("is not taken by results for later subscribers, when others need it", async () => {
    expect(logs(await opened([0, true], [1, true], [2, true], [0, true]))).toEqual(
      Array.from({ length: 4 }, () => ["reset start"]),
    );
  });

  test("a change for which there is no room is replaced by the whole result", async () => {
    const [reading, slow] = await opened([1, true], [0, false]);
    await server.must("POST", `${place.doc}/apply`, [["UpdateRecord", "Table1", 1, { A: "z".repeat(LARGE) }]]);
    await reading?.look();
    await wait();
    expect(reading?.log).toEqual(["reset start"]);
    slow?.drain();
    await wait();
    expect(reading?.log).toEqual(["reset start", "reset slow"]);
    expect(reading?.copy).toBe(reading?.states.at(-1) ?? "");
  });
});

test("later subscribers get the records that were read for earlier ones, while nothing has changed", async () => {
  const wholeReads = countWholeReads();
  const clients = [await connected("viewer"), await connected("owner"), await connected("viewer")];
  expect(wholeReads.count).toBe(1);
  // A query of the same caller is described once.
  expect(calls.filter((verb) => verb === "live.describe")).toHaveLength(2);
  await change("changed");
  for (const client of clients) await client.look();
  clients.push(await connected("viewer"));
  expect(wholeReads.count).toBe(2);
  for (const client of clients) expect(client.copy).toBe(client.states.at(-1) ?? "");
  expect(clients.flatMap(({ mistakes }) => mistakes)).toEqual([]);
});
