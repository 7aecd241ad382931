import type { Locator, Page } from "playwright-core";
import { button, item } from "./controls.ts";

/** Helpers of the tests of the home page. */

export const workspace = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });
export const names = (within: Page | Locator): Promise<string[]> =>
  within.locator("tbody tr[id^='doc-'] th a").allTextContents();
export const toast = (page: Page): Locator => page.locator(".toast");

/** The names in a list above the sites. */
export const shortcuts = (page: Page, list: "pinned" | "recent"): Promise<string[]> =>
  page.locator(`#${list} tbody tr:visible th a`).allTextContents();

/** Drops files on a workspace, as from a desktop folder. */
export const drop = (page: Page, onto: string, files: Record<string, string>): Promise<void> =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    for (const [name, text] of Object.entries(${JSON.stringify(files)})) data.items.add(new File([text], name));
    const target = [...document.querySelectorAll("[data-workspace]")].find(({ dataset }) => dataset.name === ${JSON.stringify(onto)});
    const options = { dataTransfer: data, bubbles: true, cancelable: true };
    target.dispatchEvent(new DragEvent("dragover", options));
    if (!target.classList.contains("dropping")) throw new Error("the workspace does not show that it takes files");
    target.dispatchEvent(new DragEvent("drop", options));
  })()`);

/** Chooses a command of the button "New". */
export async function chooseNew(page: Page, command: string): Promise<void> {
  await button(page, "New").click();
  await item(page, command).click();
}

export async function choose(page: Page, of: string, action: string): Promise<void> {
  // The lists above the sites may have it, too.
  await button(page, `Actions for ${of}`).last().click();
  await item(page, action).click();
}
