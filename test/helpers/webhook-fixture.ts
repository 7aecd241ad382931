import { afterEach, beforeEach } from "bun:test";
import { type Sample, sampleDocument, testApp, type TestApp } from "./app.ts";
import type { TestTimers } from "./clock.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";

/** A webhook as the API lists it. */
export interface ListedWebhook {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly usage: Readonly<Record<string, unknown>>;
}

export const EVERYTHING = { eventTypes: ["add", "update", "remove"], tableId: "Goods" };

/** A server with a document that has a table Goods, and a receiver that webhooks may call. */
export interface WebhookFixture extends AsyncDisposable {
  readonly server: TestApp;
  readonly receiver: WebhookReceiver;
  readonly sample: Sample;
  /** API paths. */
  readonly doc: string;
  readonly hooks: string;
  /** Creates a webhook for all events in Goods, with some fields changed. Returns its id. */
  make(fields?: object): Promise<string>;
  add(...fields: object[]): Promise<unknown>;
  change(id: number, fields: object): Promise<unknown>;
  remove(...ids: number[]): Promise<unknown>;
  listed(): Promise<ListedWebhook[]>;
  /** Returns the usage of the first webhook. */
  usage(): Promise<ListedWebhook["usage"]>;
  /** Waits until no delivery is in progress. */
  quiet(): Promise<void>;
}

const COLUMNS = [
  { id: "Name", fields: { type: "Text" } },
  { id: "Ready", fields: { type: "Bool" } },
  { id: "Price", fields: { type: "Numeric" } },
  { id: "Double", fields: { type: "Numeric", isFormula: true, formula: "$Price * 2" } },
];

/** @param extraSettings settings by flag */
export async function createWebhookFixture(
  extraSettings: Record<string, string> = {},
  timers?: TestTimers,
): Promise<WebhookFixture> {
  const receiver = new WebhookReceiver();
  const flags = {
    "webhook-allow": receiver.host,
    "webhook-retry-ms": "5",
    "webhook-timeout-ms": "5000",
    "webhook-pause-ms": "0",
    ...extraSettings,
  };
  const server = await testApp({ flags, ...(timers && { timers, clock: timers.clock }) });
  const sample = await sampleDocument(server);
  const doc = `/api/docs/${sample.doc}`;
  const hooks = `${doc}/webhooks`;
  const goods = `${doc}/tables/Goods`;
  await server.must("POST", `${doc}/tables`, { tables: [{ id: "Goods", columns: COLUMNS }] });
  const listed = async () => (await server.must<{ webhooks: ListedWebhook[] }>("GET", hooks)).webhooks;
  return {
    server,
    receiver,
    sample,
    doc,
    hooks,
    async make(fields = {}) {
      const webhookFields = { url: `${receiver.url}/hook`, ...EVERYTHING, ...fields };
      const body = { webhooks: [{ fields: webhookFields }] };
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

/** Creates a new fixture for each test of a file. */
export function useWebhookFixture(begin: (all: WebhookFixture) => void): void {
  let all: WebhookFixture;
  beforeEach(async () => {
    all = await createWebhookFixture();
    begin(all);
  });
  afterEach(() => all[Symbol.asyncDispose]());
}
