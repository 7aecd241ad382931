import { anonymousMb, drain, type Bench, type Benchmark, type Measurement } from "../bench.ts";

/** Throughput of table downloads, and the growth of the server's memory. */
export const downloads: Benchmark = {
  name: "downloads",
  run: async (bench) => [
    // At this rate on our machine, a Raspberry Pi writes a table of this size in less than a minute.
    ...(await measure(bench, { rows: 1_000_000, format: "csv", minMbPerS: 10 })),
    ...(await measure(bench, { rows: 100_000, format: "xlsx", minMbPerS: 1 })),
  ],
};

/** Maximum growth of the server's memory per download. */
const MAX_GROWTH_MB = 100;

async function measure(
  bench: Bench,
  { rows, format, minMbPerS }: { rows: number; format: string; minMbPerS: number },
): Promise<Measurement[]> {
  const document = await bench.documentOf(rows);
  await using server = await bench.serve({ pinned: true });
  const get = (path: string) => fetch(`${server.address}${document}${path}`, { headers: bench.headers });
  // Opens the document and reads its first rows, so that the growth is due to the download only.
  await drain(await get(`/download/${format}?tableId=Table1`));
  const before = await anonymousMb(server.pid);
  let peak = before;
  const look = async () => {
    peak = Math.max(peak, await anonymousMb(server.pid));
  };
  const looking = setInterval(() => void look(), 10);
  const start = performance.now();
  const mb = (await drain(await get(`/download/${format}?tableId=Big`))) / 1e6;
  const seconds = (performance.now() - start) / 1000;
  clearInterval(looking);
  const name = `${format.toUpperCase()} of ${rows.toLocaleString("en-US")} rows (${mb.toFixed(0)} MB)`;
  return [
    { name, value: mb / seconds, unit: "MB/s", target: { min: minMbPerS } },
    { name: `${name}, additional memory`, value: peak - before, unit: "MB", target: { max: MAX_GROWTH_MB } },
  ];
}
