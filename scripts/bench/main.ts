/**
 * Benchmarks the built executable: `bun scripts/bench/main.ts [NAME…]` (names of benchmarks; all by default). Prints a
 * line of JSON for each figure, which is also written to a file of this run in dist/ (compare.ts compares two of them),
 * then a table; the exit status is 1 if a target is missed.
 */
import { appendFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createBench, type Measurement } from "./bench.ts";
import { adds } from "./figures/adds.ts";
import { attachments } from "./figures/attachments.ts";
import { downloads } from "./figures/downloads.ts";
import { fetchRows } from "./figures/fetch.ts";
import { footprint } from "./figures/footprint.ts";
import { formulas } from "./figures/formulas.ts";
import { grid } from "./figures/grid.ts";
import { isolation } from "./figures/isolation.ts";
import { largeFetch } from "./figures/large-fetch.ts";
import { largeLoad } from "./figures/large-load.ts";
import { queries } from "./figures/queries.ts";
import { rates } from "./figures/rates.ts";
import { reads } from "./figures/reads.ts";
import { sql } from "./figures/sql.ts";
import { start } from "./figures/start.ts";
import { webhooks } from "./figures/webhooks.ts";
import { write } from "./figures/write.ts";

const BENCHMARKS = [
  start,
  footprint,
  fetchRows,
  rates,
  reads,
  adds,
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
  grid,
];

const requestedNames = Bun.argv.slice(2);
const selected = BENCHMARKS.filter(({ name }) => requestedNames.length === 0 || requestedNames.includes(name));
const all: Measurement[] = [];
const file = join(
  import.meta.dir,
  `../../dist/bench-${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.jsonl`,
);
await using bench = await createBench();
for (const figure of selected) {
  for (const measured of await figure.run(bench)) {
    const line = JSON.stringify({ ...measured, ratio: ratioOf(measured), reached: meetsTarget(measured) });
    console.log(line);
    appendFileSync(file, `${line}\n`);
    all.push(measured);
  }
}
const rows = all.map((measured) => [
  measured.name,
  `${round(measured.value)} ${measured.unit}`,
  measured.baseline === undefined ? "" : `floor ${round(measured.baseline)}, ratio ${round(ratioOf(measured) ?? 0)}`,
  ...formatTarget(measured),
]);
const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
console.log();
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
console.log(`\nThese figures are in ${relative(process.cwd(), file)}.`);
process.exitCode = all.every(meetsTarget) ? 0 : 1;

function ratioOf({ value, baseline }: Measurement): number | undefined {
  return baseline === undefined ? undefined : value / baseline;
}

/** Returns the target, and whether it is met. */
function formatTarget(measured: Measurement): string[] {
  const { target } = measured;
  if (!target) return ["", "no target"];
  return [
    "max" in target ? `at most ${target.max}` : `at least ${target.min}`,
    meetsTarget(measured) ? "reached" : "MISSED",
  ];
}

function meetsTarget(measured: Measurement): boolean {
  const { target } = measured;
  if (!target) return true;
  const judged = ratioOf(measured) ?? measured.value;
  return "max" in target ? judged <= target.max : judged >= target.min;
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
