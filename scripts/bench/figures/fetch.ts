import { drain, medianMs, type Figure } from "../bench.ts";
import { createFloor } from "../floor.ts";

/** Reading 10,000 rows through HTTP, against reading and rendering them bare. */
export const fetchRows: Figure = {
  name: "fetch",
  async run(bench) {
    const document = await bench.documentOf(100_000);
    using floor = createFloor(bench.folder, 100_000);
    await using server = await bench.serve({ pinned: true });
    const url = `${server.address}${document}/tables/Big/records?limit=10000`;
    const ask = async () => drain(await fetch(url, { headers: bench.headers }));
    // In turns, so that both see the same machine; the first turn warms up.
    const turns: { value: number; floor: number }[] = [];
    for (let i = 0; i < 4; i++) {
      turns.push({ floor: await medianMs(15, () => floor.fetchRows(10_000)), value: await medianMs(15, ask) });
    }
    const best = (of: "value" | "floor") => Math.min(...turns.slice(1).map((turn) => turn[of]));
    return [
      { name: "GET of 10,000 rows", value: best("value"), unit: "ms", floor: best("floor"), target: { most: 1.5 } },
    ];
  },
};
