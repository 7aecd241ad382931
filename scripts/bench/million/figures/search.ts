import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { median, percentile } from "../../timing.ts";
import { type MillionFigure, type MillionServer, PAUSE_MS, readWarm } from "../million-bench.ts";
import { distantId } from "../rows.ts";

const SEARCHES = 200;
/** How long to wait for the index. */
const MAX_BUILD_MS = 300_000;
/** A search that takes this share of the first one was answered by the index. */
const INDEXED_SHARE = 0.1;

/**
 * Searches for one row by two words in six columns of text: the first one reads all rows; later ones use the index, with one
 * write in every 50 requests. Beside it, how long reads of a row take while the index is built.
 */
export const search: MillionFigure = {
  name: "search",
  async run({ open, prepared: { rows } }) {
    await using million = await open();
    await million.read("/tables/Big/records?limit=1");
    const began = performance.now();
    const first = await million.read(pathOf(distantId(0, rows)));
    const beside: number[] = [];
    for (let n = 1; performance.now() - began < MAX_BUILD_MS; n++) {
      for (let i = 0; i < SEARCHES; i++) {
        beside.push(await million.read(`/tables/Big/records/${distantId(n * SEARCHES + i, rows)}`));
        await Bun.sleep(PAUSE_MS);
      }
      if ((await million.read(pathOf(distantId(n, rows)))) < first * INDEXED_SHARE) break;
    }
    const builtS = (performance.now() - began) / 1000;
    const later = await readWarm(million, { rows, reads: SEARCHES, pathOf });
    const name = "search for two words";
    return [
      { name: `${name}, first`, value: first, unit: "ms" },
      { name: `${name}, until the index answers`, value: builtS, unit: "s" },
      { name: `${name}, size of the index`, value: await indexMb(million), unit: "MB" },
      { name: `${name}, read of a row meanwhile, 99th percentile`, value: percentile(beside, 0.99), unit: "ms" },
      { name: `${name}, warm`, value: median(later), unit: "ms" },
      { name: `${name}, warm, 99th percentile`, value: percentile(later, 0.99), unit: "ms" },
    ];
  },
};

const pathOf = (id: number): string => `/search?q=${encodeURIComponent(`key ${id}`)}`;

async function indexMb({ data }: MillionServer): Promise<number> {
  const folder = join(data, "tmp");
  const names = (await readdir(folder)).filter((name) => name.startsWith("texts-"));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000_000;
}
