import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call } from "./calls.ts";
import { button, fillCode, item, press, shownText } from "./controls.ts";
import { HOSTILE_NAME } from "./hostile.ts";
import { eachStory } from "./scene.ts";
import { addSection, type MadePage, makePage, openView, refsOf, rowsOf, section } from "./view-page.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a section with a summary"), () => {
  let ada: Visit;
  let page: Page;
  let made: MadePage;
  let summary = 0;
  eachStory(async (story) => {
    ({ ada, page } = story);
    made = await makePage(ada, { isLinked: false });
    const refs = await refsOf(ada, made.doc);
    ({ sectionRef: summary } = await addSection(ada, made.doc, {
      view: made.view,
      table: refs.table("Orders"),
      groupBy: [refs.column("Orders", "Customer")],
    }));
  });

  const header = (name: string) => section(page, summary).locator(".grid [role=columnheader]", { hasText: name });
  const openHeaderMenu = async (name: string) => {
    await header(name).click();
    await press(page, "Shift+F10");
  };
  const columns = async () => {
    const { tables } = await call<{ tables: { id: string; columns: { id: string }[] }[] }>(
      ada,
      "GET",
      `/api/docs/${made.doc}/tables?expand=column`,
    );
    return tables.find(({ id }) => id.startsWith("Orders_summary"))?.columns.map(({ id }) => id);
  };

  test("shows no column as hidden that only formulas use", async () => {
    await openView(page, made);
    await expectPoll(() => rowsOf(page, summary)).toEqual(["Customers[1]|2|30", "Customers[2]|1|30"]);
    const tools = section(page, summary).getByRole("toolbar");
    expect(await tools.getByRole("button", { name: /hidden/ }).count()).toBe(0);
    await openHeaderMenu("count");
    await item(page, "Hide column").click();
    await expectPoll(() => rowsOf(page, summary)).toEqual(["Customers[1]|30", "Customers[2]|30"]);
    const shown = tools.getByRole("button", { name: /^(Columns|More tools).*1/ });
    await expectPoll(() => shown.count()).toBeGreaterThan(0);
  });

  test("gets formula columns, which are changed there, each with Undo", async () => {
    await openView(page, made);
    await expectPoll(() => rowsOf(page, summary)).toEqual(["Customers[1]|2|30", "Customers[2]|1|30"]);
    const before = await columns();
    await openHeaderMenu("Amount");
    await item(page, "Insert right").click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("Type").locator("option").allTextContents()).toEqual(["Formula"]);
    await dialog.getByLabel("Name").fill("Mean");
    await button(dialog, "Add column").click();
    const panel = page.locator(".panel");
    await panel.getByText("Column Mean").waitFor();
    expect(await panel.getByRole("radio").count()).toBeLessThanOrEqual(1);
    await fillCode(panel.getByRole("textbox", { name: "Formula" }), "AVERAGE($group.Amount)");
    await button(panel, "Save").click();
    await expectPoll(() => rowsOf(page, summary)).toEqual(["Customers[1]|2|30|15", "Customers[2]|1|30|30"]);
    await shownText(page.locator(".toast"), "Mean was saved.").waitFor();
    await button(page.locator(".toast"), "Undo").click();
    await expectPoll(async () => (await rowsOf(page, summary)).includes("Customers[1]|2|30|15")).toBe(false);
    await button(page.locator("#view-tools"), "Undo").click();
    await expectPoll(columns).toEqual(before);
    expect(ada.problems).toEqual([]);
  });

  test("says why the columns that it is grouped by are not changed", async () => {
    await call(ada, "PATCH", `/api/docs/${made.doc}/tables/Orders/columns`, {
      columns: [{ id: "Customer", fields: { label: HOSTILE_NAME } }],
    });
    await openView(page, made);
    await expectPoll(() => rowsOf(page, summary)).toEqual(["Customers[1]|2|30", "Customers[2]|1|30"]);
    await section(page, summary).locator(".grid [role=columnheader]").nth(1).click();
    await press(page, "Shift+F10");
    expect(await item(page, "Rename").count()).toBe(0);
    expect(await item(page, "Delete column").count()).toBe(0);
    await item(page, "About this column…").click();
    const panel = page.locator(".panel");
    await shownText(panel, "grouped by this column").waitFor();
    expect(await panel.locator("input, textarea, select").count()).toBe(0);
    await expectAccessible(page);
    expect(ada.problems).toEqual([]);
  });
});
