import { median } from "../../timing.ts";
import { type MillionFigure, writeOneCell } from "../million-bench.ts";
import { distantId } from "../rows.ts";

/** Groups and sums of all rows, each after a write, so that no cache helps; beside the same query of SQLite itself. */
export const aggregate: MillionFigure = {
  name: "aggregate",
  async run({ open, openBaseline, rounds, prepared: { rows } }) {
    await using million = await open();
    using baseline = openBaseline();
    const taken: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await writeOneCell(million, distantId(round, rows));
      taken.push(await million.request("POST", "/tables/Big/aggregate", QUERY));
      const start = performance.now();
      baseline.query(SQL).all();
      bare.push(performance.now() - start);
    }
    const name = "count and sum by a text column";
    return [
      { name, value: median(taken), unit: "ms" },
      { name: `${name}, by SQLite itself`, value: median(bare), unit: "ms" },
    ];
  },
};

const QUERY = { groupBy: ["City"], measures: { rows: "count", total: { sum: "Price" } } };
const SQL = "select City, count(*), sum(Price) from Big group by City";
