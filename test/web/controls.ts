import type { Locator, Page } from "playwright-core";

export const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole("button", { name, exact: true });

export const item = (page: Page, name: string): Locator => page.getByRole("menuitem", { name, exact: true });

export const dialog = (page: Page): Locator => page.getByRole("dialog");

/** Presses keys one after another. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}
