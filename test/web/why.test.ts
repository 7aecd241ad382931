import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, press } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

const CUSTOMERS = {
  id: "Customers",
  columns: [
    { id: "Name", fields: { type: "Text", label: "Name" } },
    { id: "City", fields: { type: "Text", label: HOSTILE_NAME } },
  ],
  rows: [
    { Name: "Karin Lindqvist", City: "Oslo" },
    { Name: HOSTILE_NAME, City: "Bari" },
  ],
};
const SPENT = {
  id: "Spent",
  fields: { type: "Numeric", isFormula: true, formula: "SUM(Orders.lookupRecords(Customer=$id).Total)" },
};
const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Title", fields: { type: "Text" } },
    { id: "Customer", fields: { type: "Ref:Customers" } },
    { id: "Quantity", fields: { type: "Int" } },
    { id: "Price", fields: { type: "Numeric" } },
    { id: "Total", fields: { type: "Numeric", isFormula: true, formula: "$Quantity * $Price" } },
    { id: "Share", fields: { type: "Numeric", isFormula: true, formula: "12 / $Quantity" } },
    { id: "City", fields: { type: "Text", isFormula: true, formula: "$Customer.City" } },
  ],
  rows: [
    { Title: "Bell", Customer: 1, Quantity: 3, Price: 4 },
    { Title: "Lamp", Customer: 2, Quantity: 0, Price: 5 },
  ],
};

const panel = (page: Page) => page.locator(".panel");
const link = (page: Page, name: string) => panel(page).getByRole("link", { name, exact: true });

/** Opens the panel of the active cell by the keyboard. */
async function askWhy(page: Page): Promise<void> {
  await press(page, "Shift+F10");
  await page.getByRole("menuitem", { name: "Why?" }).waitFor();
  await press(page, "w", "Enter");
}

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    "document.activeElement.getAttribute('aria-colindex') + ' ' + document.activeElement.textContent",
  );

describe.skipIf(!CHROMIUM)(inBrowser("a person who asks why"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, CUSTOMERS);
    await makeTable(ada, doc, ORDERS);
    await call(ada, "POST", `/api/docs/${doc}/tables/Customers/columns`, { columns: [SPENT] });
    await openTable(page, doc, "Orders");
    await expectRows(page, [`Bell|Customers[1]|3|4|12|4|Oslo`, `Lamp|Customers[2]|0|5|0|Divided by zero|Bari`]);
  });

  test("opens the panel by keys, follows what was read, and gets the focus back", async () => {
    await cell(page, 1, 5).click();
    await askWhy(page);
    await link(page, "Quantity").waitFor();
    const text = await panel(page).textContent();
    for (const part of ["Why? Total", "Computed by a formula.", "$Quantity * $Price", "Quantity: 3", "Price: 4"])
      expect(text).toContain(part);
    expect(text).toContain("Customers › Spent: 1 cell");
    await expectAccessible(page);
    await press(page, "Escape");
    await panel(page).waitFor({ state: "detached" });
    expect(await focused(page)).toBe("6 12");
    await askWhy(page);
    await link(page, "Price").click();
    await expectPoll(() => focused(page)).toBe("5 4");
    expect(ada.problems).toEqual([]);
  });

  test("gets from the error of a cell to its reason", async () => {
    await cell(page, 2, 6).click();
    await button(page.locator(".cell-line"), "Why?").click();
    await panel(page).getByText("A number is divided by zero. (line 1)").waitFor();
    const text = await panel(page).textContent();
    for (const part of ["ZeroDivisionError", "Check for zero first", "Quantity: 0"]) expect(text).toContain(part);
    await expectAccessible(page);
    expect(ada.problems).toEqual([]);
  });

  test("reaches rows of other tables, whatever their names are", async () => {
    await cell(page, 2, 7).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Why?" }).click();
    const city = link(page, `Customers › ${HOSTILE_NAME} › ${HOSTILE_NAME}`);
    await city.waitFor();
    await expectHarmless(page);
    await city.click();
    await page.waitForURL(/tables\/Customers#row=2&column=City$/);
    await expectPoll(() => focused(page)).toBe("3 Bari");
    await cell(page, 2, 3).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Why?" }).click();
    await panel(page).getByText("Look-up in Orders with").waitFor();
    expect(await panel(page).textContent()).toContain("1 row");
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("sees a removed cell as not found, and the panel on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await cell(page, 1, 1).click();
    await press(page, ...Array.from({ length: 4 }, () => "ArrowRight"));
    await askWhy(page);
    await link(page, "Quantity").waitFor();
    await link(page, "Quantity").click();
    // The panel covers the grid.
    await panel(page).waitFor({ state: "detached" });
    await expectPoll(() => focused(page)).toBe("4 3");
    await page.route("**/Orders/1/**", (route) =>
      route.fulfill({ status: 404, json: { error: "Cell not found", details: { code: "cell.not_found" } } }),
    );
    await askWhy(page);
    await panel(page).getByText("This cell does not exist, or you cannot read it.").waitFor();
  });
});
