import { open as openFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleOwnMemory } from "../../own-memory.ts";
import { percentile } from "../../timing.ts";
import { type MillionFigure, type MillionServer, PAUSE_MS } from "../million-bench.ts";
import { MILLION_COLUMNS, millionRowOf } from "../rows.ts";

/** The largest upload that is accepted by default is 1 GiB, with the parts of its form. */
const BYTES = 1_000_000_000;
const BLOCK = 10_000;
const SAMPLE_EVERY_MS = 500;

/** Imports a CSV file of 1 GB as a new document while ten clients read other documents. */
export const importCsv: MillionFigure = {
  name: "import",
  isOptional: true,
  async run({ open, prepared: { others, workspace } }) {
    const path = join(tmpdir(), `quern-million-${process.pid}.csv`);
    try {
      const rows = await writeCsv(path);
      await using million = await open();
      const imported = new AbortController();
      using sampler = sampleOwnMemory(million.server.pid);
      const reading = Promise.all(others.map((other) => readUntil(million, other, imported.signal)));
      let temporaryBytes = 0;
      const measuring = setInterval(() => {
        temporaryBytes = Math.max(temporaryBytes, sizeOf(join(million.data, "tmp")));
      }, SAMPLE_EVERY_MS);
      const start = performance.now();
      await importFile(million, workspace, path).finally(() => imported.abort());
      const seconds = (performance.now() - start) / 1000;
      const { peakMb } = sampler;
      clearInterval(measuring);
      const taken = (await reading).flat();
      const name = `CSV import of 1 GB (${(rows / 1e6).toFixed(1)} million rows)`;
      return [
        { name, value: seconds, unit: "s" },
        { name: `${name}, own memory at its peak`, value: peakMb, unit: "MB", target: { max: 512 } },
        { name: `${name}, temporary files at their peak`, value: temporaryBytes / 1e6, unit: "MB" },
        {
          name: "10 readers of other documents meanwhile, p99",
          value: percentile(taken, 0.99),
          unit: "ms",
          target: { max: 100 },
        },
      ];
    } finally {
      await rm(path, { force: true });
    }
  },
};

/** Returns the size of all files in a folder in bytes; some may disappear meanwhile. */
function sizeOf(folder: string): number {
  let bytes = 0;
  for (const path of new Bun.Glob("**/*").scanSync({ cwd: folder, absolute: true })) bytes += Bun.file(path).size;
  return bytes;
}

/** Returns the number of rows. */
async function writeCsv(path: string): Promise<number> {
  await using file = await openFile(path, "wx");
  await file.write(`${MILLION_COLUMNS.map(({ id }) => id).join(",")}\n`);
  let [rows, bytes] = [0, 0];
  while (bytes < BYTES) {
    const lines = Array.from({ length: BLOCK }, (_, i) => millionRowOf(rows + i + 1).join(","));
    bytes += (await file.write(`${lines.join("\n")}\n`)).bytesWritten;
    rows += BLOCK;
  }
  return rows;
}

async function importFile({ server, key }: MillionServer, workspace: number, path: string): Promise<void> {
  const form = new FormData();
  form.append("upload", Bun.file(path), "large.csv");
  const response = await fetch(`${server.address}/api/workspaces/${workspace}/import`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "X-Requested-With": "XMLHttpRequest" },
    body: form,
    timeout: false,
  } as RequestInit);
  if (!response.ok) throw new Error(`the import: ${response.status} ${await response.text()}`);
}

async function readUntil({ api }: MillionServer, document: string, end: AbortSignal): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; !end.aborted; n++) {
    const path = `/docs/${document}/tables/Big/records`;
    if (n % 50 === 49) await api.send("PATCH", path, { records: [{ id: (n % 100) + 1, fields: { Qty: n } }] });
    const start = performance.now();
    await api.send("GET", `${path}?limit=10&offset=${n % 90}`);
    taken.push(performance.now() - start);
    await Bun.sleep(PAUSE_MS);
  }
  return taken;
}
