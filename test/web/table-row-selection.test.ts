/** Selections of several separate rows, and rows that are moved by dragging. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { item, press, shownText } from "./controls.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, copiedText, expectRows, openTable, pasteText } from "./table-page.ts";

const TASKS = {
  id: "Tasks",
  columns: [
    { id: "Task", fields: { type: "Text" } },
    { id: "Size", fields: { type: "Int" } },
  ],
  rows: ["A", "B", "C", "D", "E", "F"].map((name, at) => ({ Task: name, Size: at + 1 })),
};
const ALL = ["A|1", "B|2", "C|3", "D|4", "E|5", "F|6"];

const head = (page: Page, row: number) =>
  page.locator(`.grid .body [role=row][aria-rowindex="${row + 1}"] > .row-head`);
const chosen = (page: Page): Promise<string[]> =>
  page.locator('.grid .body .row.chosen [aria-colindex="2"]').allTextContents();

/** Drags the grip of a row to the upper edge of another one, or to the lower edge of the last one. */
async function drag(page: Page, from: number, to: number, { drops = true } = {}): Promise<void> {
  await head(page, from).hover();
  await page.locator(".row-grip").hover();
  await page.mouse.down();
  const box = await head(page, Math.min(to, 6)).boundingBox();
  if (!box) throw new Error("the row is not shown");
  const y = to > 6 ? box.y + box.height - 2 : box.y + 2;
  await page.mouse.move(box.x + 8, y - 20);
  await page.mouse.move(box.x + 8, y, { steps: 4 });
  await page.locator(".drop-line").waitFor();
  if (drops) await page.mouse.up();
}

describe.skipIf(!CHROMIUM)(inBrowser("several rows"), () => {
  let story: Story;
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (begun) => {
    story = begun;
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, TASKS);
    await openTable(page, doc, "Tasks");
  });

  test("are selected by Ctrl+click and Shift+click, copied, cleared, duplicated and deleted together", async () => {
    await head(page, 1).click();
    await head(page, 3).click({ modifiers: ["Control"] });
    await head(page, 6).click({ modifiers: ["Control"] });
    await head(page, 5).click({ modifiers: ["Shift"] });
    await expectPoll(() => chosen(page)).toEqual(["A", "C", "E", "F"]);
    await expectPoll(() => page.locator("#sheet-range").textContent()).toBe("4 rows selected");
    await head(page, 5).click({ modifiers: ["Control"] });
    await expectPoll(() => chosen(page)).toEqual(["A", "C", "F"]);
    expect(await copiedText(page)).toBe("A\t1\nC\t3\nF\t6");
    await press(page, "Delete");
    await expectRows(page, ["|", "B|2", "|", "D|4", "E|5", "|"]);
    await press(page, "Control+z");
    await expectRows(page, ALL);
    await head(page, 3).click({ button: "right" });
    await item(page, "Duplicate 3 rows").click();
    await expectRows(page, [...ALL, "A|1", "C|3", "F|6"]);
    await press(page, "Control+z");
    await expectRows(page, ALL);
    await press(page, "Control+Delete");
    await expectRows(page, ["B|2", "D|4", "E|5"]);
    await press(page, "Control+z");
    await expectRows(page, ALL);
    expect(ada.problems).toEqual([]);
  });

  test("are filled from the first of them, and take pasted rows one by one", async () => {
    await head(page, 1).click();
    await head(page, 3).click({ modifiers: ["Control"] });
    await head(page, 6).click({ modifiers: ["Control"] });
    await press(page, "Control+d");
    await expectRows(page, ["A|1", "B|2", "A|1", "D|4", "E|5", "A|1"]);
    await press(page, "Control+z");
    await expectRows(page, ALL);
    await pasteText(page, "X\t7\nY\t8\nZ\t9");
    await expectRows(page, ["X|7", "B|2", "Y|8", "D|4", "E|5", "Z|9"]);
    await press(page, "Control+z");
    await expectRows(page, ALL);
    await pasteText(page, "X\t7");
    await expectRows(page, ["X|7", "B|2", "X|7", "D|4", "E|5", "X|7"]);
    await press(page, "Control+z");
    await expectRows(page, ALL);
    expect(ada.problems).toEqual([]);
  });

  test("are selected by keys and by the menu, and moved together", async () => {
    await cell(page, 2, 1).click();
    await press(page, "Shift+ ", "ArrowDown", "ArrowDown", "Control+Shift+ ");
    await expectPoll(() => chosen(page)).toEqual(["B", "D"]);
    await press(page, "Alt+Shift+ArrowUp");
    await expectRows(page, ["B|2", "D|4", "A|1", "C|3", "E|5", "F|6"]);
    await expectPoll(() => chosen(page)).toEqual(["B", "D"]);
    await press(page, "Control+z");
    await expectRows(page, ALL);
    await cell(page, 1, 1).click();
    await press(page, "Shift+ ");
    await cell(page, 5, 1).click({ button: "right" });
    await item(page, "Add row to selection").click();
    await expectPoll(() => chosen(page)).toEqual(["A", "E"]);
    await press(page, "Alt+Shift+ArrowDown");
    await expectRows(page, ["B|2", "C|3", "D|4", "F|6", "A|1", "E|5"]);
    await press(page, "Escape");
    await expectPoll(() => chosen(page)).toEqual([]);
    expect(ada.problems).toEqual([]);
  });

  test("are dragged by the grip, one or all selected ones, and Escape cancels", async () => {
    await drag(page, 5, 2);
    await expectRows(page, ["A|1", "E|5", "B|2", "C|3", "D|4", "F|6"]);
    await expectPoll(() => page.locator("#live-region").textContent()).toBe("Row moved to position 2.");
    await press(page, "Control+z");
    await expectRows(page, ALL);
    await head(page, 1).click();
    await head(page, 3).click({ modifiers: ["Control"] });
    await drag(page, 3, 7);
    await expectRows(page, ["B|2", "D|4", "E|5", "F|6", "A|1", "C|3"]);
    await page.reload();
    await expectRows(page, ["B|2", "D|4", "E|5", "F|6", "A|1", "C|3"]);
    await drag(page, 1, 4, { drops: false });
    await press(page, "Escape");
    await page.locator(".drop-line").waitFor({ state: "detached" });
    await page.mouse.up();
    await expectRows(page, ["B|2", "D|4", "E|5", "F|6", "A|1", "C|3"]);
    expect(ada.problems).toEqual([]);
  });

  test("have no position in sorted views, as the grip says, and no grip for viewers", async () => {
    await openTable(page, doc, "Tasks", "?sort=Task");
    await head(page, 2).hover();
    expect(await page.locator(".row-grip").getAttribute("title")).toBe("Clear the sort to insert or move rows");
    await page.locator(".row-grip").click();
    await shownText(page, "Clear the sort to insert or move rows").waitFor();
    await expectRows(page, ALL);
    await using ben = await story.invite(doc, "viewers");
    await openTable(ben.page, doc, "Tasks");
    await head(ben.page, 2).hover();
    expect(await ben.page.locator(".row-grip").count()).toBe(0);
    expect(ben.problems).toEqual([]);
  });
});
