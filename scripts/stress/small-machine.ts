import { drain } from "../bench/bench.ts";
import { MILLION_COLUMNS, millionRowOf } from "../bench/million/rows.ts";
import { type MemorySampler, sampleOwnMemory } from "../bench/own-memory.ts";
import { limitMemory, memoryLimitMissing } from "./memory-limit.ts";
import { createStressSite, type StressSite } from "./stress-site.ts";
import type { Outcome, StressTest } from "./stress-test.ts";

const FULL = { rows: 1_000_000, limitMb: 512 };
const QUICK = { rows: 300_000, limitMb: 192 };
const PER_REQUEST = 1000;
/** For busy machines: the default is a second. */
const SETTINGS = { QUERN_SQL_TIMEOUT_MS: "30000" };
/** Characters of the server's log that a failure shows. */
const MAX_LOG = 1000;

const FORMULAS = [
  { id: "Next", formula: "$Qty + 1" },
  { id: "Total", formula: "$Qty * $Price" },
  { id: "Title", formula: "'%s: %s' % ($City, $Qty)" },
];

/** Loads, computes and serves a large document on a machine with little memory. */
export const smallMachine: StressTest = {
  name: "small-machine",
  missing: memoryLimitMissing,
  async run({ isQuick }): Promise<Outcome> {
    const { rows, limitMb } = isQuick ? QUICK : FULL;
    using limit = limitMemory(limitMb);
    await using site = await createStressSite({ settings: SETTINGS, under: limit.under });
    using sampler = sampleOwnMemory(site.server.pid);
    const steps = new Steps(sampler);
    const problems: string[] = [];
    try {
      const document = await steps.run("load", () => loadRows(site, rows));
      await steps.run("compute", () => addFormulas(site, document));
      problems.push(...(await steps.run("serve", () => serve(site, document, rows))));
    } catch (error) {
      // The server may be gone, and then does not end cleanly.
      const log = await site.server.kill();
      problems.push(`${String(error)}\n${log.slice(-MAX_LOG)}`);
    }
    const kills = limit.kills() ?? 0;
    if (kills > 0) problems.push(`the kernel killed ${kills} processes for lack of memory`);
    const peak = limit.peakMb();
    const withCache = peak === undefined ? "" : `, ${peak.toFixed(0)} MB with the page cache`;
    const machine = `${rows.toLocaleString("en-US")} rows within ${limitMb} MB`;
    return { figures: `${machine}: ${steps.figures}${withCache}`, problems };
  },
};

/** Measures the duration of each step and the own memory at its peak. */
class Steps {
  readonly #sampler: MemorySampler;
  readonly #done: string[] = [];

  constructor(sampler: MemorySampler) {
    this.#sampler = sampler;
  }

  get figures(): string {
    return this.#done.join(", ");
  }

  /** @throws what the work throws */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    let outcome = "failed after";
    try {
      const result = await work();
      outcome = "takes";
      return result;
    } finally {
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      this.#done.push(`${name} ${outcome} ${seconds} s (own memory so far ${this.#sampler.peakMb.toFixed(0)} MB)`);
    }
  }
}

async function loadRows({ api, workspace }: StressSite, rows: number): Promise<string> {
  const document = await api.send<string>("POST", `/workspaces/${workspace}/docs`, { name: "Large" });
  const columns = MILLION_COLUMNS.map(({ id, type }) => ({ id, fields: { type } }));
  await api.send("POST", `/docs/${document}/tables`, { tables: [{ id: "Big", columns }] });
  for (let first = 1; first <= rows; first += PER_REQUEST) {
    const records = Array.from({ length: PER_REQUEST }, (_, i) => {
      const cells = millionRowOf(first + i);
      return { fields: Object.fromEntries(MILLION_COLUMNS.map(({ id }, column) => [id, cells[column]])) };
    });
    await api.send("POST", `/docs/${document}/tables/Big/records`, { records });
  }
  return document;
}

async function addFormulas({ api }: StressSite, document: string): Promise<void> {
  const columns = FORMULAS.map(({ id, formula }) => ({ id, fields: { type: "Any", isFormula: true, formula } }));
  await api.send("POST", `/docs/${document}/tables/Big/columns`, { columns });
}

/** Reads the table in every form; returns what was wrong. */
async function serve(site: StressSite, document: string, rows: number): Promise<string[]> {
  const problems: string[] = [];
  const url = `${site.server.address}/api/docs/${document}`;
  const get = async (path: string) => fetch(url + path, { headers: site.headers });
  const expect = (what: string, found: unknown, expected: unknown) => {
    if (!Bun.deepEquals(found, expected)) {
      problems.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
    }
  };
  const records = async (query: string): Promise<unknown> => {
    const response = await get(`/tables/Big/records?${query}`);
    return response.ok ? ((await response.json()) as { records: unknown }).records : response.text();
  };
  const idsOf = (found: unknown) => (Array.isArray(found) ? found.map(({ id }: { id: number }) => id) : found);
  // Whole tables in each format: the responses are larger than the memory.
  for (const path of ["/tables/Big/records", "/tables/Big/data", "/download/csv?tableId=Big"]) {
    const bytes = await drain(await get(path));
    if (bytes < rows * 100) problems.push(`${path}: only ${bytes} bytes`);
  }
  const sums = await site.api.send<{ records: unknown }>("POST", `/docs/${document}/sql`, {
    sql: "select count(*) as n, sum(Next) as total from Big",
  });
  const total = Array.from({ length: rows }, (_, i) => ((i + 1) * 6151) % 1000).reduce((sum, qty) => sum + qty + 1, 0);
  expect("SQL", sums.records, [{ fields: { n: rows, total } }]);
  const last = millionRowOf(rows);
  const filter = encodeURIComponent(JSON.stringify({ Key: [`key ${rows}`] }));
  const [found] = (await records(`filter=${filter}`)) as { fields: Record<string, unknown> }[];
  expect("a row by its key", found?.fields["Title"], `${String(last[1])}: ${String(last[2])}`);
  const names = Array.from({ length: rows }, (_, i) => [String(millionRowOf(i + 1).at(-1)), i + 1] as const);
  names.sort(([a, idA], [b, idB]) => (a < b ? -1 : a > b ? 1 : idA - idB));
  const expected = names.slice(0, 100).map(([, id]) => id);
  expect("the first rows by name", idsOf(await records("sort=Name&limit=100")), expected);
  expect("rows far behind", idsOf(await records(`limit=2&offset=${rows - 2}`)), [rows - 1, rows]);
  await site.api.send("PATCH", `/docs/${document}/tables/Big/records`, { records: [{ id: rows, fields: { Qty: 1 } }] });
  const [changed] = (await records(`filter=${filter}`)) as { fields: Record<string, unknown> }[];
  expect("a formula after a change", changed?.fields["Next"], 2);
  return problems;
}
