import { expectPoll } from "../helpers/expect-poll.ts";
import type { Locator, Page } from "playwright-core";

export const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole("button", { name, exact: true });

export const item = (page: Page, name: string): Locator => page.getByRole("menuitem", { name, exact: true });

export const dialog = (page: Page): Locator => page.getByRole("dialog");

/** Messages about failures: at forms, at fields and in toasts. */
export const problem = (within: Page | Locator): Locator =>
  within.locator(":is(.note, .toast).problem:not([hidden]), .field-problem");

/** A text that the page shows, and not only speaks. */
export const shownText = (within: Page | Locator, text: string | RegExp): Locator =>
  within.getByText(text).and(within.locator(":not(#live-region)"));

/** Presses keys one after another. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/**
 * Replaces the text of a code editor as a keyboard does: `fill` would run a command of the browser, whose inline styles the
 * content security policy reports.
 */
export async function fillCode(field: Locator, text: string): Promise<void> {
  // The editor may replace the plain field between finding and focusing it.
  await expectPoll(async () => {
    await field.focus();
    return field.evaluate((element: unknown) => {
      const { getRootNode } = element as { getRootNode: () => { activeElement: unknown } };
      return getRootNode.call(element).activeElement === element;
    });
  }).toBe(true);
  await field.press("ControlOrMeta+a");
  const { keyboard } = field.page();
  if (text === "") await keyboard.press("Delete");
  else await keyboard.insertText(text);
}
