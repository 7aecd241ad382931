import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";

/** The cell of a row, from 1, and a column, from 1. */
export const cell = (page: Page, row: number, column: number): Locator =>
  page.locator(`.grid [role=row][aria-rowindex="${row + 1}"] [role=gridcell][aria-colindex="${column + 1}"]`);

const ROW_TEXTS = `[...document.querySelectorAll(".grid .body [role=row]")].map((row) =>
  [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.textContent).join("|"))`;

/** What stands in the rows that are on the page, one text for each, in their order. */
export const rowTexts = (page: Page): Promise<string[]> => page.evaluate(ROW_TEXTS);

/**
 * Waits until an expression holds in the page. The pages' policy forbids what playwright's own waiting for functions
 * needs, so the expression is part of what is evaluated.
 */
export async function until(page: Page, expression: string): Promise<boolean> {
  return page.evaluate<boolean>(`new Promise((resolve) => {
    const end = performance.now() + 4000;
    const look = () => {
      if (${expression}) resolve(true);
      else if (performance.now() > end) resolve(false);
      else setTimeout(look, 15);
    };
    look();
  })`);
}

/** Waits until the rows on the page are these. */
export async function expectRows(page: Page, expected: readonly string[]): Promise<void> {
  await until(page, `JSON.stringify(${ROW_TEXTS}) === ${JSON.stringify(JSON.stringify(expected))}`);
  expect(await rowTexts(page)).toEqual([...expected]);
}

export async function openTable(page: Page, doc: string, table: string, query = ""): Promise<void> {
  await page.goto(`/docs/${doc}/tables/${table}${query}`);
  await page.locator(".grid").waitFor();
}

/** Pastes a text as from another program, where the focus is. */
export const pasteText = (page: Page, text: string): Promise<void> =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(text)});
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  })()`);

/** What the page puts into the clipboard where the focus is. */
export const copiedText = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    document.activeElement.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true }));
    return clipboardData.getData("text/plain");
  })()`);
