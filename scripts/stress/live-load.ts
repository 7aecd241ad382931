import { join } from "node:path";
import { anonymousMb } from "../bench/bench.ts";
import { startServer } from "../running-server.ts";
import { type Api, createApi } from "./load/api.ts";
import type { StressTest } from "./stress-test.ts";

/**
 * A thousand subscribers of live queries, in ten groups of equal queries, while a client changes a record that is in all
 * results twenty times per second. The limits are those of an idle machine: where even a server that only passes changes
 * on is slow, they grow with its delays.
 */
export const live: StressTest = {
  name: "live",
  missing: () => (process.platform === "linux" ? undefined : "reading memory requires Linux"),
  async run({ isQuick, minutes }) {
    const seconds = minutes === undefined ? (isQuick ? 5 : 30) : minutes * 60;
    const changes = seconds * CHANGES_PER_SECOND;
    const { delays, expected, grownMb } = await measureServer(changes);
    const [p50, p95, max] = [quantile(delays, 0.5), quantile(delays, 0.95), quantile(delays, 1)];
    const figures = [
      `${SUBSCRIBERS} subscribers in ${GROUPS} groups, ${CHANGES_PER_SECOND} changes/s for ${seconds} s`,
      `write to receipt p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, at most ${max.toFixed(0)} ms`,
      `memory +${grownMb.toFixed(1)} MB`,
    ];
    const exceeded: string[] = [];
    if (p95 > MAX_P95_MS || grownMb > MAX_GROWTH_MB) {
      const bareP95 = quantile((await measureBare(changes)).delays, 0.95);
      // The server takes two thirds of a processor: on a slower one, delays grow faster than those of the bare server.
      const slowness = Math.max(1, bareP95 / IDLE_BARE_P95_MS) ** 1.5;
      figures.push(`a server that only passes on p95 ${bareP95.toFixed(1)} ms: limits × ${slowness.toFixed(1)}`);
      if (p95 > MAX_P95_MS * slowness) exceeded.push(`p95 is ${p95.toFixed(1)} ms`);
      // What is not read at once is buffered.
      if (grownMb > MAX_GROWTH_MB * Math.min(slowness, MAX_MEMORY_FACTOR)) {
        exceeded.push(`memory grew by ${grownMb.toFixed(1)} MB`);
      }
    }
    // Changes in quick succession may arrive as one event, which has the last of them only.
    const missed = expected - delays.length;
    const problems = delays.length < expected / 2 ? [`${missed} of ${expected} changes did not arrive`] : [];
    return { figures: `${figures.join(", ")}, ${missed} combined with later changes`, problems, exceeded };
  },
};

const SUBSCRIBERS = 1000;
const GROUPS = 10;
const CHANGES_PER_SECOND = 20;
const ROWS = 1000;
const MAX_P95_MS = 50;
const MAX_GROWTH_MB = 60;
/** Of a server that only passes changes on, on an idle machine of two cores. */
const IDLE_BARE_P95_MS = 12;
const MAX_MEMORY_FACTOR = 1.5;
const DRAIN_MS = 2000;

