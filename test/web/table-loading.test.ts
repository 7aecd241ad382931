/** What a table shows while rows and options are loaded, and when they cannot be. */
import { describe, expect, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { button } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable, rowTexts } from "./table-page.ts";

const ROWS = 1000;
const NONE = `?filter=${encodeURIComponent('{"Title":["none"]}')}`;

describe.skipIf(!CHROMIUM)(inBrowser("a table that loads slowly"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    const title = { id: "Title", fields: { type: "Text" } };
    await makeTable(ada, doc, { id: "Places", columns: [title], rows: [{ Title: "Berlin" }] });
    const rows = Array.from({ length: ROWS }, (_, at) => ({ Title: `Order ${at + 1}` }));
    const place = { id: "Place", fields: { type: "Ref:Places" } };
    await makeTable(ada, doc, { id: "Orders", columns: [title, place], rows });
  });

  /** Holds what matches, until the returned function continues it. */
  async function hold(url: string): Promise<() => Promise<void>> {
    const held: Route[] = [];
    await page.route(url, (route) => void held.push(route));
    return async () => {
      await page.unroute(url);
      for (const route of held) await route.continue().catch(() => {});
    };
  }

  const grid = () => page.getByRole("grid");
  const bars = (selector: string): Promise<string> =>
    page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}), "::before").opacity`);

  test("shows bars for the first rows, which give way to them", async () => {
    await openTable(page, doc, "Orders", NONE);
    await button(page, "Clear filters").waitFor();
    const release = await hold("**/tables/Orders/records?*");
    await button(page, "Clear filters").click();
    await expectPoll(() => grid().getAttribute("aria-busy")).toBe("true");
    await expectPoll(() => bars(".grid.loading .body")).toBe("1");
    expect(await page.locator(".grid-empty").isVisible()).toBe(false);
    await release();
    await expectPoll(() => cell(page, 1, 1).textContent()).toBe("Order 1");
    expect(await grid().getAttribute("aria-busy")).toBe("false");
    expect(ada.problems).toEqual([]);
  });

  test("shows bars in rows that a jump reaches", async () => {
    await openTable(page, doc, "Orders");
    await cell(page, 1, 1).click();
    const release = await hold("**/tables/Orders/records?*");
    await page.keyboard.press("Control+End");
    const last = page.locator(`.grid .body [role=row][aria-rowindex="${ROWS + 1}"]`);
    await expectPoll(() => last.getAttribute("aria-busy")).toBe("true");
    await expectPoll(() => bars(".grid .row.loading .cell")).toBe("1");
    await release();
    await expectPoll(() => cell(page, ROWS, 1).textContent()).toBe(`Order ${ROWS}`);
    expect(await last.getAttribute("aria-busy")).toBe("false");
    expect(ada.problems).toEqual([]);
  });

  test("says what to do when rows cannot be loaded", async () => {
    await openTable(page, doc, "Orders", NONE);
    const url = "**/tables/Orders/records?*";
    await button(page, "Clear filters").waitFor();
    await page.route(url, (route) => route.abort("internetdisconnected"));
    await button(page, "Clear filters").click();
    await page.locator("#sheet-problem .problem").waitFor();
    expect(await grid().getAttribute("aria-busy")).toBe("false");
    await page.unroute(url);
    await button(page, "Try again").click();
    await expectPoll(async () => (await rowTexts(page))[0]).toBe("Order 1|");
    await page.locator("#sheet-problem .problem").waitFor({ state: "detached" });
    expect(ada.problems.filter((each) => !each.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
  });

  test("shows bars for the rows of another table, and offers to try again", async () => {
    await openTable(page, doc, "Orders");
    const url = "**/tables/Places/records?*";
    const release = await hold(url);
    await cell(page, 1, 2).click();
    await page.keyboard.press("Enter");
    const options = page.getByRole("listbox");
    await expectPoll(() => options.getAttribute("aria-busy")).toBe("true");
    await expectPoll(() => options.isVisible()).toBe(true);
    await release();
    await page.getByRole("option").first().waitFor();
    expect(await options.getAttribute("aria-busy")).toBe("false");
    await page.keyboard.press("Escape");

    await page.route(url, (route) => route.abort("internetdisconnected"));
    await page.keyboard.press("Enter");
    await page.locator(".combobox .problem").waitFor();
    await page.unroute(url);
    await button(page.locator(".combobox"), "Try again").click();
    await page.getByRole("option").first().waitFor();
    expect(await page.locator(".combobox .problem").count()).toBe(0);
    expect(ada.problems.filter((each) => !each.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
  });

  test("is read of the active row, which has the focus, also where it is out of view", async () => {
    const rows = Array.from({ length: 800 }, (_, at) => ({ Name: `Name ${at + 1}` }));
    await makeTable(ada, doc, { id: "Long", columns: [{ id: "Name", fields: { type: "Text" } }], rows });
    await openTable(page, doc, "Long");
    await page.evaluate("document.querySelector('.grid').scrollTop = 10_000");
    await cell(page, 310, 1).getByText("Name 310").click();
    await page.evaluate("document.querySelector('.grid').scrollTop = 1e6");
    await cell(page, 800, 1).getByText("Name 800").waitFor();
    await page.evaluate(`(() => {
      history.pushState(null, "", location.pathname + "?sort=-id");
      dispatchEvent(new PopStateEvent("popstate"));
      document.querySelector('.grid').scrollTop = 1e6;
    })()`);
    await cell(page, 800, 1).getByText("Name 1", { exact: true }).waitFor();
    await cell(page, 310, 1).getByText("Name 491", { exact: true }).waitFor({ state: "attached" });
    expect(await page.locator(".grid [aria-busy=true]").count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });
});
