/** New pages and copies of pages: what they show, and what the document then has. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable, records } from "./calls.ts";
import { button, dialog, item, press, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { addPages, apply, metadata, outline } from "./page-tree.ts";
import { eachStory } from "./scene.ts";
import { openTable } from "./table-page.ts";

const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Status", fields: { type: "Choice", label: "State of it" } },
    { id: "Total", fields: { type: "Numeric" } },
    { id: "Twice", fields: { type: "Numeric", isFormula: true, formula: "$Total * 2" } },
  ],
  rows: [
    { Status: "New", Total: 1 },
    { Status: "Shipped", Total: 2 },
  ],
};

let ada: Visit;
let page: Page;
let doc: string;

const toasts = () => page.locator("#toasts");
const sections = async () =>
  (await records(ada, doc, "_grist_Views_section"))
    .filter(({ fields }) => Number(fields["parentId"]) > 0)
    .map(({ id, fields }) => ({
      id,
      view: Number(fields["parentId"]),
      kind: fields["parentKey"],
      table: Number(fields["tableRef"]),
      layout: String(fields["layoutSpec"]),
    }));
const newest = async () => (await sections()).at(-1);
const tableIds = async () => (await records(ada, doc, "_grist_Tables")).map(({ fields }) => String(fields["tableId"]));
const tableOf = async (ref: number) =>
  (await records(ada, doc, "_grist_Tables")).find(({ id }) => id === ref)?.fields["tableId"];
const openDialog = async () => {
  await button(page.locator("#pages"), "New page").click();
  await dialog(page).waitFor();
};
const submit = () => button(dialog(page), "Add page").click();
const isOpen = (view: number) => page.waitForURL(`**/docs/${doc}/pages/${view}`);

describe.skipIf(!CHROMIUM)(inBrowser("new pages"), () => {
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, ORDERS);
    await apply(ada, doc, [["RemoveTable", "Table1"]]).catch(() => {});
    await openTable(page, doc, "Orders");
  });

  test("show a table as cards", async () => {
    const before = await metadata(ada, doc);
    await openDialog();
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByLabel("Card list").check();
    await submit();
    await expectPoll(async () => (await newest())?.kind).toBe("detail");
    const made = await newest();
    expect(await tableOf(made?.table ?? 0)).toBe("Orders");
    await isOpen(made?.view ?? 0);
    expect(await outline(ada, doc)).toEqual(["Orders", "New page"]);
    await shownText(toasts(), "Page New page added.").waitFor();
    await button(toasts(), "Undo").click();
    await expectPoll(() => metadata(ada, doc)).toEqual(before);
  });

  test("are made by importing a file", async () => {
    await openDialog();
    await button(dialog(page), "Import a file…").click();
    await dialog(page).getByRole("heading", { name: "Import a file" }).waitFor();
    expect(await dialog(page).count()).toBe(1);
    await dialog(page)
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name: "Stock.csv", mimeType: "text/csv", buffer: Buffer.from("Item,Quantity\nBell,3\n") });
    await button(dialog(page), "Import 1 row").click();
    await page.waitForURL(`**/docs/${doc}/tables/Stock`);
    expect(await outline(ada, doc)).toEqual(["Orders", "Stock"]);
  });

  test("of others are listed when the visitor returns to a window without live changes", async () => {
    await page.goto(`/docs/${doc}/history`);
    await page.locator("#pages [role=treeitem]").first().waitFor();
    await addPages(ada, doc, ["Plan"]);
    await expectPoll(async () => {
      await page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
      return page.locator("#pages [role=treeitem]").allTextContents();
    }).toEqual(["Orders", "Plan"]);
    expect(ada.problems).toEqual([]);
  });

  test("show a new table; its page has its name", async () => {
    const before = await metadata(ada, doc);
    await openDialog();
    await dialog(page).locator("select[name=table]").selectOption("New table");
    await dialog(page).getByLabel("Name of the table").fill("Rooms");
    await press(page, "Enter");
    await expectPoll(tableIds).toContain("Rooms");
    await isOpen((await newest())?.view ?? 0);
    expect(await outline(ada, doc)).toEqual(["Orders", "Rooms"]);
    await shownText(toasts(), "Page Rooms added.").waitFor();
    await button(toasts(), "Undo").click();
    await expectPoll(() => metadata(ada, doc)).toEqual(before);
  });

  test("show a summary, by columns or as totals", async () => {
    await openDialog();
    await dialog(page).getByLabel("Summary of its rows").check();
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByLabel("State of it").check();
    await submit();
    await expectPoll(tableIds).toContain("Orders_summary_Status");
    await isOpen((await newest())?.view ?? 0);
    expect(await tableOf((await newest())?.table ?? 0)).toBe("Orders_summary_Status");
    await openTable(page, doc, "Orders");
    await openDialog();
    await dialog(page).getByLabel("Summary of its rows").check();
    await submit();
    await expectPoll(tableIds).toContain("Orders_summary");
  });

  test("show a form, with its default layout, in the builder", async () => {
    await openDialog();
    await dialog(page).getByLabel("Form").check();
    await dialog(page).getByLabel("Summary of its rows").waitFor({ state: "hidden" });
    await submit();
    await expectPoll(async () => (await newest())?.kind).toBe("form");
    const made = await newest();
    const fields = (await records(ada, doc, "_grist_Views_section_field")).filter(
      ({ fields: field }) => field["parentId"] === made?.id,
    );
    const leaves = [...(made?.layout ?? "").matchAll(/"leaf":(\d+)/g)].map(([, leaf]) => Number(leaf));
    expect(leaves).toEqual(fields.map(({ id }) => id));
    expect(leaves).toHaveLength(2);
    await page.waitForURL(`**/docs/${doc}/forms/${made?.id}/edit`);
    await page.locator("#form-canvas").waitFor();
    expect(ada.problems).toEqual([]);
  });

  test("are copies of others, with their sections", async () => {
    await addPages(ada, doc, [`-${HOSTILE_NAME}`]);
    const [view] = (await records(ada, doc, "_grist_Views")).filter(({ fields }) => fields["name"] === HOSTILE_NAME);
    const orders = (await records(ada, doc, "_grist_Tables"))[0]?.id;
    await apply(ada, doc, [["CreateViewSection", orders, view?.id, "record", null, null]]);
    await openTable(page, doc, "Orders");
    const before = await metadata(ada, doc);
    await button(page.locator("#pages"), `Menu of page ${HOSTILE_NAME}`).click({ force: true });
    await item(page, "Duplicate").click();
    await expectPoll(() => outline(ada, doc)).toEqual(["Orders", `-${HOSTILE_NAME}`, `${HOSTILE_NAME} (copy)`]);
    expect((await newest())?.kind).toBe("record");
    await isOpen((await newest())?.view ?? 0);
    await shownText(toasts(), /duplicated as/).waitFor();
    await expectHarmless(page);
    await button(toasts(), "Undo").click();
    await expectPoll(() => metadata(ada, doc)).toEqual(before);
  });
});
