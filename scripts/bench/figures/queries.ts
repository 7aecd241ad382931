import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Bench, drain, type Figure, type Measured, medianMs } from "../bench.ts";
import { requestsPerSecond } from "../load.ts";
import { COLUMNS } from "../rows.ts";

/** SQL and whole tables and files by HTTP, against the same by bare SQLite on the same document. */
export const queries: Figure = {
  name: "queries",
  async run(bench) {
    const document = await bench.documentOf(100_000);
    await using server = await bench.serve();
    const address = server.address + document;
    const get = (path: string) => fetch(address + path, { headers: bench.headers });
    const sql = (text: string) => `/sql?q=${encodeURIComponent(text)}`;
    await drain(await get("/tables/Big/records?limit=1"));
    using floor = new Database(bench.fileOf(document), { readonly: true });
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
        target: { least: 3000 },
      },
      await inTurns("groups over 100,000 rows, in SQL", 1.3, {
        ours: async () => drain(await get(sql(groups))),
        bare: () => floor.query(groups).all(),
      }),
      await inTurns("CSV of 100,000 rows x 8", 2.5, {
        ours: async () => drain(await get("/download/csv?tableId=Big")),
        bare: () =>
          floor
            .query(`select ${names} from Big`)
            .values()
            .map((row) => row.join(","))
            .join("\n"),
      }),
      await inTurns("the document as a file", 1.6, {
        ours: async () => drain(await get("/download")),
        bare: () => {
          rmSync(copy, { force: true });
          floor.run(`vacuum into '${copy}'`);
        },
      }),
      await meanwhile(bench, address),
    ];
  },
};

const TURNS = 7;

async function inTurns(
  name: string,
  most: number,
  { ours, bare }: { ours: () => Promise<unknown>; bare: () => unknown },
): Promise<Measured> {
  const turns: { value: number; floor: number }[] = [];
  for (let turn = 0; turn < TURNS; turn++)
    turns.push({ floor: await medianMs(1, bare), value: await medianMs(1, ours) });
  turns.sort((a, b) => a.value / a.floor - b.value / b.floor);
  const { value = 0, floor = 1 } = turns[TURNS >> 1] ?? {};
  return { name, value, floor, unit: "ms", target: { most } };
}

/** How long a small request takes at most while the document is handed out as a file. */
async function meanwhile({ headers }: Bench, address: string): Promise<Measured> {
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
    name: "10 rows while the document is handed out, slowest",
    value: slowest,
    unit: "ms",
    target: { most: 50 },
  };
}
