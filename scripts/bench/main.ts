/**
 * Benchmarks the built executable: `bun scripts/bench/main.ts [NAME…]` (names of benchmarks; all by default). Prints a
 * line of JSON for each figure, which is also written to a file of this run in dist/ (compare.ts compares two of them),
 * then a table; the exit status is 1 if a target is missed. With `--million`, million/main.ts runs instead, with `cluster`
 * cluster/main.ts, and with `pages` pages/main.ts.
 */
import { appendFileSync } from "node:fs";
import { join, relative } from "node:path";
import { runCluster } from "./cluster/main.ts";
import { createBench, type Measurement } from "./bench.ts";
import { jsonLine, meetsTarget, printTable } from "./report.ts";
import { adds } from "./figures/adds.ts";
import { attachments } from "./figures/attachments.ts";
import { bulk } from "./figures/bulk.ts";
import { downloads } from "./figures/downloads.ts";
import { fetchRows } from "./figures/fetch.ts";
import { footprint } from "./figures/footprint.ts";
import { formulas } from "./figures/formulas.ts";
import { grid } from "./figures/grid.ts";
import { isolation } from "./figures/isolation.ts";
import { largeFetch } from "./figures/large-fetch.ts";
import { largeLoad } from "./figures/large-load.ts";
import { queries } from "./figures/queries.ts";
import { replicatedLog } from "./figures/replicated-log.ts";
import { rates } from "./figures/rates.ts";
import { reads } from "./figures/reads.ts";
import { sql } from "./figures/sql.ts";
import { start } from "./figures/start.ts";
import { webhooks } from "./figures/webhooks.ts";
import { write } from "./figures/write.ts";
import { runMillion } from "./million/main.ts";
import { runPages } from "./pages/main.ts";

const BENCHMARKS = [
  start,
  footprint,
  fetchRows,
  rates,
  reads,
  adds,
  bulk,
  isolation,
  queries,
  write,
  formulas,
  largeFetch,
  largeLoad,
  downloads,
  attachments,
  sql,
  webhooks,
  replicatedLog,
  grid,
];

const args = Bun.argv.slice(2);
const isReached = await run();
process.exitCode = isReached ? 0 : 1;

function run(): Promise<boolean> {
  if (args[0] === "cluster") return runCluster(args.slice(1));
  if (args[0] === "pages") return runPages(args.slice(1));
  if (args.includes("--million")) return runMillion(args.filter((word) => word !== "--million"));
  return runBenchmarks(args);
}

async function runBenchmarks(names: readonly string[]): Promise<boolean> {
  const time = new Date().toISOString().replaceAll(":", "-").slice(0, 19);
  const file = join(import.meta.dir, `../../dist/bench-${time}.jsonl`);
  const all: Measurement[] = [];
  await using bench = await createBench();
  for (const benchmark of BENCHMARKS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    for (const measured of await benchmark.run(bench)) {
      console.log(jsonLine(measured));
      appendFileSync(file, `${jsonLine(measured)}\n`);
      all.push(measured);
    }
  }
  console.log();
  printTable(all);
  console.log(`\nThese figures are in ${relative(process.cwd(), file)}.`);
  return all.every(meetsTarget);
}
