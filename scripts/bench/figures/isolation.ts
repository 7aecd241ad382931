import { measureIsolation } from "../../stress/isolation.ts";
import type { Benchmark, Measurement } from "../bench.ts";

const WORK = {
  rows: 1_000_000,
  maxMs: 600_000,
  recalculateS: 10,
  heavy: "many cells",
  reads: "unchanged document",
} as const;

/** Reading a document while another one is loaded and a third one is recalculated. */
export const isolation: Benchmark = {
  name: "isolation",
  async run() {
    const both = await measureIsolation({ ...WORK, cores: "both" });
    const one = await measureIsolation({ ...WORK, cores: "one" });
    const name = "reading 100 rows while other documents load and recalculate";
    const informational: Measurement[] = [
      { name: `${name}, middle`, value: both.p50Ms, unit: "ms" },
      { name: `${name}, server on 1 core, 99th percentile`, value: one.p99Ms, unit: "ms" },
    ];
    return [{ name: `${name}, 99th percentile`, value: both.p99Ms, unit: "ms", target: { max: 15 } }, ...informational];
  },
};
