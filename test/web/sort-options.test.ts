import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { eachStory } from "./scene.ts";
import { addSection, type MadePage, openView, refsOf } from "./view-page.ts";

describe.skipIf(!CHROMIUM)(inBrowser("options of sorts"), () => {
  let ada: Visit;
  let page: Page;
  let made: MadePage;
  eachStory(async (story) => {
    ({ ada, page } = story);
    const doc = await makeDocument(ada);
    const choices = JSON.stringify({ choices: ["Low", "High"] });
    await makeTable(ada, doc, {
      id: "Parts",
      columns: [
        { id: "Name", fields: { type: "Text" } },
        { id: "Stock", fields: { type: "Choice", widgetOptions: choices } },
      ],
      rows: [
        { Name: "A10", Stock: "High" },
        { Name: "", Stock: "Low" },
        { Name: "A2", Stock: "High" },
      ],
    });
    const refs = await refsOf(ada, doc);
    const { viewRef, sectionRef } = await addSection(ada, doc, { view: 0, table: refs.table("Parts") });
    made = { doc, view: viewRef, customers: 0, orders: sectionRef };
  });

  test("are chosen in the list, sort the rows, and are saved with the section", async () => {
    const cells = page.locator('.grid .body [role=row] [role=gridcell][aria-colindex="2"]');
    const names = (): Promise<string[]> => cells.allTextContents();
    await openView(page, made);
    await page.getByRole("button", { name: "Sort", exact: true }).click();
    const list = page.getByRole("dialog", { name: "Sort" });
    await list.getByLabel("Add sort column…").selectOption("Name");
    await expectPoll(names).toEqual(["A10", "A2", ""]);
    await list.getByLabel("Natural order (A2 before A10)").check();
    await expectPoll(names).toEqual(["A2", "A10", ""]);
    // Drawing the list again keeps the focus.
    await expectPoll(() => page.evaluate('document.activeElement.closest("label")?.textContent')).toBe(
      "Natural order (A2 before A10)",
    );
    await list.getByLabel("Direction of Name").selectOption({ label: "Z → A" });
    await expectPoll(names).toEqual(["A10", "A2", ""]);
    await list.getByLabel("Empty cells last").uncheck();
    await expectPoll(names).toEqual(["", "A10", "A2"]);
    expect(await violations(page)).toEqual([]);
    await list.getByRole("button", { name: "Do not sort by Name" }).click();
    await list.getByLabel("Add sort column…").selectOption("Stock");
    await list.getByLabel("Order of choices").check();
    await expectPoll(names).toEqual(["", "A10", "A2"]);
    await page.keyboard.press("Escape");
    // The menu of a column keeps the options, too.
    await page.getByRole("button", { name: "Menu of Stock" }).click();
    await page.getByRole("menuitem", { name: "Sort descending" }).click();
    await expectPoll(names).toEqual(["A10", "A2", ""]);
    await page.getByRole("button", { name: "Save for everyone" }).click();
    const { column } = await refsOf(ada, made.doc);
    await expectPoll(async () => {
      const { records } = await call<{ records: { id: number; fields: { sortColRefs: string } }[] }>(
        ada,
        "GET",
        `/api/docs/${made.doc}/tables/_grist_Views_section/records`,
      );
      return records.find(({ id }) => id === made.orders)?.fields.sortColRefs;
    }).toBe(`["-${column("Parts", "Stock")}:orderByChoice"]`);
  });
});
