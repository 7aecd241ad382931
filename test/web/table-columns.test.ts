import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, dialog, fillCode, item, shownText } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, expectRows, openTable, until } from "./table-page.ts";

const CUSTOMERS = {
  id: "Customers",
  columns: [
    { id: "City", fields: { type: "Text" } },
    { id: "Name", fields: { type: "Text" } },
  ],
  rows: [
    { City: "Berlin", Name: "Anna Kern" },
    { City: "Lyon", Name: "Bruno Ortiz" },
  ],
};

const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Customer", fields: { type: "Text" } },
    { id: "Due", fields: { type: "Text" } },
    { id: "Total", fields: { type: "Text" } },
  ],
  rows: [
    { Customer: "Anna Kern", Due: "31.12.2024", Total: "1,50" },
    { Customer: "Bruno Ortiz", Due: "01.02.2025", Total: "1.234,50" },
    { Customer: "Kunde X", Due: "bald", Total: "n/a" },
  ],
};

async function editColumn(page: Page, name: string): Promise<Locator> {
  await button(page, `Menu of ${name}`).click();
  await item(page, "Edit column…").click();
  const panel = page.locator(".panel");
  await panel.getByRole("heading", { name: `Column ${name}`, exact: true }).waitFor();
  return panel;
}

const choice = (panel: Locator, name: string): Locator => panel.getByRole("combobox", { name, exact: true });

const preview = (panel: Locator): Locator => panel.locator(".type-preview");

