/** A server with temporary data, a user and a key, for stress tests that measure. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COLUMNS, rowOf } from "../bench/rows.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { type Api, createApi } from "./load/api.ts";

export interface SiteOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Command prefix of the server. */
  readonly under?: readonly string[];
}

export interface StressSite extends AsyncDisposable {
  readonly server: RunningServer;
  readonly api: Api;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The data folder. */
  readonly data: string;
  readonly workspace: number;
  /** Replaces the server with another one on the same data. */
  restart(options: SiteOptions): Promise<void>;
  /** Creates a document with the table Big of this number of rows; returns its UUID. */
  makeDocument(rows: number): Promise<string>;
}

const PER_REQUEST = 1000;

export async function createStressSite(options: SiteOptions = {}): Promise<StressSite> {
  const folder = await mkdtemp(join(tmpdir(), "quern-stress-"));
  const data = join(folder, "data");
  const start = ({ settings = {}, under = [] }: SiteOptions) =>
    startServer({ settings: { QUERN_LOG_LEVEL: "warn", QUERN_DATA: data, ...settings }, under });
  let server = await start(options);
  await server.command("user", "add", "--email", "stress@example.com", "--name", "Stress test");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", "stress@example.com");
  let api = createApi(server.address, key);
  const workspace = await api.send<number>("POST", "/orgs/current/workspaces", { name: "Stress test" });
  return {
    get server() {
      return server;
    },
    get api() {
      return api;
    },
    key,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    data,
    workspace,
    async restart(options) {
      await server.stop();
      server = await start(options);
      api = createApi(server.address, key);
    },
    async makeDocument(rows) {
      const uuid = await api.send<string>("POST", `/workspaces/${workspace}/docs`, { name: `${rows} rows` });
      const columns = COLUMNS.map(({ id, type }) => ({ id, fields: { type } }));
      await api.send("POST", `/docs/${uuid}/tables`, { tables: [{ id: "Big", columns }] });
      for (let first = 1; first <= rows; first += PER_REQUEST) {
        await api.send("POST", `/docs/${uuid}/tables/Big/records`, { records: records(first, rows) });
      }
      return uuid;
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the rows of one request: from `first`, but not beyond `last`. */
const records = (first: number, last: number) =>
  Array.from({ length: Math.min(PER_REQUEST, last - first + 1) }, (_, i) => {
    const cells = rowOf(first + i);
    return { fields: Object.fromEntries(COLUMNS.map(({ id }, column) => [id, cells[column]])) };
  });
