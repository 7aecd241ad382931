/** Changes of all rows of a view, loaded or not, and of what the history does not keep. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, dialog, item, press, problem, shownText } from "./controls.ts";
import { HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, openTable, rowTexts } from "./table-page.ts";

const COUNT = 1200;

const TASKS = {
  id: "Tasks",
  columns: [
    { id: "Title", fields: { type: "Text" } },
    { id: "Done", fields: { type: "Bool" } },
    { id: "Qty", fields: { type: "Int" } },
    { id: "Twice", fields: { type: "Any", isFormula: true, formula: "$Qty * 2" } },
  ],
  rows: Array.from({ length: COUNT }, (_, n) => ({ Title: `Tea ${n}`, Done: n % 2 === 0, Qty: n })),
};

const allRows = (page: Page): Locator => page.locator(".all-rows");

interface Cells {
  readonly id: number[];
  readonly Title: string[];
  readonly Done: boolean[];
  readonly Qty: (number | null)[];
}

describe.skipIf(!CHROMIUM)(inBrowser("all rows of a table"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, TASKS);
  });

  const cells = () => call<Cells>(ada, "GET", `/api/docs/${doc}/tables/Tasks/data`);
  const countWhere = async (test: (cells: Cells, index: number) => boolean): Promise<number> => {
    const now = await cells();
    return now.id.filter((_, index) => test(now, index)).length;
  };
  const openFiltered = async () => {
    await openTable(page, doc, "Tasks", `?filter=${encodeURIComponent('{"Done":[true]}')}`);
    await expectPoll(async () => (await rowTexts(page))[0]).toBe("Tea 0|Yes|0|0");
    await cell(page, 1, 1).click();
    await press(page, "Control+a");
  };

  test("are edited by the filter of the view, in one change", async () => {
    await openFiltered();
    await expectPoll(() => allRows(page).textContent()).toContain("All 600 rows selected");
    await button(allRows(page), "Edit all…").click();
    expect(await dialog(page).getByRole("heading").textContent()).toBe("Edit all 600 rows");
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByLabel("Column").selectOption("Qty");
    await dialog(page).locator("textarea").fill("many");
    await button(dialog(page), "Change 600 rows").click();
    await expectPoll(() => problem(dialog(page)).count()).toBe(1);
    await dialog(page).locator("textarea").fill("7");
    await press(page, "Enter");
    await shownText(page, "600 rows changed.").waitFor();
    expect(await countWhere(({ Qty }, at) => Qty[at] === 7)).toBeGreaterThanOrEqual(600);
    await button(page.locator("#toasts"), "Undo").click();
    await expectPoll(() => countWhere(({ Qty }, at) => Qty[at] === at)).toBe(COUNT);
    await press(page, "Control+y");
    await expectPoll(() => countWhere(({ Qty, Done }, at) => Done[at] === true && Qty[at] === 7)).toBe(600);
  });

  test("replace texts, also hostile ones, found by a search", async () => {
    await openTable(page, doc, "Tasks", "?find=tea%201");
    await expectPoll(() => page.locator("#sheet-count").textContent()).toContain("311 of 1,200");
    await page.locator(".grid .corner").click();
    await button(allRows(page), "Edit all…").click();
    await dialog(page).getByLabel("Action").selectOption("replace");
    await dialog(page).getByLabel("Find", { exact: true }).fill("tea ");
    await dialog(page).getByLabel("Replace with").fill(HOSTILE_NAME);
    await button(dialog(page), "Change 311 rows").click();
    await shownText(page, "311 rows changed.").waitFor();
    expect(await countWhere(({ Title }, at) => Title[at]?.startsWith(HOSTILE_NAME) === true)).toBe(311);
    await page.keyboard.press("Control+z");
    await expectPoll(() => countWhere(({ Title }, at) => Title[at] === `Tea ${at}`)).toBe(COUNT);
  });

  test("are cleared, duplicated and deleted by keys and buttons", async () => {
    await openFiltered();
    await press(page, "Delete");
    await shownText(page, "1,800 cells cleared.").waitFor();
    expect(await countWhere(({ Title }, at) => Title[at] === "")).toBe(600);
    // Cleared checkboxes do not match the filter any more.
    await press(page, "Control+z");
    await expectPoll(() => countWhere(({ Title }, at) => Title[at] === "")).toBe(0);
    await expectPoll(async () => (await rowTexts(page))[0]).toBe("Tea 0|Yes|0|0");
    await cell(page, 1, 1).click();
    await press(page, "Control+a");
    await button(allRows(page), "Duplicate").click();
    await shownText(page, "600 rows duplicated.").waitFor();
    await expectPoll(async () => (await cells()).id.length).toBe(1800);
    await cell(page, 1, 1).click();
    await press(page, "Control+a");
    await expectPoll(() => allRows(page).textContent()).toContain("All 1,200 rows selected");
    await press(page, "Control+Delete");
    await shownText(page, "1,200 rows deleted.").waitFor();
    expect((await cells()).id).toHaveLength(600);
    await press(page, "Control+z");
    await expectPoll(async () => (await cells()).id.length).toBe(1800);
  });

  test("are set from the menu of a column", async () => {
    await openTable(page, doc, "Tasks");
    await button(page, "Menu of Done").click({ force: true });
    await item(page, "Set all 1,200 cells…").click();
    expect(await dialog(page).getByLabel("Column").inputValue()).toBe("Done");
    await dialog(page).locator("[name=value]").selectOption("false");
    await button(dialog(page), "Change 1,200 rows").click();
    await shownText(page, "1,200 rows changed.").waitFor();
    expect(await countWhere(({ Done }, at) => Done[at] === true)).toBe(0);
    await button(page, "Menu of Twice").click({ force: true });
    expect(await item(page, "Set all 1,200 cells…").count()).toBe(0);
  });

  test("are reviewed if their number has changed", async () => {
    await openFiltered();
    await button(allRows(page), "Edit all…").click();
    await dialog(page).getByLabel("Action").selectOption("clear");
    await call(ada, "POST", `/api/docs/${doc}/tables/Tasks/records`, { records: [{ fields: { Done: true } }] });
    await button(dialog(page), "Change 600 rows").click();
    await shownText(page, "601 rows match now, 600 when you confirmed.").waitFor();
    expect(await countWhere(({ Title }, at) => Title[at] === "")).toBe(1);
    expect(await violations(page)).toEqual([]);
    await button(page, "Change 601 rows").click();
    await shownText(page, "601 rows changed.").waitFor();
    expect(await countWhere(({ Title }, at) => Title[at] === "")).toBe(601);
  });

  test("have no commands for viewers", async () => {
    const { page: viewer } = await invite(doc, "viewers");
    await openTable(viewer, doc, "Tasks");
    await cell(viewer, 1, 1).click();
    await press(viewer, "Control+a");
    await expectPoll(() => allRows(viewer).textContent()).toBe("All 1,200 rows selected");
  });
});
