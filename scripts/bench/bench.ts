/** What the figures share: one data folder with large documents, servers on it, timing, memory. */
import { Database } from "bun:sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type RunningServer } from "../running-server.ts";
import { wrapperCommand } from "../stress/disk/shim.ts";
import { COLUMNS, rowOf } from "./rows.ts";

export interface Measurement {
  /** `first 100 of 100,000 rows`. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The same work without the server, in the same unit. */
  readonly baseline?: number;
  /** What `value`, or where there is a floor its ratio to it, may be; left out for what is only told. */
  readonly target?: { readonly max: number } | { readonly min: number };
}

/** One thing that is measured. Each is a file in figures/, listed in main.ts. */
export interface Benchmark {
  /** To ask for it alone: `bun scripts/bench/main.ts fetch`. */
  readonly name: string;
  run(bench: Bench): Promise<Measurement[]>;
}

export interface Bench extends AsyncDisposable {
  readonly folder: string;
  /** Headers that a request needs. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * A server on the data folder with its settings as they are by default, but for `extraSettings`. `pinned` leaves the other
   * core to the client; with `syncMs` the disk takes so long to write something out.
   */
  serve(options?: ServeOptions): Promise<RunningServer>;
  /** The file of a document, by an address that ends in its UUID. */
  fileOf(document: string): string;
  /** Path of a document with the table Big of so many rows, which is made when it is first asked for. */
  documentOf(rows: number): Promise<string>;
}

export interface ServeOptions {
  readonly pinned?: boolean;
  readonly extraSettings?: Readonly<Record<string, string>>;
  readonly syncMs?: number;
}

/** Cores: the server's, and the client's and the floor's. */
const SERVER_CORE = "0";
const CLIENT_CORE = "1";
/** For a server that is not pinned: it would inherit the client's core otherwise. */
const ALL_CORES = "0,1";
export const onClientCore = ["taskset", "-c", CLIENT_CORE] as const;

export async function createBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), "quern-bench-"));
  const settings = { QUERN_DATA: join(folder, "data") };
  Bun.spawnSync(["taskset", "-acp", CLIENT_CORE, String(process.pid)]);
  const key = await firstKey(settings);
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const made = new Map<number, Promise<string>>();
  const serve: Bench["serve"] = ({ pinned = false, extraSettings = {}, syncMs } = {}) => {
    const disk = syncMs === undefined ? [] : wrapperCommand(folder, { syncMs });
    const under = ["taskset", "-c", pinned ? SERVER_CORE : ALL_CORES, ...disk];
    return startServer({ settings: { ...settings, ...extraSettings }, under });
  };
  return {
    folder,
    headers,
    serve,
    fileOf: (document) => join(settings.QUERN_DATA, "docs", document.split("/").at(-1) ?? "", "document.grist"),
    documentOf(rows) {
      const document = made.get(rows) ?? makeDocument({ rows, serve, headers, data: settings.QUERN_DATA });
      made.set(rows, document);
      return document;
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function firstKey(settings: Record<string, string>): Promise<string> {
  await using server = await startServer({ settings });
  await server.command("user", "add", "--email", "bench@example.com", "--name", "Bench");
  return (await server.command<{ key: string }>("key", "create", "--email", "bench@example.com")).key;
}

interface DocumentFixtureOptions {
  rows: number;
  data: string;
  headers: Readonly<Record<string, string>>;
  serve: Bench["serve"];
}

/** Makes a document through the API, and fills its table behind the server's back while no server runs: it is quicker. */
async function makeDocument({ rows, data, headers, serve }: DocumentFixtureOptions): Promise<string> {
  const uuid = await (async () => {
    await using server = await serve();
    const post = (path: string, body: unknown) =>
      responseJson(fetch(`${server.address}/api${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
    const workspace = await post("/orgs/current/workspaces", { name: `${rows} rows` });
    const document = String(await post(`/workspaces/${String(workspace)}/docs`, { name: `${rows} rows` }));
    const columns = COLUMNS.map(({ id, type }) => ({ id, fields: { label: id, type } }));
    await post(`/docs/${document}/tables`, { tables: [{ id: "Big", columns }] });
    return document;
  })();
  const db = new Database(join(data, "docs", uuid, "document.grist"));
  const names = ["id", "manualSort", ...COLUMNS.map(({ id }) => id)];
  const insert = db.prepare(`insert into Big (${names.join(",")}) values (${names.map(() => "?").join(",")})`);
  db.transaction(() => {
    for (let id = 1; id <= rows; id++) insert.run(id, id, ...rowOf(id));
  })();
  db.close();
  return `/api/docs/${uuid}`;
}

async function responseJson(pending: Promise<Response>): Promise<unknown> {
  const response = await pending;
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Reads an answer to its end without keeping it. */
export async function drain(response: Response): Promise<number> {
  if (!response.ok || !response.body) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.byteLength;
  return bytes;
}

/** Milliseconds that the middle one of several runs takes, after one that does not count. */
export async function medianMs(times: number, work: () => unknown): Promise<number> {
  await work();
  const durations: number[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await work();
    durations.push(performance.now() - start);
  }
  return durations.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}

/** Anonymous memory of a process in MB: what is its own, without the executable's pages and page cache. */
export async function anonymousMb(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
