import type { Measurement } from "../../bench.ts";
import { durationMs, median, percentile } from "../../timing.ts";
import { filterPath, type MillionFigure, readWarm, writeOneCell, WRITE_EVERY } from "../million-bench.ts";
import { distantId } from "../rows.ts";

const READS = 300;
const PAGE = 100;
const PAGES = 120;

/** One row by a text column without an index, after 20 such reads. */
export const rowByKey: MillionFigure = {
  name: "row-by-key",
  async run({ open, prepared: { rows } }) {
    await using million = await open();
    const taken = await readWarm(million, { rows, reads: READS, pathOf: (id) => filterPath({ Key: [`key ${id}`] }) });
    const name = "one row by an unindexed text key, warm";
    return [
      { name, value: median(taken), unit: "ms", target: { max: 1 } },
      { name: `${name}, 99th percentile`, value: percentile(taken, 0.99), unit: "ms" },
    ];
  },
};

/** Sorts by a text column without an index, and reads the next pages, with one write in every 50 requests. */
export const sort: MillionFigure = {
  name: "sort",
  async run({ open, rounds, prepared: { rows } }) {
    const first: number[] = [];
    const next: number[] = [];
    await using million = await open();
    for (let round = 0; round < rounds; round++) {
      await million.read("/tables/Big/records?limit=1");
      const page = (n: number) => million.read(`/tables/Big/records?sort=Name&limit=${PAGE}&offset=${n * PAGE}`);
      first.push(await page(0));
      for (let n = 1; n <= PAGES; n++) {
        if (n % WRITE_EVERY === 0) await writeOneCell(million, distantId(n, rows));
        next.push(await page(n));
      }
      if (round < rounds - 1) await million.restart();
    }
    const name = "sort by an unindexed text";
    return [
      { name: `${name}, first page`, value: median(first), unit: "ms", target: { max: 300 } },
      { name: `${name}, next page`, value: median(next), unit: "ms", target: { max: 5 } },
      { name: `${name}, next page, 99th percentile`, value: percentile(next, 0.99), unit: "ms" },
    ];
  },
};

/** Pages from the middle of a sort, by cursor, with one write in every 50 requests. */
export const cursor: MillionFigure = {
  name: "cursor",
  async run({ open, prepared: { rows } }) {
    await using million = await open();
    const pathOf = (limit: number, next: string) => `/tables/Big/records?sort=Name&limit=${limit}&cursor=${next}`;
    const skip = Math.min(10_000, rows / 10);
    let next = "start";
    for (let at = 0; at < rows / 2; at += skip)
      next = (await million.readJson<{ next: string }>(pathOf(skip, next))).next;
    const taken: number[] = [];
    for (let n = 1; n <= PAGES; n++) {
      if (n % WRITE_EVERY === 0) await writeOneCell(million, distantId(n, rows));
      const start = performance.now();
      ({ next } = await million.readJson<{ next: string }>(pathOf(PAGE, next)));
      taken.push(performance.now() - start);
    }
    const name = "page by cursor from the middle of a sort";
    return [
      { name, value: median(taken), unit: "ms", target: { max: 5 } },
      { name: `${name}, 99th percentile`, value: percentile(taken, 0.99), unit: "ms" },
    ];
  },
};

/**
 * Rows far behind the first one: the first such read after a start, in turns with a new connection of SQLite itself that
 * skips as many rows, and later ones beside writes.
 */
export const offset: MillionFigure = {
  name: "offset",
  async run({ open, openBaseline, rounds, prepared: { rows } }): Promise<Measurement[]> {
    const first: number[] = [];
    const bare: number[] = [];
    await using million = await open();
    const start = Math.floor(rows * 0.9);
    const pathOf = (offset: number) => `/tables/Big/records?limit=${PAGE}&offset=${offset}`;
    for (let round = 0; round < rounds; round++) {
      if (round > 0) await million.restart();
      await million.read("/tables/Big/records?limit=1");
      first.push(await million.read(pathOf(start + round)));
      using baseline = openBaseline();
      baseline.query("select id from Big limit 1").all();
      const skip = `select id from Big order by id limit ${PAGE} offset ${start + round}`;
      bare.push(durationMs(() => baseline.query(skip).all()));
    }
    const later = await readWarm(million, { rows: rows / 10 - PAGE, reads: 100, pathOf: (id) => pathOf(start + id) });
    const name = `offset ${start.toLocaleString("en-US")}`;
    return [
      { name: `${name}, first`, value: median(first), unit: "ms", target: { max: 20 } },
      { name: `${name}, first, by SQLite itself`, value: median(bare), unit: "ms" },
      { name: `${name}, warm`, value: median(later), unit: "ms", target: { max: 20 } },
    ];
  },
};
