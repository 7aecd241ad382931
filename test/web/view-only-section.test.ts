/** Pages with one section, which fills the page. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { button, item, press } from "./controls.ts";
import { eachStory, type Story } from "./scene.ts";
import { addSection, CUSTOMERS, openView, refsOf } from "./view-page.ts";

let ada: Visit;
let page: Page;
let invite: Story["invite"];

describe.skipIf(!CHROMIUM)(inBrowser("pages with one section"), () => {
  eachStory((story) => {
    ({ ada, page, invite } = story);
  });

  test("have the commands of that on a phone, too, and for viewers", async () => {
    const doc = await makeDocument(ada);
    await makeTable(ada, doc, CUSTOMERS);
    const table = (await refsOf(ada, doc)).table("Customers");
    const grid = await addSection(ada, doc, { view: 0, table });
    const cards = await addSection(ada, doc, { view: 0, table, kind: "detail" });
    await page.setViewportSize({ width: 390, height: 844 });
    await openView(page, { doc, view: grid.viewRef });
    await button(page, "Menu of section CUSTOMERS").click();
    await page.getByRole("menuitem", { name: "Rename section…" }).waitFor();
    await press(page, "Escape");
    await page.goto(`/docs/${doc}/pages/${cards.viewRef}`);
    await page.locator(".cards").first().waitFor();
    await button(page, /^Menu of section CUSTOMERS/).click();
    await item(page, "Card layout…").waitFor();
    await press(page, "Escape");
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    // Viewers have the commands that change nothing.
    await using ben = await invite(doc, "viewers");
    await ben.page.setViewportSize({ width: 390, height: 844 });
    for (const view of [grid.viewRef, cards.viewRef]) {
      await ben.page.goto(`/docs/${doc}/pages/${view}`);
      await button(ben.page, /^Menu of section CUSTOMERS/).click();
      const commands = ["Open table", "Download these rows as CSV"];
      expect(await ben.page.getByRole("menuitem").allTextContents()).toEqual(commands);
      await press(ben.page, "Escape");
    }
    await expectAccessible(ben.page);
    expect(ben.problems).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test("lead to the help about pages", async () => {
    const doc = await makeDocument(ada);
    await makeTable(ada, doc, CUSTOMERS);
    const table = (await refsOf(ada, doc)).table("Customers");
    const { viewRef } = await addSection(ada, doc, { view: 0, table });
    await page.goto(`/docs/${doc}/pages/${viewRef}`);
    await page.locator("#sidebar").getByRole("treeitem", { name: "Help" }).click();
    await page.waitForURL("/help/pages");
    await page.getByRole("heading", { level: 1, name: "Pages with sections" }).waitFor();
    expect(ada.problems).toEqual([]);
  });
});
