import { chromium, type Browser, type CDPSession, type Page } from "playwright-core";
import { findChromium } from "../../chromium.ts";
import type { Bench, Benchmark } from "../bench.ts";
import { pageMemoryMb } from "../browser-memory.ts";

const ROWS = 100_000;
const COLUMNS = 20;
const ROWS_PER_REQUEST = 10_000;
const NAVIGATIONS = 5;
/** Duration of dragging the scroll bar from the first row to the last. */
const SCROLL_MS = 10_000;

/** The page of a large table in Chromium: time to the first rows, blank areas while scrolling, and memory. */
export const grid: Benchmark = {
  name: "grid",
  async run(bench) {
    await using server = await bench.serve();
    const path = await makeTable(bench, server.address);
    const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
    try {
      const address = `${server.address}${path}`;
      const { firstMs, firstKb } = await measureFirst(browser, address);
      const { worstMs, reachedEnd, memoryMb, heapMb } = await measureScrolling(browser, address);
      if (!reachedEnd) throw new Error("scrolling did not reach the last row");
      return [
        { name: "first rows of 100,000 × 20 after navigation", value: firstMs, unit: "ms", target: { max: 500 } },
        { name: "first page load, compressed", value: firstKb, unit: "KB", target: { max: 250 } },
        { name: "longest blank, scrolling to the end in 10 s", value: worstMs, unit: "ms", target: { max: 300 } },
        { name: "memory of the page's process afterwards", value: memoryMb, unit: "MB", target: { max: 300 } },
        { name: "heap of the page's script afterwards", value: heapMb, unit: "MB" },
      ];
    } finally {
      await browser.close();
    }
  },
};

const typeOf = (column: number): string => ["Int", "Text", "Numeric", "Date"][column % 4] ?? "Text";

function cellOf(column: number, row: number): string | number {
  switch (typeOf(column)) {
    case "Int":
      return (row * 6151 + column) % 1000;
    case "Numeric":
      return (row % 883) / 7;
    case "Date":
      return 1_699_920_000 - (row % 900) * 86_400;
    default:
      return `text ${column} of row ${row}`;
  }
}

/** Creates a public document and returns the path of its page. */
async function makeTable({ headers }: Bench, address: string): Promise<string> {
  const call = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`${address}/api${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const workspace = await call("POST", "/orgs/current/workspaces", { name: "Grid" });
  const doc = String(await call("POST", `/workspaces/${String(workspace)}/docs`, { name: "Grid" }));
  const positions = Array.from({ length: COLUMNS }, (_, at) => at);
  const columns = positions.map((at) => ({ id: `C${at}`, fields: { type: typeOf(at) } }));
  await call("POST", `/docs/${doc}/tables`, { tables: [{ id: "Wide", columns }] });
  for (let from = 1; from <= ROWS; from += ROWS_PER_REQUEST) {
    const rows = Array.from({ length: ROWS_PER_REQUEST }, (_, at) => from + at);
    const data = Object.fromEntries(positions.map((at) => [`C${at}`, rows.map((row) => cellOf(at, row))]));
    await call("POST", `/docs/${doc}/tables/Wide/data?noparse=1`, data);
  }
  await call("PATCH", `/docs/${doc}/access`, { delta: { users: { "everyone@getgrist.com": "viewers" } } });
  return `/docs/${doc}/tables/Wide`;
}

/** Records the time of the first filled cell, in milliseconds from the start of the navigation. */
const WATCH_FIRST = `{
  const look = () => {
    const firstText = document.querySelector(".grid .row:not(.loading) .cell")?.textContent;
    if (firstText) window.firstRowsMs = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}`;

/** Returns the median of several visits without a cache. */
async function measureFirst(browser: Browser, address: string): Promise<{ firstMs: number; firstKb: number }> {
  const taken: number[] = [];
  let bytes = 0;
  // The first visit warms up the server, so that later ones see one in normal operation.
  for (let i = 0; i <= NAVIGATIONS; i++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    bytes = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.addInitScript(WATCH_FIRST);
    await page.goto(address);
    await page.locator(".grid .row:not(.loading) .cell").first().waitFor();
    const ms = await until(page, "window.firstRowsMs");
    if (i > 0) taken.push(ms);
    await context.close();
  }
  const middle = taken.toSorted((a, b) => a - b)[Math.floor(NAVIGATIONS / 2)] ?? 0;
  return { firstMs: middle, firstKb: bytes / 1000 };
}

async function until(page: Page, expression: string): Promise<number> {
  for (;;) {
    const value = await page.evaluate<number | undefined>(expression);
    if (value !== undefined) return value;
  }
}

/**
 * Scrolls from the first row to the last, a step per frame, and inspects three positions in the viewport: a blank is
 * the time in which one of them shows a row without its cells.
 */
const SCROLL = `(async () => {
  const grid = document.querySelector(".grid");
  const box = grid.getBoundingClientRect();
  const positions = [0.15, 0.5, 0.85].map((share) => box.top + 40 + (box.height - 60) * share);
  const isBlank = () =>
    positions.some((y) => {
      const row = document.elementFromPoint(box.left + 200, y)?.closest(".row");
      return !row || row.classList.contains("loading");
    });
  const end = grid.scrollHeight - grid.clientHeight;
  const start = performance.now();
  let worstMs = 0;
  let blankSince = null;
  let passed = 0;
  while (passed < ${SCROLL_MS} + 1000) {
    passed = performance.now() - start;
    grid.scrollTop = end * Math.min(1, passed / ${SCROLL_MS});
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const now = performance.now();
    if (!isBlank()) blankSince = null;
    else worstMs = Math.max(worstMs, now - (blankSince ??= now));
  }
  const last = grid.querySelector('[aria-rowindex="${ROWS + 1}"]');
  return { worstMs, reachedEnd: last !== null && !last.classList.contains("loading") };
})()`;

interface ScrollMeasurement {
  readonly worstMs: number;
  readonly reachedEnd: boolean;
  readonly memoryMb: number;
  readonly heapMb: number;
}

async function measureScrolling(browser: Browser, address: string): Promise<ScrollMeasurement> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  await page.goto(address);
  await page.locator(".grid .row:not(.loading) .cell").first().waitFor();
  const scrolled = await page.evaluate<{ worstMs: number; reachedEnd: boolean }>(SCROLL);
  const memoryMb = await pageMemoryMb(browser);
  const heapMb = await heapOf(session);
  await context.close();
  return { ...scrolled, memoryMb, heapMb };
}

async function heapOf(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? 0) / 1e6;
}
