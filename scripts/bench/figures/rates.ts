import type { Benchmark } from "../bench.ts";
import { requestsPerSecond } from "../load.ts";

/**
 * Small responses per second with the server on one core: the first rows of a large table, and a document's metadata.
 */
export const rates: Benchmark = {
  name: "rates",
  async run(bench) {
    const document = await bench.documentOf(100_000);
    await using server = await bench.serve({ pinned: true });
    const rate = (path: string) =>
      requestsPerSecond({ url: `${server.address}${document}${path}`, headers: bench.headers });
    return [
      {
        name: "first 100 of 100,000 rows",
        value: await rate("/tables/Big/records?limit=100"),
        unit: "/s",
        target: { min: 3000 },
      },
      { name: "describing a document", value: await rate(""), unit: "/s", target: { min: 8000 } },
    ];
  },
};
