/** Details of the view: totals of formulas, hidden frozen columns, the field of a name, and Tab out of popovers. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, dialog, item, press, shownText } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

const TREES = {
  id: "Trees",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    { id: "Height", fields: { type: "Numeric" } },
    { id: "Age", fields: { type: "Int" } },
    { id: "Twice", fields: { type: "Any", isFormula: true, formula: "$Height * 2" } },
    { id: "Loud", fields: { type: "Any", isFormula: true, formula: "$Name.upper()" } },
  ],
  rows: [
    { Name: "Elm", Height: 30.5, Age: 3 },
    { Name: "Fir", Height: 60, Age: 4 },
  ],
};

const parameter = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

const focused = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()");

describe.skipIf(!CHROMIUM)(inBrowser("the view of a table"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, TREES);
  });

  const apply = (actions: unknown) => call(ada, "POST", `/api/docs/${doc}/apply`, actions);
  const refOf = async (id: string) => {
    const path = `/api/docs/${doc}/tables/Trees/columns`;
    const { columns } = await call<{ columns: { id: string; fields: { colRef: number } }[] }>(ada, "GET", path);
    return columns.find((each) => each.id === id)?.fields.colRef;
  };
  const choose = async (column: string, command: string) => {
    await button(page, `Menu of ${column}`).click();
    await item(page, command).click();
  };
  const totals = () => page.getByRole("menuitemradio").allTextContents();

  test("has sums of formulas without a type, if they compute numbers", async () => {
    await openTable(page, doc, "Trees");
    await choose("Loud", "Total…");
    await expectPoll(totals).toEqual(["None", "Count", "Filled", "Unique"]);
    await press(page, "Escape");
    await choose("Twice", "Total…");
    await expectPoll(totals).toEqual(["None", "Sum", "Average", "Minimum", "Maximum", "Count", "Filled", "Unique"]);
    expect(await focused(page)).toBe("None");
    await page.getByRole("menuitemradio", { name: "Sum", exact: true }).click();
    const total = page.getByRole("button", { name: "Twice: Sum 181", exact: true });
    await total.waitFor();
    await page.reload();
    await total.click();
    // The menu begins at the present choice.
    expect(await focused(page)).toBe("Sum");
    await press(page, "ArrowDown", "Enter");
    await button(page, "Twice: Average 90.5").waitFor();
    await cell(page, 1, 4).click();
    await press(page, "Shift+ArrowDown");
    await expectPoll(() => page.locator("#sheet-range").textContent()).toBe("2 cells · Sum 181 · Average 90.5");
    expect(ada.problems).toEqual([]);
  });

  test("keeps the other columns frozen when one of them is hidden and shown", async () => {
    await openTable(page, doc, "Trees");
    await choose("Age", "Freeze up to here");
    expect(parameter(page, "freeze")).toBe("3");
    await choose("Height", "Hide column");
    expect(parameter(page, "freeze")).toBe("2");
    await button(page.locator("#toasts"), "Show").click();
    expect(parameter(page, "freeze")).toBe("3");
    expect(parameter(page, "hide")).toBeNull();
    // The last of the frozen ones.
    await choose("Age", "Hide column");
    expect(parameter(page, "freeze")).toBe("2");
    await button(page, "Columns 1 hidden").click();
    await dialog(page).getByLabel("Age", { exact: true }).check();
    expect(parameter(page, "freeze")).toBe("3");
    await dialog(page).getByLabel("Loud", { exact: true }).uncheck();
    expect(parameter(page, "freeze")).toBe("3");
    await button(dialog(page), "Hide all").click();
    expect(parameter(page, "freeze")).toBe("1");
    await button(dialog(page), "Show all").click();
    expect(parameter(page, "freeze")).toBe("3");
    expect(ada.problems).toEqual([]);
  });

  test("keeps the field of a name at its column, which others rename, move and delete", async () => {
    await openTable(page, doc, "Trees");
    const field = page.locator(".header-editor input");
    const open = async (column: string) => {
      await choose(column, "Rename");
      await field.waitFor();
    };
    await open("Age");
    await apply([["UpdateRecord", "_grist_Tables_column", await refOf("Age"), { label: "Years" }]]);
    await expectPoll(() => field.inputValue()).toBe("Years");
    const x = async () => (await page.locator(".header-editor").boundingBox())?.x ?? 0;
    const before = await x();
    // The columns before it are fewer.
    await apply([["RemoveColumn", "Trees", "Height"]]);
    await expectPoll(x).toBeLessThan(before);
    expect(await focused(page)).toBe("Name of Years");
    await page.keyboard.type("Rings");
    await press(page, "Enter");
    await shownText(page, "Renamed to Rings.").waitFor();
    await open("Loud");
    await page.keyboard.type("Quiet");
    await apply([["RemoveColumn", "Trees", "Loud"]]);
    await shownText(page, "Loud is no longer shown, so it was not renamed.").waitFor();
    expect(await field.count()).toBe(0);
    expect(await page.evaluate<boolean>("document.activeElement.closest('.grid') !== null")).toBe(true);
    expect(ada.problems).toEqual([]);
  });

  test.each(["Filter", "Sort", "Group", "Columns"])("closes the popover of %s when Tab leaves it", async (name) => {
    await openTable(page, doc, "Trees");
    const tool = button(page.locator("#toolbar"), name);
    const open = page.locator(".popover");
    await tool.click();
    await open.waitFor();
    for (let n = 0; n < 60 && (await open.count()) > 0; n++) await press(page, "Tab");
    expect(await open.count()).toBe(0);
    expect(await tool.getAttribute("aria-expanded")).toBe("false");
    // The focus goes on from the tool, outside of the toolbar, which has one stop.
    expect(await page.evaluate<boolean>("document.activeElement.matches('body, .popover *')")).toBe(false);
    await tool.click();
    await open.waitFor();
    for (let n = 0; n < 60 && (await open.count()) > 0; n++) await press(page, "Shift+Tab");
    expect(await open.count()).toBe(0);
    expect(await focused(page)).toBe(name);
    expect(ada.problems).toEqual([]);
  });

  test("closes the search and the menu of totals when Tab leaves them", async () => {
    await openTable(page, doc, "Trees", "?totals=Height:sum");
    await press(page, "Control+f");
    await page.getByRole("searchbox", { name: "Find in the table" }).waitFor();
    await press(page, "Tab");
    expect(await page.getByRole("searchbox", { name: "Find in the table" }).count()).toBe(0);
    await button(page, "Height: Sum 90.5").click();
    await page.getByRole("menu").waitFor();
    await press(page, "Tab");
    expect(await page.getByRole("menu").count()).toBe(0);
    expect(await focused(page)).toBe("Height: Sum 90.5");
    expect(ada.problems).toEqual([]);
  });
});
