/** Documents with all related objects, and clients that write to them concurrently. */
import { Database } from "bun:sqlite";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningServer } from "../../running-server.ts";
import type { Random } from "../random.ts";
import { createApi, RequestRefused } from "./api.ts";
import type { Client, Session } from "./client.ts";
import { DeliveryLog } from "./delivery-log.ts";
import { FilesClient, INSIDE_BYTES } from "./files-client.ts";
import { HomeClient } from "./home-client.ts";
import type { State } from "./ledger.ts";
import { RowsClient } from "./rows-client.ts";
import { SchemaClient } from "./schema-client.ts";

const OWNER = "owner@example.com";
const FRIEND = "friend@example.com";
const TEMPLATE_ROWS = 20;
const MAX_LOAD_MS = 10_000;
const DELIVERY_TIMEOUT_MS = 15_000;

/** Settings that the workload requires, besides the data folder. */
export const WORKLOAD_SETTINGS = {
  QUERN_LOG_LEVEL: "warn",
  QUERN_WEBHOOK_ALLOW: "127.0.0.1",
  QUERN_ATTACHMENTS_INSIDE: String(INSIDE_BYTES),
  // So that documents do not grow over many rounds, and pruning of states is tested as well.
  QUERN_HISTORY_STATES: "60",
} as const;

export interface RecoveredState {
  readonly states: ReadonlyMap<Client, State>;
  readonly position: number;
}

export interface LoadOptions {
  readonly random: Random;
  /** Returns the position in the disk recording. */
  readonly position: () => number;
  /** Maximum number of requests before the kill. */
  readonly requests: number;
}

export interface Workload extends Disposable {
  /** Number of requests acknowledged since the last round. */
  readonly acknowledged: number;
  /**
   * Runs all clients, and kills the server at a random moment.
   * @returns its log
   * @throws Error for any other failure
   */
  loadUntilKilled(server: RunningServer, options: LoadOptions): Promise<string>;
  /**
   * Compares the server's data with the writes acknowledged before that position in the disk recording.
   * @throws Error that describes the difference
   */
  verify(server: RunningServer, options: { data: string; position: number }): Promise<RecoveredState>;
  /** Starts the next round from the found state. */
  checkpoint(found: RecoveredState): void;
}

/** Creates the documents on a running server with an empty data folder. */
export async function createWorkload(server: RunningServer): Promise<Workload> {
  const deliveries = new DeliveryLog();
  const { key, clients, home, documents } = await createFixtures(server, deliveries);
  const rows = clients.filter((client) => client instanceof RowsClient);
  const hooked = rows.slice(0, HOOKED_CLIENTS);
  const passed = new Set<string>();
  const acknowledged = () => clients.reduce((sum, { ledger }) => sum + ledger.acknowledged, 0);
  return {
    get acknowledged() {
      return acknowledged();
    },
    async loadUntilKilled(server, { random, position, requests }) {
      deliveries.record(position);
      const session = { api: createApi(server.address, key), random, position };
      const loading = Promise.all(clients.map((client) => runUntilServerDown(client, session)));
      const problem = loading.then(
        () => undefined,
        (error: Error) => error,
      );
      await Promise.race([problem, waitForRandomPoint(acknowledged, { random, requests })]);
      const log = await server.kill();
      const found = await problem;
      if (found) throw new Error(`${found.message}\n${log.slice(-3000)}`, { cause: found });
      return log;
    },
    async verify(server, { data, position }) {
      deliveries.onServerRestart();
      const api = createApi(server.address, key);
      const session = { api, random: forbiddenRandom, position: () => position };
      const states = new Map<Client, State>();
      for (const client of clients) {
        const found = await client.read(session);
        const problem = client.ledger.findContradiction(found, position);
        if (problem !== undefined) throw new Error(`${client.name}: ${problem}`);
        states.set(client, found);
      }
      await home.checkKeys((key) => isKeyAccepted(server.address, key));
      for (const document of [documents.items, documents.other]) await checkSummary(session, document);
      const keys = hooked.flatMap(({ ledger }) => [...ledger.namesUntil(position)]);
      const items = keys.filter((name) => name.startsWith("Items/")).map((name) => name.slice(6));
      await deliveries.expect(items, { position, withinMs: DELIVERY_TIMEOUT_MS });
      await checkFiles(server, data, passed);
      return { states, position };
    },
    checkpoint({ states, position }) {
      for (const [client, state] of states) client.ledger.checkpoint(state);
      deliveries.checkpoint(position);
    },
    [Symbol.dispose]: () => deliveries[Symbol.dispose](),
  };
}

const HOOKED_CLIENTS = 3;

async function createFixtures(server: RunningServer, deliveries: DeliveryLog) {
  await server.command("user", "add", "--email", OWNER, "--name", "Owner");
  await server.command("user", "add", "--email", FRIEND, "--name", "Friend");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", OWNER);
  const api = createApi(server.address, key);
  const workspace = await api.send<number>("POST", "/orgs/current/workspaces", { name: "Load" });
  const elsewhere = await api.send<number>("POST", "/orgs/current/workspaces", { name: "Made by the load" });
  const make = (name: string) => api.send<string>("POST", `/workspaces/${workspace}/docs`, { name });
  const documents = { items: await make("Items"), other: await make("Other"), files: await make("Files") };
  const template = await make("Template");
  for (const document of [documents.items, documents.other, template]) await addTables({ api }, document);
  await api.send("POST", `/docs/${documents.files}/tables`, {
    tables: [{ id: "Files", columns: [{ id: "File", fields: { type: "Attachments" } }] }],
  });
  await api.send("POST", `/docs/${template}/tables/Items/records`, {
    records: Array.from({ length: TEMPLATE_ROWS }, (_, i) => ({ fields: { Key: `template ${i}`, Qty: i } })),
  });
  const fields = { url: deliveries.url, tableId: "Items", eventTypes: ["add", "update"] };
  await api.send("POST", `/docs/${documents.items}/webhooks`, { webhooks: [{ fields }] });
  const home = new HomeClient({
    name: "home",
    workspace: elsewhere,
    friend: FRIEND,
    template,
    templateRows: TEMPLATE_ROWS,
  });
  const clients: Client[] = [
    ...Array.from({ length: HOOKED_CLIENTS }, (_, i) => new RowsClient(documents.items, `rows${i}`)),
    ...Array.from({ length: 2 }, (_, i) => new RowsClient(documents.other, `more${i}`)),
    new SchemaClient(documents.other, "schema"),
    new FilesClient(documents.files, "files"),
    home,
  ];
  return { key, clients, home, documents };
}

