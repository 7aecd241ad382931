import { ownMemoryMb } from "../../own-memory.ts";
import { median } from "../../timing.ts";
import type { MillionFigure } from "../million-bench.ts";

const STARTS = 9;
/** Idle time before the server's memory is read. */
const IDLE_MS = 3000;

/** The time from starting the executable to its first response, and the own memory of the idle server. */
export const start: MillionFigure = {
  name: "start",
  async run({ open }) {
    await using million = await open();
    const taken: number[] = [];
    for (let n = 0; n < STARTS; n++) {
      await million.server.stop();
      const began = performance.now();
      await million.restart();
      await million.api.send("GET", "/orgs");
      taken.push(performance.now() - began);
    }
    await Bun.sleep(IDLE_MS);
    return [
      { name: "idle, own memory", value: ownMemoryMb(million.server.pid), unit: "MB", target: { max: 28 } },
      { name: "start to first response", value: median(taken), unit: "ms", target: { max: 90 } },
    ];
  },
};
