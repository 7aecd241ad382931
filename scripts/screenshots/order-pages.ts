/** What opens on the page of a table, with the order book. */
import type { Page } from "playwright-core";
import { openOrderCards, openOrders } from "./orders.ts";
import type { PageToShow } from "./pages.ts";

/** Orders that are not paid yet. */
const OPEN = encodeURIComponent('{"Status":["New","In progress","Shipped"]}');
const VIEW = `?group=Status&hide=Price&width=Total:184&totals=Quantity:sum,Total:sum&filter=${OPEN}&sort=-Total`;

const PRODUCT = 3;
const STATUS = 4;
const TAGS = 9;
const NOTES = 10;
const TRACKING = 11;

const orders = (name: string, open?: (page: Page) => Promise<unknown>, query = ""): PageToShow => ({
  name: `orders${name}`,
  path: ({ docId }) => `/docs/${docId}/tables/Stock`,
  async prepare(page, sample) {
    await openOrders(page, sample, query);
    await open?.(page);
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  },
});

const cards = (
  name: string,
  options: Parameters<typeof openOrderCards>[2],
  open?: (page: Page) => Promise<unknown>,
): PageToShow => ({
  name: `cards${name}`,
  path: () => "/",
  async prepare(page, sample) {
    await openOrderCards(page, sample, options);
    await open?.(page);
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  },
});

async function select(page: Page, row: number, column: number): Promise<void> {
  await page.locator(`.grid [role=row][aria-rowindex="${row + 1}"] [role=gridcell][aria-colindex="2"]`).click();
  await page.keyboard.press("Escape");
  for (let at = 1; at < column; at++) await page.keyboard.press("ArrowRight");
}

const edit = (column: number, ready: string) => async (page: Page) => {
  await select(page, 2, column);
  await page.keyboard.press("F2");
  await page.locator(ready).first().waitFor();
};

/** A tool of the bar, or of its menu where the bar is narrow. */
const tool = (name: string) => async (page: Page) => {
  const button = page.locator("#sheet-tools button:not(.in-menu)").filter({ hasText: name });
  if (await button.first().isVisible()) await button.first().click();
  else {
    await page.getByRole("button", { name: "More tools" }).click();
    await page.getByRole("menuitem", { name }).click();
  }
  await page.locator(".popover, [role=menu]").first().waitFor();
};

const columnMenu = (item: string | null) => async (page: Page) => {
  await page.locator('.grid [role=columnheader][aria-colindex="2"]').focus();
  await page.locator(".column-menu").first().click({ force: true });
  if (item !== null) await page.getByRole("menuitem", { name: item }).click();
};

const columnPanel = (column: number) => async (page: Page) => {
  await select(page, 1, column);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Alt+ArrowDown");
  await page.getByRole("menuitem", { name: "Edit column…" }).click();
  await page.locator(".panel").waitFor();
};

const tableMenu = (item: string | null) => async (page: Page) => {
  await page.locator("#toolbar button[aria-haspopup=menu]:visible, .top-bar .here button:visible").first().click();
  if (item !== null) await page.getByRole("menuitem", { name: item }).click();
};

export const ORDER_PAGES: readonly PageToShow[] = [
  orders("-view", (page) => page.locator(".grid .group-total").first().waitFor(), VIEW),
  orders("-filter", tool("Filter"), VIEW),
  orders("-sort", tool("Sort"), VIEW),
  orders("-sort-options", tool("Sort"), "?sort=Status,-Product"),
  orders("-group", tool("Group"), VIEW),
  orders("-columns", tool("Columns")),
  orders("-lines", tool("Row height")),
  orders("-total", (page) => page.locator(".grid .total").nth(1).click({ force: true }), "?totals=Order_no:count"),
  orders("-cell-menu", async (page) => {
    await select(page, 2, PRODUCT);
    await page.keyboard.press("Shift+F10");
  }),
  orders("-row-menu", (page) => page.locator(".grid .body [role=rowheader]").nth(1).click({ button: "right" })),
  orders("-column-menu", columnMenu(null)),
  orders("-column-width", columnMenu("Width…")),
  orders("-column-choices", columnPanel(STATUS)),
  orders("-column-number", columnPanel(7)),
  orders("-column-trigger", async (page) => {
    await columnPanel(PRODUCT)(page);
    await page.locator(".kinds input").nth(1).check();
    await page.locator(".triggers input[type=radio]").nth(1).check();
  }),
  orders("-column-rules", async (page) => {
    await columnPanel(8)(page);
    await page.locator(".rules-field").scrollIntoViewIfNeeded();
  }),
  orders("-column-reference", columnPanel(2)),
  orders("-type-preview", async (page) => {
    await columnPanel(PRODUCT)(page);
    await page.locator(".panel select").first().selectOption("Numeric");
    await page.locator(".panel .note").first().waitFor();
  }),
  orders("-table-menu", tableMenu(null)),
  orders("-edit-choice", edit(STATUS, "[role=option]")),
  orders("-edit-choices", edit(TAGS, "[role=option]")),
  orders("-edit-reference", edit(2, "[role=option]")),
  orders("-edit-date", edit(5, ".editor")),
  orders("-edit-markdown", edit(NOTES, ".editor textarea")),
  orders("-edit-link", edit(TRACKING, ".link-editor")),
  orders("-row", async (page) => {
    await select(page, 2, 1);
    await page.keyboard.press("Shift+Enter");
    await page.locator(".card-field").first().waitFor();
  }),
  orders("-shortcuts", async (page) => {
    await select(page, 1, 1);
    await page.keyboard.press("F1");
    await page.getByRole("dialog").waitFor();
  }),
  orders("-fill", async (page) => {
    await select(page, 2, 6);
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "Fill series…" }).click();
    await page.getByRole("dialog").waitFor();
  }),
  orders("-all-rows", async (page) => {
    await select(page, 2, 1);
    await page.keyboard.press("Control+a");
    await page.getByRole("button", { name: "Edit all…" }).click();
    await page.getByRole("dialog").waitFor();
  }),
  cards("", {}),
  cards("-compact", { theme: "compact" }),
  cards("-blocks", { theme: "blocks" }),
  cards("-single", { kind: "single" }),
  cards("-edit", {}, async (page) => {
    await page
      .locator(".record-card")
      .nth(1)
      .click({ position: { x: 4, y: 4 } });
    await page.keyboard.press("Enter");
    await page.locator(".editor").first().waitFor();
  }),
  cards("-layout", { theme: "compact" }, async (page) => {
    const menu = page.locator(".toolbar .sheet-name + button");
    // Phones have no room for it.
    if (!(await menu.isVisible())) return;
    await menu.click();
    await page.getByRole("menuitem", { name: "Card layout…" }).click();
    await page.locator(".panel").waitFor();
  }),
];
