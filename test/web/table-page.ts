import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";

/** Longer than a loaded machine takes. */
const TIMEOUT_MS = 30_000;

/** The cell at a row and a column, both from 1. */
export const cell = (page: Page, row: number, column: number): Locator =>
  page.locator(`.grid [role=row][aria-rowindex="${row + 1}"] [role=gridcell][aria-colindex="${column + 1}"]`);

const ROW_TEXTS = `[...document.querySelectorAll(".grid .body [role=row]")].map((row) =>
  [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.textContent).join("|"))`;

/** The texts of the rendered rows, in order. */
export const rowTexts = (page: Page): Promise<string[]> => page.evaluate(ROW_TEXTS);

/**
 * Waits until an expression is true in the page. The content security policy forbids the `eval` of Playwright's
 * `waitForFunction`, so the expression is part of the evaluated source.
 */
export async function until(page: Page, expression: string): Promise<boolean> {
  return page.evaluate<boolean>(`new Promise((resolve) => {
    const end = performance.now() + ${TIMEOUT_MS};
    const look = () => {
      if (${expression}) resolve(true);
      else if (performance.now() > end) resolve(false);
      else setTimeout(look, 15);
    };
    look();
  })`);
}

/** Waits until the rendered rows equal the expected ones. Cells show entered values before the server has stored them. */
export async function expectRows(page: Page, expected: readonly string[]): Promise<void> {
  await expectPoll(() => rowTexts(page)).toEqual([...expected]);
}

const IS_SAVED = 'dispatchEvent(new Event("beforeunload", { cancelable: true }))';

/** Opens the page of a table; waits first until the present page would be left without a question. */
export async function openTable(page: Page, doc: string, table: string, query = ""): Promise<void> {
  await expectPoll(() => page.evaluate<boolean>(IS_SAVED)).toBe(true);
  await page.goto(`/docs/${doc}/tables/${table}${query}`);
  await page.locator(".grid").waitFor();
}

/** Waits for the page that a document opens with: its first page, or without one its first table. */
export const opened = (page: Page, doc: string): Promise<void> =>
  page.waitForURL(({ pathname }) => new RegExp(`/docs/${doc}(/pages/\\d+)?$`).test(pathname));

/** Pastes a text from another program at the focus. */
export const pasteText = (page: Page, text: string): Promise<void> =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(text)});
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  })()`);

/** Returns the text that the page copies at the focus. */
export const copiedText = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    document.activeElement.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true }));
    return clipboardData.getData("text/plain");
  })()`);
