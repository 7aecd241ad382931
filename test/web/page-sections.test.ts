/** Sections that are added to a page, and summaries that are grouped by other columns and detached. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable, records } from "./calls.ts";
import { button, dialog, item, shownText } from "./controls.ts";
import { apply, metadata } from "./page-tree.ts";
import { eachStory } from "./scene.ts";

const CUSTOMERS = { id: "Customers", columns: [{ id: "Name", fields: { type: "Text" } }], rows: [{ Name: "Anna" }] };

const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Customer", fields: { type: "Ref:Customers" } },
    { id: "Status", fields: { type: "Choice" } },
    { id: "Total", fields: { type: "Numeric" } },
  ],
  rows: [
    { Customer: 1, Status: "New", Total: 1 },
    { Customer: 1, Status: "Shipped", Total: 2 },
  ],
};

let ada: Visit;
let page: Page;
let doc: string;

const toasts = () => page.locator("#toasts");
const tableRef = async (id: string) =>
  (await records(ada, doc, "_grist_Tables")).find(({ fields }) => fields["tableId"] === id)?.id ?? 0;
const columnRef = async (table: string, id: string) => {
  const ref = await tableRef(table);
  const columns = await records(ada, doc, "_grist_Tables_column");
  return columns.find(({ fields }) => fields["parentId"] === ref && fields["colId"] === id)?.id ?? 0;
};
const sectionsOf = async (view: number) =>
  (await records(ada, doc, "_grist_Views_section")).filter(({ fields }) => fields["parentId"] === view);
const makeView = async (table: string, groupBy: readonly number[] | null = null) => {
  const { retValues } = await apply(ada, doc, [
    ["CreateViewSection", await tableRef(table), 0, "record", groupBy, null],
  ]);
  return retValues[0] as { viewRef: number; sectionRef: number };
};
const open = async (view: number) => {
  await page.goto(`/docs/${doc}/pages/${view}`);
  await page.locator(".grid").first().waitFor();
};
const sectionMenu = () => page.locator("#view .sheet-name + button").first();
const undo = async (before: Awaited<ReturnType<typeof metadata>>) => {
  await button(toasts(), "Undo").click();
  await expectPoll(() => metadata(ada, doc)).toEqual(before);
};

describe.skipIf(!CHROMIUM)(inBrowser("sections of a page"), () => {
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, CUSTOMERS);
    await makeTable(ada, doc, ORDERS);
  });

  test("are added with the section that selects their rows, and further ones by the page's bar", async () => {
    const { viewRef, sectionRef } = await makeView("Customers");
    await open(viewRef);
    const before = await metadata(ada, doc);
    await sectionMenu().click();
    await item(page, "Add section…").click();
    await dialog(page).locator("select[name=table]").selectOption("Orders");
    const source = dialog(page).locator("select[name=source]");
    await source.waitFor();
    expect(await violations(page)).toEqual([]);
    await source.selectOption({ index: 1 });
    await button(dialog(page), "Add section").click();
    await shownText(toasts(), "Section added.").waitFor();
    const added = (await sectionsOf(viewRef)).at(-1);
    expect(added?.fields).toMatchObject({
      parentKey: "record",
      tableRef: await tableRef("Orders"),
      linkSrcSectionRef: sectionRef,
      linkSrcColRef: 0,
      linkTargetColRef: await columnRef("Orders", "Customer"),
    });
    await page.locator(`#section-${added?.id}`).waitFor();
    const between = await metadata(ada, doc);
    await button(page.locator("#toolbar"), "Section").click();
    await dialog(page).getByLabel("Card", { exact: true }).check();
    await button(dialog(page), "Add section").click();
    await expectPoll(async () => (await sectionsOf(viewRef)).length).toBe(3);
    await shownText(toasts(), "Section added.").waitFor();
    await undo(between);
    await page.locator(".leaf").nth(2).waitFor({ state: "detached" });
    await button(page.locator("#view-tools"), "Undo").click();
    await expectPoll(() => metadata(ada, doc)).toEqual(before);
    expect(ada.problems).toEqual([]);
  });

  test("stay when another table is deleted in the sidebar, which the page reports", async () => {
    const { viewRef } = await makeView("Orders");
    await open(viewRef);
    const before = await metadata(ada, doc);
    await page.locator("#tables summary").click();
    await button(page.locator("#tables"), "Menu of table Table1").click({ force: true });
    await item(page, "Delete…").click();
    await button(dialog(page), "Delete table").click();
    await shownText(toasts(), "Table Table1 deleted.").waitFor();
    await page.waitForURL(`**/docs/${doc}/pages/${viewRef}`);
    await undo(before);
    // Undo shows the page again, not the table.
    await page.locator("#tables [data-table=Table1]").waitFor({ state: "attached" });
    expect(new URL(page.url()).pathname).toBe(`/docs/${doc}/pages/${viewRef}`);
    expect(ada.problems).toEqual([]);
  });

  test("go with their table, and are shown again by its undo", async () => {
    const { viewRef } = await makeView("Orders");
    await open(viewRef);
    const before = await metadata(ada, doc);
    await page.locator("#tables summary").click();
    await button(page.locator("#tables"), "Menu of table Orders").click({ force: true });
    await item(page, "Delete…").click();
    await button(dialog(page), "Delete table").click();
    await shownText(toasts(), "Table Orders deleted.").waitFor();
    expect(new URL(page.url()).pathname).not.toContain(`/pages/${viewRef}`);
    await undo(before);
    await page.waitForURL(`**/docs/${doc}/pages/${viewRef}`);
    expect(ada.problems).toEqual([]);
  });

  test("that show a summary are grouped by other columns", async () => {
    const { viewRef } = await makeView("Orders", [await columnRef("Orders", "Status")]);
    await open(viewRef);
    const before = await metadata(ada, doc);
    await sectionMenu().click();
    await item(page, "Grouped by…").click();
    expect(await dialog(page).getByLabel("Status").isChecked()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByLabel("Status").uncheck();
    await dialog(page).getByLabel("Customer").check();
    await button(dialog(page), "Group").click();
    await shownText(toasts(), "Summary grouped.").waitFor();
    expect((await sectionsOf(viewRef))[0]?.fields["tableRef"]).toBe(await tableRef("Orders_summary_Customer"));
    await page.getByRole("columnheader", { name: /^Customer/ }).waitFor();
    await undo(before);
    await page.getByRole("columnheader", { name: /^Status/ }).waitFor();
    expect(ada.problems).toEqual([]);
  });

  test("that show a summary are detached, as a preview says", async () => {
    const { viewRef } = await makeView("Orders", [await columnRef("Orders", "Status")]);
    await open(viewRef);
    const before = await metadata(ada, doc);
    await sectionMenu().click();
    await item(page, "Detach…").click();
    await shownText(dialog(page), /Groups that Orders gets later are not added/).waitFor();
    expect(await violations(page)).toEqual([]);
    await button(dialog(page), "Detach").click();
    await shownText(toasts(), "Summary detached: it is an ordinary table now.").waitFor();
    const [section] = await sectionsOf(viewRef);
    const table = (await records(ada, doc, "_grist_Tables")).find(({ id }) => id === section?.fields["tableRef"]);
    expect(table?.fields["summarySourceTable"]).toBe(0);
    await undo(before);
    expect(ada.problems).toEqual([]);
  });
});
