/** A person makes an order book of two tables, and shows a view of it to a colleague. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "../browser.ts";
import { makeDocument, records } from "../calls.ts";
import { button, dialog, press } from "../controls.ts";
import { eachStory, type Story } from "../scene.ts";
import { cell, expectRows } from "../table-page.ts";
import { chooseTotal, DESKTOP, editColumn, groupTotals, lines, totalOf } from "./table-lines.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person with an order book"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let panel: Locator;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    await page.setViewportSize(DESKTOP);
    doc = await makeDocument(ada, "Order book");
    panel = page.locator(".panel");
    await page.goto(`/docs/${doc}`);
  });

  /** A new table has the columns A, B and C, which get other names and types. */
  async function addTable(name: string): Promise<void> {
    await button(page, "Add table").first().click();
    await dialog(page).getByLabel("Name").fill(name);
    await button(dialog(page), "Add table").click();
    await page.waitForURL(new RegExp(`/${name}$`));
    await page.locator(".grid").waitFor();
  }

  async function changeColumn(column: string, name: string, type?: string): Promise<void> {
    await editColumn(page, column);
    await panel.getByRole("textbox", { name: "Name" }).fill(name);
    if (type) await panel.getByRole("combobox", { name: "Type", exact: true }).selectOption({ label: type });
    if (type === "Reference") {
      await panel.getByRole("combobox", { name: "Table", exact: true }).selectOption({ label: "Customers" });
      await panel.getByLabel("Shows").selectOption({ label: "Name" });
    }
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
  }

  async function addColumn(name: string, type: string): Promise<void> {
    await button(page, "Column").click();
    await dialog(page).getByLabel("Name").fill(name);
    await dialog(page).getByLabel("Type").selectOption({ label: type });
    await button(dialog(page), "Add column").click();
    await dialog(page).waitFor({ state: "detached" });
  }

  async function addChoices(): Promise<void> {
    await addColumn("Status", "Choice");
    await panel.waitFor();
    for (const name of ["New", "Paid", "Sent"]) {
      await button(panel, "Choice").click();
      await panel.getByLabel("Choice", { exact: true }).last().fill(name);
    }
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
  }

  async function enterRow(...values: readonly string[]): Promise<void> {
    await button(page, "Row").click();
    for (const value of values) {
      if (value !== "") await page.keyboard.type(value);
      await press(page, "Tab");
    }
  }

  async function makeBook(): Promise<void> {
    await addTable("Customers");
    await changeColumn("A", "Name");
    await changeColumn("B", "City");
    for (const values of [
      ["Anna Kern", "Köln"],
      ["Bruno Ortiz", "León"],
      ["Milena Ćirić", "Novi Sad"],
    ])
      await enterRow(...values);
    await expectRows(page, ["Anna Kern|Köln|", "Bruno Ortiz|León|", "Milena Ćirić|Novi Sad|"]);
    await addTable("Orders");
    await changeColumn("A", "Customer", "Reference");
    await changeColumn("B", "Quantity", "Integer");
    await changeColumn("C", "Price", "Number");
    await addColumn("Total", "Formula");
    await panel.waitFor();
    await page.keyboard.type("$Quantity * $Price");
    // Only columns of numbers have sums.
    await panel.getByRole("combobox", { name: "Type", exact: true }).selectOption({ label: "Number" });
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
    await addChoices();
  }

  const ROWS = [
    "Anna Kern|3|12.5|37.5|Paid",
    "Bruno Ortiz|1|250|250|New",
    "Milena Ćirić|2|99.95|199.9|Paid",
    "Anna Kern|10|0.2|2|Sent",
  ];
  const GROUPED = ["Status New 1 row", ROWS[1], "Status Paid 2 rows", ROWS[0], ROWS[2], "Status Sent 1 row", ROWS[3]];

  test("makes the tables, enters rows, groups and totals them, and shares the view with a reader", async () => {
    await makeBook();
    // Tab goes past the formula.
    await enterRow("Anna Kern", "3", "12.5", "", "Paid");
    await enterRow("Bruno Ortiz", "1", "250", "", "New");
    await enterRow("Milena Ćirić", "2", "99.95", "", "Paid");
    await enterRow("Anna Kern", "10", "0.2", "", "Sent");
    await expectRows(page, ROWS);
    const stored = async () => (await records(ada, doc, "Orders")).map(({ fields }) => fields);
    await expectPoll(async () => (await stored())[2]).toEqual({
      Customer: 3,
      Quantity: 2,
      Price: 99.95,
      Total: 199.9,
      Status: "Paid",
    });

    await button(page, "Group").click();
    await dialog(page).getByLabel("Group by").selectOption({ label: "Status" });
    await press(page, "Escape");
    await chooseTotal(page, "Total", "Sum");
    await expectPoll(() => lines(page)).toEqual(GROUPED as string[]);
    await expectPoll(() => groupTotals(page)).toEqual(["250", "237.4", "2"]);
    await expectPoll(() => totalOf(page, "Total")).toBe("Total: Sum 489.4");
    // The pills of the choices have colours of their own.
    const colours = await page.evaluate<string[]>(
      `[...document.querySelectorAll(".grid .body .pill")].map((pill) => getComputedStyle(pill).backgroundColor)`,
    );
    expect(new Set(colours).size).toBe(3);

    await using ben = await invite(doc, "viewers");
    await ben.page.setViewportSize(DESKTOP);
    await ben.page.goto(page.url());
    await expectPoll(() => lines(ben.page)).toEqual(GROUPED as string[]);
    await expectPoll(() => totalOf(ben.page, "Total")).toBe("Total: Sum 489.4");
    for (const name of ["Row", "Column", "Undo", "Redo", "Add table"])
      expect([name, await button(ben.page, name).count()]).toEqual([name, 0]);
    await ben.page.locator(".body .cell").filter({ hasText: "Bruno" }).click({ button: "right" });
    await expectPoll(() => ben.page.getByRole("menuitem").allTextContents()).toEqual([
      "CopyCtrl+C",
      "Open rowShift+Enter",
      "Open linked rowAlt+Enter",
      "Why?",
      "Filter by this value",
      "Exclude this value",
    ]);
    await press(ben.page, "Escape");
    // A change of the owner's arrives in the reader's view.
    await page.locator(".body .cell").filter({ hasText: "Sent" }).click();
    await page.keyboard.type("Paid");
    await press(page, "Enter");
    await expectPoll(() => groupTotals(ben.page)).toEqual(["250", "239.4"]);
    expect([...ada.problems, ...ben.problems]).toEqual([]);
  });

  test("sees at once which total a changed price has, in every group, and undoes it", async () => {
    await makeBook();
    await enterRow("Anna Kern", "3", "12.5", "", "Paid");
    await enterRow("Bruno Ortiz", "1", "250", "", "New");
    await expectRows(page, ROWS.slice(0, 2));
    await cell(page, 1, 3).click();
    await page.keyboard.type("20");
    await press(page, "Enter");
    await expectRows(page, ["Anna Kern|3|20|60|Paid", ROWS[1] ?? ""]);
    await press(page, "Control+z");
    await expectRows(page, ROWS.slice(0, 2));
    expect(ada.problems).toEqual([]);
  });
});
