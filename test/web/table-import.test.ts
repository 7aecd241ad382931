/** Importing files on the page of a table: by its preview, as new tables or into an existing one. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, item, shownText } from "./controls.ts";
import { chooseFile, columnLines, importWindow, result, textFile } from "./import-window.ts";
import { eachStory } from "./scene.ts";
import { expectRows, openTable } from "./table-page.ts";

const GERMAN = `Umsätze März 2026

Konto;Tag;Betrag;Bezahlt
00421;02.03.2026;1.234,50 €;WAHR
00422;05.03.2026;89,90 €;FALSCH
00423;11.03.2026;240,00 €;FALSCH
`;

const PEOPLE = {
  id: "People",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    { id: "Born", fields: { type: "Date", widgetOptions: '{"dateFormat":"YYYY-MM-DD"}' } },
    { id: "Score", fields: { type: "Numeric" } },
    { id: "Upper", fields: { type: "Text", isFormula: true, formula: "$Name.upper()" } },
  ],
  rows: [
    { Name: "Anna", Score: 1 },
    { Name: "Bo", Score: 2 },
  ],
};

let ada: Visit;
let page: Page;
let doc: string;

const toasts = () => page.locator("#toasts");
const openNew = async () => {
  await button(page.locator("#sidebar"), "Import a file").click({ force: true });
  await importWindow(page).waitFor();
};

describe.skipIf(!CHROMIUM)(inBrowser("a person who imports a file into a document"), () => {
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, PEOPLE);
    await call(ada, "DELETE", `/api/docs/${doc}/tables/Table1`).catch(() => {});
  });

  test("sees what was detected in a German file, changes a type, and undoes the new table", async () => {
    await openTable(page, doc, "People");
    await openNew();
    await chooseFile(page, textFile("umsatz.csv", GERMAN));
    await expectPoll(() => columnLines(page)).toEqual([
      "Konto | 00421 | Text Numbers with leading zeros or many digits are codes, so they stay text. | All cells fit",
      "Tag | 02.03.2026 | Date, day first | All cells fit",
      "Betrag | €1,234.50 | Currency, decimal comma | All cells fit",
      "Bezahlt | true | Checkbox | All cells fit",
    ]);
    await expectPoll(() => result(page).textContent()).toBe("3 rows");
    const window = importWindow(page);
    await window.getByText("Left out above the header: Umsätze März 2026").waitFor();
    await window.getByLabel("Type of Tag").selectOption("Text");
    await window.getByLabel("Type of Konto").selectOption("Int");
    await button(window, "Import 3 rows").click();
    await page.waitForURL(`**/docs/${doc}/tables/Umsatz`);
    await expectRows(page, ["421|02.03.2026|€1,234.50|Yes", "422|05.03.2026|€89.90|No", "423|11.03.2026|€240.00|No"]);
    await shownText(toasts(), "3 rows imported into Umsatz.").waitFor();
    await button(toasts(), "Undo").click();
    await page.waitForURL(`**/docs/${doc}`);
    await expectPoll(async () =>
      (await call<{ tables: { id: string }[] }>(ada, "GET", `/api/docs/${doc}/tables`)).tables.map(({ id }) => id),
    ).toEqual(["People"]);
    expect(ada.problems).toEqual([]);
  });

  test("matches columns of an existing table, and updates rows with the same name", async () => {
    await openTable(page, doc, "People");
    await button(page.locator("#toolbar"), "Menu of table People").click();
    await item(page, "Import a file…").click();
    const window = importWindow(page);
    await chooseFile(page, textFile("people.csv", "name;born;points\nBo;31.12.1999;7\nCleo;01.02.2001;x\nAnna;;5\n"));
    await expectPoll(() => columnLines(page)).toEqual([
      "name | Bo | Name | Text | All cells fit",
      "born | 31.12.1999 | Born | Date | All cells fit",
      "points | 7 | Leave out |  | Left out",
    ]);
    await expectPoll(() => result(page).textContent()).toBe("3 new");
    await window.getByLabel("Column for points").selectOption({ label: "Score" });
    await expectPoll(() => result(page).textContent()).toBe("3 new, 1 cell stays text");
    await expectPoll(async () => (await columnLines(page))[2]).toBe(
      "points | 7 | Score | Number | 1 of 3 cells stay text Examples: x",
    );
    await window.getByLabel("Update rows with the same …").check();
    await expectPoll(() => result(page).textContent()).toBe("Choose the columns that identify a row.");
    await window.getByRole("group", { name: "Same values in" }).getByLabel("Name").check();
    await expectPoll(() => result(page).textContent()).toBe("1 new, 2 updated, 1 cell stays text");
    await window.getByLabel("Add rows that do not exist yet").uncheck();
    await expectPoll(() => result(page).textContent()).toContain("1 skipped");
    await window.getByLabel("Add rows that do not exist yet").check();
    await expectPoll(() => button(window, "Import 3 rows").getAttribute("aria-disabled")).toBe("false");
    await button(window, "Import 3 rows").click();
    await expectRows(page, ["Anna||5|ANNA", "Bo|1999-12-31|7|BO", "Cleo|2001-02-01|x|CLEO"]);
    await shownText(toasts(), "3 rows imported into People.").waitFor();
    await button(toasts(), "Undo").click();
    await expectRows(page, ["Anna||1|ANNA", "Bo||2|BO"]);
    expect(ada.problems).toEqual([]);
  });
});
