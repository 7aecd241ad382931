import { measureFootprint } from "../../trials/footprint.ts";
import type { Figure } from "../bench.ts";

/** Memory with many small documents open, and what stays of it. */
export const footprint: Figure = {
  name: "footprint",
  async run() {
    const { idleMb, openMb, closedMb } = await measureFootprint();
    return [
      { name: "anonymous memory, 50 small documents open", value: openMb, unit: "MB", target: { most: 120 } },
      { name: "what stays of it when they are closed", value: closedMb - idleMb, unit: "MB", target: { most: 20 } },
    ];
  },
};
