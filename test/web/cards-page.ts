/** Sections of pages whose rows are cards. */
import type { Locator, Page } from "playwright-core";
import type { Visit } from "./browser.ts";
import { call } from "./calls.ts";

interface Found {
  readonly id: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns records of the document's metadata that a filter selects. */
export async function metadata(
  visit: Visit,
  doc: string,
  table: string,
  filter: Readonly<Record<string, readonly unknown[]>> = {},
): Promise<Found[]> {
  const query = new URLSearchParams({ filter: JSON.stringify(filter), hidden: "true" });
  const path = `/api/docs/${doc}/tables/${table}/records?${query.toString()}`;
  return (await call<{ records: Found[] }>(visit, "GET", path)).records;
}

export const apply = (visit: Visit, doc: string, ...actions: readonly (readonly unknown[])[]) =>
  call<{ retValues: unknown[] }>(visit, "POST", `/api/docs/${doc}/apply`, actions);

export interface CardSection {
  readonly view: number;
  readonly section: number;
}

/** Adds a page with one section of cards. */
export async function makeCards(
  visit: Visit,
  doc: string,
  table: string,
  { kind = "detail", theme = "" }: { kind?: "detail" | "single"; theme?: string } = {},
): Promise<CardSection> {
  const [found] = await metadata(visit, doc, "_grist_Tables", { tableId: [table] });
  const made = await apply(visit, doc, ["CreateViewSection", found?.id, 0, kind, null, null]);
  const { viewRef, sectionRef } = made.retValues[0] as { viewRef: number; sectionRef: number };
  if (theme !== "") await apply(visit, doc, ["UpdateRecord", "_grist_Views_section", sectionRef, { theme }]);
  return { view: viewRef, section: sectionRef };
}

export async function openCards(page: Page, doc: string, { view }: CardSection): Promise<void> {
  await page.goto(`/docs/${doc}/pages/${view}`);
  await page.locator(".cards").waitFor();
}

/** The card at a position, from 1. */
export const card = (page: Page, position: number): Locator =>
  page.locator(`.record-card[aria-posinset="${position}"]:not(.unread)`);

export const field = (within: Locator, name: string): Locator =>
  within.locator(".card-field").filter({ has: within.page().locator(".field-label").getByText(name, { exact: true }) });

export const value = (within: Locator, name: string): Locator => field(within, name).locator(".cell");

/** The position of the card with the focus; null inside of its fields and elsewhere. */
export const focusedCard = (page: Page): Promise<number | null> =>
  page.evaluate("Number(document.activeElement.getAttribute('aria-posinset')) || null");

/** Opens the panel in which fields are arranged. */
export async function openLayout(page: Page): Promise<void> {
  await page
    .locator(".toolbar")
    .getByRole("button", { name: /^Menu of/ })
    .click();
  await page.getByRole("menuitem", { name: "Card layout…" }).click();
  await page.locator(".panel").waitFor();
}
