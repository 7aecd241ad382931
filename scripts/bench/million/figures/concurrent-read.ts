import { join } from "node:path";
import { onClientCore } from "../../bench.ts";
import { median, percentile } from "../../timing.ts";
import { type MillionFigure, type MillionServer, PAUSE_MS } from "../million-bench.ts";
import { addFormulas } from "./formulas.ts";

const CHANGE_S = 10;
const MAX_MS = 15;
/** Iterations per row of the first change that shows how long they take, and the duration from which that is exact. */
const FIRST_TURNS = 20;
const EXACT_FROM_MS = 3000;

/** Reads of 10 rows by their ids while a change of the same document runs for about ten seconds. */
export const concurrentRead: MillionFigure = {
  name: "concurrent-read",
  async run({ open, prepared: { rows } }) {
    // The change is long on purpose, whatever the speed of formulas.
    await using million = await open({ QUERN_FORMULA_CHANGE_STEPS: "100000000000", QUERN_FORMULA_TIME_MS: "120000" });
    await addFormulas(million, [{ id: "F", formula: "0" }]);
    let turns = FIRST_TURNS;
    let ms = await recompute(million, turns);
    while (ms < EXACT_FROM_MS) ms = await recompute(million, (turns *= 3));
    turns = Math.round((turns * CHANGE_S * 1000) / ms);
    using reader = startReader(million, rows);
    const changeMs = await recompute(million, turns);
    const taken = await reader.end();
    const name = "10 rows read while a change of the same document runs";
    return [
      { name: `${name}, p99`, value: percentile(taken, 0.99), unit: "ms", target: { max: MAX_MS } },
      {
        name: `${name}, p99 with the reads that would have begun during long ones`,
        value: percentile(withOmitted(taken), 0.99),
        unit: "ms",
      },
      { name: `${name}, p50`, value: median(taken), unit: "ms" },
      { name: `${name}, slowest`, value: Math.max(...taken), unit: "ms" },
      { name: "duration of that change", value: changeMs / 1000, unit: "s" },
    ];
  },
};

/** Adds what readers would have waited that come every few milliseconds: one that waits begins no further read. */
function withOmitted(taken: readonly number[]): number[] {
  return taken.flatMap((ms) =>
    Array.from({ length: Math.max(1, Math.ceil(ms / PAUSE_MS)) }, (_, i) => ms - i * PAUSE_MS),
  );
}

function recompute(million: MillionServer, turns: number): Promise<number> {
  const formula = `total = $Qty\nfor i in range(${turns}):\n  total = (total + i * 7) % 1009\nreturn total`;
  return million.request("PATCH", "/tables/Big/columns", { columns: [{ id: "F", fields: { formula } }] });
}

/** Starts the reading process, with a higher priority if allowed, so that its waiting for a core is not counted. */
function startReader({ url, key }: MillionServer, rows: number) {
  const first = process.getuid?.() === 0 && Bun.which("nice") ? ["nice", "-n", "-10"] : [];
  const program = join(import.meta.dir, "../key-reader.ts");
  const words = [process.execPath, program, JSON.stringify({ url, key, rows })];
  const child = Bun.spawn([...first, ...onClientCore, ...words], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  return {
    /** Returns the durations of all reads in milliseconds. */
    async end(): Promise<number[]> {
      await child.stdin.end();
      const output = await child.stdout.text();
      if ((await child.exited) !== 0) throw new Error("the reading process failed");
      return JSON.parse(output) as number[];
    },
    [Symbol.dispose]: () => child.kill(),
  };
}
