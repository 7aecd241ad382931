import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { createLog, silentLog } from "../../src/lib/observability/log.ts";
import { QueryPool, type QueryPoolOptions, type QueryRequest } from "../../src/sql/query-pool.ts";
import { failureOf, parseAnswer, sampleFile } from "./sample.ts";

const { path, server } = sampleFile();
const pools: QueryPool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});
afterAll(() => server.close());

/** More than a query of a test takes, even on a loaded machine. */
const PATIENT_MS = 60_000;

function start(options: Partial<QueryPoolOptions> = {}): QueryPool {
  const pool = new QueryPool({
    maxProcesses: 2,
    timeoutMs: PATIENT_MS,
    maxRows: 1000,
    maxBytes: 1e6,
    log: silentLog,
    ...options,
  });
  pools.push(pool);
  return pool;
}
const query = (statement: string, more: Partial<QueryRequest> = {}): QueryRequest => ({
  path,
  document: "a",
  statement,
  args: [],
  timeoutMs: 0,
  ...more,
});
const ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

test("processes are started on demand, reused, and replaced when they exit", async () => {
  const pool = start({ maxProcesses: 1 });
  expect(pool.pids).toEqual([]);
  await pool.run(query("select 1"));
  const [first] = pool.pids;
  await pool.run(query("select 1"));
  expect(pool.pids).toEqual([first ?? 0]);
  expect(await failureOf(pool.run(query(ENDLESS, { timeoutMs: 50 })))).toMatchObject({
    message: expect.stringContaining("cancelled"),
  });
  expect(parseAnswer(await pool.run(query("select 2 as n"))).records).toEqual([{ fields: { n: 2 } }]);
  expect(pool.pids).toHaveLength(1);
  expect(pool.pids).not.toContain(first ?? 0);
});

test("an idle process ends after a while, and the next query gets a new one", async () => {
  const pool = start({ maxProcesses: 1, idleMs: 50 });
  await pool.run(query("select 1"));
  const [first] = pool.pids;
  while (pool.pids.length > 0) await Bun.sleep(5);
  await pool.run(query("select 1"));
  expect(pool.pids).toHaveLength(1);
  expect(pool.pids).not.toContain(first ?? 0);
});

test("a query may ask for a shorter time limit, but not for a longer one", async () => {
  const pool = start({ maxProcesses: 1, timeoutMs: 100 });
  for (const [asked, given] of [
    [0, 100],
    [60.5, 60.5],
    [1e9, 100],
  ] as const) {
    const answer = pool.run(query(ENDLESS, { timeoutMs: asked }));
    expect(await failureOf(answer)).toMatchObject({
      message: expect.stringContaining(`it took longer than ${given} milliseconds`),
    });
  }
});

test("time in the queue does not count against the time limit", async () => {
  const pool = start({ maxProcesses: 1, timeoutMs: 1500 });
  const long = pool.run(query(ENDLESS)).catch(() => "interrupted");
  const others = Array.from({ length: 5 }, () =>
    pool.run(query(ENDLESS, { timeoutMs: 100 })).catch(() => "interrupted"),
  );
  // It waits for more than 1500 ms.
  const last = pool.run(query("select 1 as n", { timeoutMs: 1500 }));
  expect(parseAnswer(await last).records).toEqual([{ fields: { n: 1 } }]);
  for (const outcome of await Promise.all([long, ...others])) expect(outcome).toBe("interrupted");
});

test("a busy document does not block another one", async () => {
  const pool = start({ timeoutMs: PATIENT_MS });
  await Promise.all([pool.run(query("select 1")), pool.run(query("select 1", { document: "b" }))]);
  const over = new AbortController();
  let left = 6;
  const greedy = Array.from({ length: left }, () =>
    pool
      .run(query(ENDLESS, { signal: over.signal }))
      .catch(() => {})
      .finally(() => left--),
  );
  for (let i = 0; i < 5; i++) await pool.run(query("select 1", { document: "b" }));
  // Its five queries ran before any of the other six finished.
  expect(left).toBe(6);
  over.abort();
  await Promise.all(greedy);
});

test("the queue is bounded", async () => {
  const pool = start({ maxProcesses: 1, timeoutMs: PATIENT_MS });
  const answers = Array.from({ length: 20 }, () => pool.run(query("select 1 as n")).catch((error: unknown) => error));
  const outcomes = await Promise.all(answers);
  expect(outcomes.filter((one) => one instanceof Uint8Array)).toHaveLength(16);
  expect(outcomes.at(-1)).toMatchObject({ code: "tooMany", retryAfterS: 1 });
  const documents = Array.from({ length: 300 }, (_, i) =>
    pool.run(query("select 1", { document: `${i}` })).catch((error: unknown) => error),
  );
  const others = await Promise.all(documents);
  // One runs immediately.
  expect(others.filter((one) => one instanceof Uint8Array)).toHaveLength(257);
  expect(others.at(-1)).toMatchObject({ code: "unavailable", retryAfterS: 1 });
});

test("closing ends the processes and rejects queued and running queries", async () => {
  const pool = start({ maxProcesses: 1 });
  await pool.run(query("select 1"));
  const pids = pool.pids;
  const answers = [pool.run(query(ENDLESS)), pool.run(query("select 1"))].map((answer) =>
    answer.catch((error: unknown) => error),
  );
  await pool.close();
  for (const outcome of await Promise.all(answers)) expect(outcome).toMatchObject({ code: "unavailable" });
  for (const pid of pids) expect(existsSync(`/proc/${pid}/fd/0`)).toBe(false);
  expect(await failureOf(pool.run(query("select 1")))).toMatchObject({ code: "unavailable" });
});

