/** What a person reads off a table and chooses in its menus, shared by the stories. */
import type { Locator, Page } from "playwright-core";
import { button, item } from "../controls.ts";

/** The window of these stories on a desktop. */
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Group rows and rows in the order in which they are shown: `Status New 2 rows`, `Karin|Shipped|3|2026-01-01`. */
export const lines = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(".grid .body [role=row]")]
    .toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
    .map((row) => row.querySelector(".group-toggle")?.textContent ??
      [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.textContent).join("|"))`);

/** The totals of the group rows, in order. */
export const groupTotals = (page: Page): Promise<string[]> =>
  page.locator(".grid .body .group-total > [translate=no]").allTextContents();

/** The name of the total below a column: `Amount: Sum 1.324,40`. */
export const totalOf = (page: Page, column: string): Promise<string | null> =>
  page
    .getByRole("row", { name: "Totals" })
    .getByRole("button", { name: new RegExp(`^${column}:`) })
    .getAttribute("aria-label");

export const countLine = (page: Page): Promise<string | null> => page.locator("#sheet-count").textContent();

/** Chooses in the menu of a column. */
export async function inColumnMenu(page: Page, column: string, action: string): Promise<void> {
  await button(page, `Menu of ${column}`).click();
  await item(page, action).click();
}

export async function chooseTotal(page: Page, column: string, total: string): Promise<void> {
  await inColumnMenu(page, column, "Total…");
  await page.getByRole("menuitemradio", { name: total, exact: true }).click();
}

/** Opens the panel of a column. */
export async function editColumn(page: Page, column: string): Promise<Locator> {
  await inColumnMenu(page, column, "Edit column…");
  const panel = page.locator(".panel");
  await panel.getByRole("textbox", { name: "Name" }).waitFor();
  return panel;
}

/** Reverts the last change by the keys. */
export const undo = (page: Page): Promise<void> => page.keyboard.press("Control+z");
