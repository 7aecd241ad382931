import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { eachStory } from "./scene.ts";
import { cellOf, type MadePage, makePage, openView, rowsOf } from "./view-page.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a page with customers and their orders"), () => {
  let ada: Visit;
  let page: Page;
  let made: MadePage;
  eachStory(async (story) => {
    ({ ada, page } = story);
    made = await makePage(ada);
  });

  test("shows the orders of the selected customer", async () => {
    await openView(page, made);
    expect(await page.title()).toBe("Customers and orders – Library · Quern");
    await expectPoll(() => rowsOf(page, made.customers)).toEqual(["Anna|Berlin", "Bruno|Lyon", "Chloe|Paris"]);
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["A-1|Customers[1]|10", "A-2|Customers[1]|20"]);
    await cellOf(page, made.customers, 2, 1).click();
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["B-1|Customers[2]|30"]);
    await cellOf(page, made.customers, 3, 1).click();
    await expectPoll(() => rowsOf(page, made.orders)).toEqual([]);
  });
});
