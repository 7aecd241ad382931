import { measureFootprint } from "../../stress/footprint.ts";
import type { Benchmark } from "../bench.ts";

/** Memory with many small documents open, and the memory that remains after closing them. */
export const footprint: Benchmark = {
  name: "footprint",
  async run() {
    const { idleMb, openMb, closedMb } = await measureFootprint();
    return [
      { name: "anonymous memory, 50 small documents open", value: openMb, unit: "MB", target: { max: 120 } },
      { name: "memory that remains after closing them", value: closedMb - idleMb, unit: "MB", target: { max: 20 } },
    ];
  },
};
