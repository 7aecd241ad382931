import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Bench, drain, type Benchmark, type Measurement, medianMs } from "../bench.ts";
import { requestsPerSecond } from "../load.ts";
import { COLUMNS } from "../rows.ts";

/** SQL, whole tables and files through HTTP, compared with plain SQLite on the same document. */
export const queries: Benchmark = {
  name: "queries",
  async run(bench) {
    const document = await bench.documentOf(100_000);
    await using server = await bench.serve();
    const address = server.address + document;
    const get = (path: string) => fetch(address + path, { headers: bench.headers });
    const sql = (text: string) => `/sql?q=${encodeURIComponent(text)}`;
    await drain(await get("/tables/Big/records?limit=1"));
    using baseline = new Database(bench.fileOf(document), { readonly: true });
    const groups = "select City, count(*) as n, sum(Qty) as q from Big group by City";
    const names = COLUMNS.map(({ id }) => id).join(", ");
    const copy = join(bench.folder, "copy.sqlite");
    return [
      {
        name: "a row by its id, in SQL, 8 clients",
        value: await requestsPerSecond({
          url: address + sql("select * from Big where id = 777"),
          headers: bench.headers,
        }),
        unit: "/s",
        target: { min: 3000 },
      },
      await measureAlternating("groups over 100,000 rows, in SQL", 1.3, {
        measured: async () => drain(await get(sql(groups))),
        baseline: () => baseline.query(groups).all(),
      }),
      await measureAlternating("CSV of 100,000 rows x 8", 2.5, {
        measured: async () => drain(await get("/download/csv?tableId=Big")),
        baseline: () =>
          baseline
            .query(`select ${names} from Big`)
            .values()
            .map((row) => row.join(","))
            .join("\n"),
      }),
      await measureAlternating("the document as a file", 1.6, {
        measured: async () => drain(await get("/download")),
        baseline: () => {
          rmSync(copy, { force: true });
          baseline.run(`vacuum into '${copy}'`);
        },
      }),
      await measureDuringDownload(bench, address),
    ];
  },
};

const RUNS = 7;

async function measureAlternating(
  name: string,
  max: number,
  { measured, baseline }: { measured: () => Promise<unknown>; baseline: () => unknown },
): Promise<Measurement> {
  const turns: { value: number; baseline: number }[] = [];
  for (let turn = 0; turn < RUNS; turn++)
    turns.push({ baseline: await medianMs(1, baseline), value: await medianMs(1, measured) });
  turns.sort((a, b) => a.value / a.baseline - b.value / b.baseline);
  const median = turns[RUNS >> 1] ?? { value: 0, baseline: 1 };
  return { name, ...median, unit: "ms", target: { max } };
}

/** Returns the maximum duration of a small request while the document is being downloaded. */
async function measureDuringDownload({ headers }: Bench, address: string): Promise<Measurement> {
  let slowest = 0;
  const download = { isDone: false };
  const handedOut = fetch(`${address}/download`, { headers })
    .then(drain)
    .finally(() => {
      download.isDone = true;
    });
  while (!download.isDone) {
    const start = performance.now();
    await drain(await fetch(`${address}/tables/Big/records?limit=10`, { headers }));
    slowest = Math.max(slowest, performance.now() - start);
  }
  await handedOut;
  return {
    name: "10 rows while the document is downloaded, slowest",
    value: slowest,
    unit: "ms",
    target: { max: 50 },
  };
}
