import type { Locator, Page } from "playwright-core";
import type { Visit } from "./browser.ts";

/** What the stories of the home page are told with. */

export const button = (within: Page | Locator, name: string): Locator =>
  within.getByRole("button", { name, exact: true });
export const dialog = (page: Page): Locator => page.getByRole("dialog");
export const workspace = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });
export const names = (within: Page | Locator): Promise<string[]> => within.locator("tbody th a").allTextContents();
export const toast = (page: Page): Locator => page.locator(".toast");

/** Calls the API as whoever is signed in. */
export async function call<T>({ context }: Visit, method: string, path: string, data?: unknown): Promise<T> {
  const headers = { "X-Requested-With": "XMLHttpRequest" };
  const response = await context.request.fetch(path, { method, headers, ...(data !== undefined && { data }) });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  return (await response.json()) as T;
}

export interface Listed {
  readonly id: number;
  readonly name: string;
  readonly docs: { readonly name: string; readonly uuid: string; readonly isPinned: boolean }[];
}

export const listed = (visit: Visit): Promise<Listed[]> => call<Listed[]>(visit, "GET", "/api/orgs/current/workspaces");

export async function makeDocument(visit: Visit, name: string): Promise<string> {
  const [home] = await listed(visit);
  return call<string>(visit, "POST", `/api/workspaces/${home?.id}/docs`, { name });
}

/** Drops files on a workspace, as from a folder of the desk. */
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

export async function choose(page: Page, of: string, item: string): Promise<void> {
  await button(page, `Actions for ${of}`).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}
