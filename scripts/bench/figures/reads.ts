import type { Benchmark } from "../bench.ts";
import { requestsPerSecond } from "../load.ts";

/** The first 100 rows read by 8 clients, with the server on both cores. */
export const reads: Benchmark = {
  name: "reads8",
  async run(bench) {
    const document = await bench.documentOf(100_000);
    await using server = await bench.serve();
    const url = `${server.address}${document}/tables/Big/records?limit=100`;
    const value = await requestsPerSecond({ url, headers: bench.headers });
    return [{ name: "100 rows read by 8 clients, server on 2 cores", value, unit: "/s", target: { min: 5000 } }];
  },
};
