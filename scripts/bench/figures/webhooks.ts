import type { RunningServer } from "../../running-server.ts";
import type { Bench, Benchmark, Measurement } from "../bench.ts";

/**
 * Deliveries to a receiver in this process: latency of events while nine other webhooks of the document fail in various
 * ways, their cost for writers, and events per second while the document is being written.
 */
export const webhooks: Benchmark = {
  name: "webhooks",
  async run(bench) {
    await using server = await bench.serve({ pinned: true, extraSettings: { QUERN_WEBHOOK_ALLOW: "127.0.0.1" } });
    using receiver = new WebhookReceiver();
    return [
      ...(await measureBesideFailing(bench, server, receiver)),
      ...(await measureManyEvents(bench, server, receiver)),
    ];
  },
};

/** Both kinds of writes alternate, so that they run under the same load. */
const RUNS = 8;
const ADDS = 50;
/** No server listens on this port. */
const FAILING_URLS = ["http://127.0.0.1:1/refuses", "/hangs", "/fails", "/slow"];

async function measureBesideFailing(
  bench: Bench,
  server: RunningServer,
  receiver: WebhookReceiver,
): Promise<Measurement[]> {
  const without = await Document.make(bench, server);
  const hooked = await Document.make(bench, server);
  const urls = Array.from({ length: 9 }, (_, n) => FAILING_URLS[n % FAILING_URLS.length] ?? "");
  await hooked.hook(...urls.map((url) => (url.startsWith("/") ? receiver.url + url : url)), `${receiver.url}/alive`);
  const latencies: number[] = [];
  const taken = { without: [] as number[], hooked: [] as number[] };
  for (let turn = 0; turn < RUNS; turn++) {
    for (let n = 0; n < ADDS; n++) taken.without.push(await durationMs(() => without.add(1)));
    const before = receiver.rows;
    const arrived: Promise<void>[] = [];
    for (let n = 1; n <= ADDS; n++) {
      const started = performance.now();
      arrived.push(receiver.after(before + n).then(() => void latencies.push(performance.now() - started)));
      taken.hooked.push(await durationMs(() => hooked.add(1)));
    }
    await Promise.all(arrived);
  }
  const p99 = latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? 0;
  const [value, baseline] = [median(taken.hooked), median(taken.without)];
  await hooked.unhook();
  return [
    { name: "event arrives with nine failing webhooks, p99", value: p99, unit: "ms", target: { max: 250 } },
    {
      name: "adding a record with ten webhooks, nine failing, to without",
      value,
      unit: "ms",
      baseline,
      target: { max: 1.1 },
    },
  ];
}

const EVENTS = 40_000;
const PER_REQUEST = 1000;

async function measureManyEvents(
  bench: Bench,
  server: RunningServer,
  receiver: WebhookReceiver,
): Promise<Measurement[]> {
  const document = await Document.make(bench, server);
  await document.hook(`${receiver.url}/alive`);
  const before = receiver.rows;
  const all = receiver.after(before + EVENTS);
  const single: number[] = [];
  const started = performance.now();
  const loading = { isOver: false };
  const besides = (async () => {
    while (!loading.isOver) single.push(await durationMs(() => document.addElsewhere()));
  })();
  for (let n = 0; n < EVENTS; n += PER_REQUEST) await document.add(PER_REQUEST);
  await all;
  const rate = EVENTS / ((performance.now() - started) / 1000);
  loading.isOver = true;
  await besides;
  const count = single.length;
  return [
    { name: "events delivered while the document is written to", value: rate, unit: "/s", target: { min: 5000 } },
    {
      name: `writing one record meanwhile, middle of ${count}`,
      value: median(single),
      unit: "ms",
      target: { max: 50 },
    },
  ];
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function durationMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

type Send = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** A document on the server, with the tables Big and Table1. */
class Document {
  readonly #send: Send;

  private constructor(send: Send) {
    this.#send = send;
  }

  static async make({ headers }: Bench, { address }: RunningServer): Promise<Document> {
    const send: Send = async (method, path, body) => {
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await fetch(`${address}/api${path}`, init);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    };
    const workspace = String(await send("POST", "/orgs/current/workspaces", { name: "Webhooks" }));
    const uuid = String(await send("POST", `/workspaces/${workspace}/docs`, { name: "Webhooks" }));
    const columns = ["City", "Note", "Qty"].map((id) => ({ id, fields: { type: id === "Qty" ? "Int" : "Text" } }));
    await send("POST", `/docs/${uuid}/tables`, { tables: [{ id: "Big", columns }] });
    return new Document((method, path, body) => send(method, `/docs/${uuid}${path}`, body));
  }

  hook(...urls: readonly string[]): Promise<unknown> {
    const fields = { tableId: "Big", eventTypes: ["add"] };
    return this.#send("POST", "/webhooks", { webhooks: urls.map((url) => ({ fields: { url, ...fields } })) });
  }

  async unhook(): Promise<void> {
    const { webhooks: hooks } = (await this.#send("GET", "/webhooks")) as { webhooks: { id: string }[] };
    for (const { id } of hooks) await this.#send("DELETE", `/webhooks/${id}`);
  }

  add(rows: number): Promise<unknown> {
    const records = Array.from({ length: rows }, (_, n) => ({ fields: { City: `city ${n}`, Note: "a note", Qty: n } }));
    return this.#send("POST", "/tables/Big/records", { records });
  }

  addElsewhere(): Promise<unknown> {
    return this.#send("POST", "/tables/Table1/records", { records: [{ fields: { A: 1 } }] });
  }
}

/** Accepts deliveries to `/alive`; other paths fail in the way that their name says. */
class WebhookReceiver implements Disposable {
  rows = 0;
  readonly #waiting = new Set<{ rows: number; done: () => void }>();
  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const rows = (await request.json()) as unknown[];
      switch (new URL(request.url).pathname) {
        case "/alive":
          this.#count(rows.length);
          return new Response();
        case "/hangs":
          return new Promise<Response>(() => {});
        case "/slow":
          await Bun.sleep(2000);
          return new Response();
        default:
          return new Response("no", { status: 500 });
      }
    },
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Waits until this number of rows has arrived. */
  after(rows: number): Promise<void> {
    return new Promise((done) => this.#waiting.add({ rows, done }));
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }

  #count(rows: number): void {
    this.rows += rows;
    for (const one of this.#waiting) {
      if (this.rows < one.rows) continue;
      this.#waiting.delete(one);
      one.done();
    }
  }
}
