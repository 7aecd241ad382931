import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { button, press } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

const STOCK = {
  id: "Stock",
  columns: [
    { id: "Item", fields: { type: "Text" } },
    { id: "Count", fields: { type: "Int" } },
    { id: "Packed", fields: { type: "Bool" } },
    { id: "Due", fields: { type: "Date" } },
    { id: "Twice", fields: { type: "Numeric", isFormula: true, formula: "($Count or 0) * 2" } },
  ],
  rows: [
    { Item: "Bell", Count: 3, Packed: false, Due: null },
    { Item: "Lamp", Count: 5, Packed: true, Due: null },
    { Item: "Rack", Count: 8, Packed: false, Due: null },
  ],
};

/** The active cell, by row and column from 1. */
const activeCell = (page: Page): Promise<readonly [number, number]> =>
  page.evaluate(`(() => {
    const cell = document.activeElement;
    return [Number(cell.closest("[role=row]")?.getAttribute("aria-rowindex")) - 1, Number(cell.getAttribute("aria-colindex")) - 1];
  })()`);

const chosenCells = (page: Page): Promise<number> => page.locator(".grid .cell.chosen").count();

describe.skipIf(!CHROMIUM)(inBrowser("keys of a table"), () => {
  let ada: Visit;
  let page: Page;
  eachStory(async (story) => {
    ({ ada, page } = story);
    const doc = await makeDocument(ada);
    await makeTable(ada, doc, STOCK);
    await openTable(page, doc, "Stock");
  });

  test("Tab goes through all rows, and leaves the table after the last cell", async () => {
    await cell(page, 1, 5).click();
    await press(page, "Tab");
    expect(await activeCell(page)).toEqual([2, 1]);
    await press(page, "Shift+Tab");
    expect(await activeCell(page)).toEqual([1, 5]);
    await press(page, "Control+End");
    expect(await activeCell(page)).toEqual([3, 5]);
    await press(page, "Tab");
    expect(await activeCell(page)).toEqual([4, 1]);
    await press(page, "Tab", "Tab", "Tab", "Tab", "Tab");
    expect(await page.evaluate("document.activeElement.closest('[role=row]')")).toBe(null);
  });

  test("Enter and Tab stay inside of the selection, and Escape ends it", async () => {
    await cell(page, 1, 1).click();
    await press(page, "Shift+ArrowDown", "Shift+ArrowRight");
    const visited: (readonly [number, number])[] = [];
    for (let times = 0; times < 4; times++) {
      await press(page, "Enter");
      visited.push(await activeCell(page));
    }
    expect(visited).toEqual([
      [2, 1],
      [1, 2],
      [2, 2],
      [1, 1],
    ]);
    await press(page, "Tab");
    expect(await activeCell(page)).toEqual([1, 2]);
    // Typing changes the active cell, and Enter goes on inside.
    await page.keyboard.type("4");
    await press(page, "Enter");
    await expectPoll(async () => [await activeCell(page), await chosenCells(page)]).toEqual([[2, 2], 4]);
    await press(page, "Escape");
    await expectPoll(async () => [await activeCell(page), await chosenCells(page)]).toEqual([[2, 2], 0]);
    await expectRows(page, ["Bell|4|No||8", "Lamp|5|Yes||10", "Rack|8|No||16"]);
  });

  test("arrows leave an editor that typing opened, and move the caret in one that F2 opened", async () => {
    await cell(page, 1, 1).click();
    await page.keyboard.type("Horn");
    await press(page, "ArrowRight");
    expect(await activeCell(page)).toEqual([1, 2]);
    await cell(page, 2, 1).click();
    await press(page, "F2", "ArrowLeft");
    await page.keyboard.type("s");
    await press(page, "F2", "ArrowDown");
    expect(await activeCell(page)).toEqual([3, 1]);
    await expectRows(page, ["Horn|3|No||6", "Lamsp|5|Yes||10", "Rack|8|No||16"]);
  });

  test("Delete clears selected rows, and Ctrl+Delete deletes them; both can be undone", async () => {
    await cell(page, 1, 1).click();
    await press(page, "Shift+ ", "Shift+ArrowDown", "Delete");
    await expectRows(page, ["||No||0", "||No||0", "Rack|8|No||16"]);
    await page.locator(".toast").getByText("8 cells cleared.").waitFor();
    await press(page, "Control+z");
    await expectRows(page, ["Bell|3|No||6", "Lamp|5|Yes||10", "Rack|8|No||16"]);
    await press(page, "Control+Delete");
    await expectRows(page, ["Rack|8|No||16"]);
    await button(page.locator(".toast"), "Undo").click();
    await expectRows(page, ["Bell|3|No||6", "Lamp|5|Yes||10", "Rack|8|No||16"]);
  });

  test("Space toggles all selected check boxes like the active one, and opens the row elsewhere", async () => {
    await cell(page, 1, 3).click();
    await press(page, "Shift+ArrowDown", "Shift+ArrowDown", " ");
    await expectRows(page, ["Bell|3|Yes||6", "Lamp|5|Yes||10", "Rack|8|Yes||16"]);
    await cell(page, 2, 1).click();
    await press(page, " ");
    await page.locator(".panel").getByRole("heading", { name: "Lamp" }).waitFor();
    expect(await page.locator(".panel textarea").inputValue()).toBe("Lamp");
  });

  test("Ctrl+D and Ctrl+R fill, Ctrl+Enter saves into all selected cells", async () => {
    await cell(page, 2, 2).click();
    await press(page, "Control+d");
    await expectRows(page, ["Bell|3|No||6", "Lamp|3|Yes||6", "Rack|8|No||16"]);
    await cell(page, 1, 1).click();
    await press(page, "Shift+ArrowDown", "Shift+ArrowDown", "Control+d");
    await expectRows(page, ["Bell|3|No||6", "Bell|3|Yes||6", "Bell|8|No||16"]);
    await press(page, "Control+z");
    await cell(page, 3, 2).click();
    await press(page, "Shift+ArrowLeft", "Control+r");
    await page.locator(".toast").getByText("1 cell").or(page.locator(".grid .cell.stray")).first().waitFor();
    await press(page, "Control+z");
    await expectRows(page, ["Bell|3|No||6", "Lamp|3|Yes||6", "Rack|8|No||16"]);
    await cell(page, 1, 2).click();
    await press(page, "Shift+ArrowDown", "Shift+ArrowDown");
    await page.keyboard.type("7");
    await press(page, "Control+Enter");
    await expectRows(page, ["Bell|7|No||14", "Lamp|7|Yes||14", "Rack|7|No||14"]);
    await press(page, "Control+z");
    await expectRows(page, ["Bell|3|No||6", "Lamp|3|Yes||6", "Rack|8|No||16"]);
  });

  test("Ctrl+; and Ctrl+Alt+D insert today's date, Ctrl+Shift+; the time", async () => {
    const today = new Date().toLocaleDateString("sv", { timeZone: "UTC" });
    await cell(page, 1, 4).click();
    await press(page, "Control+;");
    await expectRows(page, [`Bell|3|No|${today}|6`, "Lamp|5|Yes||10", "Rack|8|No||16"]);
    await cell(page, 2, 4).click();
    await press(page, "Shift+ArrowDown", "Control+Alt+d");
    await expectRows(page, [`Bell|3|No|${today}|6`, `Lamp|5|Yes|${today}|10`, `Rack|8|No|${today}|16`]);
    await cell(page, 1, 1).click();
    await press(page, "Control+:");
    await expectPoll(() => cell(page, 1, 1).textContent()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    await cell(page, 1, 2).click();
    await press(page, "Control+;");
    await page.locator(".toast").getByText("Dates can be inserted").waitFor();
  });

  test("Ctrl+Enter adds rows below and Ctrl+Shift+Enter above, as many as are selected", async () => {
    await cell(page, 1, 1).click();
    await press(page, "Control+Enter");
    await page.keyboard.type("Pump");
    await press(page, "Enter");
    await expectRows(page, ["Bell|3|No||6", "Pump|0|No||0", "Lamp|5|Yes||10", "Rack|8|No||16"]);
    await cell(page, 3, 1).click();
    await press(page, "Shift+ArrowDown", "Control+Shift+Enter");
    const rows = ["Bell|3|No||6", "Pump|0|No||0", "|0|No||0", "|0|No||0", "Lamp|5|Yes||10", "Rack|8|No||16"];
    await expectRows(page, rows);
    await expectPoll(() => activeCell(page)).toEqual([3, 1]);
  });

  test("Ctrl+Space selects the column", async () => {
    await cell(page, 2, 2).click();
    await press(page, "Control+ ");
    await expectPoll(async () => [await activeCell(page), await chosenCells(page)]).toEqual([[2, 2], 3]);
    await press(page, "Delete");
    await expectRows(page, ["Bell||No||0", "Lamp||Yes||0", "Rack||No||0"]);
  });

  test.each(["F1", "Control+/", "Control+Shift+Digit7"])("%s lists the shortcuts", async (key) => {
    await cell(page, 1, 1).click();
    if (key === "Control+Shift+Digit7") {
      await page.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
        { key: "/", code: "Digit7", ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true }))`);
    } else await press(page, key);
    const list = page.getByRole("dialog", { name: "Shortcuts" });
    await list.waitFor();
    await expectAccessible(page);
    await page.keyboard.type("fill");
    await expectPoll(() => list.locator(".shortcut:visible dt").allTextContents()).toEqual([
      "Fill down: copy from the first row, or from above",
      "Fill right: copy from the first selected column",
    ]);
    expect(await list.locator(".shortcut:visible dd").allTextContents()).toEqual(["Ctrl+D", "Ctrl+R"]);
    // The first Escape empties the search.
    await press(page, "Escape", "Escape");
    await list.waitFor({ state: "detached" });
    expect(await activeCell(page)).toEqual([1, 1]);
    expect(ada.problems).toEqual([]);
  });
});
