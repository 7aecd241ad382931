import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { anonymousMb, drain, type Bench, type Benchmark, type Measurement } from "../bench.ts";

const MB = 500;

/** Throughput of uploading and downloading a large attachment, and the growth of the server's memory. */
export const attachments: Benchmark = {
  name: "attachments",
  async run(bench) {
    const document = await bench.documentOf(100_000);
    const file = await largeFile(bench);
    await using server = await bench.serve({ pinned: true });
    const { "Content-Type": _, ...headers } = bench.headers;
    const address = `${server.address}${document}/attachments`;
    // Opens the document, so that the growth is due to the file only.
    await drain(await fetch(address, { headers }));
    const upload = async () => {
      const form = new FormData();
      form.append("upload", Bun.file(file), "large.bin");
      await drain(await fetch(address, { method: "POST", headers, body: form }));
    };
    const get = async (path: string) => drain(await fetch(`${address}${path}`, { headers }));
    const results = [
      await measure("attachment uploaded", server.pid, upload),
      await measure("attachment downloaded", server.pid, () => get("/1/download")),
      await measure("attachments as zip", server.pid, () => get("/archive")),
    ];
    await rm(file);
    return results.flat();
  },
};

/** Random bytes, so that compression or caching cannot shorten the transfer. */
async function largeFile({ folder }: Bench): Promise<string> {
  const path = join(folder, "large.bin");
  await using file = await open(path, "w");
  for (let i = 0; i < MB; i++) await file.write(crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(8));
  return path;
}

/** Maximum growth of the server's memory per file. */
const MAX_GROWTH_MB = 100;
/** The network throughput of a small machine. */
const MIN_MB_PER_S = 100;

async function measure(what: string, pid: number, work: () => Promise<unknown>): Promise<Measurement[]> {
  const before = await anonymousMb(pid);
  let peak = before;
  const looking = setInterval(() => void look(), 10);
  const look = async () => {
    peak = Math.max(peak, await anonymousMb(pid));
  };
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  clearInterval(looking);
  const name = `${what} (${MB} MB)`;
  return [
    { name, value: MB / seconds, unit: "MB/s", target: { min: MIN_MB_PER_S } },
    { name: `${name}, additional memory`, value: peak - before, unit: "MB", target: { max: MAX_GROWTH_MB } },
  ];
}
