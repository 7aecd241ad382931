/** Shared by the figures of a million rows: servers on copies of the prepared folder, requests, and the baseline. */
import { Database } from "bun:sqlite";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, startServer } from "../../running-server.ts";
import { type Api, createApi } from "../../stress/load/api.ts";
import { ALL_CORES, drain, type Measurement } from "../bench.ts";
import type { PreparedFolder } from "./prepared-folder.ts";
import { distantId } from "./rows.ts";

/** A figure. Each is in figures/, listed in main.ts. */
export interface MillionFigure {
  /** Selects the figure: `--only NAME`. */
  readonly name: string;
  /** Only runs when asked for, by `--import` or by its name. */
  readonly isOptional?: boolean;
  run(bench: MillionBench): Promise<Measurement[]>;
}

export interface MillionBench {
  readonly prepared: PreparedFolder;
  /** How often a figure is measured; the median counts. */
  readonly rounds: number;
  /** Starts a server on a copy of the prepared folder, with default settings except for these. */
  open(settings?: Readonly<Record<string, string>>): Promise<MillionServer>;
  /** Opens the prepared document with plain SQLite, read-only. */
  openBaseline(): Database;
}

export function createMillionBench(prepared: PreparedFolder, options: { executable: string; rounds: number }) {
  const { executable, rounds } = options;
  const bench: MillionBench = {
    prepared,
    rounds,
    open: (settings = {}) => MillionServer.open({ prepared, executable, settings }),
    openBaseline: () =>
      new Database(join(prepared.folder, "data/docs", prepared.document, "document.grist"), { readonly: true }),
  };
  return bench;
}

export interface MillionServerOptions {
  readonly prepared: PreparedFolder;
  readonly executable: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Command prefix of the server, such as one that limits its memory. */
  readonly under?: readonly string[];
}

/** A server on a copy of the prepared folder. */
export class MillionServer {
  readonly #options: MillionServerOptions;
  readonly #copy: string;
  #server: RunningServer;
  #api: Api;

  private constructor(options: MillionServerOptions, { copy, server }: { copy: string; server: RunningServer }) {
    this.#options = options;
    this.#copy = copy;
    this.#server = server;
    this.#api = createApi(server.address, this.key);
  }

  static async open(options: MillionServerOptions): Promise<MillionServer> {
    const copy = await mkdtemp(join(tmpdir(), "quern-million-"));
    await cp(join(options.prepared.folder, "data"), join(copy, "data"), { recursive: true });
    return new MillionServer(options, { copy, server: await start(options, copy) });
  }

  get server(): RunningServer {
    return this.#server;
  }

  get api(): Api {
    return this.#api;
  }

  /** The data folder. */
  get data(): string {
    return join(this.#copy, "data");
  }

  get key(): string {
    return this.#options.prepared.key;
  }

  /** Base URL of the large document. */
  get url(): string {
    return `${this.#server.address}/api${this.#path}`;
  }

  get #path(): string {
    return `/docs/${this.#options.prepared.document}`;
  }

  /** Reads a response of the large document to its end, and returns the duration in milliseconds. */
  async read(path: string): Promise<number> {
    const began = performance.now();
    await drain(await fetch(this.url + path, { headers: { Authorization: `Bearer ${this.key}` } }));
    return performance.now() - began;
  }

  /** Returns the JSON of a response of the large document. */
  async readJson<T>(path: string): Promise<T> {
    const answer = await fetch(this.url + path, { headers: { Authorization: `Bearer ${this.key}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  /** Sends a request to the large document, and returns its duration in milliseconds. */
  async request(method: string, path: string, body: unknown): Promise<number> {
    const began = performance.now();
    await this.#api.send(method, this.#path + path, body);
    return performance.now() - began;
  }

  /** Stops the server, unless it is stopped, and starts one on the same data. */
  async restart(): Promise<void> {
    await this.#server.stop();
    this.#server = await start(this.#options, this.#copy);
    this.#api = createApi(this.#server.address, this.key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
    await rm(this.#copy, { recursive: true, force: true });
  }
}

function start({ executable, settings, under = ["taskset", "-c", ALL_CORES] }: MillionServerOptions, copy: string) {
  const all = { QUERN_LOG_LEVEL: "warn", QUERN_DATA: join(copy, "data"), ...settings };
  return startServer({ executable: [executable], settings: all, under });
}

/** One write in this many requests, so that no cache of responses helps. */
export const WRITE_EVERY = 50;
/** Pause between two reads of a client that measures how long they take. */
export const PAUSE_MS = 5;
/** Reads before an access pattern counts as warm. */
export const WARM_UP_READS = 20;

/** Changes a cell of a row. */
export async function writeOneCell(million: MillionServer, id: number): Promise<void> {
  await million.request("PATCH", "/tables/Big/records", { records: [{ id, fields: { Qty: id % 977 } }] });
}

/**
 * Reads with keys that never repeat, with one write in every 50 requests; returns the durations of the reads after the
 * warm-up in milliseconds.
 */
export async function readWarm(
  million: MillionServer,
  { rows, reads, pathOf }: { rows: number; reads: number; pathOf: (id: number) => string },
): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < WARM_UP_READS + reads; n++) {
    const id = distantId(n, rows);
    if (n % WRITE_EVERY === WRITE_EVERY - 1) await writeOneCell(million, id);
    const ms = await million.read(pathOf(id));
    if (n >= WARM_UP_READS) taken.push(ms);
  }
  return taken;
}

/** The path of rows whose column has one of these values. */
export function filterPath(filter: Readonly<Record<string, readonly (string | number)[]>>, more = ""): string {
  return `/tables/Big/records?filter=${encodeURIComponent(JSON.stringify(filter))}${more}`;
}
