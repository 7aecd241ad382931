/** The search in a table. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { button, press } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

const PLACES = {
  id: "Places",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    { id: "Near", fields: { type: "Text" } },
    { id: "Height", fields: { type: "Int" } },
  ],
  rows: [
    { Name: "Heidelberg", Near: "Mannheim", Height: 114 },
    { Name: "Lyon", Near: "Villeurbanne", Height: 173 },
    { Name: "Bergen", Near: "Bergheim", Height: 12 },
  ],
};

describe.skipIf(!CHROMIUM)(inBrowser("the search in a table"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, PLACES);
    await openTable(page, doc, "Places");
    await cell(page, 1, 1).waitFor();
  });

  const query = (): string => decodeURIComponent(new URL(page.url()).search);
  const field = () => page.getByRole("searchbox", { name: "Find in the table" });
  const hits = (): Promise<string[]> => page.locator(".grid .cell.hit").allTextContents();
  const active = (): Promise<string | null> => page.locator(".grid .cell.active").textContent();

  test("narrows the rows, marks cells, and moves between them", async () => {
    await cell(page, 1, 1).click();
    await page.keyboard.press("Control+f");
    await expectPoll(() => page.evaluate("document.activeElement.type")).toBe("search");
    await page.keyboard.type("BERG");
    await expectRows(page, ["Heidelberg|Mannheim|114", "Bergen|Bergheim|12"]);
    await expectPoll(hits).toEqual(["Heidelberg", "Bergen", "Bergheim"]);
    await expectPoll(() => page.locator("#sheet-count").textContent()).toBe("2 of 3 rows");
    expect(query()).toBe("?find=BERG");
    await page.keyboard.press("Enter");
    await expectPoll(active).toBe("Bergen");
    await page.keyboard.press("Enter");
    await expectPoll(active).toBe("Bergheim");
    await press(page, "Enter");
    await expectPoll(active).toBe("Heidelberg");
    await press(page, "Shift+Enter", "Shift+Enter");
    await expectPoll(active).toBe("Bergen");
    expect(await violations(page)).toEqual([]);
    // The field closes, and the search stays, as its chip says.
    await press(page, "Escape");
    expect(await field().isVisible()).toBe(false);
    expect(await page.evaluate("document.activeElement.matches('.grid [role=gridcell]')")).toBe(true);
    await page.reload();
    await expectRows(page, ["Heidelberg|Mannheim|114", "Bergen|Bergheim|12"]);
    await expectPoll(hits).toEqual(["Heidelberg", "Bergen", "Bergheim"]);
    await button(page, "Find “BERG”").click();
    await expectPoll(() => field().inputValue()).toBe("BERG");
    await field().fill("114");
    await expectRows(page, ["Heidelberg|Mannheim|114"]);
    await button(page, "Remove: Find “114”").click();
    await expectPoll(query).toBe("");
    await expectPoll(hits).toEqual([]);
    await page.goBack();
    await expectRows(page, ["Heidelberg|Mannheim|114"]);
    expect(ada.problems).toEqual([]);
  });

  test("is left to the browser when its keys are pressed again", async () => {
    await page.evaluate(
      `addEventListener("keydown", (event) => { if (event.key === "f") globalThis.isTaken = event.defaultPrevented; })`,
    );
    await page.keyboard.press("Control+f");
    await expectPoll(() => page.evaluate("globalThis.isTaken")).toBe(true);
    await expectPoll(() => field().isVisible()).toBe(true);
    await page.keyboard.press("Control+f");
    await expectPoll(() => page.evaluate("globalThis.isTaken")).toBe(false);
  });

  test("says that nothing matches, together with a filter", async () => {
    await openTable(page, doc, "Places", '?filter={"Height":{"gt":100}}&find=berg');
    await expectRows(page, ["Heidelberg|Mannheim|114"]);
    await button(page, "Find “berg”").click();
    await field().fill("nowhere");
    await page.getByText("No rows match.").first().waitFor();
    await button(page, "Clear filters").click();
    await expectRows(page, ["Heidelberg|Mannheim|114", "Lyon|Villeurbanne|173", "Bergen|Bergheim|12"]);
    expect(query()).toBe("");
    expect(ada.problems).toEqual([]);
  });

  test("has the row of the tools on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await button(page, "Find").click();
    expect((await field().boundingBox())?.width).toBeGreaterThan(300);
    expect(await button(page, "Filter").isVisible()).toBe(false);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    await press(page, "Escape");
    expect(await button(page, "Filter").isVisible()).toBe(true);
    expect(ada.problems).toEqual([]);
  });
});
