/** Working with rows in the grid: the blank row below all others, and rows that keep their place while they are edited. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, press, shownText } from "./controls.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, copiedText, expectRows, openTable, pasteText } from "./table-page.ts";

const BOOKS = {
  id: "Books",
  columns: [
    { id: "Title", fields: { type: "Text" } },
    { id: "Pages", fields: { type: "Int" } },
    { id: "Kind", fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: ["Novel", "Poetry"] }) } },
    { id: "Read", fields: { type: "Bool" } },
    { id: "Double", fields: { type: "Int", isFormula: true, formula: "$Pages * 2" } },
  ],
  rows: [
    { Title: "Ash", Pages: 30, Kind: "Novel" },
    { Title: "Elm", Pages: 10, Kind: "Poetry" },
    { Title: "Fir", Pages: 20, Kind: "Novel" },
  ],
};
const ASH = "Ash|30|Novel|No|60";
const ELM = "Elm|10|Poetry|No|20";
const FIR = "Fir|20|Novel|No|40";

const blankCell = (page: Page, column: number) =>
  page.locator(`.grid .blank-row [role=gridcell][aria-colindex="${column + 1}"]`);

/** What screen readers read of the active cell, and its row among all rows. */
const activeCell = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const cell = document.activeElement;
    const row = cell.closest("[role=row]");
    const grid = cell.closest("[role=grid]");
    return [cell.ariaLabel, row?.ariaRowIndex ?? row?.getAttribute("aria-rowindex"), grid?.getAttribute("aria-rowcount")].join(" · ");
  })()`);

describe.skipIf(!CHROMIUM)(inBrowser("the blank row"), () => {
  let story: Story;
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (begun) => {
    story = begun;
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, BOOKS);
  });

  test("takes rows by typing, Enter going on to the next one, and one Undo removes a row", async () => {
    await openTable(page, doc, "Books");
    await cell(page, 3, 1).click();
    await press(page, "ArrowDown");
    expect(await activeCell(page)).toBe("Title: new row · 5 · 5");
    await page.keyboard.type("Oak");
    await press(page, "Enter");
    await page.keyboard.type("Yew");
    await press(page, "Tab");
    await page.keyboard.type("7");
    await press(page, "Enter");
    await expectRows(page, [ASH, ELM, FIR, "Oak|0||No|0", "Yew|7||No|14"]);
    await expectPoll(() => activeCell(page)).toBe("Pages: new row · 7 · 7");
    expect(await page.locator("#sheet-count").textContent()).toBe("5 rows");
    await press(page, "Control+z", "Control+z");
    await expectRows(page, [ASH, ELM, FIR, "Oak|0||No|0"]);
    await press(page, "Control+z");
    await expectRows(page, [ASH, ELM, FIR]);
    await page.reload();
    await expectRows(page, [ASH, ELM, FIR]);
    expect(ada.problems).toEqual([]);
  });

  test("is reached by arrows, Tab, Enter on the last row, and the pointer, and left without adding a row", async () => {
    await openTable(page, doc, "Books");
    await cell(page, 1, 1).click();
    await press(page, "Control+End");
    expect(await activeCell(page)).toBe("Double: 40 · 4 · 5");
    await press(page, "Tab");
    expect(await activeCell(page)).toBe("Title: new row · 5 · 5");
    await press(page, "F2", "Escape", "F2", "Enter", "ArrowUp");
    expect(await activeCell(page)).toBe("Title: Fir · 4 · 5");
    await page.keyboard.type("Fig");
    await press(page, "Enter");
    expect(await activeCell(page)).toBe("Title: new row · 5 · 5");
    await blankCell(page, 2).dblclick();
    await page.locator(".editor textarea").waitFor();
    await press(page, "Escape");
    await page.locator(".blank-row .row-head").click();
    expect(await activeCell(page)).toBe("Title: new row · 5 · 5");
    await expectRows(page, [ASH, ELM, "Fig|20|Novel|No|40"]);
    expect(await records(ada, doc, "Books")).toHaveLength(3);
    expect(ada.problems).toEqual([]);
  });

  test("takes pasted rows, checkboxes and choices, and is in no selection", async () => {
    await openTable(page, doc, "Books");
    await blankCell(page, 1).click();
    await pasteText(page, "Oak\t5\nYew\t6");
    await expectRows(page, [ASH, ELM, FIR, "Oak|5||No|10", "Yew|6||No|12"]);
    await blankCell(page, 4).click();
    await press(page, "Space");
    await expectPoll(async () => (await records(ada, doc, "Books")).at(-1)?.fields["Read"]).toBe(true);
    await blankCell(page, 3).click();
    await page.keyboard.type("Nov");
    await press(page, "Enter");
    await expectPoll(async () => (await records(ada, doc, "Books")).map(({ fields }) => fields["Kind"])).toEqual([
      "Novel",
      "Poetry",
      "Novel",
      "",
      "",
      "",
      "Novel",
    ]);
    await press(page, "Control+a");
    await page.getByText("All 7 rows selected").first().waitFor();
    await cell(page, 5, 1).click();
    await press(page, "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown");
    expect(await copiedText(page)).toBe("Yew\n\n");
    expect(ada.problems).toEqual([]);
  });

  test("keeps refused input open, with the way to try again", async () => {
    await openTable(page, doc, "Books");
    await blankCell(page, 1).click();
    await page.keyboard.type("Oak");
    await page.context().setOffline(true);
    await press(page, "Enter");
    await page.locator(".editor .note").waitFor();
    await expectPoll(() => page.locator(".editor textarea").inputValue()).toBe("Oak");
    await expectRows(page, [ASH, ELM, FIR]);
    await page.context().setOffline(false);
    await button(page, "Try again").click();
    await expectRows(page, [ASH, ELM, FIR, "Oak|0||No|0"]);
  });

  test("is not there for viewers, and stays the active one when others add rows", async () => {
    await openTable(page, doc, "Books");
    await blankCell(page, 1).click();
    await call(ada, "POST", `/api/docs/${doc}/tables/Books/records`, { records: [{ fields: { Title: "Oak" } }] });
    await expectRows(page, [ASH, ELM, FIR, "Oak|0||No|0"]);
    await page.keyboard.type("Yew");
    await press(page, "Enter");
    await expectRows(page, [ASH, ELM, FIR, "Oak|0||No|0", "Yew|0||No|0"]);
    await using ben = await story.invite(doc, "viewers");
    await openTable(ben.page, doc, "Books");
    await expectRows(ben.page, [ASH, ELM, FIR, "Oak|0||No|0", "Yew|0||No|0"]);
    expect(await ben.page.locator(".blank-row").count()).toBe(0);
    expect(ben.problems).toEqual([]);
  });

  test("of sorted, filtered and grouped views keeps the new row until it is left", async () => {
    await openTable(page, doc, "Books", "?sort=Title");
    await blankCell(page, 1).click();
    await page.keyboard.type("Bay");
    await press(page, "Tab");
    await page.keyboard.type("3");
    await press(page, "Tab");
    await expectRows(page, [ASH, ELM, FIR, "Bay|3||No|6"]);
    await shownText(page, "This row moves to its place when you leave it.").waitFor();
    await press(page, "ArrowUp");
    await expectRows(page, [ASH, "Bay|3||No|6", ELM, FIR]);
    expect(await activeCell(page)).toBe("Kind: Novel · 5 · 6");

    await openTable(page, doc, "Books", `?filter=${JSON.stringify({ Kind: ["Poetry"] })}`);
    await blankCell(page, 1).click();
    await page.keyboard.type("Cob");
    await press(page, "Tab");
    await shownText(page, "This row no longer matches the filter.").waitFor();
    await expectRows(page, [ELM, "Cob|0||No|0"]);
    await press(page, "ArrowUp");
    await expectRows(page, [ELM]);

    await openTable(page, doc, "Books", "?group=Kind");
    await blankCell(page, 1).click();
    await page.keyboard.type("Dip");
    await press(page, "Tab");
    const groups = ["Kind Novel 2 rows", ASH, FIR, "Kind Poetry 1 row", ELM];
    const empty = ["Bay|3||No|6", "Cob|0||No|0"];
    await expectRows(page, [...groups, "Kind (empty) 2 rows", ...empty, "Dip|0||No|0"]);
    await press(page, "ArrowUp");
    await expectRows(page, [...groups, "Kind (empty) 3 rows", ...empty, "Dip|0||No|0"]);
    expect(ada.problems).toEqual([]);
  });
});

describe.skipIf(!CHROMIUM)(inBrowser("an edited row"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, BOOKS);
  });

  const change = (id: number, fields: Record<string, unknown>) =>
    call(ada, "PATCH", `/api/docs/${doc}/tables/Books/records`, { records: [{ id, fields }] });
  const spoken = () => page.locator("#live-region").textContent();

  test("of a filtered view stays until another row is active, through undo and changes of others", async () => {
    await openTable(page, doc, "Books", `?filter=${JSON.stringify({ Kind: ["Novel"] })}`);
    await cell(page, 1, 3).click();
    await page.keyboard.type("Poe");
    await press(page, "Tab");
    await expectPoll(spoken).toBe("This row no longer matches the filter. It disappears when you leave it.");
    await expectRows(page, ["Ash|30|Poetry|No|60", FIR]);
    await change(3, { Pages: 21 });
    await change(2, { Kind: "Novel" });
    await expectRows(page, ["Ash|30|Poetry|No|60", "Elm|10|Novel|No|20", "Fir|21|Novel|No|42"]);
    await press(page, "Control+z");
    await expectRows(page, [ASH, "Elm|10|Novel|No|20", "Fir|21|Novel|No|42"]);
    await page.locator(".held-line").waitFor({ state: "hidden" });
    await press(page, "Control+y");
    await shownText(page, "This row no longer matches the filter.").waitFor();
    await expectRows(page, ["Ash|30|Poetry|No|60", "Elm|10|Novel|No|20", "Fir|21|Novel|No|42"]);
    await press(page, "ArrowDown");
    await expectRows(page, ["Elm|10|Novel|No|20", "Fir|21|Novel|No|42"]);
    expect(await activeCell(page)).toBe("Read: No · 2 · 4");
    expect(ada.problems).toEqual([]);
  });

  test("of a sorted view stays in place, is left to the row beside it, and is cleared in place", async () => {
    await openTable(page, doc, "Books", "?sort=Pages");
    await expectRows(page, [ELM, FIR, ASH]);
    await cell(page, 1, 2).click();
    await page.keyboard.type("99");
    await press(page, "Tab", "Shift+Tab");
    await shownText(page, "This row moves to its place when you leave it.").waitFor();
    await expectRows(page, ["Elm|99|Poetry|No|198", FIR, ASH]);
    await press(page, "ArrowDown");
    await expectRows(page, [FIR, ASH, "Elm|99|Poetry|No|198"]);
    expect(await activeCell(page)).toBe("Pages: 20 · 2 · 5");
    await cell(page, 3, 2).click();
    await press(page, "Delete");
    await shownText(page, "This row moves to its place when you leave it.").waitFor();
    await cell(page, 1, 2).click();
    await expectRows(page, [FIR, ASH, "Elm||Poetry|No|Wrong type"]);
    expect(ada.problems).toEqual([]);
  });

  test("of a grouped view stays in its group, also as its only row; one that others delete goes", async () => {
    await openTable(page, doc, "Books", "?group=Kind");
    const novels = ["Kind Novel 2 rows", ASH, FIR];
    await expectRows(page, [...novels, "Kind Poetry 1 row", ELM]);
    await cell(page, 5, 3).click();
    await page.keyboard.type("Nov");
    await press(page, "Tab");
    await expectRows(page, [...novels, "Kind Poetry 1 row", "Elm|10|Novel|No|20"]);
    await shownText(page, "This row moves to its place when you leave it.").waitFor();
    await call(ada, "POST", `/api/docs/${doc}/tables/Books/records`, {
      records: [{ fields: { Title: "Oak", Kind: "Novel" } }],
    });
    const more = ["Kind Novel 3 rows", ASH, FIR, "Oak|0|Novel|No|0"];
    await expectRows(page, [...more, "Kind Poetry 1 row", "Elm|10|Novel|No|20"]);
    await call(ada, "POST", `/api/docs/${doc}/tables/Books/data/delete`, [2]);
    await expectRows(page, more);
    expect(ada.problems).toEqual([]);
  });
});