interface Measured {
  /** Ascending, in milliseconds. */
  readonly delays: readonly number[];
  readonly expected: number;
  readonly grownMb: number;
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.POSITIVE_INFINITY;

async function measureServer(changes: number): Promise<Measured> {
  const limits = { QUERN_MAX_DOCUMENT_STREAMS: "2000", QUERN_MAX_STREAMS: "2000", QUERN_RATE_PER_KEY: "0" };
  await using server = await startServer({ settings: { QUERN_LOG_LEVEL: "warn", ...limits } });
  await server.command("user", "add", "--email", "owner@example.com", "--name", "Owner");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", "owner@example.com");
  const api = createApi(server.address, key);
  const doc = await createDocument(api);
  return await measure(changes, {
    address: server.address,
    pid: server.pid,
    key,
    path: (at) => {
      const filter = encodeURIComponent(JSON.stringify({ Amount: { gte: at % GROUPS } }));
      return `/api/docs/${doc}/tables/Orders/records/live?filter=${filter}`;
    },
    async change(number) {
      const fields = { Item: `change ${number}.`, Amount: 10 + (number % 5) };
      const records = [{ id: 1 + (number % ROWS), fields }];
      await api.send("PATCH", `/docs/${doc}/tables/Orders/records`, { records });
    },
  });
}

async function measureBare(changes: number): Promise<Measured> {
  const script = join(import.meta.dir, "load/bare-stream-server.ts");
  const server = Bun.spawn([process.execPath, script], { stdout: "pipe" });
  try {
    const { value } = await server.stdout.getReader().read();
    const address = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`;
    const record = { id: 1, fields: { Item: "", Amount: 10 } };
    return await measure(changes, {
      address,
      pid: server.pid,
      key: "none",
      path: () => "/",
      async change(number) {
        const fields = { ...record.fields, Item: `change ${number}.` };
        await fetch(address, { method: "POST", body: JSON.stringify({ updated: [{ ...record, fields }] }) });
      },
    });
  } finally {
    server.kill();
    await server.exited;
  }
}

interface Measurable extends Pick<SubscribeOptions, "address" | "key"> {
  readonly pid: number;
  /** Returns the path of a subscriber's stream. */
  path(at: number): string;
  change(number: number): Promise<void>;
}

async function measure(changes: number, { address, pid, key, path, change }: Measurable): Promise<Measured> {
  const before = await anonymousMb(pid);
  const sentAt: number[] = [];
  const delays: number[] = [];
  const onChange = (number: number): void => {
    const sent = sentAt[number];
    if (sent !== undefined) delays.push(performance.now() - sent);
  };
  const subscribers: Subscriber[] = [];
  for (let i = 0; i < SUBSCRIBERS; i++) {
    subscribers.push(subscribe({ address, path: path(i), key, onChange }));
    // Connections beyond the backlog of the listening socket would be repeated after a second.
    if (i % 50 === 49) await Promise.all(subscribers.map(({ ready }) => ready));
  }
  await Promise.all(subscribers.map(({ ready }) => ready));
  const start = performance.now();
  for (let number = 0; number < changes; number++) {
    await Bun.sleep(Math.max(0, start + (number * 1000) / CHANGES_PER_SECOND - performance.now()));
    sentAt[number] = performance.now();
    await change(number);
  }
  const expected = changes * SUBSCRIBERS;
  const until = performance.now() + DRAIN_MS;
  while (delays.length < expected && performance.now() < until) await Bun.sleep(20);
  const grownMb = (await anonymousMb(pid)) - before;
  for (const { close } of subscribers) (await close)();
  return { delays: delays.toSorted((a, b) => a - b), expected, grownMb };
}

interface Subscriber {
  readonly ready: Promise<void>;
  readonly close: Promise<() => void>;
}

interface SubscribeOptions {
  readonly address: string;
  readonly path: string;
  readonly key: string;
  readonly onChange: (number: number) => void;
}

/** Reads a stream from a socket: a thousand streams of fetch would measure the client. */
function subscribe({ address, path, key, onChange }: SubscribeOptions): Subscriber {
  const { hostname, port, host } = new URL(address);
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  let rest = "";
  const socket = Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (opened) =>
        void opened.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`),
      data(_, bytes) {
        const text = rest + bytes.toString("latin1");
        if (text.includes("event: reset")) resolve();
        let end = 0;
        for (const match of text.matchAll(/change (\d+)\./g)) {
          onChange(Number(match[1]));
          end = match.index + match[0].length;
        }
        rest = text.slice(Math.max(end, text.length - LONGEST));
      },
      close: () => reject(new Error("the stream was closed")),
      error: (_, error) => reject(error),
    },
  });
  return { ready, close: socket.then((opened) => () => void opened.end()) };
}

/** Texts that must not be missed at the end of a packet. */
const LONGEST = 30;

async function createDocument(api: Api): Promise<string> {
  const [workspace] = await api.send<{ id: number }[]>("GET", "/orgs/current/workspaces");
  const doc = await api.send<string>("POST", `/workspaces/${workspace?.id}/docs`, { name: "Live" });
  const columns = [{ id: "Item" }, { id: "Amount", fields: { type: "Numeric" } }];
  await api.send("POST", `/docs/${doc}/tables`, { tables: [{ id: "Orders", columns }] });
  const records = Array.from({ length: ROWS }, (_, i) => ({ fields: { Item: `order ${i}`, Amount: 10 } }));
  await api.send("POST", `/docs/${doc}/tables/Orders/records`, { records });
  return doc;
}
