import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { item, press, shownText } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

const TASKS = {
  id: "Tasks",
  columns: [{ id: "Task", fields: { type: "Text" } }],
  rows: ["A", "B", "C", "D"].map((name) => ({ Task: name })),
};

describe.skipIf(!CHROMIUM)(inBrowser("moving rows"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, TASKS);
    await openTable(page, doc, "Tasks");
  });

  test("by keys keeps them selected, and stops at the ends", async () => {
    await cell(page, 2, 1).click();
    await press(page, "Shift+ArrowDown", "Alt+Shift+ArrowDown");
    await expectRows(page, ["A", "D", "B", "C"]);
    await expectPoll(() => page.locator("#live-region").textContent()).toBe("2 rows moved to position 3.");
    await press(page, "Alt+Shift+ArrowDown", "Alt+Shift+ArrowUp", "Alt+Shift+ArrowUp", "Alt+Shift+ArrowUp");
    await expectRows(page, ["B", "C", "A", "D"]);
    expect(await page.locator(".grid .cell.chosen").allTextContents()).toEqual(["B", "C"]);
    await page.reload();
    await expectRows(page, ["B", "C", "A", "D"]);
    await cell(page, 1, 1).click();
    await press(page, "Control+z");
    await expectRows(page, ["A", "B", "C", "D"]);
    expect(ada.problems).toEqual([]);
  });

  test("by the menu, and not in sorted views", async () => {
    await cell(page, 4, 1).click({ button: "right" });
    await item(page, "Move down This is the last row").waitFor();
    await item(page, "Move up").click();
    await expectRows(page, ["A", "B", "D", "C"]);
    await openTable(page, doc, "Tasks", "?sort=Task");
    await cell(page, 1, 1).click();
    await press(page, "Alt+Shift+ArrowDown");
    await shownText(page, "Clear the sort to insert or move rows").waitFor();
    await expectRows(page, ["A", "B", "C", "D"]);
    expect(ada.problems).toEqual([]);
  });
});
