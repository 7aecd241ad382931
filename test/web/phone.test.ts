import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { button, dialog } from "./controls.ts";
import { eachStory } from "./scene.ts";

const isInWindow = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const { left, right, top, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
    return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight && right > left;
  })()`);

describe.skipIf(!CHROMIUM)(inBrowser("a person with a phone"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    await page.setViewportSize({ width: 390, height: 844 });
    doc = await makeDocument(ada, "Bicycle shop orders of the year 2026");
    const columns = [{ id: "Name", fields: { type: "Text" } }];
    await makeTable(ada, doc, { id: "Orders", columns, rows: [{ Name: "Anna Kern" }] });
  });

  test("sees the current tab of each page of a document, and a way back to the workspace", async () => {
    for (const path of ["/tables/Orders", "/sql", "/webhooks", "/sharing", "/history", "/code"]) {
      await page.goto(`/docs/${doc}${path}`);
      await page.locator(".tabs [aria-current]").waitFor();
      expect([path, await isInWindow(page, ".tabs [aria-current]")]).toEqual([path, true]);
      expect([path, await isInWindow(page, ".crumbs a")]).toEqual([path, true]);
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    }
    await page.getByRole("link", { name: "Home" }).click();
    await page.waitForURL(/\/#workspace-\d+$/);
    expect(ada.problems).toEqual([]);
  });

  test("adds a column with a button above the table", async () => {
    await page.goto(`/docs/${doc}/tables/Orders`);
    expect(await isInWindow(page, "#sheet-tools [aria-label=Column]")).toBe(true);
    // All other buttons fit the window beside it.
    expect(await isInWindow(page, "#sheet-tools button:last-child")).toBe(true);
    await button(page, "Column").click();
    await dialog(page).getByLabel("Name").fill("City");
    await button(page, "Add column").click();
    await page.getByRole("columnheader", { name: "City, text" }).waitFor();
    expect(ada.problems).toEqual([]);
  });
});
