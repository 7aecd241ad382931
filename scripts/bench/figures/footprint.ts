import { measureFootprint } from "../../stress/footprint.ts";
import type { Benchmark } from "../bench.ts";

/** Memory with many small documents open, and what stays of it. */
export const footprint: Benchmark = {
  name: "footprint",
  async run() {
    const { idleMb, openMb, closedMb } = await measureFootprint();
    return [
      { name: "anonymous memory, 50 small documents open", value: openMb, unit: "MB", target: { max: 120 } },
      { name: "what stays of it when they are closed", value: closedMb - idleMb, unit: "MB", target: { max: 20 } },
    ];
  },
};
