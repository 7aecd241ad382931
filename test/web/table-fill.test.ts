import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable, records } from "./calls.ts";
import { button, dialog, item, press, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

const PLAN = {
  id: "Plan",
  columns: [
    { id: "Task", fields: { type: "Text" } },
    { id: "Size", fields: { type: "Int" } },
    { id: "Due", fields: { type: "Date" } },
  ],
  rows: [
    { Task: "Part 9", Size: 2, Due: "2026-01-30" },
    { Task: "", Size: 4, Due: null },
    { Task: "", Size: 1, Due: null },
    { Task: "", Size: null, Due: null },
  ],
};
const BEFORE = ["Part 9|2|2026-01-30", "|4|", "|1|", "||"];

/** Drags the fill handle of the selection to a cell. */
async function dragHandle(page: Page, row: number, column: number): Promise<void> {
  await page.locator(".fill-handle").hover();
  await page.mouse.down();
  const box = await cell(page, row, column).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 10, (box?.y ?? 0) + 10, { steps: 3 });
  await page.locator(".fill-outline").waitFor();
}

describe.skipIf(!CHROMIUM)(inBrowser("filling cells"), () => {
  let story: Story;
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (begun) => {
    story = begun;
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, PLAN);
    await openTable(page, doc, "Plan");
  });

  test("by the handle continues series, and is one change", async () => {
    await cell(page, 1, 1).click();
    await press(page, "Shift+ArrowRight", "Shift+ArrowRight");
    await dragHandle(page, 3, 1);
    expect(await page.locator(".fill-label").textContent()).toBe("6 cells: Part 10, Part 11 …");
    await page.mouse.up();
    await expectRows(page, ["Part 9|2|2026-01-30", "Part 10|2|2026-01-31", "Part 11|2|2026-02-01", "||"]);
    await shownText(page, "6 cells filled.").waitFor();
    await expectPoll(() => page.locator(".grid .cell.chosen").count()).toBe(9);
    await page.reload();
    await expectRows(page, ["Part 9|2|2026-01-30", "Part 10|2|2026-01-31", "Part 11|2|2026-02-01", "||"]);
    await cell(page, 1, 1).click();
    await press(page, "Control+z");
    await expectRows(page, BEFORE);
    expect(ada.problems).toEqual([]);
  });

  test("with Ctrl switches between series and copies, and Escape cancels", async () => {
    await cell(page, 1, 1).click();
    await dragHandle(page, 2, 1);
    await page.keyboard.down("Control");
    await expectPoll(() => page.locator(".fill-label").textContent()).toBe("1 cell: Part 9");
    await page.mouse.up();
    await page.keyboard.up("Control");
    await expectRows(page, ["Part 9|2|2026-01-30", "Part 9|4|", "|1|", "||"]);
    await cell(page, 1, 2).click();
    await dragHandle(page, 3, 2);
    await press(page, "Escape");
    expect(await page.locator(".fill-outline").count()).toBe(0);
    await page.mouse.up();
    await dragHandle(page, 3, 2);
    await page.keyboard.down("Control");
    await page.mouse.up();
    await page.keyboard.up("Control");
    await expectRows(page, ["Part 9|2|2026-01-30", "Part 9|3|", "|4|", "||"]);
    expect(ada.problems).toEqual([]);
  });

  test("by a double click goes down as far as the neighbouring column", async () => {
    await cell(page, 1, 3).click();
    await page.locator(".fill-handle").dblclick();
    await expectRows(page, ["Part 9|2|2026-01-30", "|4|2026-01-31", "|1|2026-02-01", "||"]);
    expect(ada.problems).toEqual([]);
  });

  test("by the menu asks for the step", async () => {
    await cell(page, 1, 2).click();
    await press(page, "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown", "Shift+F10");
    await item(page, "Fill series…").click();
    await dialog(page).getByLabel("Step").fill("-2");
    await expectPoll(() => dialog(page).locator(".fill-preview").textContent()).toBe("2, 0, -2, -4");
    await dialog(page).getByLabel("Step").fill("5");
    await expectAccessible(page);
    await button(dialog(page), "Fill 3 rows").click();
    await expectRows(page, ["Part 9|2|2026-01-30", "|7|", "|12|", "|17|"]);
    await press(page, "Control+z");
    await expectRows(page, BEFORE);
    // Two numbers say how it goes on.
    await cell(page, 3, 2).click();
    await page.keyboard.type("6");
    await press(page, "Enter");
    await cell(page, 1, 2).click();
    await press(page, "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown", "Shift+F10");
    await item(page, "Fill series…").click();
    await expectRows(page, ["Part 9|2|2026-01-30", "|4|", "|6|", "|8|"]);
    expect(ada.problems).toEqual([]);
  });

  test("shows a refusal, and tries again", async () => {
    await cell(page, 1, 1).click();
    const path = `**/api/docs/${doc}/apply*`;
    await page.route(path, (route) => route.abort());
    await dragHandle(page, 2, 1);
    await page.mouse.up();
    const again = button(page, "Try again");
    await again.waitFor();
    await page.unroute(path);
    await again.click();
    await expectRows(page, ["Part 9|2|2026-01-30", "Part 10|4|", "|1|", "||"]);
  });

  test("copies any text, and shows it as text", async () => {
    await cell(page, 1, 1).click();
    await page.keyboard.type(`${HOSTILE_NAME} 1`);
    await press(page, "Enter");
    await cell(page, 1, 1).click();
    await dragHandle(page, 2, 1);
    expect(await page.locator(".fill-label").textContent()).toBe(`1 cell: ${HOSTILE_NAME} 2`);
    await page.mouse.up();
    await expectPoll(async () => (await records(ada, doc, "Plan"))[1]?.fields["Task"]).toBe(`${HOSTILE_NAME} 2`);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("is not offered to viewers", async () => {
    const ben = await story.invite(doc, "viewers");
    await openTable(ben.page, doc, "Plan");
    await cell(ben.page, 1, 1).click();
    await press(ben.page, "Shift+ArrowDown");
    await expectPoll(() => ben.page.locator(".grid .cell.chosen").count()).toBe(2);
    expect(await ben.page.locator(".fill-handle").count()).toBe(0);
    expect(ben.problems).toEqual([]);
  });
});
