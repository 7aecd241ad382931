import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HAS_POSTGRES, PostgresServer } from "../../postgres-server.ts";
import { type RunningServer, startServer } from "../../running-server.ts";
import type { Benchmark, Measurement } from "../bench.ts";

const WARM_UP = 200;
const WRITES = 1500;
const DOCUMENTS = 8;
const SECONDS = 5;
const SYNCS = 200;

/** One-row writes that are acknowledged after they are in a PostgreSQL of its own, with `fsync` on. */
export const replicatedLog: Benchmark = {
  name: "log",
  async run() {
    if (!HAS_POSTGRES) {
      console.error("log: skipped: PostgreSQL is not installed (package postgresql)");
      return [];
    }
    const folder = await mkdtemp(join(tmpdir(), "quern-bench-log-"));
    const postgresFolder = await mkdtemp(join(tmpdir(), "quern-bench-postgres-"));
    const postgres = await PostgresServer.start({ folder: postgresFolder });
    try {
      const settings = { QUERN_DATA: join(folder, "data"), QUERN_LOG_TO: await postgres.createDatabase() };
      await using server = await startServer({ settings });
      const sync: Measurement = { name: "fsync of 4 KB, p50", value: syncMs(join(folder, "sync")), unit: "ms" };
      return [sync, ...(await measure(server, postgres, new URL(settings.QUERN_LOG_TO).pathname.slice(1)))];
    } finally {
      await postgres.stop("immediate");
      for (const path of [folder, postgresFolder]) await rm(path, { recursive: true, force: true });
    }
  },
};

async function measure(server: RunningServer, postgres: PostgresServer, database: string): Promise<Measurement[]> {
  const writers = await createWriters(server);
  const [first] = writers;
  if (!first) throw new Error("no document");
  for (let i = 0; i < WARM_UP; i++) await first.add();
  const before = await logBytes(postgres, { database, doc: first.uuid });
  const durations: number[] = [];
  for (let i = 0; i < WRITES; i++) {
    const start = performance.now();
    await first.add();
    durations.push(performance.now() - start);
  }
  const after = await logBytes(postgres, { database, doc: first.uuid });
  const sorted = durations.toSorted((a, b) => a - b);
  const quantile = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  const name = "acknowledged one-row write in the log";
  return [
    { name: `${name}, p50`, value: quantile(0.5), unit: "ms", target: { max: 2.5 } },
    { name: `${name}, p99`, value: quantile(0.99), unit: "ms", target: { max: 15 } },
    {
      name: "log per one-row commit",
      value: (after.bytes - before.bytes) / (after.rows - before.rows) / 1024,
      unit: "KB",
      target: { max: 2 },
    },
    {
      name: `${name}, ${2 * DOCUMENTS} clients, ${DOCUMENTS} documents`,
      value: await writesPerSecond(writers),
      unit: "/s",
      target: { min: 1500 },
    },
  ];
}

/** A write waits for two of these: that of the document's file, and that of PostgreSQL. */
function syncMs(path: string): number {
  const durations: number[] = [];
  const file = openSync(path, "w");
  for (let i = 0; i < SYNCS; i++) {
    const start = performance.now();
    writeSync(file, "x".repeat(4096));
    fsyncSync(file);
    durations.push(performance.now() - start);
  }
  closeSync(file);
  return durations.toSorted((a, b) => a - b)[SYNCS / 2] ?? Number.NaN;
}

interface Writer {
  readonly uuid: string;
  add(): Promise<void>;
}

async function createWriters(server: RunningServer): Promise<Writer[]> {
  const email = "bench@example.com";
  await server.command("user", "add", "--email", email, "--name", "Bench");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", email);
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const post = async (path: string, body: string): Promise<unknown> => {
    const response = await fetch(`${server.address}/api${path}`, { method: "POST", headers, body });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const workspace = String(await post("/orgs/current/workspaces", JSON.stringify({ name: "Log" })));
  const row = JSON.stringify({ records: [{ fields: { A: "key", B: "Riga", C: "a note" } }] });
  const writers: Writer[] = [];
  for (let i = 0; i < DOCUMENTS; i++) {
    const uuid = String(await post(`/workspaces/${workspace}/docs`, JSON.stringify({ name: `Log ${i}` })));
    writers.push({ uuid, add: async () => void (await post(`/docs/${uuid}/tables/Table1/records`, row)) });
  }
  return writers;
}

async function logBytes(postgres: PostgresServer, { database, doc }: { database: string; doc: string }) {
  const text = `select count(*)::int as rows, coalesce(sum(pg_column_size(l.*)), 0)::int as bytes
    from quern.doc_log l where doc = '${doc}'`;
  const [found] = await postgres.query<{ rows: number; bytes: number }>(text, { database });
  return found ?? { rows: 0, bytes: 0 };
}

async function writesPerSecond(writers: readonly Writer[]): Promise<number> {
  let count = 0;
  const start = performance.now();
  const client = async (writer: Writer) => {
    while (performance.now() - start < SECONDS * 1000) {
      await writer.add();
      count++;
    }
  };
  // Two clients for each document.
  await Promise.all([...writers, ...writers].map(client));
  return count / ((performance.now() - start) / 1000);
}
