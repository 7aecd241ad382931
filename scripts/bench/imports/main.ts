/**
 * Compares imports of large files with those of another build, alternating so that both run under the same load: `bun
 * scripts/bench/imports/main.ts BASELINE [--rows 1000000] [--workbook-rows 100000] [--rounds 3]`. BASELINE is a work
 * tree of the other version with its packages installed and `dist/quern` built. Prints for each file the medians of
 * staging (reading and detection), of the whole import as a new document, and of the peak memory of both, with their
 * ratios; the exit status is 1 if a target is missed.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startServer } from "../../running-server.ts";
import { type GeneratedFile, makeFiles } from "./files.ts";

interface Taken {
  readonly seconds: number;
  readonly peakMb: number;
}

interface Line {
  readonly what: string;
  readonly unit: "s" | "MB";
  readonly baseline: number;
  readonly value: number;
  /** Maximum ratio; undefined for figures without a target. */
  readonly maxRatio: number | undefined;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string", default: "1000000" },
    "workbook-rows": { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
  },
});
const [baseline] = positionals;
if (baseline === undefined) {
  console.error("Usage: bun scripts/bench/imports/main.ts BASELINE [--rows N] [--workbook-rows N] [--rounds N]");
  process.exit(2);
}
const BUILDS = [resolve(baseline), resolve(import.meta.dir, "../../..")] as const;
const MAX_STAGING_RATIO = 1.3;
const MAX_IMPORT_RATIO = 1.15;
/** Memory peaks of the same build differ by a few percent from run to run. */
const MAX_MEMORY_RATIO = 1.05;

const folder = await mkdtemp(join(tmpdir(), "quern-bench-imports-"));
let isReached = true;
try {
  const files = await makeFiles(folder, { rows: Number(values.rows), workbookRows: Number(values["workbook-rows"]) });
  for (const file of files) {
    for (const line of await compared(file, Number(values.rounds))) {
      const ratio = line.value / line.baseline;
      const verdict = line.maxRatio === undefined ? "no target" : ratio <= line.maxRatio ? "reached" : "MISSED";
      isReached &&= verdict !== "MISSED";
      const target = line.maxRatio === undefined ? "" : `at most ${line.maxRatio}`;
      console.log(JSON.stringify({ ...line, ratio: Number(ratio.toFixed(3)), target, verdict }));
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = isReached ? 0 : 1;

async function compared(file: GeneratedFile, rounds: number): Promise<Line[]> {
  const staged: Taken[][] = [[], []];
  const whole: Taken[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    // The order alternates: the second build finds the file in the page cache.
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    for (const at of order) {
      staged[at]?.push(await stage(BUILDS[at] ?? "", file));
      whole[at]?.push(await importWhole(BUILDS[at] ?? "", file));
    }
  }
  const line = (what: string, runs: Taken[][], key: keyof Taken, maxRatio?: number): Line => ({
    what: `${file.format.toUpperCase()}, ${file.name}, ${file.rows.toLocaleString("en-US")} rows: ${what}`,
    unit: key === "seconds" ? "s" : "MB",
    baseline: median(runs[0] ?? [], key),
    value: median(runs[1] ?? [], key),
    maxRatio,
  });
  // The former version left some values as text that are converted now, so there is no target.
  const isPlain = file.name === "texts and numbers";
  return [
    line("staging", staged, "seconds", file.name === "dates" ? undefined : MAX_STAGING_RATIO),
    line("peak memory of staging", staged, "peakMb", MAX_MEMORY_RATIO),
    line("whole import", whole, "seconds", isPlain ? MAX_IMPORT_RATIO : undefined),
    line("peak memory of the server", whole, "peakMb", MAX_MEMORY_RATIO),
  ];
}

function median(runs: readonly Taken[], key: keyof Taken): number {
  const sorted = runs.map((run) => run[key]).toSorted((a, b) => a - b);
  return Number((sorted[Math.floor(runs.length / 2)] ?? Number.NaN).toFixed(3));
}

async function stage(build: string, { format, path }: GeneratedFile): Promise<Taken> {
  const to = await mkdtemp(join(folder, "staged-"));
  const program = join(import.meta.dir, "stage.ts");
  const child = Bun.spawn([process.execPath, program, build, format, path, join(to, "t")], { stdout: "pipe" });
  const [out, status] = await Promise.all([child.stdout.text(), child.exited]);
  await rm(to, { recursive: true, force: true });
  if (status !== 0) throw new Error(`Staging ${path} with ${build} ended with status ${status}`);
  return JSON.parse(out) as Taken;
}

async function importWhole(build: string, { path }: GeneratedFile): Promise<Taken> {
  await using server = await startServer({
    executable: [join(build, "dist/quern")],
    settings: { QUERN_MAX_UPLOAD: "2GB" },
  });
  await server.command("user", "add", "--email", "bench@example.com", "--name", "Bench");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", "bench@example.com");
  const headers = { Authorization: `Bearer ${key}`, "X-Requested-With": "XMLHttpRequest" };
  const workspace = await answerOf(
    await fetch(`${server.address}/api/orgs/current/workspaces`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Imports" }),
    }),
  );
  const form = new FormData();
  form.append("upload", Bun.file(path), basename(path));
  const start = performance.now();
  await answerOf(
    await fetch(`${server.address}/api/workspaces/${String(workspace)}/import`, {
      method: "POST",
      headers,
      body: form,
      timeout: false,
    } as RequestInit),
  );
  const seconds = (performance.now() - start) / 1000;
  const status = await Bun.file(`/proc/${server.pid}/status`).text();
  return { seconds, peakMb: Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024 };
}

async function answerOf(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  return response.json();
}