/** Creates tables with formulas that look up each other, and a summary table. */
async function addTables({ api }: Pick<Session, "api">, document: string): Promise<void> {
  const column = (id: string, type: string, formula?: string) => ({
    id,
    fields: { type, ...(formula !== undefined && { formula, isFormula: true }) },
  });
  const pairs = [column("Client", "Text"), column("Key", "Text"), column("Part", "Int")];
  const items = [
    column("Client", "Text"),
    column("Key", "Text"),
    column("Qty", "Int"),
    column("Note", "Text"),
    column("Double", "Int", "$Qty * 2"),
    column("Parts", "Int", "len(Pairs.lookupRecords(Key=$Key))"),
  ];
  const tables = [
    { id: "Pairs", columns: pairs },
    { id: "Items", columns: items },
  ];
  await api.send("POST", `/docs/${document}/tables`, { tables });
  const ref = async (path: string, id: string, name: "tableRef" | "colRef") => {
    type Listed = Record<string, { id: string; fields: Record<string, number> }[]>;
    const listed = Object.values(await api.send<Listed>("GET", `/docs/${document}${path}`)).flat();
    return listed.find((one) => one.id === id)?.fields[name];
  };
  const [table, client] = [
    await ref("/tables", "Items", "tableRef"),
    await ref("/tables/Items/columns", "Client", "colRef"),
  ];
  await api.send("POST", `/docs/${document}/apply`, [["CreateViewSection", table, 0, "record", [client], null]]);
}

/**
 * Waits until some requests were acknowledged, and a moment longer: the number of requests counts, however fast the
 * machine is.
 */
async function waitForRandomPoint(
  acknowledged: () => number,
  { random, requests }: Pick<LoadOptions, "random" | "requests">,
): Promise<void> {
  const [enough, until] = [random.below(requests), performance.now() + MAX_LOAD_MS];
  while (acknowledged() < enough && performance.now() < until) await Bun.sleep(1);
  await Bun.sleep(random.below(30));
}

async function runUntilServerDown(client: Client, session: Session): Promise<void> {
  try {
    for (;;) await client.step(session);
  } catch (error) {
    if (error instanceof RequestRefused)
      throw new Error(`${client.name} was refused: ${error.message}`, { cause: error });
    if (!isServerDown(error)) throw error;
  }
}

/** Returns true if the server no longer responds. */
const isServerDown = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^(ECONN|ConnectionRefused|EPIPE)/.test(String(error.code));

async function isKeyAccepted(address: string, key: string): Promise<boolean> {
  const answer = await fetch(`${address}/api/orgs`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.ok;
}

type Line = [client: string, [count: unknown, sum: unknown]];

/** Checks that the summary table counts the existing rows. */
async function checkSummary({ api }: Pick<Session, "api">, document: string): Promise<void> {
  type Columns = Readonly<Record<string, readonly (string | number)[]>>;
  const data = (table: string) => api.send<Columns>("GET", `/docs/${document}/tables/${table}/data`);
  const items = await data("Items");
  const expected = new Map<string, [count: number, sum: number]>();
  for (const [row, client] of items["Client"]?.entries() ?? []) {
    const [count, sum] = expected.get(String(client)) ?? [0, 0];
    expected.set(String(client), [count + 1, sum + Number(items["Qty"]?.[row])]);
  }
  const summary = await data("Items_summary_Client");
  const { Client = [], count = [], Qty = [] } = summary;
  const found = Client.map((client, row): Line => [String(client), [count[row], Qty[row]]]);
  const text = (lines: readonly Line[]) => JSON.stringify(lines.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  if (text(found) !== text([...expected])) {
    throw new Error(`the summary is ${text(found)} for ${text([...expected])}`);
  }
}

/**
 * Checks that every document's file passes `doc check`, and the home database SQLite's integrity check.
 * @param verifiedDigests digests of files that have passed before; extended
 */
async function checkFiles(server: RunningServer, data: string, verifiedDigests: Set<string>): Promise<void> {
  const files = [...new Bun.Glob("*/document.grist").scanSync({ cwd: join(data, "docs"), absolute: true })];
  for (const file of files) {
    const parts = [file, `${file}-wal`].filter((part) => existsSync(part)).map((part) => readFileSync(part));
    const digest = parts.map((part) => `${part.length} ${Bun.hash(part).toString(36)}`).join();
    if (verifiedDigests.has(digest)) continue;
    await server.command("doc", "check", file);
    verifiedDigests.add(digest);
  }
  using home = new Database(join(data, "home.sqlite"), { readonly: true });
  const [answer] = home.query<{ integrity_check: string }, []>("pragma integrity_check").all();
  if (answer?.integrity_check !== "ok") throw new Error(`the home database: ${answer?.integrity_check}`);
}

const forbiddenRandom: Random = {
  next: () => Number.NaN,
  below: () => 0,
  chance: () => false,
  pick() {
    throw new Error("reading must not use random numbers");
  },
};
