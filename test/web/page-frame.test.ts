/** What stays at its place while a page scrolls, and where its links lead. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

describe.skipIf(!CHROMIUM)(inBrowser("the frame of pages"), () => {
  let ada: Visit;
  let page: Page;
  eachStory((story) => {
    ({ ada, page } = story);
  });

  const top = (selector: string): Promise<number> =>
    page.evaluate<number>(`document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().top`);

  test("the top bar stays, above neither anchors nor focused elements", async () => {
    await page.setViewportSize({ width: 820, height: 600 });
    await page.goto("/help/tables#keyboard");
    await expectPoll(() => page.evaluate<number>("scrollY")).toBeGreaterThan(100);
    expect(await top(".top-bar")).toBe(0);
    expect(await top("#keyboard")).toBeGreaterThanOrEqual(48);
    // Going back through the links scrolls each into view, below the bar.
    for (let at = 0; at < 6; at++) {
      await page.keyboard.press("Shift+Tab");
      const isClear = `(() => {
        const { top } = document.activeElement.getBoundingClientRect();
        return document.activeElement.closest(".top-bar, #sidebar") !== null || top >= 47;
      })()`;
      await expectPoll(() => page.evaluate<boolean>(isClear)).toBe(true);
    }
    await page.setViewportSize({ width: 820, height: 400 });
    await page.evaluate("scrollTo(0, 600)");
    expect(await top(".top-bar")).toBeLessThan(0);
    expect(ada.problems).toEqual([]);
  });

  test("the sidebar marks the part of the profile that is shown", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const current = page.locator("#sidebar a[aria-current=page]");
    await page.goto("/profile");
    await expectPoll(() => current.allTextContents()).toEqual(["Profile"]);
    await page.locator("#sidebar a[href$='#keys']").click();
    await expectPoll(() => current.allTextContents()).toEqual(["Labelled API keys"]);
    const items = page.locator("#sidebar [role=treeitem][aria-current=page] > .entry a");
    await expectPoll(() => items.allTextContents()).toEqual(["Labelled API keys"]);
    await page.goto("/profile#sessions");
    await expectPoll(() => current.allTextContents()).toEqual(["Sessions"]);
    await page.goBack();
    await expectPoll(() => current.allTextContents()).toEqual(["Labelled API keys"]);
    expect(ada.problems).toEqual([]);
  });

  test("the skip link of a table leads to its active cell", async () => {
    const doc = await makeDocument(ada);
    const columns = ["A", "B"].map((id) => ({ id, fields: { type: "Text" } }));
    await makeTable(ada, doc, { id: "One", columns, rows: [{ A: "1", B: "2" }] });
    await openTable(page, doc, "One");
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    const active = () => page.evaluate<string>("document.activeElement.ariaColIndex");
    await expectPoll(active).toBe("2");
    await page.keyboard.press("ArrowRight");
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    await expectPoll(active).toBe("3");
    await expectPoll(() => cell(page, 1, 2).getAttribute("tabindex")).toBe("0");
    expect(ada.problems).toEqual([]);
  });
});
