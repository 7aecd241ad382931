import { anonymousMb } from "../bench/bench.ts";
import { startServer } from "../running-server.ts";
import { type Api, createApi } from "./load/api.ts";
import type { StressTest } from "./stress-test.ts";

/**
 * A thousand subscribers of live queries, in ten groups of equal queries, while a client changes a record that is in all
 * results twenty times per second.
 */
export const live: StressTest = {
  name: "live",
  missing: () => (process.platform === "linux" ? undefined : "reading memory requires Linux"),
  async run({ isQuick, minutes }) {
    const seconds = minutes === undefined ? (isQuick ? 5 : 30) : minutes * 60;
    const { delays, expected, grownMb } = await measure(seconds * CHANGES_PER_SECOND);
    delays.sort((a, b) => a - b);
    const at = (share: number): number => delays[Math.floor(delays.length * share)] ?? Number.POSITIVE_INFINITY;
    const [p50, p95, max] = [at(0.5), at(0.95), delays.at(-1) ?? 0];
    const figures = [
      `${SUBSCRIBERS} subscribers in ${GROUPS} groups, ${CHANGES_PER_SECOND} changes/s for ${seconds} s`,
      `write to receipt p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, at most ${max.toFixed(0)} ms`,
      `memory +${grownMb.toFixed(1)} MB`,
    ];
    const exceeded: string[] = [];
    if (p95 > MAX_P95_MS) exceeded.push(`p95 is ${p95.toFixed(1)} ms`);
    if (grownMb > MAX_GROWTH_MB) exceeded.push(`memory grew by ${grownMb.toFixed(1)} MB`);
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
const DRAIN_MS = 2000;

interface Measured {
  readonly delays: number[];
  readonly expected: number;
  readonly grownMb: number;
}

async function measure(changes: number): Promise<Measured> {
  const limits = { QUERN_MAX_DOCUMENT_STREAMS: "2000", QUERN_MAX_STREAMS: "2000", QUERN_RATE_PER_KEY: "0" };
  await using server = await startServer({ settings: { QUERN_LOG_LEVEL: "warn", ...limits } });
  await server.command("user", "add", "--email", "owner@example.com", "--name", "Owner");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", "owner@example.com");
  const api = createApi(server.address, key);
  const doc = await createDocument(api);
  const before = await anonymousMb(server.pid);
  const sentAt: number[] = [];
  const delays: number[] = [];
  const onChange = (number: number): void => {
    const sent = sentAt[number];
    if (sent !== undefined) delays.push(performance.now() - sent);
  };
  const subscribers: Subscriber[] = [];
  for (let i = 0; i < SUBSCRIBERS; i++) {
    const filter = encodeURIComponent(JSON.stringify({ Amount: { gte: i % GROUPS } }));
    const path = `/api/docs/${doc}/tables/Orders/records/live?filter=${filter}`;
    subscribers.push(subscribe({ address: server.address, path, key, onChange }));
    // Connections beyond the backlog of the listening socket would be repeated after a second.
    if (i % 50 === 49) await Promise.all(subscribers.map(({ ready }) => ready));
  }
  await Promise.all(subscribers.map(({ ready }) => ready));
  const start = performance.now();
  for (let number = 0; number < changes; number++) {
    await Bun.sleep(Math.max(0, start + (number * 1000) / CHANGES_PER_SECOND - performance.now()));
    sentAt[number] = performance.now();
    const fields = { Item: `change ${number}.`, Amount: 10 + (number % 5) };
    await api.send("PATCH", `/docs/${doc}/tables/Orders/records`, { records: [{ id: 1 + (number % ROWS), fields }] });
  }
  const expected = changes * SUBSCRIBERS;
  const until = performance.now() + DRAIN_MS;
  while (delays.length < expected && performance.now() < until) await Bun.sleep(20);
  const grownMb = (await anonymousMb(server.pid)) - before;
  for (const { close } of subscribers) (await close)();
  return { delays, expected, grownMb };
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
