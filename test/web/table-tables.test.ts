/** Adding, renaming, duplicating and deleting tables, and their undo. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, dialog, item, press, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, expectRows, opened, openTable } from "./table-page.ts";

const PEOPLE = {
  id: "People",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    { id: "Boss", fields: { type: "Ref:People" } },
    { id: "Upper", fields: { type: "Text", isFormula: true, formula: "$Name.upper()" } },
    { id: "Staff", fields: { type: "Int", isFormula: true, formula: "len(People.lookupRecords(Boss=$id))" } },
  ],
  rows: [
    { Name: "Anna", Boss: 0 },
    { Name: "Bo", Boss: 1 },
  ],
};

const VISITS = {
  id: "Visits",
  columns: [
    { id: "Person", fields: { type: "Ref:People" } },
    { id: "Who", fields: { type: "Text", isFormula: true, formula: "$Person.Name" } },
  ],
  rows: [{ Person: 2 }],
};

const ROWS = ["Anna||ANNA|1", "Bo|People[1]|BO|0"];

let ada: Visit;
let page: Page;
let doc: string;
let invite: Story["invite"];

const path = () => new URL(page.url()).pathname;
const tableIds = async () =>
  (await call<{ tables: { id: string }[] }>(ada, "GET", `/api/docs/${doc}/tables`)).tables.map(({ id }) => id);
const toasts = () => page.locator("#toasts");
const inMenu = async (table: string, command: string, on = page) => {
  await button(on.locator("#sidebar"), `Menu of table ${table}`).click({ force: true });
  await item(on, command).click();
};
const deleteTable = async (table: string) => {
  await inMenu(table, "Delete…");
  await button(dialog(page), "Delete table").click();
};
const at = (table: string) => page.waitForURL(`**/docs/${doc}/tables/${table}`);
const undo = async (keys = "Control+z") => {
  await page.locator(".grid").waitFor();
  await cell(page, 1, 1).click();
  await press(page, keys);
};

describe.skipIf(!CHROMIUM)(inBrowser("the tables of a document"), () => {
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, PEOPLE);
    await makeTable(ada, doc, VISITS);
    await call(ada, "DELETE", `/api/docs/${doc}/tables/Table1`).catch(() => {});
  });

  test("are restored by Undo after a deletion, with references, formulas and rows", async () => {
    await openTable(page, doc, "People");
    await deleteTable("People");
    // Another table is shown.
    await opened(page, doc);
    await shownText(toasts(), "Table People deleted.").waitFor();
    expect(await tableIds()).not.toContain("People");
    await button(toasts(), "Undo").click();
    await at("People");
    await expectRows(page, ROWS);
    expect(await records(ada, doc, "Visits")).toMatchObject([{ fields: { Person: 2, Who: "Bo" } }]);
    // Redo deletes it again, and Undo restores it, after a reload as well.
    await undo("Control+y");
    await opened(page, doc);
    await expectPoll(tableIds).not.toContain("People");
    await page.reload();
    await undo();
    await at("People");
    await expectRows(page, ROWS);
    // A further change is undone alone, and then there is nothing to redo.
    await cell(page, 1, 1).click();
    await page.keyboard.type("Cleo");
    await press(page, "Enter");
    await expectRows(page, ["Cleo||CLEO|1", ROWS[1] ?? ""]);
    await undo();
    await expectRows(page, ROWS);
    expect(path()).toBe(`/docs/${doc}/tables/People`);
    expect(ada.problems).toEqual([]);
  });

  test("are deleted in the sidebar beside another one, which stays", async () => {
    await openTable(page, doc, "Visits", "?sort=-Person");
    await deleteTable("People");
    await shownText(toasts(), "Table People deleted.").waitFor();
    expect(path()).toBe(`/docs/${doc}/tables/Visits`);
    await button(toasts(), "Undo").click();
    await at("People");
    await expectRows(page, ROWS);
    expect(ada.problems).toEqual([]);
  });

  test("can all be deleted, and restored", async () => {
    await openTable(page, doc, "Visits");
    for (const table of (await tableIds()).filter((id) => id !== "Visits")) {
      await deleteTable(table);
      await shownText(toasts(), `Table ${table} deleted.`).waitFor();
    }
    await deleteTable("Visits");
    await shownText(page, "No tables yet").waitFor();
    expect(await violations(page)).toEqual([]);
    await button(page.locator(".empty"), "Undo").click();
    await at("Visits");
    expect(await tableIds()).toEqual(["Visits"]);
    await undo("Control+y");
    await shownText(page, "No tables yet").waitFor();
    // Its script takes the keys.
    await button(page.locator(".empty"), "Undo").waitFor();
    await press(page, "Control+z");
    await at("Visits");
    expect(ada.problems).toEqual([]);
  });

  test("are renamed and added with undo", async () => {
    await openTable(page, doc, "People");
    await inMenu("People", "Rename…");
    await dialog(page).getByLabel("Name").fill("Staff of 2026");
    await button(dialog(page), "Rename").click();
    await at("Staff_of_2026");
    await shownText(toasts(), "People renamed to Staff of 2026.").waitFor();
    await button(toasts(), "Undo").click();
    await at("People");
    await undo("Control+y");
    await at("Staff_of_2026");
    await undo();
    await at("People");
    await button(page, "Add table").click();
    await dialog(page).getByLabel("Name").fill("Rooms");
    await button(dialog(page), "Add table").click();
    await at("Rooms");
    await shownText(toasts(), "Table Rooms added.").waitFor();
    await button(toasts(), "Undo").click();
    // The table of the page is gone.
    await opened(page, doc);
    expect(await tableIds()).not.toContain("Rooms");
    expect(ada.problems).toEqual([]);
  });

  test("are duplicated with their records or without", async () => {
    await openTable(page, doc, "People");
    await inMenu("People", "Duplicate…");
    const records = dialog(page).getByLabel("Copy its records too");
    expect(await records.isChecked()).toBe(true);
    await button(dialog(page), "Duplicate").click();
    await at("People_copy");
    await shownText(toasts(), "People duplicated as People copy.").waitFor();
    // References and formulas are about the copy itself.
    const copied = ROWS.map((row) => row.replace("People[", "People_copy["));
    await expectRows(page, copied);
    await cell(page, 1, 1).click();
    await page.keyboard.type("Cleo");
    await press(page, "Enter");
    await expectRows(page, ["Cleo||CLEO|1", copied[1] ?? ""]);
    await openTable(page, doc, "People");
    await expectRows(page, ROWS);
    await inMenu("People", "Duplicate…");
    await dialog(page).getByLabel("Name").fill("Empty");
    await records.uncheck();
    await button(dialog(page), "Duplicate").click();
    await at("Empty");
    await shownText(page, "0 rows").waitFor();
    await button(toasts(), "Undo").click();
    await opened(page, doc);
    expect(await tableIds()).not.toContain("Empty");
    expect(await tableIds()).toContain("People_copy");
    expect(ada.problems).toEqual([]);
  });

  test("may have hostile names", async () => {
    await openTable(page, doc, "People");
    await inMenu("People", "Rename…");
    await dialog(page).getByLabel("Name").fill(HOSTILE_NAME);
    await button(dialog(page), "Rename").click();
    await shownText(toasts(), /renamed to/).waitFor();
    await expectHarmless(page);
    await inMenu(HOSTILE_NAME, "Duplicate…");
    await expectHarmless(page);
    await button(dialog(page), "Duplicate").click();
    await shownText(toasts(), /duplicated as/).waitFor();
    await expectHarmless(page);
    await deleteTable(`${HOSTILE_NAME} copy`);
    await shownText(toasts(), /deleted\./).waitFor();
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("have no commands for viewers, and show to others that a deletion was undone", async () => {
    await using ben = await invite(doc, "viewers");
    await openTable(ben.page, doc, "People");
    expect(await ben.page.getByRole("button", { name: /^Menu of table/ }).count()).toBe(0);
    await openTable(page, doc, "People");
    await deleteTable("People");
    await shownText(ben.page, "This table was deleted.").waitFor();
    await button(toasts(), "Undo").click();
    await expectPoll(() => shownText(ben.page, "This table was deleted.").count()).toBe(0);
    await expectRows(ben.page, ROWS);
  });
});

describe.skipIf(!CHROMIUM)(inBrowser("tables that the history does not keep"), () => {
  eachStory(
    async (story) => {
      ({ ada, page, invite } = story);
      doc = await makeDocument(ada);
      const rows = Array.from({ length: 200 }, (_, n) => ({ Name: `Person ${n}` }));
      await makeTable(ada, doc, { ...PEOPLE, rows });
    },
    { flags: { "history-bytes": "4KB" } },
  );

  test("are restored from a snapshot", async () => {
    await openTable(page, doc, "People");
    await inMenu("People", "Delete…");
    await shownText(dialog(page), /more than the history keeps. A snapshot is saved first/).waitFor();
    await button(dialog(page), "Delete table").click();
    await shownText(toasts(), "Table People deleted.").waitFor();
    await button(toasts(), "Undo").click();
    await at("People");
    await shownText(page, "200 rows").waitFor();
  });

  test("are deleted without a snapshot by editors", async () => {
    await using ben = await invite(doc, "editors");
    await openTable(ben.page, doc, "People");
    await inMenu("People", "Delete…", ben.page);
    await shownText(dialog(ben.page), /You can undo this only until the document is changed/).waitFor();
    expect(await violations(ben.page)).toEqual([]);
  });
});
