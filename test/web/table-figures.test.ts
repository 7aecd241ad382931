/** Figures of the page of a table: what the frame leaves for rows, keys to the grid, bytes, layout shift. */
import { describe, expect, test } from "bun:test";
import { brotliCompressSync } from "node:zlib";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

const ROWS = 320;
const STATES = ["New", "Paid", "Shipped"];
const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Number", fields: { type: "Text" } },
    { id: "Customer", fields: { type: "Text" } },
    { id: "Status", fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: STATES }) } },
    { id: "Quantity", fields: { type: "Int" } },
    { id: "Price", fields: { type: "Numeric" } },
    { id: "Ordered", fields: { type: "Date" } },
    { id: "Paid", fields: { type: "Bool" } },
    { id: "Notes", fields: { type: "Text" } },
    { id: "Total", fields: { type: "Numeric", isFormula: true, formula: "$Quantity * $Price" } },
  ],
  rows: Array.from({ length: ROWS }, (_, at) => ({
    Number: `2026-${String(at + 11).padStart(5, "0")}`,
    Customer: `${["Karin", "Anna", "Bruno", "Chloé", "Jonas"][at % 5]} ${["Lindqvist", "Hoffmann", "Ortiz"][at % 3]}`,
    Status: STATES[(at * 7) % 3],
    Quantity: ((at * 13) % 9) + 1,
    Price: Math.round(((at * 7919) % 25_000) + 450) / 100,
    Ordered: 1_767_225_600 + at * 43_200,
    Paid: at % 4 === 0,
    Notes: at % 6 === 0 ? `Leave order ${at} at the back door of the shop` : "",
  })),
};

/** A sort and a filter, which show chips. */
const CHIPS = `?sort=-Total&filter=${encodeURIComponent(JSON.stringify({ Status: ["New", "Paid"] }))}`;

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** 1440 × 900 at 200 % zoom. */
const ZOOMED = { width: 720, height: 450 };

const topOfFirstRow = async (page: Page): Promise<number> => (await cell(page, 1, 1).boundingBox())?.y ?? Number.NaN;

/** Counts the rows that are visible as a whole. */
const wholeRows = (page: Page): Promise<number> =>
  page.evaluate(`[...document.querySelectorAll(".grid .body [role=row]")].filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    const grid = document.querySelector(".grid").getBoundingClientRect();
    return top >= grid.top && bottom <= Math.min(grid.bottom, innerHeight);
  }).length`);

const TRANSFERS = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .map(({ name, transferSize, encodedBodySize, decodedBodySize }) => ({
    name: new URL(name).pathname, transferSize, encodedBodySize, decodedBodySize,
  }))`;

/** The executable contains its assets compressed by Brotli; a server from the sources compresses them by gzip when it starts. */
async function transferredBytes(page: Page, { name, transferSize, encodedBodySize }: Transfer): Promise<number> {
  if (!name.startsWith("/assets/") || transferSize === 0) return transferSize;
  const content = await (await page.request.get(new URL(name, page.url()).href)).body();
  return transferSize - encodedBodySize + Math.min(encodedBodySize, brotliCompressSync(content).length);
}

interface Transfer {
  readonly name: string;
  readonly transferSize: number;
  readonly encodedBodySize: number;
  readonly decodedBodySize: number;
}

const isRows = ({ name }: Transfer): boolean => name.endsWith("/records");

const MAX_BYTES = 160_000;
const MAX_SHIFT = 0.02;
const MAX_TABS = 12;

describe.skipIf(!CHROMIUM)(inBrowser("the page of a table"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let openWindow: Story["openWindow"];
  eachStory(async (story) => {
    ({ ada, page, openWindow } = story);
    doc = await makeDocument(ada, "Bicycle shop orders");
    await makeTable(ada, doc, ORDERS);
  });

  const open = async (query = ""): Promise<void> => {
    await openTable(page, doc, "Orders", query);
    await cell(page, 1, 1).waitFor();
  };

  test.each([
    { name: "a desk", size: DESK, query: "", most: 132 },
    { name: "a desk with chips", size: DESK, query: CHIPS, most: 172 },
    { name: "a phone", size: PHONE, query: "", most: 144 },
    { name: "a phone with chips", size: PHONE, query: CHIPS, most: 192 },
  ])("shows the first row near the top on $name", async ({ size, query, most }) => {
    await page.setViewportSize(size);
    await open(query);
    expect(await page.locator("#sheet-view .chip").count()).toBe(query === "" ? 0 : 2);
    const top = await topOfFirstRow(page);
    expect(top).toBeGreaterThan(0);
    expect(top).toBeLessThanOrEqual(most);
  });

  test.each([
    { name: "without chips", query: "", least: 8 },
    { name: "with chips", query: CHIPS, least: 6 },
  ])("shows enough rows at 200 % zoom $name", async ({ query, least }) => {
    await page.setViewportSize(ZOOMED);
    await open(query);
    const rows = await wholeRows(page);
    expect(rows).toBeGreaterThanOrEqual(least);
  });

  const pressesToGrid = async (): Promise<number> => {
    for (let presses = 1; presses <= 30; presses++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate<boolean>("document.activeElement.matches('.grid [role=gridcell]')")) return presses;
    }
    return Infinity;
  };

  test("takes few Tab presses to the grid, and two with the skip link", async () => {
    await open(CHIPS);
    await page.evaluate("document.activeElement.blur()");
    expect(await pressesToGrid()).toBeLessThanOrEqual(MAX_TABS);
    await open(CHIPS);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await pressesToGrid()).toBe(1);
  });

  test("transfers few bytes at a first visit, with compressed rows", async () => {
    await using fresh = await openWindow();
    await fresh.context.addCookies((await ada.context.storageState()).cookies);
    await openTable(fresh.page, doc, "Orders");
    await expectPoll(() => fresh.page.locator("#sheet-count").textContent()).toBe(`${ROWS} rows`);
    await fresh.page.waitForLoadState("load");
    // The rows that follow the embedded ones are a part of the first visit.
    await expectPoll(() =>
      fresh.page.evaluate<number>(`${TRANSFERS}.filter(({ name }) => name.endsWith("/records")).length`),
    ).toBeGreaterThan(0);
    const transfers = await fresh.page.evaluate<Transfer[]>(TRANSFERS);
    expect(transfers.length).toBeGreaterThan(10);
    const sizes = await Promise.all(transfers.map((transfer) => transferredBytes(fresh.page, transfer)));
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(MAX_BYTES);
    for (const { name, encodedBodySize, decodedBodySize } of transfers.filter(isRows)) {
      expect([name, encodedBodySize < decodedBodySize / 3]).toEqual([name, true]);
    }
    expect(fresh.problems).toEqual([]);
  });

  test.each([
    { name: "a desk", size: DESK, query: "" },
    { name: "a desk with chips", size: DESK, query: CHIPS },
    { name: "a phone with chips", size: PHONE, query: CHIPS },
  ])("does not shift its layout on $name", async ({ size, query }) => {
    await page.setViewportSize(size);
    await page.addInitScript(`globalThis.layoutShift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.layoutShift += entry.value;
      }).observe({ type: "layout-shift", buffered: true });`);
    await open(query);
    await expectPoll(() => page.locator("#sheet-count").textContent()).toContain("rows");
    // Two frames later everything is painted.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const shift = await page.evaluate<number>("globalThis.layoutShift");
    expect(shift).toBeLessThanOrEqual(MAX_SHIFT);
  });
});
