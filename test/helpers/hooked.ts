import { afterEach, beforeEach } from "bun:test";
import { type Sample, sampleDocument, testApp, type TestApp } from "./app.ts";
import type { TestTimers } from "./clock.ts";
import { Receiver } from "./receiver.ts";

/** A webhook as it is listed. */
export interface ListedHook {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly usage: Readonly<Record<string, unknown>>;
}

export const EVERYTHING = { eventTypes: ["add", "update", "remove"], tableId: "Goods" };

/** A server with a document that has a table Goods, and a receiver that it may call. */
export interface Hooked extends AsyncDisposable {
  readonly server: TestApp;
  readonly receiver: Receiver;
  readonly sample: Sample;
  /** Paths. */
  readonly doc: string;
  readonly hooks: string;
  /** Makes a webhook for everything in Goods, but for what is given. Answers its id. */
  make(fields?: object): Promise<string>;
  add(...fields: object[]): Promise<unknown>;
  change(id: number, fields: object): Promise<unknown>;
  remove(...ids: number[]): Promise<unknown>;
  listed(): Promise<ListedHook[]>;
  /** Of the first webhook. */
  usage(): Promise<ListedHook["usage"]>;
  /** Waits until nothing is being sent. */
  quiet(): Promise<void>;
}

const COLUMNS = [
  { id: "Name", fields: { type: "Text" } },
  { id: "Ready", fields: { type: "Bool" } },
  { id: "Price", fields: { type: "Numeric" } },
  { id: "Double", fields: { type: "Numeric", isFormula: true, formula: "$Price * 2" } },
];

/** @param more settings by flag */
export async function hooked(more: Record<string, string> = {}, timers?: TestTimers): Promise<Hooked> {
  const receiver = new Receiver();
  const flags = {
    "webhook-allow": receiver.host,
    "webhook-retry-ms": "5",
    "webhook-timeout-ms": "2000",
    "webhook-pause-ms": "0",
    ...more,
  };
  const server = await testApp({ flags, ...(timers && { timers, clock: timers.clock }) });
  const sample = await sampleDocument(server);
  const doc = `/api/docs/${sample.doc}`;
  const hooks = `${doc}/webhooks`;
  const goods = `${doc}/tables/Goods`;
  await server.must("POST", `${doc}/tables`, { tables: [{ id: "Goods", columns: COLUMNS }] });
  const listed = async () => (await server.must<{ webhooks: ListedHook[] }>("GET", hooks)).webhooks;
  return {
    server,
    receiver,
    sample,
    doc,
    hooks,
    async make(fields = {}) {
      const given = { url: `${receiver.url}/hook`, ...EVERYTHING, ...fields };
      const body = { webhooks: [{ fields: given }] };
      return (await server.must<{ webhooks: { id: string }[] }>("POST", hooks, body)).webhooks[0]?.id ?? "";
    },
    add: (...fields) => server.must("POST", `${goods}/records`, { records: fields.map((one) => ({ fields: one })) }),
    change: (id, fields) => server.must("PATCH", `${goods}/records`, { records: [{ id, fields }] }),
    remove: (...ids) => server.must("POST", `${goods}/data/delete`, ids),
    listed,
    usage: async () => (await listed())[0]?.usage ?? {},
    quiet: () => server.app.ctx.webhooks.whenIdle(),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      receiver[Symbol.dispose]();
    },
  };
}

/** Makes them anew for each test of a file. */
export function eachHooked(begin: (all: Hooked) => void): void {
  let all: Hooked;
  beforeEach(async () => {
    all = await hooked();
    begin(all);
  });
  afterEach(() => all[Symbol.asyncDispose]());
}
