import { anonymousMb, drain, type Bench, type Benchmark, type Measurement } from "../bench.ts";

/** How fast tables are handed out as files, and by how much that makes the server grow. */
export const downloads: Benchmark = {
  name: "downloads",
  run: async (bench) => [
    // A Raspberry Pi writes a table of this size in less than a minute when a machine like ours reaches this.
    ...(await measure(bench, { rows: 1_000_000, format: "csv", minMbPerS: 10 })),
    ...(await measure(bench, { rows: 100_000, format: "xlsx", minMbPerS: 1 })),
  ],
};

/** What a download may need beside what the server holds anyway. */
const MAX_GROWTH_MB = 100;

async function measure(
  bench: Bench,
  { rows, format, minMbPerS }: { rows: number; format: string; minMbPerS: number },
): Promise<Measurement[]> {
  const document = await bench.documentOf(rows);
  await using server = await bench.serve({ pinned: true });
  const get = (path: string) => fetch(`${server.address}${document}${path}`, { headers: bench.headers });
  // The document is open and its first rows were read: what comes on top is the download's.
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
    { name: `${name}, memory on top`, value: peak - before, unit: "MB", target: { max: MAX_GROWTH_MB } },
  ];
}
