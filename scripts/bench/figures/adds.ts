import { unavailableReason } from "../../stress/disk/shim.ts";
import type { Bench, Benchmark, Measurement, ServeOptions } from "../bench.ts";
import { requestsPerSecond } from "../load.ts";

const SYNC_MS = 5;

/** Single-row adds by several clients: concurrent writers share the cost of an fsync through group commit. */
export const adds: Benchmark = {
  name: "adds",
  async run(bench) {
    const name = "one-row adds by 8 clients to a document";
    const unit = "/s";
    const own: Measurement = { name, value: await addsPerSecond(bench, {}), unit, target: { min: 2500 } };
    if (unavailableReason() !== undefined) return [own];
    const slow: Measurement = {
      name: `${name}, fsync takes ${SYNC_MS} ms, to one commit per add`,
      value: await addsPerSecond(bench, { syncMs: SYNC_MS }),
      unit,
      baseline: await addsPerSecond(bench, { syncMs: SYNC_MS, extraSettings: { QUERN_GROUP_COMMIT: "off" } }),
      target: { min: 6 },
    };
    return [own, slow];
  },
};

async function addsPerSecond(bench: Bench, options: ServeOptions): Promise<number> {
  const document = await bench.documentOf(0);
  await using server = await bench.serve(options);
  const body = JSON.stringify({ records: [{ fields: { Key: "key", City: "Riga", Qty: 5, Note: "a note" } }] });
  return await requestsPerSecond({
    url: `${server.address}${document}/tables/Big/records`,
    headers: bench.headers,
    body,
  });
}
