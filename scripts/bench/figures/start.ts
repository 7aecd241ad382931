import { anonymousMb, drain, type Benchmark } from "../bench.ts";

const STARTS = 7;
/** Idle time before the server's memory is read. */
const IDLE_MS = 3000;

/** Time from starting the executable to its first response, and its idle memory. */
export const start: Benchmark = {
  name: "start",
  async run(bench) {
    const taken: number[] = [];
    let idleMb = 0;
    for (let i = 0; i < STARTS; i++) {
      const started = performance.now();
      await using server = await bench.serve();
      await drain(await fetch(`${server.address}/api/orgs`, { headers: bench.headers }));
      taken.push(performance.now() - started);
      if (i < STARTS - 1) continue;
      await Bun.sleep(IDLE_MS);
      idleMb = await anonymousMb(server.pid);
    }
    const medianMs = taken.toSorted((a, b) => a - b)[Math.floor(STARTS / 2)] ?? 0;
    return [
      { name: "start to first response", value: medianMs, unit: "ms", target: { max: 90 } },
      { name: "idle anonymous memory", value: idleMb, unit: "MB", target: { max: 27 } },
    ];
  },
};