describe.skipIf(!CHROMIUM)(inBrowser("a person who changes columns"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, CUSTOMERS);
    await makeTable(ada, doc, ORDERS);
    const documentSettings = JSON.stringify({ locale: "de-DE" });
    await call(ada, "POST", `/api/docs/${doc}/apply`, [["UpdateRecord", "_grist_DocInfo", 1, { documentSettings }]]);
    await openTable(page, doc, "Orders");
  });

  test("converts texts to dates in their format, after a preview of how many convert", async () => {
    const panel = await editColumn(page, "Due");
    await choice(panel, "Type").selectOption("Date");
    await preview(panel).getByText("2 of 3 cells convert. 1 stays as text: “bald” (1).").waitFor();
    await expectPoll(() => choice(panel, "Date format").inputValue()).toBe("DD.MM.YYYY");
    // Nothing changes before it is applied.
    expect((await records(ada, doc, "Orders"))[0]?.fields["Due"]).toBe("31.12.2024");
    // A format entered by the user is previewed and kept.
    await choice(panel, "Date format").selectOption("MM/DD/YYYY");
    await preview(panel).getByText("1 of 3 cells convert. 2 stay as text: “31.12.2024” (1), “bald” (1).").waitFor();
    await choice(panel, "Date format").selectOption("DD.MM.YYYY");
    await preview(panel).getByText("2 of 3 cells convert.").waitFor();
    await button(panel, "Apply").click();
    await panel.waitFor({ state: "detached" });
    await expectRows(page, ["Anna Kern|31.12.2024|1,50", "Bruno Ortiz|01.02.2025|1.234,50", "Kunde X|bald|n/a"]);
    const dates = (await records(ada, doc, "Orders")).map(({ fields }) => fields["Due"]);
    expect(dates).toEqual([Date.UTC(2024, 11, 31) / 1000, Date.UTC(2025, 1, 1) / 1000, "bald"]);
    await page.locator(".toast").getByText("2 of 3 cells converted.").waitFor();
    // One change, undone by one Undo.
    await button(page.locator(".toast"), "Undo").click();
    await page.getByRole("columnheader", { name: "Due, text" }).waitFor();
    expect((await records(ada, doc, "Orders"))[0]?.fields["Due"]).toBe("31.12.2024");
    expect(ada.problems).toEqual([]);
  });

  test("converts texts to numbers in the document's locale, and to references by display value", async () => {
    let panel = await editColumn(page, "Total");
    await choice(panel, "Type").selectOption("Numeric");
    await preview(panel).getByText("2 of 3 cells convert.").waitFor();
    await preview(panel).getByText("(de-DE): 1.234,50").waitFor();
    await button(panel, "Apply").click();
    await panel.waitFor({ state: "detached" });
    panel = await editColumn(page, "Customer");
    await choice(panel, "Type").selectOption("Ref");
    await choice(panel, "Table").selectOption("Customers");
    await preview(panel).getByText("None of the 3 cells convert").waitFor();
    await choice(panel, "Shows").selectOption({ label: "Name" });
    await preview(panel).getByText("2 of 3 cells convert. 1 stays as text: “Kunde X” (1).").waitFor();
    await button(panel, "Apply").click();
    await panel.waitFor({ state: "detached" });
    const rows = (await records(ada, doc, "Orders")).map(({ fields }) => [fields["Customer"], fields["Total"]]);
    expect(rows).toEqual([
      [1, 1.5],
      [2, 1234.5],
      ["Kunde X", "n/a"],
    ]);
    expect(await until(page, "document.querySelectorAll('.grid .cell.stray').length === 2")).toBe(true);
    await expectPoll(() => cell(page, 1, 1).textContent()).toBe("Anna Kern");
    expect(ada.problems).toEqual([]);
  });

  test("cancels a type change, and must confirm leaving an unsaved one", async () => {
    const panel = await editColumn(page, "Total");
    await choice(panel, "Type").selectOption("Numeric");
    await preview(panel).getByText("2 of 3 cells convert.").waitFor();
    await page.keyboard.press("Escape");
    await shownText(dialog(page), "Discard the type change?").waitFor();
    await button(dialog(page), "Keep editing").click();
    await expectPoll(() => choice(panel, "Type").inputValue()).toBe("Numeric");
    await button(panel, "Cancel").click();
    await expectPoll(() => choice(panel, "Type").inputValue()).toBe("Text");
    await expectPoll(() => preview(panel).textContent()).toBe("");
    await button(panel, "Save").waitFor();
    // Another column's panel asks too; a changed name is an unsaved edit.
    await panel.getByLabel("Name", { exact: true }).fill("Sum");
    await button(page, "Menu of Due").click();
    await item(page, "Edit column…").click();
    await shownText(dialog(page), "Discard the changes?").waitFor();
    await button(dialog(page), "Discard").click();
    await page.locator(".panel").getByRole("heading", { name: "Column Due" }).waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect((await records(ada, doc, "Orders"))[0]?.fields["Total"]).toBe("1,50");
    expect(ada.problems).toEqual([]);
  });

  test("must confirm Escape in a dialog only with unsaved input", async () => {
    await button(page, "Column").click();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await button(page, "Column").click();
    await dialog(page).getByLabel("Name").fill("Weight");
    await page.keyboard.press("Escape");
    await shownText(dialog(page), "Discard your changes?").waitFor();
    await page.keyboard.press("Escape");
    await shownText(dialog(page), "Discard your changes?").waitFor({ state: "detached" });
    await expectPoll(() => dialog(page).getByLabel("Name").inputValue()).toBe("Weight");
    await button(dialog(page), "Close").click();
    await button(page, "Discard").click();
    await dialog(page).waitFor({ state: "detached" });
    expect(ada.problems).toEqual([]);
  });

  test("cannot apply a type change whose preview failed, and retries", async () => {
    await page.route("**/convert?**", (route) => route.abort("connectionrefused"));
    const panel = await editColumn(page, "Total");
    await choice(panel, "Type").selectOption("Numeric");
    await preview(panel).getByText("The server does not respond.").waitFor();
    await expectPoll(() => button(panel, "Apply").isDisabled()).toBe(true);
    await page.unroute("**/convert?**");
    await button(panel, "Try again").click();
    await preview(panel).getByText("2 of 3 cells convert.").waitFor();
    await expectPoll(() => button(panel, "Apply").isDisabled()).toBe(false);
    // Without unsaved input, leaving asks nothing.
    await button(panel, "Cancel").click();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
  });

  test("is warned in words of a formula that fails in some rows", async () => {
    const panel = await editColumn(page, "Total");
    await panel.getByRole("radio", { name: "Formula" }).check();
    await fillCode(panel.getByRole("textbox", { name: "Formula" }), "1 / ($id - 2)");
    await button(panel, "Save").click();
    const message = "Total was saved, but its formula fails in 1 row: A number is divided by zero.";
    await page.locator(".toast").getByText(message).waitFor();
    await panel.locator(".formula-problems").getByText("In 1 row").waitFor();
    // The text has changed: the previous message is gone.
    await fillCode(panel.getByRole("textbox", { name: "Formula" }), "1 /");
    await expectPoll(() => panel.locator(".formula-problems").textContent()).toBe("");
    await button(panel, "Save").click();
    await page.locator(".toast").getByText("fails in every row: The formula has a syntax error").waitFor();
    expect(ada.problems).toEqual([]);
  });

  test("sees that another column has the same name, with ids to distinguish them", async () => {
    await button(page, "Column").click();
    await dialog(page).getByLabel("Name").fill("Due");
    await shownText(dialog(page), "Another column is called Due.").waitFor();
    await dialog(page).getByLabel("Name").fill("Due d");
    await expectPoll(() => dialog(page).locator(".same-name").textContent()).toBe("");
    await dialog(page).getByLabel("Name").fill("Due");
    await button(page, "Add column").click();
    await page.getByRole("columnheader", { name: "Due (Due2), text" }).waitFor();
    await page.getByRole("columnheader", { name: "Due, text" }).waitFor();
    await button(page, "Menu of Due (Due2)").click();
    await item(page, "Sort ascending").click();
    await page.locator("#sheet-view").getByLabel("Due (Due2), ascending", { exact: true }).waitFor();
    const panel = await editColumn(page, "Due (Due2)");
    await panel.getByText("Another column is called Due.").waitFor();
    expect(ada.problems).toEqual([]);
  });
});
