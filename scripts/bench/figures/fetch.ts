import { drain, medianMs, type Benchmark } from "../bench.ts";
import { createBaseline } from "../baseline.ts";

/** Reading 10,000 rows through HTTP, compared with reading and rendering them without a server. */
export const fetchRows: Benchmark = {
  name: "fetch",
  async run(bench) {
    const document = await bench.documentOf(100_000);
    using baseline = createBaseline(bench.folder, 100_000);
    await using server = await bench.serve({ pinned: true });
    const url = `${server.address}${document}/tables/Big/records?limit=10000`;
    const ask = async () => drain(await fetch(url, { headers: bench.headers }));
    // Alternates, so that both run under the same load; the first run is a warm-up.
    const runs: { value: number; baseline: number }[] = [];
    for (let i = 0; i < 4; i++) {
      runs.push({ baseline: await medianMs(15, () => baseline.fetchRows(10_000)), value: await medianMs(15, ask) });
    }
    const best = (of: "value" | "baseline") => Math.min(...runs.slice(1).map((turn) => turn[of]));
    return [
      {
        name: "GET of 10,000 rows",
        value: best("value"),
        unit: "ms",
        baseline: best("baseline"),
        target: { max: 1.5 },
      },
    ];
  },
};
