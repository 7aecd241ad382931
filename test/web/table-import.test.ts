/** Importing files on the page of a table: by its preview, as new tables or into an existing one. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { book, sheetXml } from "../exchange/book.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, item, problem, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_LINES, HOSTILE_NAME } from "./hostile.ts";
import { chooseFile, columnLines, importWindow, result, textFile } from "./import-window.ts";
import { eachStory } from "./scene.ts";
import { expectRows, opened, openTable } from "./table-page.ts";

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
    await opened(page, doc);
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

  test("updates rows from a workbook with a title, empty columns and mixed dates", async () => {
    const cells = (...values: readonly (string | number)[]) =>
      values.map((value) =>
        typeof value === "number" ? `<c s="1"><v>${value}</v></c>` : `<c t="inlineStr"><is><t>${value}</t></is></c>`,
      );
    const rows = [
      cells("Staff of the shop", "", "", ""),
      cells("as of May", "", "", ""),
      cells("Who", "", "Birthday", "Points"),
      // 31 December 1999 and 1 February 2001 as numbers of days, and a date as a text.
      cells("Bo", "", 36_525, "7"),
      cells("Cleo", "", 36_923, "8"),
      cells("Anna", "", "soon", "1"),
    ];
    const styles =
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd.mm.yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>';
    const sheet = sheetXml(rows.map((row) => `<row>${row.join("")}</row>`).join(""));
    const workbook = book({ "xl/worksheets/sheet1.xml": sheet, "xl/styles.xml": styles });
    await openTable(page, doc, "People");
    await openNew();
    const window = importWindow(page);
    await chooseFile(page, { name: "staff.xlsx", buffer: Buffer.from(workbook) });
    await window.getByText("Left out above the header: Staff of the shop, as of May").waitFor();
    await window.getByLabel("Import into").selectOption("People");
    await window.getByLabel("Column for Who").selectOption({ label: "Name" });
    await window.getByLabel("Column for Birthday").selectOption({ label: "Born" });
    await window.getByLabel("Update rows with the same …").check();
    await window.getByRole("group", { name: "Same values in" }).getByLabel("Name").check();
    await expectPoll(() => result(page).textContent()).toBe("1 new, 2 updated, 1 cell stays text");
    await expectPoll(() => columnLines(page)).toEqual([
      "Who | Bo | Name | Text | All cells fit",
      "Birthday | 31.12.1999 | Born | Date | 1 of 3 cells stay text Examples: soon",
      "Points | 7 | Leave out |  | Left out",
    ]);
    await button(window, "Import 3 rows").click();
    await expectRows(page, ["Anna|soon|1|ANNA", "Bo|1999-12-31|2|BO", "Cleo|2001-02-01|0|CLEO"]);
    expect(ada.problems).toEqual([]);
  });

  test("chooses tables and columns of a JSON file", async () => {
    const shop = {
      orders: [{ number: 1, customer: { name: "Ann" }, note: "x" }],
      goods: [
        { name: "Bell", price: 2.5 },
        { name: "Lamp", price: 40 },
      ],
      staff: [{ name: "Bo" }],
    };
    await openTable(page, doc, "People");
    await openNew();
    const window = importWindow(page);
    await chooseFile(page, textFile("shop.json", JSON.stringify(shop)));
    const sheets = window.getByRole("group", { name: "Tables in the file" });
    await expectPoll(() => sheets.getByRole("checkbox").count()).toBe(4);
    await expectPoll(() => result(page).textContent()).toBe("5 rows");
    await sheets.getByLabel("staff").uncheck();
    await sheets.getByLabel("orders_customer").uncheck();
    await window.getByLabel("Import note").uncheck();
    await expectPoll(() => button(window, "Import 3 rows").getAttribute("aria-disabled")).toBe("false");
    await button(window, "Import 3 rows").click();
    await page.waitForURL(`**/docs/${doc}/tables/Orders`);
    await expectRows(page, ["1"]);
    const { tables } = await call<{ tables: { id: string }[] }>(ada, "GET", `/api/docs/${doc}/tables`);
    expect(tables.map(({ id }) => id)).toEqual(["People", "Orders", "Goods"]);
    expect(ada.problems).toEqual([]);
  });

  test("reads in a file again with another header row, separator and encoding", async () => {
    await openTable(page, doc, "People");
    await openNew();
    const window = importWindow(page);
    await chooseFile(page, textFile("list.csv", "a,b;c\nd,ü;f\n1,2;3\n"));
    await result(page).waitFor();
    await window.getByRole("combobox", { name: /^Separator/ }).selectOption({ label: "Comma" });
    await window.getByLabel("Header row").fill("2");
    const names = async () => (await columnLines(page)).map((line) => line.split(" | ")[0]);
    await expectPoll(names).toEqual(["d", "ü;f"]);
    await window.getByLabel("Encoding").selectOption("windows-1252");
    await expectPoll(names).toEqual(["d", "Ã¼;f"]);
    // Columns of a reading that fails stay, and the reason is shown.
    await window.getByLabel("Header row").fill("9");
    await problem(window).waitFor();
    expect(await names()).toEqual(["d", "Ã¼;f"]);
    await window.getByLabel("Header row").fill("2");
    await expectPoll(() => problem(window).count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });

  test("reads why a file cannot be read, and chooses another one", async () => {
    await openTable(page, doc, "People");
    await openNew();
    const window = importWindow(page);
    await chooseFile(page, { name: "photo.csv", buffer: Buffer.from([0, 1, 2, 0, 255, 0, 7]) });
    await problem(window).waitFor();
    await chooseFile(page, { name: "letter.pdf", buffer: Buffer.from("%PDF-1.4") });
    await expectPoll(() => problem(window).textContent()).toContain("CSV");
    await chooseFile(page, textFile("good.csv", "A,B\n1,2\n"));
    await expectPoll(() => result(page).textContent()).toBe("1 row");
    expect(ada.problems).toEqual([]);
  });

  test("imports hostile names and values as they are", async () => {
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const names = HOSTILE_LINES.slice(0, 9);
    const text = `${names.map(quoted).join(",")}\n${names.map((name) => quoted(`${name}!`)).join(",")}\n`;
    await openTable(page, doc, "People");
    await openNew();
    await chooseFile(page, textFile(`${HOSTILE_NAME}.csv`, text));
    await expectPoll(async () => (await columnLines(page)).length).toBe(names.length);
    await expectHarmless(page);
    await importWindow(page).getByLabel("Import into").selectOption("People");
    await expectPoll(() => result(page).textContent()).toContain("Choose a column");
    await expectHarmless(page);
    expect(await violations(page)).toEqual([]);
    expect(ada.problems).toEqual([]);
  });
});
