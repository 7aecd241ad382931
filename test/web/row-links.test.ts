/** Links to rows of sections: they lead to the section, and to the table where the page is not there. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { apply, card, makeCards, openCards, value } from "./cards-page.ts";
import { item, press } from "./controls.ts";
import { eachStory, type Story } from "./scene.ts";

const TEA = {
  id: "Tea",
  columns: [{ id: "Name", fields: { type: "Text" } }],
  rows: [{ Name: "Assam" }, { Name: "Sencha" }],
};

describe.skipIf(!CHROMIUM)(inBrowser("links to rows of sections"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, TEA);
  });

  const name = (of: Page) => value(of.locator(".row-panel"), "Name").textContent();

  test("open the row in its section for other readers, and in the table once the page is gone", async () => {
    const { view, section } = await makeCards(ada, doc, "Tea");
    await openCards(page, doc, { view, section });
    await ada.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await card(page, 2).click({ position: { x: 4, y: 4 } });
    await press(page, "Shift+F10");
    await item(page, "Copy link").click();
    await page.getByText("Link copied").waitFor();
    const link = new URL(await page.evaluate<string>("navigator.clipboard.readText()"));
    expect(link.pathname + link.search).toBe(`/docs/${doc}/pages/${view}?row.${section}=2&table=Tea`);

    await using ben = await invite(doc, "viewers");
    await ben.page.goto(link.href);
    await expectPoll(() => name(ben.page)).toBe("Sencha");
    await ben.page.locator(".cards").waitFor();
    // The address of an open panel opens it again, and closing it takes the row away.
    await press(ben.page, "Escape");
    await expectPoll(() => new URL(ben.page.url()).search).toBe("");
    await ben.page.goto("/");
    await apply(ada, doc, ["RemoveRecord", "_grist_Views", view]);
    await ben.page.goto(link.href);
    await expectPoll(() => name(ben.page)).toBe("Sencha");
    expect(new URL(ben.page.url()).pathname).toBe(`/docs/${doc}/tables/Tea`);
    expect(ada.problems).toEqual([]);
    expect(ben.problems).toEqual([]);
  });

  test("lead from a page without their section to the table", async () => {
    const { view } = await makeCards(ada, doc, "Tea");
    await page.goto(`/docs/${doc}/pages/${view}?row.999=1&table=Tea`);
    await expectPoll(() => name(page)).toBe("Assam");
    expect(new URL(page.url()).pathname).toBe(`/docs/${doc}/tables/Tea`);
  });

  test("of the panel are in the address, which opens the panel again", async () => {
    const cards = await makeCards(ada, doc, "Tea", { kind: "single" });
    await openCards(page, doc, cards);
    await card(page, 1).click({ position: { x: 4, y: 4 } });
    await press(page, "Space");
    await page.locator(".row-panel").waitFor();
    await expectPoll(() => new URL(page.url()).search).toBe(`?row.${cards.section}=1`);
    await page.reload();
    await page.locator(".row-panel .field-label").getByText("Name").waitFor();
  });
});
