import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import type { Visit } from "./browser.ts";

/** Calls the API as whoever is signed in. */
export async function call<T = unknown>({ context }: Visit, method: string, path: string, data?: unknown): Promise<T> {
  const headers = { "X-Requested-With": "XMLHttpRequest" };
  const response = await context.request.fetch(path, { method, headers, ...(data !== undefined && { data }) });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  return (await response.json()) as T;
}

/** A new document of whoever is signed in, by its UUID. */
export async function makeDocument(visit: Visit, name = "Library"): Promise<string> {
  const [home] = await call<{ id: number }[]>(visit, "GET", "/api/orgs/current/workspaces");
  return call<string>(visit, "POST", `/api/workspaces/${home?.id}/docs`, { name });
}

export interface NewColumn {
  readonly id: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A table in a document, with rows. */
export async function makeTable(
  visit: Visit,
  doc: string,
  { id, columns, rows }: { id: string; columns: readonly NewColumn[]; rows: readonly Record<string, unknown>[] },
): Promise<void> {
  await call(visit, "POST", `/api/docs/${doc}/tables`, { tables: [{ id, columns }] });
  if (rows.length === 0) return;
  await call(visit, "POST", `/api/docs/${doc}/tables/${id}/records`, { records: rows.map((fields) => ({ fields })) });
}

/** The records of a table, as the API has them. */
export const records = (visit: Visit, doc: string, table: string) =>
  call<{ records: { id: number; fields: Record<string, unknown> }[] }>(
    visit,
    "GET",
    `/api/docs/${doc}/tables/${table}/records`,
  ).then(({ records: found }) => found);

export const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole("button", { name, exact: true });

export const item = (page: Page, name: string): Locator => page.getByRole("menuitem", { name, exact: true });

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
