/** Shared by all benchmarks: one data folder with large documents, servers on it, timing, memory. */
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
  /** Limit of `value`, or of its ratio to the baseline if there is one; omitted for figures without a target. */
  readonly target?: { readonly max: number } | { readonly min: number };
}

/** A benchmark. Each is a file in figures/, listed in main.ts. */
export interface Benchmark {
  /** Selects the benchmark: `bun scripts/bench/main.ts fetch`. */
  readonly name: string;
  run(bench: Bench): Promise<Measurement[]>;
}

export interface Bench extends AsyncDisposable {
  readonly folder: string;
  /** Headers for authenticated requests. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Starts a server on the data folder with default settings, except for `extraSettings`. `pinned` leaves the other
   * core to the client; `syncMs` is the minimum duration of an fsync.
   */
  serve(options?: ServeOptions): Promise<RunningServer>;
  /** Returns the file of a document, given a URL that ends in its UUID. */
  fileOf(document: string): string;
  /** Returns the path of a document with the table Big of this number of rows; creates it on the first call. */
  documentOf(rows: number): Promise<string>;
}

export interface ServeOptions {
  readonly pinned?: boolean;
  readonly extraSettings?: Readonly<Record<string, string>>;
  readonly syncMs?: number;
}

/** CPU cores: one for the server, one for the client and the baseline. */
const SERVER_CORE = "0";
const CLIENT_CORE = "1";
/** For a server that is not pinned: it would inherit the client's core otherwise. */
export const ALL_CORES = "0,1";
export const onClientCore = ["taskset", "-c", CLIENT_CORE] as const;

/** Leaves the other core to the server. */
export function moveToClientCore(): void {
  Bun.spawnSync(["taskset", "-acp", CLIENT_CORE, String(process.pid)]);
}

export async function createBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), "quern-bench-"));
  const settings = { QUERN_DATA: join(folder, "data") };
  moveToClientCore();
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

/** Creates a document through the API and fills its table directly in SQLite while no server runs, which is faster. */
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

/** Reads a response to its end and discards it. */
export async function drain(response: Response): Promise<number> {
  if (!response.ok || !response.body) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.byteLength;
  return bytes;
}

/** Returns the median duration of several runs in milliseconds, after one warm-up run. */
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

/** Returns the anonymous memory of a process in MB: without the executable's pages and the page cache. */
export async function anonymousMb(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
