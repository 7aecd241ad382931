/**
 * Compares two runs of main.ts: `bun scripts/bench/compare.ts dist/bench-A.jsonl dist/bench-B.jsonl`. Prints the ratio
 * of the second run's figures to the first one's: of the ratios to the baseline where there is one, since those depend
 * least on the machine's load.
 */
import type { Measurement } from "./bench.ts";

type Line = Measurement & { readonly ratio?: number };

/** Smaller differences are noise. */
const NOISE_THRESHOLD = 0.1;

const [first, second] = Bun.argv.slice(2);
if (first === undefined || second === undefined) {
  console.error("Usage: bun scripts/bench/compare.ts FIRST.jsonl SECOND.jsonl");
  process.exit(2);
}
const [before, after] = [await read(first), await read(second)];
const rows: string[][] = [];
for (const [name, line] of after) {
  const earlier = before.get(name);
  if (!earlier) rows.push([name, "", formatMeasurement(line), "", "new"]);
  else
    rows.push([
      name,
      formatMeasurement(earlier),
      formatMeasurement(line),
      (comparableValue(line) / comparableValue(earlier)).toFixed(2),
      verdict(earlier, line),
    ]);
}
for (const [name, line] of before) if (!after.has(name)) rows.push([name, formatMeasurement(line), "", "", "gone"]);
const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));

async function read(path: string): Promise<Map<string, Line>> {
  const lines = (await Bun.file(path).text()).trim().split("\n");
  return new Map(lines.map((line) => JSON.parse(line) as Line).map((line) => [nameOf(line), line]));
}

/** Returns the name without the duration of the run, which some names have in brackets. */
function nameOf({ name }: Line): string {
  return name.replace(/ \([\d.]+ s\)$/, "").replace(/middle of \d+$/, "middle");
}

function comparableValue({ value, ratio }: Line): number {
  return ratio ?? value;
}

function formatMeasurement(line: Line): string {
  const value = comparableValue(line).toPrecision(3);
  return line.ratio === undefined ? `${Number(value)} ${line.unit}` : `ratio ${Number(value)}`;
}

function verdict(before: Line, after: Line): string {
  const change = comparableValue(after) / comparableValue(before);
  if (!(Math.abs(change - 1) > NOISE_THRESHOLD)) return "same";
  const isMoreBetter = after.target ? "min" in after.target : after.unit === "/s";
  return change > 1 === isMoreBetter ? "better" : "WORSE";
}
