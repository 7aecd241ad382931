/** Benchmarks of clusters: `bun run bench cluster [NAME…] [--quick]`. */
import { parseArgs } from "node:util";
import { clusterMissing } from "../../cluster/cluster-site.ts";
import type { Measurement } from "../bench.ts";
import { jsonLine, meetsTarget, printTable } from "../report.ts";
import type { ClusterFigure } from "./cluster-figure.ts";
import { proxiedReads } from "./proxied-reads.ts";
import { scaling } from "./scaling.ts";
import { takeOver } from "./take-over.ts";
import { writes } from "./writes.ts";

const FIGURES: readonly ClusterFigure[] = [takeOver, proxiedReads, writes, scaling];

/** Returns whether all targets are met. @throws Error on an unknown name */
export async function runCluster(args: readonly string[]): Promise<boolean> {
  const options = { quick: { type: "boolean", default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const unknown = positionals.filter((name) => !FIGURES.some((figure) => figure.name === name));
  if (unknown.length > 0) {
    throw new Error(`Unknown figure: ${unknown.join(", ")}. Available: ${FIGURES.map(({ name }) => name).join(", ")}.`);
  }
  const all: Measurement[] = [];
  for (const figure of FIGURES) {
    if (positionals.length > 0 && !positionals.includes(figure.name)) continue;
    const missing = clusterMissing() ?? figure.missing?.();
    if (missing !== undefined) {
      console.log(`${figure.name}: skipped: ${missing}`);
      continue;
    }
    for (const measured of await figure.run({ isQuick: values.quick })) {
      console.log(jsonLine(measured));
      all.push(measured);
    }
  }
  console.log();
  if (all.length > 0) printTable(all);
  return all.every(meetsTarget);
}
