import { describe, expect, test } from "bun:test";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable, records } from "./calls.ts";
import { press } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { addSection, CUSTOMERS, openView, refsOf, section } from "./view-page.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a page that other people change"), () => {
  let ada: Visit;
  let page: Visit["page"];
  eachStory((story) => {
    ({ ada, page } = story);
  });

  test("waits for the end of typing before it changes from one section to several", async () => {
    const doc = await makeDocument(ada);
    await makeTable(ada, doc, CUSTOMERS);
    const table = (await refsOf(ada, doc)).table("Customers");
    const { viewRef: view } = await addSection(ada, doc, { view: 0, table });
    await openView(page, { doc, view });
    const first = page.locator('.grid [role=row][aria-rowindex="2"] [role=gridcell]').first();
    await first.click();
    await page.keyboard.type("Ann");
    await page.evaluate("globalThis.isFirst = true");
    const read = page.waitForResponse((response) => response.url().endsWith(`/pages/${view}`));
    const { sectionRef } = await addSection(ada, doc, { view, table });
    await (await read).finished();
    await page.keyboard.type("e");
    expect(await page.evaluate("globalThis.isFirst")).toBe(true);
    await press(page, "Enter");
    await section(page, sectionRef).locator(".grid").waitFor();
    expect(await page.evaluate("globalThis.isFirst ?? false")).toBe(false);
    await expectPoll(async () => (await records(ada, doc, "Customers"))[0]?.fields["Name"]).toBe("Anne");
    expect(ada.problems).toEqual([]);
  });
});
