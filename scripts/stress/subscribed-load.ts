import { anonymousMb } from "../bench/bench.ts";
import { startServer } from "../running-server.ts";
import { createApi, type Api, RequestRefused } from "./load/api.ts";
import type { Outcome } from "./stress-test.ts";

/** A public document to subscribe to. */
export interface SubscribedDocument {
  readonly address: string;
  readonly key: string;
  readonly doc: string;
}

/** A subscriber to the document while rows are loaded into it. */
export interface LoadSubscriber {
  /**
   * Returns when the subscriber was notified of all rows, on the clock of `performance.now()`; infinity after a
   * timeout.
   */
  waitUntilNotified(all: { readonly state: number; readonly rows: number }): Promise<number>;
  disconnect(): void | Promise<void>;
}

/** Time limit of a notification. */
export const NOTIFY_TIMEOUT_MS = 15_000;

const COLUMNS = 20;
/** Number of rows before the load. */
const INITIAL_ROWS = 100;
/** Rows per request: pages and programs send many rows in batches. */
const ROWS_PER_REQUEST = 500;
const MAX_MS = 1000;
const MAX_GROWTH_MB = 50;
const SAMPLE_MS = 5;
const BUSY_MS = 100;

/**
 * Loads rows into a document without subscribers, and into one with several: all must be notified of them within a
 * second, and the server's memory may grow by less than 50 MB more than for the load alone.
 */
export async function measureSubscribedLoad(
  rows: number,
  join: (subscribed: SubscribedDocument) => Promise<readonly LoadSubscriber[]>,
): Promise<Outcome> {
  const alone = await load(rows, async () => []);
  const subscribed = await load(rows, join);
  const { count } = subscribed;
  const problems: string[] = [];
  const exceeded: string[] = [];
  const grownMb = subscribed.grownMb - Math.max(0, alone.grownMb);
  if (subscribed.lastMs > MAX_MS && Number.isFinite(subscribed.lastMs))
    exceeded.push(`the last subscriber was notified after ${subscribed.lastMs.toFixed(0)} ms`);
  if (grownMb >= MAX_GROWTH_MB) exceeded.push(`memory grew by ${grownMb.toFixed(1)} MB`);
  if (subscribed.notifiedCount !== count)
    problems.push(`only ${subscribed.notifiedCount} of ${count} were notified of all rows`);
  const figures = [
    `${rows} rows of ${COLUMNS} columns in ${subscribed.tookMs.toFixed(0)} ms (${alone.tookMs.toFixed(0)} without subscribers)`,
    ...(subscribed.busy > 0 ? [`rejected ${subscribed.busy} times`] : []),
    `all ${count} notified within ${subscribed.lastMs.toFixed(0)} ms of the response`,
    `peak memory +${subscribed.grownMb.toFixed(1)} MB (without subscribers +${alone.grownMb.toFixed(1)} MB)`,
  ];
  return { figures: figures.join(", "), problems, exceeded };
}

interface LoadMeasurement {
  readonly tookMs: number;
  /** Number of requests that were rejected because too many were in flight for the document. */
  readonly busy: number;
  /** Time from the response to the load until the last subscriber was notified. */
  readonly lastMs: number;
  readonly count: number;
  readonly notifiedCount: number;
  readonly grownMb: number;
}

async function load(
  rows: number,
  join: (subscribed: SubscribedDocument) => Promise<readonly LoadSubscriber[]>,
): Promise<LoadMeasurement> {
  await using server = await startServer({ settings: { QUERN_LOG_LEVEL: "warn", QUERN_MAX_BODY: "64MB" } });
  await server.command("user", "add", "--email", "owner@example.com", "--name", "Owner");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", "owner@example.com");
  const api = createApi(server.address, key);
  const doc = await makeDocument(api);
  await addRows(api, doc, INITIAL_ROWS);
  const followers = await join({ address: server.address, key, doc });
  const before = await anonymousMb(server.pid);
  let peak = before;
  const sample = async () => {
    const now = await anonymousMb(server.pid);
    peak = Math.max(peak, now);
  };
  // Ignores a sample that fails because the server is stopping.
  const sampling = setInterval(() => void sample().catch(() => {}), SAMPLE_MS);
  const start = performance.now();
  let busy = 0;
  for (let at = 0; at < rows; at += ROWS_PER_REQUEST) {
    while (!(await isAccepted(addRows(api, doc, Math.min(ROWS_PER_REQUEST, rows - at))))) {
      busy++;
      await Bun.sleep(BUSY_MS);
    }
  }
  const answered = performance.now();
  const { states } = await api.send<{ states: { n: number }[] }>("GET", `/docs/${doc}/states`);
  const all = { state: states[0]?.n ?? 0, rows: INITIAL_ROWS + rows };
  const knewAt = await Promise.all(followers.map((one) => one.waitUntilNotified(all)));
  clearInterval(sampling);
  await sample();
  for (const one of followers) await one.disconnect();
  return {
    tookMs: answered - start,
    busy,
    lastMs: Math.max(0, ...knewAt.map((at) => at - answered)),
    count: followers.length,
    notifiedCount: knewAt.filter(Number.isFinite).length,
    grownMb: peak - before,
  };
}

/** Returns false if too many requests were in flight. */
async function isAccepted(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (error instanceof RequestRefused && error.status === 429) return false;
    throw error;
  }
}

async function makeDocument(api: Api): Promise<string> {
  const [workspace] = await api.send<{ id: number }[]>("GET", "/orgs/current/workspaces");
  const doc = await api.send<string>("POST", `/workspaces/${workspace?.id}/docs`, { name: "Followed" });
  const columns = Array.from({ length: COLUMNS }, (_, c) => ({ id: `C${c}`, fields: { type: "Text" } }));
  await api.send("POST", `/docs/${doc}/tables`, { tables: [{ id: "Load", columns }] });
  await api.send("PATCH", `/docs/${doc}/access`, { delta: { users: { "everyone@getgrist.com": "viewers" } } });
  return doc;
}

const addRows = (api: Api, doc: string, rows: number) =>
  api.send("POST", `/docs/${doc}/tables/Load/records`, {
    records: Array.from({ length: rows }, (_, r) => ({
      fields: Object.fromEntries(Array.from({ length: COLUMNS }, (_, c) => [`C${c}`, `row ${r} column ${c}`])),
    })),
  });
