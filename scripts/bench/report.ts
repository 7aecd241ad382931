/** Prints measurements: lines of JSON and a table. */
import type { Measurement } from "./bench.ts";

/** Returns the ratio to the baseline, if there is one. */
export function ratioOf({ value, baseline }: Measurement): number | undefined {
  return baseline === undefined ? undefined : value / baseline;
}

export function meetsTarget(measured: Measurement): boolean {
  const { target } = measured;
  if (!target) return true;
  const judged = ratioOf(measured) ?? measured.value;
  return "max" in target ? judged <= target.max : judged >= target.min;
}

/** Returns a measurement as a line of JSON, which compare.ts reads. */
export function jsonLine(measured: Measurement): string {
  return JSON.stringify({ ...measured, ratio: ratioOf(measured), reached: meetsTarget(measured) });
}

export function printTable(all: readonly Measurement[]): void {
  const rows = all.map((measured) => [
    measured.name,
    `${round(measured.value)} ${measured.unit}`,
    measured.baseline === undefined
      ? ""
      : `baseline ${round(measured.baseline)}, ratio ${round(ratioOf(measured) ?? 0)}`,
    ...formatTarget(measured),
  ]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }
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

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
