import { readFileSync } from "node:fs";
import { startServer } from "../running-server.ts";
import { createApi, type Api } from "./load/api.ts";
import type { Outcome, Trial } from "./trial.ts";

/**
 * Ten programs follow a document while somebody loads rows into it: all hear of it within a second, and the server's
 * memory grows by less than 50 MB beyond what the load itself takes.
 */
export const followers: Trial = {
  name: "followers",
  missing: () => (process.platform === "linux" ? undefined : "memory is read as Linux tells it"),
  run: ({ isQuick }) => tryFollowers(isQuick ? 2000 : 10_000),
};

const FOLLOWERS = 10;
const COLUMNS = 20;
/** Rows of one request: pages and programs send many rows in portions. */
const PORTION = 500;
const MOST_MS = 1000;
const MOST_MB = 50;
const SAMPLE_MS = 5;

async function tryFollowers(rows: number): Promise<Outcome> {
  const alone = await load(rows, 0);
  const followed = await load(rows, FOLLOWERS);
  const problems: string[] = [];
  const grownMb = followed.grownMb - Math.max(0, alone.grownMb);
  if (followed.lastMs > MOST_MS) problems.push(`the last one heard of it after ${followed.lastMs.toFixed(0)} ms`);
  if (grownMb >= MOST_MB) problems.push(`memory grew by ${grownMb.toFixed(1)} MB`);
  if (followed.heard !== FOLLOWERS) problems.push(`only ${followed.heard} of ${FOLLOWERS} heard of all rows`);
  const figures = [
    `${rows} rows of ${COLUMNS} columns in ${followed.tookMs.toFixed(0)} ms (${alone.tookMs.toFixed(0)} unfollowed)`,
    `heard by all ${FOLLOWERS} ${followed.lastMs.toFixed(0)} ms after the answer at the latest`,
    `peak of memory +${followed.grownMb.toFixed(1)} MB (unfollowed +${alone.grownMb.toFixed(1)} MB)`,
    `${(followed.bytes / FOLLOWERS).toFixed(0)} bytes each`,
  ];
  return { figures: figures.join(", "), problems };
}

interface Loaded {
  readonly tookMs: number;
  /** From the answer to the load until the last one had heard of it. */
  readonly lastMs: number;
  readonly heard: number;
  readonly bytes: number;
  readonly grownMb: number;
}

async function load(rows: number, count: number): Promise<Loaded> {
  await using server = await startServer({ settings: { QUERN_LOG_LEVEL: "warn", QUERN_MAX_BODY: "64MB" } });
  await server.command("user", "add", "--email", "owner@example.com", "--name", "Owner");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", "owner@example.com");
  const api = createApi(server.address, key);
  const doc = await makeDocument(api);
  const following = await Promise.all(Array.from({ length: count }, () => follow(server.address, { key, doc })));
  await addRows(api, doc, 100);
  const before = memoryMb(server.pid);
  let peak = before;
  const sampling = setInterval(() => (peak = Math.max(peak, memoryMb(server.pid))), SAMPLE_MS);
  const start = performance.now();
  for (let at = 0; at < rows; at += PORTION) await addRows(api, doc, Math.min(PORTION, rows - at));
  const answered = performance.now();
  const { states } = await api.send<{ states: { n: number }[] }>("GET", `/docs/${doc}/states`);
  const last = states[0]?.n ?? 0;
  const heardAt = await Promise.all(following.map((one) => one.heardOf(last)));
  clearInterval(sampling);
  peak = Math.max(peak, memoryMb(server.pid));
  for (const one of following) one.leave();
  return {
    tookMs: answered - start,
    lastMs: Math.max(0, ...heardAt.map((at) => at - answered)),
    heard: heardAt.filter(Number.isFinite).length,
    bytes: following.reduce((sum, { bytes }) => sum + bytes(), 0),
    grownMb: peak - before,
  };
}

async function makeDocument(api: Api): Promise<string> {
  const [workspace] = await api.send<{ id: number }[]>("GET", "/orgs/current/workspaces");
  const doc = await api.send<string>("POST", `/workspaces/${workspace?.id}/docs`, { name: "Followed" });
  const columns = Array.from({ length: COLUMNS }, (_, c) => ({ id: `C${c}`, fields: { type: "Text" } }));
  await api.send("POST", `/docs/${doc}/tables`, { tables: [{ id: "Load", columns }] });
  return doc;
}

const addRows = (api: Api, doc: string, rows: number) =>
  api.send("POST", `/docs/${doc}/tables/Load/records`, {
    records: Array.from({ length: rows }, (_, r) => ({
      fields: Object.fromEntries(Array.from({ length: COLUMNS }, (_, c) => [`C${c}`, `row ${r} column ${c}`])),
    })),
  });

interface Following {
  /** When it heard of a state; never, if it does not within some seconds. */
  heardOf(n: number): Promise<number>;
  bytes(): number;
  leave(): void;
}

const PATIENCE_MS = 15_000;

/** Follows a document from now on. */
async function follow(address: string, { key, doc }: { key: string; doc: string }): Promise<Following> {
  const leaving = new AbortController();
  const response = await fetch(`${address}/api/docs/${doc}/events`, {
    headers: { Authorization: `Bearer ${key}` },
    signal: leaving.signal,
  });
  if (!response.ok || !response.body) throw new Error(`no events: ${response.status}`);
  const heard = new Map<number, number>();
  const ready = Promise.withResolvers<void>();
  let bytes = 0;
  let wake = () => {};
  const reading = async (body: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      bytes += chunk.length;
      const text = decoder.decode(chunk, { stream: true });
      if (text.includes("event: ready")) ready.resolve();
      for (const [, n] of text.matchAll(/^id: (\d+)-/gm)) heard.set(Number(n), performance.now());
      wake();
    }
  };
  // It ends when it is left.
  reading(response.body).catch(() => {});
  await ready.promise;
  return {
    async heardOf(n) {
      const until = performance.now() + PATIENCE_MS;
      while (!heard.has(n) && performance.now() < until) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, PATIENCE_MS);
        });
      }
      return heard.get(n) ?? Number.POSITIVE_INFINITY;
    },
    bytes: () => bytes,
    leave: () => leaving.abort(),
  };
}

/** Memory that is the process's own. */
function memoryMb(pid: number): number {
  const kb = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb) / 1024;
}
