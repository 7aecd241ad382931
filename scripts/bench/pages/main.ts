/**
 * Measures the page of a table with a million rows × 20 columns in Chromium, beside the server on the same processors:
 * `bun run bench pages [--rows N] [--rounds N] [--folder DIR]`. Medians; the exit status is 1 if a target is missed.
 */
import { existsSync, mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { findChromium } from "../../chromium.ts";
import { EXECUTABLE, startServer } from "../../running-server.ts";
import type { Measurement } from "../bench.ts";
import { pageMemoryMb } from "../browser-memory.ts";
import { jsonLine, meetsTarget, printTable } from "../report.ts";
import { makeDocuments, type PagesFolder } from "./document.ts";
import { TablePage } from "./table-page.ts";

/** Limits in milliseconds. */
const LIMITS = { first: 700, place: 300, group: 1500, contains: 1000, filter: 500, total: 500 } as const;
type Figure = keyof typeof LIMITS;
/** What a row rule may cost. */
const RULE_RATIO = 1.5;

/** Words in notes, of which none occurs twice: an index of texts would answer the second search for one. */
const SEARCHED = ["house 4", "the lamp", "violin at", "stone of", "window at", "garden of", "harbour at"];

const FILTERS = [
  { Total: { gt: 60_000 } },
  { Status: ["Paid", "Shipped"] },
  { Ordered: { gte: "2026-01-01" } },
  { Weight: { gte: 1000, lte: 1200 } },
  { Shipped: { empty: true } },
  { City: { startsWith: "Gr" } },
  { Quantity: { ne: 5 } },
];

const filterQuery = (filter: unknown): string => `?filter=${encodeURIComponent(JSON.stringify(filter))}`;

/** Returns whether all targets are met. */
export async function runPages(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: "string", default: "1000000" },
      rounds: { type: "string", default: "5" },
      folder: { type: "string" },
    },
  });
  const folder = values.folder ?? (await mkdtemp(join(tmpdir(), "quern-pages-")));
  try {
    const prepared = await prepare(folder, Number(values.rows));
    const all = await measureAll(prepared, Number(values.rounds));
    for (const measured of all) console.log(jsonLine(measured));
    printTable(all);
    return all.every(meetsTarget);
  } finally {
    if (values.folder === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function prepare(folder: string, rows: number): Promise<PagesFolder> {
  const description = join(folder, "pages.json");
  if (existsSync(description)) return (await Bun.file(description).json()) as PagesFolder;
  mkdirSync(folder, { recursive: true });
  const made = await makeDocuments(folder, rows);
  await Bun.write(description, JSON.stringify(made));
  return made;
}

async function measureAll({ data, open, restricted }: PagesFolder, rounds: number): Promise<Measurement[]> {
  await using server = await startServer({
    executable: [EXECUTABLE],
    settings: { QUERN_DATA: data, QUERN_LOG_LEVEL: "warn" },
  });
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const address = (doc: string): string => `${server.address}/docs/${doc}/tables/Orders?view=default`;
    const plain = await measure(browser, address(open), rounds);
    const ruled = await measure(browser, address(restricted), rounds);
    const { firstKb, memoryMb } = plain;
    return [
      ...Object.entries(LIMITS).map(([name, max]) => ({
        name: FIGURE_NAMES[name as Figure],
        value: plain.ms[name as Figure],
        unit: "ms",
        target: { max },
      })),
      { name: "rows while a total is read", value: plain.rowsMs, unit: "ms", target: { max: LIMITS.place } },
      { name: "sort by a number, descending", value: plain.sortMs, unit: "ms" },
      ...Object.entries(LIMITS).map(([name, max]) => ({
        name: `${FIGURE_NAMES[name as Figure]}, with a row rule`,
        value: ruled.ms[name as Figure],
        unit: "ms",
        target: { max: max * RULE_RATIO },
      })),
      { name: "initial transfer, compressed", value: firstKb, unit: "KB", target: { max: 160 } },
      { name: "memory of the page's process", value: memoryMb, unit: "MB", target: { max: 280 } },
    ];
  } finally {
    await browser.close();
  }
}

const FIGURE_NAMES: Record<Figure, string> = {
  first: "first rows after navigation",
  place: "rows at any place",
  group: "group by a text with 1,000 values",
  contains: "contains, on an unindexed text",
  filter: "other filters",
  total: "total of a column",
};

async function measure(browser: Browser, address: string, rounds: number) {
  const taken: Record<Figure, number[]> = { first: [], place: [], group: [], contains: [], filter: [], total: [] };
  const rowsMs: number[] = [];
  const sortMs: number[] = [];
  // The first visit opens the document.
  const { firstKb } = await firstRows(browser, address);
  for (let round = 0; round < rounds; round++) taken.first.push((await firstRows(browser, address)).firstRowsMs);
  await using table = await TablePage.open(browser, address);
  for (let round = 0; round < rounds; round++) {
    taken.place.push(await table.scrollTo(((round + 1) * 0.618) % 1));
    await table.scrollTo(0);
    taken.contains.push(await table.view(filterQuery({ Notes: { contains: SEARCHED[round % SEARCHED.length] } })));
    await table.reset();
    taken.filter.push(await table.view(filterQuery(FILTERS[round % FILTERS.length])));
    await table.reset();
    taken.group.push(await table.group("?group=Customer"));
    await table.reset();
    // A filter that has not been used: otherwise the total would be known.
    const filtered = filterQuery({ Weight: { gte: round } });
    await table.view(filtered);
    const { totalMs, rowsMs: scrolled } = await table.total(`${filtered}&totals=Quantity:sum`, 0.3 + round / 20);
    taken.total.push(totalMs);
    rowsMs.push(scrolled);
    await table.reset();
    sortMs.push(await table.sort(`?sort=-${["Cost", "Weight", "Price", "Total", "Changed"][round % 5]}`));
    await table.reset();
  }
  const memoryMb = await pageMemoryMb(browser);
  console.error(address, { ...taken, rowsMs, sortMs });
  const ms = Object.fromEntries(Object.entries(taken).map(([name, values]) => [name, median(values)])) as Record<
    Figure,
    number
  >;
  return { ms, rowsMs: median(rowsMs), sortMs: median(sortMs), firstKb, memoryMb };
}

async function firstRows(browser: Browser, address: string): Promise<{ firstRowsMs: number; firstKb: number }> {
  await using table = await TablePage.open(browser, address);
  return { firstRowsMs: table.firstRowsMs, firstKb: table.firstKb };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
