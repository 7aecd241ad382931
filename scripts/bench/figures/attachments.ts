import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { anonymousMb, drain, type Bench, type Benchmark, type Measurement } from "../bench.ts";

const MB = 500;

/** How fast a large file comes in and goes out as an attachment, and by how much that makes the server grow. */
export const attachments: Benchmark = {
  name: "attachments",
  async run(bench) {
    const document = await bench.documentOf(100_000);
    const file = await largeFile(bench);
    await using server = await bench.serve({ pinned: true });
    const { "Content-Type": _, ...headers } = bench.headers;
    const address = `${server.address}${document}/attachments`;
    // The document is open: what comes on top is the file's.
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

/** Of bytes that differ, so that nothing can be made of it without having it. */
async function largeFile({ folder }: Bench): Promise<string> {
  const path = join(folder, "large.bin");
  await using file = await open(path, "w");
  for (let i = 0; i < MB; i++) await file.write(crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(8));
  return path;
}

/** What a file may need beside what the server holds anyway. */
const MAX_GROWTH_MB = 100;
/** As fast as the network of a small machine. */
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
    { name: `${name}, memory on top`, value: peak - before, unit: "MB", target: { max: MAX_GROWTH_MB } },
  ];
}