test("closing while a process starts leaves none behind", async () => {
  const pool = start({ maxProcesses: 1 });
  const answer = pool.run(query("select 1")).catch((error: unknown) => String(error));
  await pool.close();
  expect(await answer).toContain("shutting down");
  expect(pool.pids).toEqual([]);
});

test("a failed process start is reported, and retried for the next query", async () => {
  let logged = "";
  const log = createLog({ write: (text) => (logged += text) });
  const pool = start({ log, child: { command: ["/nowhere/quern"] } });
  for (let i = 0; i < 2; i++) {
    expect(await failureOf(pool.run(query("select 1")))).toMatchObject({ code: "unavailable", retryAfterS: 5 });
  }
  expect(logged.match(/sql\.process_start_failed/g)).toHaveLength(2);
});

test("aborting a running query stops it and replaces its process", async () => {
  const pool = start({ maxProcesses: 1, timeoutMs: 20_000 });
  await pool.run(query("select 1"));
  const [first] = pool.pids;
  const leaving = new AbortController();
  const answer = failureOf(pool.run(query(ENDLESS, { signal: leaving.signal })));
  const behind = pool.run(query("select 1 as n"));
  expect(pool.load()).toMatchObject({ busy: 1, waiting: 1 });
  leaving.abort();
  expect(await answer).toMatchObject({ code: "invalid", message: expect.stringContaining("cancelled") });
  expect(parseAnswer(await behind).records).toEqual([{ fields: { n: 1 } }]);
  expect(existsSync(`/proc/${first}`)).toBe(false);
});

describe("small queries that were sent ahead of time", () => {
  const select = (n: number, more?: Partial<QueryRequest>) => query("select ? as n", { args: [n], ...more });
  const answerOf = async (answer: Promise<Uint8Array | null>) => parseAnswer(await answer).records[0]?.fields["n"];

  test("answer in their order, each with its own result", async () => {
    const pool = start({ maxProcesses: 1, timeoutMs: PATIENT_MS });
    await pool.run(select(0));
    const numbers = Array.from({ length: 16 }, (_, i) => i);
    const order: number[] = [];
    const answers = numbers.map((n) => answerOf(pool.run(select(n)).finally(() => order.push(n))));
    expect(await Promise.all(answers)).toEqual(numbers);
    expect(order).toEqual(numbers);
    expect(pool.load()).toEqual({ busy: 0, idle: 1, waiting: 0 });
  });

  test("run in another process when a query before them ends theirs", async () => {
    const pool = start({ maxProcesses: 1 });
    await pool.run(select(0));
    const [first] = pool.pids;
    const long = failureOf(pool.run(query(ENDLESS, { timeoutMs: 100 })));
    const answers = [1, 2, 3].map((n) => answerOf(pool.run(select(n))));
    expect(await long).toMatchObject({ message: expect.stringContaining("longer than 100 milliseconds") });
    expect(await Promise.all(answers)).toEqual([1, 2, 3]);
    expect(pool.pids).not.toContain(first ?? 0);
  });

  test("are not run again when they were aborted", async () => {
    const pool = start({ maxProcesses: 1, timeoutMs: PATIENT_MS });
    await pool.run(select(0));
    const leaving = new AbortController();
    const long = failureOf(pool.run(query(ENDLESS, { timeoutMs: 100 })));
    const endless = failureOf(pool.run(query(ENDLESS, { signal: leaving.signal })));
    const behind = answerOf(pool.run(select(1)));
    leaving.abort();
    expect(await endless).toMatchObject({ message: expect.stringContaining("cancelled") });
    await long;
    const began = performance.now();
    expect(await behind).toBe(1);
    // Otherwise it waits for the aborted one.
    expect(performance.now() - began).toBeLessThan(PATIENT_MS / 2);
  });

  test("do not occupy a process that other documents wait for", async () => {
    const pool = start({ maxProcesses: 1, timeoutMs: PATIENT_MS });
    await pool.run(select(0));
    const order: string[] = [];
    const ask = async (document: string) => {
      await pool.run(select(0, { document }));
      order.push(document);
    };
    await Promise.all(["a", "b", "a", "a", "a", "a", "a", "a"].map(ask));
    expect(order.slice(0, 3)).toEqual(["a", "b", "a"]);
  });
});

test("aborting a queued query removes it without affecting others", async () => {
  const pool = start({ maxProcesses: 1 });
  await pool.run(query("select 1"));
  const { pids } = pool;
  const leaving = new AbortController();
  const before = pool.run(query("select 1 as n"));
  const waiting = failureOf(pool.run(query("select 2", { signal: leaving.signal })));
  leaving.abort();
  expect(await waiting).toMatchObject({ message: expect.stringContaining("cancelled") });
  expect(parseAnswer(await before).records).toEqual([{ fields: { n: 1 } }]);
  expect(await failureOf(pool.run(query("select 3", { signal: leaving.signal })))).toMatchObject({ code: "invalid" });
  const late = new AbortController();
  await pool.run(query("select 4", { signal: late.signal }));
  late.abort();
  expect(pool.pids).toEqual(pids);
  expect(pool.load()).toEqual({ busy: 0, idle: 1, waiting: 0 });
});
