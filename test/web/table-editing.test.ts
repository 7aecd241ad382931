import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, press } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, copiedText, expectRows, openTable, pasteText, until } from "./table-page.ts";

const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Customer", fields: { type: "Text" } },
    { id: "Quantity", fields: { type: "Int" } },
    { id: "Status", fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: ["New", "Shipped"] }) } },
    { id: "Share", fields: { type: "Numeric", isFormula: true, formula: "12 / $Quantity" } },
  ],
  rows: [
    { Customer: "Karin Lindqvist", Quantity: 3, Status: "New" },
    { Customer: "Bruno Ortiz", Quantity: 4, Status: "Shipped" },
    { Customer: "Chloé Dubois", Quantity: 6, Status: "New" },
  ],
};

const caret = (page: Page): Promise<readonly [number, number]> =>
  page.evaluate("[document.activeElement.selectionStart, document.activeElement.selectionEnd]");

/** Returns true when two elements do not overlap. */
const areApart = (page: Page, one: string, other: string): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const [a, b] = [${JSON.stringify(one)}, ${JSON.stringify(other)}].map((each) =>
      document.querySelector(each).getBoundingClientRect());
    return a.bottom <= b.top || b.bottom <= a.top || a.right <= b.left || b.right <= a.left;
  })()`);

describe.skipIf(!CHROMIUM)(inBrowser("a person who edits cells"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, ORDERS);
    await openTable(page, doc, "Orders");
  });

  test("finds the caret at the end after F2, Enter and a double click", async () => {
    await cell(page, 1, 1).click();
    await page.keyboard.press("F2");
    expect(await caret(page)).toEqual([15, 15]);
    await page.keyboard.type("!");
    await page.keyboard.press("Enter");
    await expectRows(page, ["Karin Lindqvist!|3|New|4", "Bruno Ortiz|4|Shipped|3", "Chloé Dubois|6|New|2"]);
    await page.keyboard.press("Enter");
    expect(await caret(page)).toEqual([11, 11]);
    await page.keyboard.press("Escape");
    await cell(page, 3, 3).dblclick();
    expect(await caret(page)).toEqual([3, 3]);
    expect(ada.problems).toEqual([]);
  });

  test("restores longer text that Escape discarded", async () => {
    await cell(page, 1, 1).click();
    await page.keyboard.type("short");
    await page.keyboard.press("Escape");
    expect(await page.locator(".toast").count()).toBe(0);
    await page.keyboard.type("Karin Lindqvist, Stockholm");
    await page.keyboard.press("Escape");
    expect(await cell(page, 1, 1).textContent()).toBe("Karin Lindqvist");
    // Also when another cell is active by then.
    await cell(page, 3, 2).click();
    await button(page, "Put my text back").click();
    expect(await page.locator(".editor textarea").inputValue()).toBe("Karin Lindqvist, Stockholm");
    await page.keyboard.press("Enter");
    await expectRows(page, ["Karin Lindqvist, Stockholm|3|New|4", "Bruno Ortiz|4|Shipped|3", "Chloé Dubois|6|New|2"]);
    expect(ada.problems).toEqual([]);
  });

  test("restores text that Escape discarded in a row's panel, and saves it before the next row is shown", async () => {
    await cell(page, 1, 1).click();
    await page.keyboard.press("Shift+Enter");
    const panel = page.locator(".panel");
    await panel.locator("textarea").waitFor();
    await page.keyboard.type(", Stockholm, Sweden, Europe");
    await page.keyboard.press("Escape");
    await expectPoll(() => panel.locator(".field-value").first().textContent()).toBe("Karin Lindqvist");
    expect(await page.evaluate("document.activeElement.className")).toContain("field-value");
    await button(page, "Put my text back").click();
    expect(await panel.locator("textarea").inputValue()).toBe("Karin Lindqvist, Stockholm, Sweden, Europe");
    await button(panel, "Next row").click();
    await panel.getByText("Row 2 of 3").waitFor();
    await expectRows(page, [
      "Karin Lindqvist, Stockholm, Sweden, Europe|3|New|4",
      "Bruno Ortiz|4|Shipped|3",
      "Chloé Dubois|6|New|2",
    ]);
    expect(ada.problems).toEqual([]);
  });

  test("pastes one value into all selected cells, and repeats a block that divides the selection", async () => {
    await cell(page, 1, 1).click();
    await press(page, "Shift+ArrowDown", "Shift+ArrowDown");
    await pasteText(page, "Anna Kern");
    await expectRows(page, ["Anna Kern|3|New|4", "Anna Kern|4|Shipped|3", "Anna Kern|6|New|2"]);
    await page.locator(".toast").getByText("3 cells pasted.").waitFor();
    await button(page, "Undo").last().click();
    await expectRows(page, ["Karin Lindqvist|3|New|4", "Bruno Ortiz|4|Shipped|3", "Chloé Dubois|6|New|2"]);
    await cell(page, 1, 1).click();
    await press(page, "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight");
    await pasteText(page, "Ben\t12");
    await expectRows(page, ["Ben|12|New|1", "Ben|12|Shipped|1", "Ben|12|New|1"]);
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });

  test("pastes into the table of a new document, adding missing columns", async () => {
    await page.goto(`/docs/${doc}/tables/Table1`);
    await page.locator(".grid-empty:not([hidden])").waitFor();
    await pasteText(page, "2026-00011\tAnna\t12\t31\r\n2026-00031\tBen\t30\t32");
    await expectRows(page, ["2026-00011|Anna|12|31", "2026-00031|Ben|30|32"]);
    expect(await page.getByRole("dialog").count()).toBe(0);
    const { columns } = await call<{ columns: { id: string; fields: { type: string; isFormula: boolean } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/Table1/columns`,
    );
    expect(columns.map(({ id, fields }) => [id, fields.type, fields.isFormula])).toEqual([
      ["A", "Text", false],
      ["B", "Text", false],
      ["C", "Numeric", false],
      ["D", "Numeric", false],
    ]);
    await button(page.locator(".toast"), "Undo").click();
    await page.locator(".grid-empty:not([hidden])").waitFor();
    expect(await until(page, "document.querySelectorAll('.column-head').length === 3")).toBe(true);
    expect(ada.problems).toEqual([]);
  });

  test("undoes with a toast exactly the reported change, or finds the toast gone", async () => {
    await cell(page, 3, 1).click();
    await press(page, "Shift+ ", "Control+Delete");
    await expectRows(page, ["Karin Lindqvist|3|New|4", "Bruno Ortiz|4|Shipped|3"]);
    const undo = button(page.locator(".toast"), "Undo");
    await undo.waitFor();
    await cell(page, 1, 1).click();
    await page.keyboard.type("Karin");
    await page.keyboard.press("Enter");
    // Before toasts time out.
    await undo.waitFor({ state: "detached", timeout: 10_000 });
    await expectRows(page, ["Karin|3|New|4", "Bruno Ortiz|4|Shipped|3"]);
    // The next one undoes only the deletion.
    await cell(page, 2, 1).click();
    await press(page, "Shift+ ", "Control+Delete");
    await expectRows(page, ["Karin|3|New|4"]);
    await undo.click();
    await expectRows(page, ["Karin|3|New|4", "Bruno Ortiz|4|Shipped|3"]);
    expect(ada.problems).toEqual([]);
  });

  test("sees no outdated errors", async () => {
    // In the active cell, when an undo fixes it.
    await cell(page, 1, 2).click();
    await page.keyboard.type("0");
    await page.keyboard.press("Enter");
    await expectRows(page, [
      "Karin Lindqvist|0|New|Divided by zero",
      "Bruno Ortiz|4|Shipped|3",
      "Chloé Dubois|6|New|2",
    ]);
    await cell(page, 1, 4).click();
    await page.locator(".cell-line").getByText("Divided by zero (ZeroDivisionError").waitFor();
    await page.keyboard.press("Control+z");
    await expectRows(page, ["Karin Lindqvist|3|New|4", "Bruno Ortiz|4|Shipped|3", "Chloé Dubois|6|New|2"]);
    await page.locator(".cell-line").waitFor({ state: "hidden" });
    // In an editor, when the text changes.
    await cell(page, 2, 2).click();
    await page.keyboard.type("four");
    await page.keyboard.press("Enter");
    await page.locator(".editor-message").getByText("does not fit here").waitFor();
    await press(page, "Backspace");
    expect(await page.locator(".editor-message").textContent()).toBe("");
    await page.keyboard.press("Escape");
    // Of a failed change, when the next one starts, or when it is closed.
    for (const end of ["change", "close"]) {
      await page.context().setOffline(true);
      await cell(page, 1, 1).click();
      await page.keyboard.press("Delete");
      // Reading rows may fail, too, which has a message of its own.
      const close = button(page.locator("#sheet-problem"), "Close");
      await close.waitFor();
      await page.context().setOffline(false);
      if (end === "close") await close.click();
      else {
        const answered = page.waitForEvent("requestfinished", (request) => request.url().endsWith("/apply"));
        await cell(page, 2, 1).click();
        await page.keyboard.type("Bruno");
        await page.keyboard.press("Enter");
        await close.waitFor({ state: "detached" });
        // The next round must not interrupt it.
        await answered;
      }
      await close.waitFor({ state: "detached" });
    }
  });

  test("sees toasts beside the error of a cell, not over it", async () => {
    await cell(page, 1, 2).click();
    await page.keyboard.type("0");
    await page.keyboard.press("Enter");
    await cell(page, 1, 4).click();
    await page.locator(".cell-line").getByText("Divided by zero (ZeroDivisionError").waitFor();
    await press(page, "Shift+ArrowDown", "Shift+ArrowDown");
    await copiedText(page);
    await page.locator(".toast").getByText("3 rows copied.").waitFor();
    await expectPoll(() => areApart(page, ".cell-line", ".toast")).toBe(true);
    // An editor in the last row of the window, with its validation message below.
    const rows = Array.from({ length: 40 }, (_, at) => ({ fields: { Customer: `Customer ${at}`, Quantity: 1 } }));
    await call(ada, "POST", `/api/docs/${doc}/tables/Orders/records`, { records: rows });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 500 });
      await page.reload();
      await cell(page, 1, 1).click();
      await press(page, "Shift+ArrowDown");
      await copiedText(page);
      await cell(page, 1, 2).click();
      await press(page, "Control+ArrowDown");
      await page.keyboard.type("many");
      await page.keyboard.press("Enter");
      await page.locator(".editor-message").getByText("does not fit here").waitFor();
      await expectPoll(() => areApart(page, ".editor", ".toast")).toBe(true);
      await page.keyboard.press("Escape");
    }
    expect(ada.problems).toEqual([]);
  });
});
