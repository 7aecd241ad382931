/** Hostile texts as names, choices and values of a table: in headers, chips, groups and lists. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { button, dialog, item, press } from "./controls.ts";
import { expectHarmless, HOSTILE, HOSTILE_NAME } from "./hostile.ts";
import { eachStory } from "./scene.ts";
import { openTable } from "./table-page.ts";

const DESKTOP = { width: 1440, height: 900 };
/** A name that is wider than any control, without a place to break it. */
const LONG = "W".repeat(180);

const CHOICES = JSON.stringify({ choices: HOSTILE });
const TABLE = {
  id: "Odd",
  columns: [
    { id: "A", fields: { type: "Text", label: HOSTILE_NAME } },
    { id: "B", fields: { type: "Choice", label: LONG, widgetOptions: CHOICES } },
    { id: "C", fields: { type: "Int", label: "C" } },
  ],
  rows: HOSTILE.map((text, at) => ({ A: text, B: text, C: at })),
};

describe.skipIf(!CHROMIUM)(inBrowser("a table of hostile texts"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    await page.setViewportSize(DESKTOP);
    doc = await makeDocument(ada, HOSTILE_NAME);
    await makeTable(ada, doc, TABLE);
  });

  /** The page is as wide as the window, nothing has run, and no sentence has lost its name. */
  async function expectIntact(): Promise<void> {
    for (const width of [DESKTOP.width, 390]) {
      await page.setViewportSize({ ...DESKTOP, width });
      await expectPoll(() => page.evaluate<number>("document.documentElement.scrollWidth")).toBe(width);
    }
    await page.setViewportSize(DESKTOP);
    await expectHarmless(page);
    const text = await page.locator("body").innerText();
    expect(text).not.toMatch(/\{(column|value|text|table|setting|rows)\}|undefined|\[object/);
    expect(ada.problems).toEqual([]);
  }

  const groupNames = (): Promise<string[]> => page.locator(".grid .body .group-toggle").allTextContents();

  test("groups by texts and choices, and filters by a group", async () => {
    for (const column of ["A", "B"]) {
      await openTable(page, doc, "Odd", `?group=${column}&totals=C:sum`);
      await page.locator(".grid .body .group-toggle").first().click({ button: "right" });
      await item(page, "Collapse all").click();
      await expectPoll(async () => (await groupNames()).length).toBe(HOSTILE.length);
      await expectIntact();
    }
    const toggle = page.locator(".grid .body .group-toggle").filter({ hasText: "<script>" });
    await toggle.click({ button: "right" });
    await item(page, "Filter by this value").click();
    await expectPoll(async () => (await groupNames()).length).toBe(1);
    await expectIntact();
  });

  test("shows them in chips, the filter builder, and the lists of columns and sorts", async () => {
    const filter = encodeURIComponent(JSON.stringify({ A: { contains: HOSTILE_NAME }, B: HOSTILE.slice(0, 3) }));
    await openTable(page, doc, "Odd", `?filter=${filter}&sort=-A,B&group=B`);
    await expectPoll(() => page.locator("#sheet-view .view-chip").count()).toBe(5);
    await expectIntact();
    for (const name of ["Filter 2", "Sort 2", "Group 1", "Columns"]) {
      await button(page.locator("#sheet-tools"), name).click();
      await dialog(page).first().waitFor();
      await expectIntact();
      await press(page, "Escape");
      await dialog(page).first().waitFor({ state: "detached" });
    }
    await openTable(page, doc, "Odd", `?find=${encodeURIComponent(HOSTILE_NAME)}`);
    await page.locator("#sheet-view .view-chip").waitFor();
    await expectIntact();
  });
});
