import { anonymousMb, type Benchmark } from "../bench.ts";
import { COLUMNS, rowOf } from "../rows.ts";

const ROWS = 1_000_000;
const PER_REQUEST = 1000;

/** Memory while a large table is filled by requests: it must not grow with the number of written rows. */
export const largeLoad: Benchmark = {
  name: "large-load",
  async run(bench) {
    const document = await bench.documentOf(0);
    await using server = await bench.serve();
    const url = `${server.address}${document}/tables/Big/records`;
    const names = COLUMNS.map(({ id }) => id);
    const body = (first: number) =>
      JSON.stringify({
        records: Array.from({ length: PER_REQUEST }, (_, i) => {
          const cells = rowOf(first + i);
          return { fields: Object.fromEntries(names.map((name, c) => [name, cells[c]])) };
        }),
      });
    // Opens the document, so that its memory is not counted.
    await (await fetch(`${url}?limit=1`, { headers: bench.headers })).text();
    const before = await anonymousMb(server.pid);
    let peak = before;
    const looking = setInterval(() => void anonymousMb(server.pid).then((mb) => (peak = Math.max(peak, mb))), 10);
    const start = performance.now();
    for (let first = 1; first <= ROWS; first += PER_REQUEST) {
      const answer = await fetch(url, { method: "POST", headers: bench.headers, body: body(first) });
      if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
    }
    clearInterval(looking);
    const seconds = (performance.now() - start) / 1000;
    return [
      {
        name: `memory gained by loading 1,000,000 rows by 1000 (${seconds.toFixed(0)} s)`,
        value: peak - before,
        unit: "MB",
        target: { max: 150 },
      },
    ];
  },
};
