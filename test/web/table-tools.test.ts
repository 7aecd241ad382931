/** The tools above a table: sort order, columns, row height, and how they fit the window. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible, violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { button, item, press } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

const DAY_S = 86_400;
const TREES = {
  id: "Trees",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    { id: "Height", fields: { type: "Int" } },
    { id: "Planted", fields: { type: "Date" } },
  ],
  rows: [
    { Name: "Ash", Height: 10, Planted: 2 * DAY_S },
    { Name: "Elm", Height: 20, Planted: DAY_S },
    { Name: "Fir", Height: 10, Planted: null },
  ],
};

describe.skipIf(!CHROMIUM)(inBrowser("the tools of a table"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, TREES);
    await openTable(page, doc, "Trees");
  });

  const query = (): string => decodeURIComponent(new URL(page.url()).search);
  const popover = (name: string): Locator => page.getByRole("dialog", { name, exact: true });
  const entries = (name: string): Promise<string[]> => popover(name).locator("li .name").allTextContents();
  const focused = (): Promise<string> =>
    page.evaluate<string>("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
  const names = (...expected: string[]): Promise<void> =>
    expectPoll(() => page.locator('.grid .body [role=row] [aria-colindex="2"]').allTextContents()).toEqual(expected);

  test("sorts by several columns, ordered by keys, menu and dragging", async () => {
    await button(page, "Sort").click();
    const add = popover("Sort").getByLabel("Add sort column…");
    await add.selectOption("Height");
    await names("Ash", "Fir", "Elm");
    await add.selectOption("Name");
    await popover("Sort").getByLabel("Direction of Name").selectOption({ label: "Z → A" });
    await names("Fir", "Ash", "Elm");
    expect(query()).toBe("?sort=Height,-Name");
    await expectPoll(focused).toBe("Direction of Name");
    await page.keyboard.press("Alt+Shift+ArrowUp");
    await names("Fir", "Elm", "Ash");
    await expectPoll(focused).toBe("Move Name");
    await page.keyboard.press("Enter");
    await item(page, "Move down").click();
    await names("Fir", "Ash", "Elm");
    const grip = await button(popover("Sort"), "Move Height").boundingBox();
    const below = await popover("Sort").locator("li").nth(1).boundingBox();
    if (!grip || !below) throw new Error("the list is not shown");
    await page.mouse.move(grip.x + 5, grip.y + 10);
    await page.mouse.down();
    await page.mouse.move(grip.x + 5, below.y + below.height - 5, { steps: 5 });
    await page.mouse.up();
    await expectPoll(() => entries("Sort")).toEqual(["Name", "Height"]);
    await add.selectOption("Planted");
    expect(await popover("Sort").getByLabel("Direction of Planted").locator("option").allTextContents()).toEqual([
      "Old → new",
      "New → old",
    ]);
    expect(await violations(page)).toEqual([]);
    await button(popover("Sort"), "Do not sort by Planted").click();
    await page.keyboard.press("Escape");
    await expectPoll(focused).toBe("Sort 2");
    expect(query()).toBe("?sort=-Name,Height");
    await button(page, "Sort 2").click();
    await button(popover("Sort"), "Clear").click();
    await names("Ash", "Elm", "Fir");
    expect(query()).toBe("");
    expect(ada.problems).toEqual([]);
  });

  test("shows, hides, orders and finds columns", async () => {
    await button(page, "Columns").click();
    const columns = popover("Columns");
    await columns.getByRole("checkbox", { name: "Height" }).uncheck();
    await expectRows(page, ["Ash|1970-01-03", "Elm|1970-01-02", "Fir|"]);
    await button(columns, "Move Planted").focus();
    await page.keyboard.press("Alt+Shift+ArrowUp");
    await page.keyboard.press("Alt+Shift+ArrowUp");
    await expectRows(page, ["1970-01-03|Ash", "1970-01-02|Elm", "|Fir"]);
    expect(query()).toBe("?hide=Height&order=Planted,Name,Height");
    await columns.getByLabel("Search columns").fill("na");
    await expectPoll(() => entries("Columns")).toEqual(["Name"]);
    await columns.getByLabel("Search columns").fill("");
    expect(await violations(page)).toEqual([]);
    await button(columns, "Hide all").click();
    await expectRows(page, ["1970-01-03", "1970-01-02", ""]);
    // The last column stays.
    expect(await columns.getByRole("checkbox", { name: "Planted" }).isDisabled()).toBe(true);
    await button(columns, "Show all").click();
    await expectRows(page, ["1970-01-03|Ash|10", "1970-01-02|Elm|20", "|Fir|10"]);
    await page.reload();
    await expectRows(page, ["1970-01-03|Ash|10", "1970-01-02|Elm|20", "|Fir|10"]);
    expect(ada.problems).toEqual([]);
  });

  test("gives all rows the same height", async () => {
    const height = async (): Promise<number> =>
      Math.round((await page.locator(".grid .body [role=row]").first().boundingBox())?.height ?? 0);
    await cell(page, 1, 1).waitFor();
    expect(await height()).toBe(34);
    for (const [lines, px] of [
      ["2 lines", 54],
      ["4 lines", 94],
      ["8 lines", 174],
    ] as const) {
      await button(page, /^Row height/).click();
      await page.getByRole("menuitemradio", { name: lines, exact: true }).click();
      await expectPoll(height).toBe(px);
    }
    expect(query()).toBe("?lines=8");
    await page.reload();
    await cell(page, 1, 1).waitFor();
    expect(await height()).toBe(174);
    await button(page, "Row height: 8 lines").click();
    expect(await page.getByRole("menuitemradio", { name: "8 lines" }).getAttribute("aria-checked")).toBe("true");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await expectPoll(height).toBe(34);
    expect(query()).toBe("");
    expect(ada.problems).toEqual([]);
  });

  test("fits the window: texts are hidden first, then tools are in a menu, but never Filter and Row", async () => {
    const tools = (): Promise<string[]> => page.locator("#sheet-tools button:visible").allTextContents();
    await expectPoll(tools).toEqual([
      "Filter",
      "Sort",
      "Group",
      "Columns",
      "Row height",
      "",
      "",
      "",
      "Download",
      "Column",
      "Row",
    ]);
    await page.setViewportSize({ width: 820, height: 900 });
    await expectPoll(async () => (await tools()).length).toBe(11);
    await page.setViewportSize({ width: 420, height: 900 });
    await expectPoll(() => page.locator("#sheet-tools .more-tools").isVisible()).toBe(true);
    for (const name of ["Filter", "Row"]) expect(await button(page, name).isVisible()).toBe(true);
    await page.setViewportSize({ width: 390, height: 900 });
    // The round button of phones has room for an icon only.
    expect(await button(page, "Row").locator(".text").isVisible()).toBe(false);
    await button(page, "More tools").click();
    await item(page, "Row height").waitFor();
    await item(page, "Columns").click();
    await popover("Columns").waitFor();
    await press(page, "Escape");
    await expectPoll(focused).toBe("More tools");
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    expect(ada.problems).toEqual([]);
  });

  test("tell what is set when they are in the menu", async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    await openTable(page, doc, "Trees", "?hide=Height");
    const more = button(page, "More tools, 1 set: Columns 1 hidden");
    await expectPoll(() => more.textContent()).toBe("1");
    await openTable(page, doc, "Trees", "?hide=Height&lines=4");
    await expectPoll(() => page.locator(".more-tools").getAttribute("aria-label")).toContain("Row height: 4 lines");
    await expectPoll(() => page.locator(".more-tools").textContent()).toBe("2");
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    await expectAccessible(page);
    await openTable(page, doc, "Trees");
    await expectPoll(() => page.locator(".more-tools").textContent()).toBe("");
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test("downloads the rows that the filter selects", async () => {
    await openTable(page, doc, "Trees", '?filter={"Height":{"gt":15}}');
    await button(page, "Download").click();
    const download = page.waitForEvent("download");
    await item(page, "Filtered rows as CSV").click();
    const file = Bun.file(await (await download).path());
    expect(await file.text()).toBe("Name,Height,Planted\nElm,20,1970-01-02\n");
    await button(page, "Download").click();
    expect(await item(page, "Filtered rows as XLSX").getAttribute("href")).toContain("filter=");
    expect(ada.problems).toEqual([]);
  });
});
