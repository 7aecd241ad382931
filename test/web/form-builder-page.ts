/** The builder of forms, as tests use it. */
import type { Locator, Page } from "playwright-core";
import type { Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button } from "./controls.ts";

export interface Listed {
  readonly records: readonly { readonly id: number; readonly fields: Readonly<Record<string, unknown>> }[];
}

export const box = (page: Page, name: string): Locator =>
  page
    .locator(".form-box")
    .filter({ has: page.locator(".form-box-name", { hasText: name }) })
    .last();
export const nameOf = (page: Page, name: string): Locator =>
  box(page, name).locator(":scope > .form-box-bar > .form-box-name");
/** A button of the list of parts. */
export const part = (page: Page, name: string): Locator => button(page.locator("#form-parts"), name);
export const panel = (page: Page): Locator => page.locator(".panel");
/** The field of a panel that its question has: others are not shown. */
export const field = (page: Page, label: string): Locator => panel(page).getByLabel(label).filter({ visible: true });
export const questions = (page: Page): Promise<string[]> =>
  page.locator(".form-box.question > .form-box-bar bdi").allTextContents();
export const toast = (page: Page, text: string): Locator => page.locator(".toast").filter({ hasText: text });

/** Returns records of a metadata table. */
export async function metadata(
  visit: Visit,
  doc: string,
  table: string,
  filter: object = {},
): Promise<Listed["records"]> {
  const query = new URLSearchParams({ filter: JSON.stringify(filter) }).toString();
  return (await call<Listed>(visit, "GET", `/api/docs/${doc}/tables/_grist${table}/records?${query}`)).records;
}

/** Adds a page with a form of a table. Returns the row id of its section. */
export async function makeForm(visit: Visit, doc: string, table: string): Promise<number> {
  const [found] = await metadata(visit, doc, "_Tables", { tableId: [table] });
  const actions = [["CreateViewSection", found?.id, 0, "form", null, null]];
  const { retValues } = await call<{ retValues: { sectionRef: number }[] }>(
    visit,
    "POST",
    `/api/docs/${doc}/apply`,
    actions,
  );
  return retValues[0]?.sectionRef ?? 0;
}

/** Creates a document with a table `Signup` and a form. */
export async function makeSignup(visit: Visit): Promise<{ doc: string; section: number }> {
  const doc = await makeDocument(visit, "Bakery");
  const size = { type: "Choice", widgetOptions: JSON.stringify({ choices: ["S", "M", "L"] }) };
  const photo = { id: "Photo", fields: { type: "Attachments" } };
  const columns = [{ id: "Mail" }, { id: "Size", fields: size }, { id: "Phone" }, photo];
  await makeTable(visit, doc, { id: "Signup", columns, rows: [] });
  return { doc, section: await makeForm(visit, doc, "Signup") };
}

export async function openBuilder(page: Page, doc: string, section: number): Promise<void> {
  await page.goto(`/docs/${doc}/forms/${section}/edit`);
  await page.locator(".form-box").first().waitFor();
}
