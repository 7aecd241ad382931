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

const STOCK = {
  id: "Stock",
  columns: [
    { id: "Item", fields: { type: "Text" } },
    { id: "Count", fields: { type: "Int" } },
    { id: "Twice", fields: { type: "Numeric", isFormula: true, formula: "($Count or 0) * 2" } },
  ],
  rows: [
    { Item: "Bell", Count: 3 },
    { Item: "Lamp", Count: 5 },
    { Item: "Bell", Count: 8 },
  ],
};

const menuLabels = (page: Page): Promise<string[]> =>
  page.locator("[role=menu] [role=menuitem] > span:not(.choice-mark)").allTextContents();

describe.skipIf(!CHROMIUM)(inBrowser("the menu of a cell"), () => {
  let story: Story;
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (begun) => {
    story = begun;
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, STOCK);
    await ada.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openTable(page, doc, "Stock");
  });

  test("is about its cell, or about the selection that contains it", async () => {
    await cell(page, 1, 1).click();
    await cell(page, 2, 2).click({ button: "right" });
    await page.getByRole("menu").waitFor();
    expect(await menuLabels(page)).toEqual([
      "Cut",
      "Copy",
      "Paste",
      "Paste…",
      "Edit",
      "Open row",
      "Why?",
      "Filter by this value",
      "Exclude this value",
      "Fill down",
      "Fill series…",
      "Clear cell",
      "Insert row above",
      "Insert row below",
      "Add row to selection",
      "Move up",
      "Move down",
      "Duplicate row",
      "Delete row",
    ]);
    await expectAccessible(page);
    await press(page, "Escape");
    await expectPoll(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Count: 5");
    await press(page, "Shift+ArrowDown", "Shift+ArrowLeft");
    await cell(page, 3, 1).click({ button: "right" });
    await item(page, "Clear 4 cells").waitFor();
    await item(page, "Delete 2 rows").click();
    await expectRows(page, ["Bell|3|6"]);
    await press(page, "Control+z");
    await expectRows(page, ["Bell|3|6", "Lamp|5|10", "Bell|8|16"]);
    expect(ada.problems).toEqual([]);
  });

  test("cuts, copies and pastes", async () => {
    await cell(page, 1, 1).click();
    await press(page, "Shift+ArrowRight", "Shift+ArrowDown", "Shift+F10");
    await item(page, "Cut").click();
    await shownText(page, "4 cells cut.").waitFor();
    await expectRows(page, ["||0", "||0", "Bell|8|16"]);
    await cell(page, 2, 1).click();
    await press(page, "Shift+F10");
    await item(page, "Paste").click();
    await expectRows(page, ["||0", "Bell|3|6", "Lamp|5|10"]);
    await press(page, "Control+z", "Control+z");
    await expectRows(page, ["Bell|3|6", "Lamp|5|10", "Bell|8|16"]);
    // The keys do the same.
    await cell(page, 3, 1).click();
    await press(page, "Control+x");
    await expectRows(page, ["Bell|3|6", "Lamp|5|10", "|8|16"]);
    await cell(page, 2, 1).click();
    await press(page, "Shift+F10");
    await item(page, "Paste…").click();
    await button(dialog(page), "Paste").click();
    await expectRows(page, ["Bell|3|6", "Bell|5|10", "|8|16"]);
    await page.reload();
    await expectRows(page, ["Bell|3|6", "Bell|5|10", "|8|16"]);
    expect(ada.problems).toEqual([]);
  });

  test("names the keys where the browser does not allow pasting", async () => {
    await ada.context.clearPermissions();
    await page.evaluate(`navigator.clipboard.readText = () => Promise.reject(new DOMException("", "NotAllowedError"))`);
    await cell(page, 1, 1).click({ button: "right" });
    await item(page, "Paste").click();
    await shownText(page, "The browser does not allow pasting from a menu. Press Ctrl+V.").waitFor();
    await expectRows(page, ["Bell|3|6", "Lamp|5|10", "Bell|8|16"]);
  });

  test("filters by the value, and excludes values", async () => {
    await cell(page, 1, 1).click({ button: "right" });
    await item(page, "Filter by this value").click();
    await expectRows(page, ["Bell|3|6", "Bell|8|16"]);
    await cell(page, 1, 2).click({ button: "right" });
    await item(page, "Exclude this value").click();
    await expectRows(page, ["Bell|8|16"]);
    await page.reload();
    await expectRows(page, ["Bell|8|16"]);
    await page.goBack();
    await expectRows(page, ["Bell|3|6", "Bell|8|16"]);
    expect(ada.problems).toEqual([]);
  });

  test("leaves commands disabled with the reason", async () => {
    await openTable(page, doc, "Stock", "?sort=-Count");
    await cell(page, 1, 3).click({ button: "right" });
    const disabled = page.locator("[role=menu] [aria-disabled=true]");
    await item(page, "Cut Formulas compute these cells").waitFor();
    expect(await disabled.locator("small").allTextContents()).toEqual([
      ...Array.from({ length: 6 }, () => "Formulas compute these cells"),
      ...Array.from({ length: 4 }, () => "Clear the sort to insert or move rows"),
    ]);
    await item(page, "Clear cell Formulas compute these cells").click({ force: true });
    await page.getByRole("menu").waitFor();
    await expectRows(page, ["Bell|8|16", "Lamp|5|10", "Bell|3|6"]);
  });

  test("of viewers has no commands that change anything", async () => {
    const ben = await story.invite(doc, "viewers");
    await openTable(ben.page, doc, "Stock");
    await cell(ben.page, 1, 1).click({ button: "right" });
    await ben.page.getByRole("menu").waitFor();
    expect(await menuLabels(ben.page)).toEqual([
      "Copy",
      "Open row",
      "Why?",
      "Filter by this value",
      "Exclude this value",
    ]);
    expect(ben.problems).toEqual([]);
  });

  test("shows values and filters of any text", async () => {
    const [first] = await records(ada, doc, "Stock");
    await cell(page, 1, 1).click();
    await page.keyboard.type(HOSTILE_NAME);
    await press(page, "Enter");
    await expectPoll(async () => (await records(ada, doc, "Stock"))[0]?.fields["Item"]).toBe(HOSTILE_NAME);
    await cell(page, 1, 1).click({ button: "right" });
    await item(page, "Exclude this value").click();
    await expectRows(page, ["Lamp|5|10", "Bell|8|16"]);
    expect(first?.fields["Item"]).toBe("Bell");
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("opens by a long press on touch screens", async () => {
    const touch = await story.openWindow({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await touch.signIn(story.email);
    await openTable(touch.page, doc, "Stock");
    const box = await cell(touch.page, 2, 1).boundingBox();
    const cdp = await touch.context.newCDPSession(touch.page);
    const touchPoints = [{ x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 10 }];
    await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints });
    await item(touch.page, "Delete row").waitFor();
    await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    expect(await touch.page.getByRole("menu").count()).toBe(1);
    await item(touch.page, "Delete row").click();
    await expectRows(touch.page, ["Bell|3|6", "Bell|8|16"]);
    expect(touch.problems).toEqual([]);
  });
});
