import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, fillCode, item, press } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, copiedText, expectRows, opened, openTable, pasteText, until } from "./table-page.ts";

const BOOKS = {
  id: "Books",
  columns: [
    { id: "Title", fields: { type: "Text" } },
    { id: "Pages", fields: { type: "Int" } },
    { id: "Kind", fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: ["Novel", "Poetry"] }) } },
    { id: "Double", fields: { type: "Numeric", isFormula: true, formula: "$Pages * 2" } },
  ],
  rows: [
    { Title: "Ash", Pages: 30, Kind: "Novel" },
    { Title: "Elm", Pages: 10, Kind: "Poetry" },
    { Title: "Fir", Pages: 20, Kind: "Novel" },
  ],
};

describe.skipIf(!CHROMIUM)(inBrowser("a person at a table"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, BOOKS);
  });

  test("sees the rows, edits a cell, undoes and redoes it", async () => {
    await openTable(page, doc, "Books");
    await expectRows(page, ["Ash|30|Novel|60", "Elm|10|Poetry|20", "Fir|20|Novel|40"]);
    await expectPoll(() => page.locator("#sheet-count").textContent()).toBe("3 rows");
    await cell(page, 1, 2).click();
    await page.keyboard.type("31");
    await page.keyboard.press("Enter");
    // Formulas are recomputed, and the next row is active.
    await expectRows(page, ["Ash|31|Novel|62", "Elm|10|Poetry|20", "Fir|20|Novel|40"]);
    expect(await until(page, "document.activeElement.textContent === '10'")).toBe(true);
    await page.keyboard.press("Control+z");
    await expectRows(page, ["Ash|30|Novel|60", "Elm|10|Poetry|20", "Fir|20|Novel|40"]);
    await button(page, "Redo").click();
    await expectRows(page, ["Ash|31|Novel|62", "Elm|10|Poetry|20", "Fir|20|Novel|40"]);
    expect(ada.problems).toEqual([]);
  });

  test("navigates and edits cells by keyboard alone", async () => {
    await openTable(page, doc, "Books");
    await cell(page, 1, 1).focus();
    await press(page, "ArrowDown", "ArrowRight", "F2", "End");
    await page.keyboard.type("5");
    await page.keyboard.press("Tab");
    await expectRows(page, ["Ash|30|Novel|60", "Elm|105|Poetry|210", "Fir|20|Novel|40"]);
    // On a choice: opens the list and selects another option.
    await press(page, "Enter", "ArrowDown", "Enter");
    await expectRows(page, ["Ash|30|Novel|60", "Elm|105|Novel|210", "Fir|20|Novel|40"]);
    await press(page, "Control+Home", "Delete");
    await expectRows(page, ["|30|Novel|60", "Elm|105|Novel|210", "Fir|20|Novel|40"]);
    await page.keyboard.press("Control+Enter");
    await expectRows(page, ["|30|Novel|60", "|0||0", "Elm|105|Novel|210", "Fir|20|Novel|40"]);
    expect(
      await until(page, `document.activeElement.closest("[role=row]")?.getAttribute("aria-rowindex") === "3"`),
    ).toBe(true);
    await press(page, "Shift+ ", "Control+Delete");
    await expectRows(page, ["|30|Novel|60", "Elm|105|Novel|210", "Fir|20|Novel|40"]);
    expect(ada.problems).toEqual([]);
  });

  test("sees that a value does not fit, and may keep it", async () => {
    await openTable(page, doc, "Books");
    await cell(page, 1, 2).click();
    await page.keyboard.type("many");
    await page.keyboard.press("Enter");
    expect(await page.locator(".editor-message").textContent()).toContain(
      "“many” does not fit here: the column type is Integer.",
    );
    expect(await page.locator(".editor textarea").inputValue()).toBe("many");
    expect((await records(ada, doc, "Books"))[0]?.fields["Pages"]).toBe(30);
    await page.keyboard.press("Enter");
    await page.locator(".cell.stray").waitFor();
    await expectPoll(async () => (await records(ada, doc, "Books"))[0]?.fields["Pages"]).toBe("many");
    // The resulting formula error is marked, and explained in the row panel.
    await page.locator(".cell.failed").waitFor();
    await cell(page, 1, 4).click();
    await page.locator(".cell-line").getByText("Wrong type (TypeError").waitFor();
    await cell(page, 1, 2).click();
    await page.locator(".cell-line").getByText("“many” is kept as text").waitFor();
    await cell(page, 1, 1).click();
    await page.keyboard.press("Shift+Enter");
    await page.locator(".panel .why").waitFor();
    await expectPoll(() => page.locator(".panel .why").textContent()).toContain("line 1");
    expect(ada.problems).toEqual([]);
  });

  test("keeps the input when the server is unavailable", async () => {
    await openTable(page, doc, "Books");
    await cell(page, 2, 1).click();
    await page.keyboard.type("Oak");
    await page.context().setOffline(true);
    await page.keyboard.press("Enter");
    await page.locator(".editor .note").waitFor();
    await expectPoll(() => page.locator(".editor textarea").inputValue()).toBe("Oak");
    await page.context().setOffline(false);
    await button(page, "Try again").click();
    await expectRows(page, ["Ash|30|Novel|60", "Oak|10|Poetry|20", "Fir|20|Novel|40"]);
  });

  test("sorts, filters, hides, and restores the view from the URL", async () => {
    await openTable(page, doc, "Books");
    await button(page, "Menu of Pages").click();
    await item(page, "Sort descending").click();
    await expectRows(page, ["Ash|30|Novel|60", "Fir|20|Novel|40", "Elm|10|Poetry|20"]);
    await button(page, "Menu of Kind").click();
    await item(page, "Filter…").click();
    await button(page, "Choose…").click();
    await page.getByLabel("Novel").check();
    await expectRows(page, ["Ash|30|Novel|60", "Fir|20|Novel|40"]);
    await expectPoll(() => page.locator("#sheet-count").textContent()).toBe("2 of 3 rows");
    await page.keyboard.press("Escape");
    await button(page, "Menu of Double").click();
    await item(page, "Hide column").click();
    await expectRows(page, ["Ash|30|Novel", "Fir|20|Novel"]);
    await page.reload();
    await expectRows(page, ["Ash|30|Novel", "Fir|20|Novel"]);
    await button(page, "Remove: Kind is any of Novel").click();
    await expectRows(page, ["Ash|30|Novel", "Fir|20|Novel", "Elm|10|Poetry"]);
    await button(page, "Columns 1 hidden").click();
    await page.getByRole("dialog", { name: "Columns" }).getByRole("checkbox", { name: "Double" }).check();
    await page.keyboard.press("Escape");
    await expectRows(page, ["Ash|30|Novel|60", "Fir|20|Novel|40", "Elm|10|Poetry|20"]);
    expect(ada.problems).toEqual([]);
  });

  test("sees empty cells last in both sort directions", async () => {
    await call(ada, "POST", `/api/docs/${doc}/tables/Books/records`, {
      records: [{ fields: { Title: "Oak", Pages: null, Kind: "" } }],
    });
    await openTable(page, doc, "Books");
    await button(page, "Menu of Pages").click();
    await item(page, "Sort descending").click();
    const titles =
      "[...document.querySelectorAll('.grid .body [aria-colindex=\"2\"]')].map((each) => each.textContent)";
    const inOrder = (expected: string) => until(page, `${titles}.join() === "${expected}"`);
    expect(await inOrder("Ash,Fir,Elm,Oak")).toBe(true);
    // Also in the rows embedded in the page.
    await page.reload();
    expect(await inOrder("Ash,Fir,Elm,Oak")).toBe(true);
    await button(page, "Menu of Kind").click();
    await item(page, "Sort ascending").click();
    expect(await inOrder("Ash,Fir,Elm,Oak")).toBe(true);
    await button(page, "Menu of Kind").click();
    await item(page, "Sort descending").click();
    expect(await inOrder("Elm,Ash,Fir,Oak")).toBe(true);
    expect(ada.problems).toEqual([]);
  });

  test("adds a column with an invalid formula, and fixes it", async () => {
    await openTable(page, doc, "Books");
    await button(page, "Column").click();
    await page.getByRole("dialog").getByLabel("Name").fill("Weight");
    await page.getByRole("dialog").getByLabel("Type").selectOption("formula");
    await button(page, "Add column").click();
    const panel = page.locator(".panel");
    await panel.waitFor();
    await fillCode(panel.getByRole("textbox", { name: "Formula" }), "$Pages / 0");
    await button(panel, "Save").click();
    await panel.locator(".formula-problems .note").waitFor();
    await expectPoll(() => panel.locator(".formula-problems").textContent()).toContain("A number is divided by zero.");
    await expectPoll(() => panel.locator("textarea[name=formula]").inputValue()).toBe("$Pages / 0");
    await panel.getByText("Functions", { exact: true }).click();
    await panel.getByLabel("Find a function").fill("roundup");
    await fillCode(panel.getByRole("textbox", { name: "Formula" }), "");
    await button(panel, /^ROUNDUP/).click();
    await panel.getByRole("textbox", { name: "Formula" }).press("End");
    await page.keyboard.type("$Pages / 7)");
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
    await expectRows(page, ["Ash|30|Novel|60|5", "Elm|10|Poetry|20|2", "Fir|20|Novel|40|3"]);
    expect(ada.problems).toEqual([]);
  });

  test("sees syntax errors of a formula immediately, in a table without rows", async () => {
    await makeTable(ada, doc, { id: "Plans", columns: [{ id: "Cost", fields: { type: "Any" } }], rows: [] });
    await openTable(page, doc, "Plans");
    await button(page, "Menu of Cost").click();
    await item(page, "Edit column…").click();
    const panel = page.locator(".panel");
    await panel.getByRole("radio", { name: "Formula" }).check();
    await fillCode(panel.getByRole("textbox", { name: "Formula" }), "x = 1\nreturn (x");
    await button(panel, "Save").click();
    await panel.locator(".formula-problems .note").waitFor();
    await expectPoll(() => panel.locator(".formula-problems").textContent()).toContain(
      "Line 2: The formula has a syntax error",
    );
    await expectPoll(() => panel.locator("textarea[name=formula]").inputValue()).toBe("x = 1\nreturn (x");
    expect(ada.problems).toEqual([]);
    await fillCode(panel.getByRole("textbox", { name: "Formula" }), "x = 1\nreturn (x)");
    await page.route("**/apply", (route) => route.abort("connectionrefused"));
    await button(panel, "Save").click();
    await panel.getByText("The server does not respond.").waitFor();
    const place = `document.querySelector(".panel footer .problem").getBoundingClientRect()`;
    await expectPoll(() => page.evaluate<boolean>(`${place}.bottom <= innerHeight`)).toBe(true);
    await page.unroute("**/apply");
    await button(panel, "Try again").click();
    await panel.waitFor({ state: "detached" });
  });

  test("renames a column, converts numbers to texts, and deletes it", async () => {
    await openTable(page, doc, "Books");
    await button(page, "Menu of Pages").click();
    await item(page, "Edit column…").click();
    const panel = page.locator(".panel");
    await panel.getByLabel("Name").fill("Sheets");
    await panel.locator("select").first().selectOption("Text");
    await panel.getByText("All 3 cells convert.").waitFor();
    await button(panel, "Apply").click();
    await page.getByRole("columnheader", { name: "Sheets, text" }).waitFor();
    const { columns } = await call<{ columns: { id: string; fields: Record<string, unknown> }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/Books/columns`,
    );
    expect(columns.map(({ id, fields }) => [id, fields["type"]])).toContainEqual(["Sheets", "Text"]);
    expect(columns.find(({ id }) => id === "Double")?.fields["formula"]).toBe("$Sheets * 2");
    await button(page, "Menu of Sheets").click();
    await item(page, "Delete column").click();
    await button(page.getByRole("dialog"), "Delete column").click();
    await expectRows(
      page,
      ["Ash|Novel", "Elm|Poetry", "Fir|Novel"].map((row) => `${row}|No column Sheets`),
    );
    await cell(page, 1, 3).click();
    await expectPoll(() => page.locator("#cell-status").textContent()).toContain("No column Sheets (AttributeError)");
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await expectRows(page, ["Ash|30|Novel|3030", "Elm|10|Poetry|1010", "Fir|20|Novel|2020"]);
    expect(ada.problems).toEqual([]);
  });

  test("pastes from a spreadsheet after a preview, and copies", async () => {
    await openTable(page, doc, "Books");
    await cell(page, 3, 1).click();
    await pasteText(page, 'Yew\t7\tNovel\t99\r\n"Two\nlines"\tlots\tPoetry\t1\r\n');
    const dialog = page.getByRole("dialog");
    await expectPoll(() => dialog.textContent()).toContain("1 row is changed, from row 3 on. 1 row is added.");
    await expectPoll(() => dialog.textContent()).toContain("1 column does not fit here");
    await expectPoll(() => dialog.locator("td.stray").allTextContents()).toEqual(["lots"]);
    await button(dialog, "Paste").click();
    await dialog.waitFor({ state: "detached" });
    expect(await until(page, "document.querySelector('#sheet-count').textContent === '4 rows'")).toBe(true);
    const rows = await records(ada, doc, "Books");
    expect(rows.map(({ fields }) => [fields["Title"], fields["Pages"], fields["Kind"]])).toEqual([
      ["Ash", 30, "Novel"],
      ["Elm", 10, "Poetry"],
      ["Yew", 7, "Novel"],
      ["Two\nlines", "lots", "Poetry"],
    ]);
    await cell(page, 3, 1).click();
    await press(page, "Shift+ArrowDown", "Shift+ArrowRight");
    expect(await copiedText(page)).toBe('Yew\t7\n"Two\nlines"\tlots');
    await page.keyboard.press("Control+z");
    await expectRows(page, ["Ash|30|Novel|60", "Elm|10|Poetry|20", "Fir|20|Novel|40"]);
    expect(ada.problems).toEqual([]);
  });

  test("adds, renames and deletes tables", async () => {
    await openTable(page, doc, "Books");
    await button(page, "Add table").click();
    await page.getByRole("dialog").getByLabel("Name").fill("People");
    await button(page.getByRole("dialog"), "Add table").click();
    await page.waitForURL(`/docs/${doc}/tables/People`);
    await expectPoll(() => page.locator("#tables .entry > a").allTextContents()).toEqual(["Table1", "Books", "People"]);
    await button(page.locator("#sidebar"), "Menu of table People").click();
    await item(page, "Rename…").click();
    await page.getByRole("dialog").getByLabel("Name").fill("Staff");
    await page.keyboard.press("Enter");
    await page.waitForURL(`/docs/${doc}/tables/Staff`);
    await button(page.locator("#toolbar"), "Menu of table Staff").click();
    await item(page, "Delete…").click();
    await button(page, "Delete table").click();
    await opened(page, doc);
    await expectPoll(() => page.locator("#tables .entry > a").allTextContents()).toEqual(["Table1", "Books"]);
    expect(ada.problems).toEqual([]);
  });
});
