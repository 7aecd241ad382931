import { join } from "node:path";
import { QueryProcess } from "../../../src/sql/query-process.ts";
import { hostileTexts } from "../../../test/sql/hostile-texts.ts";
import { EXECUTABLE } from "../../running-server.ts";
import { type Bench, drain, type Benchmark, type Measurement, medianMs, onClientCore } from "../bench.ts";
import { percentile } from "../timing.ts";

/**
 * Hostile SQL statements: the latency of other reads meanwhile, and how far a statement exceeds its time limit; also
 * the latency of a harmless query.
 */
export const sql: Benchmark = {
  name: "sql",
  async run(bench) {
    await using server = await bench.serve({ pinned: true });
    const document = await makeDocument(bench, `${server.address}/api`);
    const texts = hostileTexts("/nowhere/vault.sqlite");
    const ask = (body: object) =>
      fetch(`${document}/sql`, { method: "POST", headers: bench.headers, body: JSON.stringify(body) });
    const small = () => ask({ sql: "select Text from Big where id = ?", args: [5] }).then(drain);
    const alone = await medianMs(200, small);
    const read = () => fetch(`${document}/tables/Big/records?limit=10`, { headers: bench.headers }).then(drain);
    // The idle latency, as the baseline.
    const quiet = await readMeanwhile(read, () => Bun.sleep(3000));
    const reads = await readMeanwhile(read, () => attack(`${document}/sql`, bench.headers));
    return [
      { name: "a query of one row by HTTP", value: alone, unit: "ms", target: { max: 5 } },
      {
        name: "reading 10 rows while nothing else runs, 99th percentile",
        value: percentile(quiet, 0.99),
        unit: "ms",
        target: { max: 20 },
      },
      {
        name: `reading 10 rows while ${texts.length} hostile statements run, 99th percentile`,
        value: percentile(reads, 0.99),
        unit: "ms",
        target: { max: 20 },
      },
      await overrun(texts, bench.fileOf(document)),
    ];
  },
};

const LIMIT_MS = 300;
const CLIENTS = 4;

/** Creates a document with the tables that the statements use; returns its URL. */
async function makeDocument({ headers }: Bench, api: string): Promise<string> {
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(api + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const workspace = String(await post("/orgs/current/workspaces", { name: "SQL" }));
  const document = `/docs/${String(await post(`/workspaces/${workspace}/docs`, { name: "SQL" }))}`;
  const columns = (...ids: string[]) => ids.map((id) => ({ id }));
  await post(`${document}/tables`, {
    tables: [
      { id: "People", columns: columns("Name", "Age", "Tags") },
      { id: "Big", columns: columns("Text") },
    ],
  });
  await post(`${document}/tables/People/records`, {
    records: [{ fields: { Name: "Ada" } }, { fields: { Name: "Bob" } }],
  });
  const rows = Array.from({ length: 2000 }, (_, i) => ({ fields: { Text: `row ${i}` } }));
  await post(`${document}/tables/Big/records`, { records: rows });
  return api + document;
}

/** Sends all hostile statements from a separate process, so that its work does not affect the measurement. */
async function attack(url: string, headers: Bench["headers"]): Promise<void> {
  const options = JSON.stringify({ url, headers, timeoutMs: LIMIT_MS, clients: CLIENTS });
  const words = [process.execPath, join(import.meta.dir, "../sql-attack.ts"), options];
  const status = await Bun.spawn([...onClientCore, ...words], { stdout: "inherit", stderr: "inherit" }).exited;
  if (status !== 0) throw new Error("the attack failed");
}

/** Returns the duration of each read in milliseconds while the work is in progress. */
async function readMeanwhile(read: () => Promise<unknown>, work: () => Promise<void>): Promise<number[]> {
  const taken: number[] = [];
  const over = new AbortController();
  const working = work().finally(() => over.abort());
  while (!over.signal.aborted) {
    const start = performance.now();
    await read();
    taken.push(performance.now() - start);
    await Bun.sleep(2);
  }
  await working;
  return taken;
}

/** Measures by how much statements exceed their time limit at most. */
async function overrun(texts: readonly string[], path: string): Promise<Measurement> {
  let furthest = 0;
  const start = () => QueryProcess.start({ command: [EXECUTABLE, "sql-runner"] });
  let child = await start();
  for (const statement of texts) {
    const began = performance.now();
    await child
      .run({ path, statement, args: [], timeoutMs: LIMIT_MS, maxRows: 100_000, maxBytes: 32 * 1024 ** 2 })
      .catch(() => {});
    furthest = Math.max(furthest, performance.now() - began - LIMIT_MS);
    if (child.isUsable) continue;
    child[Symbol.dispose]();
    child = await start();
  }
  child[Symbol.dispose]();
  return { name: "furthest beyond its time limit", value: furthest, unit: "ms", target: { max: 100 } };
}
