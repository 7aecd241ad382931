import { median, durationMs } from "../../timing.ts";
import type { MillionFigure } from "../million-bench.ts";

const RUNS_PER_ROUND = 3;
/** For busy machines: the default is a second. */
const SETTINGS = { QUERN_SQL_TIMEOUT_MS: "30000" };
/** Accepted overhead: this share of SQLite's own time, and a constant. */
const MAX_SHARE = 0.1;
const MAX_MS = 2;

/** SQL over all rows, in turns with SQLite itself on the same file. */
export const sqlAll: MillionFigure = {
  name: "sql-all",
  async run(bench) {
    using baseline = bench.openBaseline();
    await using million = await bench.open(SETTINGS);
    const [own, bare]: [number[], number[]] = [[], []];
    for (let turn = 0; turn <= bench.rounds * RUNS_PER_ROUND; turn++) {
      // A different text each time, so that no cached result is used.
      const text = `select City, count(*) as n, sum(Qty + ${turn}) as q from Big group by City`;
      const bareMs = durationMs(() => baseline.query(text).all());
      const ownMs = await million.request("POST", "/sql", { sql: text });
      if (turn === 0) continue;
      bare.push(bareMs);
      own.push(ownMs);
    }
    const [ownMs, bareMs] = [median(own), median(bare)];
    return [
      { name: "SQL over all rows", value: ownMs, unit: "ms" },
      { name: "SQL over all rows, by SQLite itself", value: bareMs, unit: "ms" },
      {
        name: `SQL over all rows, above ${1 + MAX_SHARE} times SQLite's own time`,
        value: ownMs - (1 + MAX_SHARE) * bareMs,
        unit: "ms",
        target: { max: MAX_MS },
      },
    ];
  },
};
