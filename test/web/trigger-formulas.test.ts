import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, fillCode, item } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";
import { ADA } from "./visitor.ts";

const tool = (page: Page, name: string): Locator => page.locator(`[role=toolbar] button[aria-label=${name}]`);

async function editColumn(page: Page, name: string): Promise<Locator> {
  await button(page, `Menu of ${name}`).click();
  await item(page, "Edit column…").click();
  const panel = page.locator(".panel");
  await panel.getByRole("heading", { name: `Column ${name}`, exact: true }).waitFor();
  return panel;
}

const kind = (panel: Locator, name: string): Locator => panel.getByRole("radio", { name, exact: true });
const formula = (panel: Locator): Locator => panel.locator(".code-editor .cm-content").first();
const live = (panel: Locator): Locator => panel.locator(".formula-live").first();

async function save(page: Page, panel: Locator): Promise<void> {
  await button(panel, "Save").click();
  await page.locator(".toast").getByText("Saved").waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
}

describe.skipIf(!CHROMIUM)(inBrowser("a person who lets formulas fill in data"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let email: string;
  eachStory(async (story) => {
    ({ ada, page, email } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, {
      id: "Orders",
      columns: [
        { id: "Name", fields: { type: "Text", label: "Name" } },
        { id: "Amount", fields: { type: "Numeric", label: "Amount" } },
        { id: "State", fields: { type: "Text", label: "State" } },
        { id: "Notes", fields: { type: "Text", label: HOSTILE_NAME } },
      ],
      rows: [
        { Name: "Chair", Amount: 10, State: "done" },
        { Name: "Lamp", Amount: 20, State: "open" },
      ],
    });
    await openTable(page, doc, "Orders");
  });

  const add = async (fields: object) =>
    call(ada, "POST", `/api/docs/${doc}/tables/Orders/records`, { records: [{ fields }] });
  const change = async (id: number, fields: object) =>
    call(ada, "PATCH", `/api/docs/${doc}/tables/Orders/records`, { records: [{ id, fields }] });
  const states = async () => (await records(ada, doc, "Orders")).map(({ fields }) => fields["State"]);
  const stored = async () => {
    const path = `/api/docs/${doc}/tables/Orders/columns`;
    const { columns } = await call<{ columns: { id: string; fields: Record<string, unknown> }[] }>(ada, "GET", path);
    const found = columns.find(({ id }) => id === "State")?.fields;
    return [found?.["isFormula"], found?.["formula"], found?.["recalcWhen"], found?.["recalcDeps"] ?? null];
  };

  test("gives new rows a value, keeps those there are, and undoes it", async () => {
    const panel = await editColumn(page, "State");
    await kind(panel, "Data, filled in automatically").check();
    await expectHarmless(page);
    await expectAccessible(page);
    await fillCode(formula(panel), '"new"');
    await live(panel).getByText("Row 1: new").waitFor();
    await save(page, panel);
    expect(await stored()).toEqual([false, '"new"', 0, null]);
    expect(await states()).toEqual(["done", "open"]);
    await add({ Name: "Desk" });
    await add({ Name: "Sofa", State: "sold" });
    expect(await states()).toEqual(["done", "open", "new", "sold"]);
    await tool(page, "Undo").click();
    await expectPoll(stored).toEqual([false, "", 0, null]);
    await tool(page, "Redo").click();
    await expectPoll(stored).toEqual([false, '"new"', 0, null]);
    // It opens as it was saved, once the page has read the columns again.
    await expectPoll(async () =>
      kind(await editColumn(page, "State"), "Data, filled in automatically").isChecked(),
    ).toBe(true);
    const again = page.locator(".panel");
    expect(await kind(again, "In new rows").isChecked()).toBe(true);
    await kind(again, "Data").check();
    await save(page, again);
    expect((await stored()).slice(0, 2)).toEqual([false, ""]);
    expect(await states()).toEqual(["done", "open", "new", "sold"]);
    expect(ada.problems).toEqual([]);
  });

  test("records who changed certain columns, with completion of the user", async () => {
    const panel = await editColumn(page, "State");
    await kind(panel, "Data, filled in automatically").check();
    await kind(panel, "In new rows, and when one of these columns changes").check();
    await panel.locator(".trigger-columns").getByLabel("Amount", { exact: true }).check();
    await fillCode(formula(panel), "");
    await formula(panel).pressSequentially("user.Em");
    const options = panel.locator(".cm-tooltip-autocomplete li");
    await expectPoll(() => options.allTextContents()).toEqual(["Email"]);
    await page.keyboard.press("Enter");
    await save(page, panel);
    await change(1, { Name: "Stool" });
    expect(await states()).toEqual(["done", "open"]);
    await change(1, { Amount: 11 });
    expect(await states()).toEqual([email, "open"]);
    expect(ada.problems).toEqual([]);
  });

  test("corrects what people enter, by a formula of the column's own value", async () => {
    const panel = await editColumn(page, "State");
    await kind(panel, "Data, filled in automatically").check();
    await kind(panel, "In new rows, and when one of these columns changes").check();
    await panel.locator(".trigger-columns").getByLabel("This column, when a user changes it").check();
    await fillCode(formula(panel), "value.upper()");
    await live(panel).getByText("Row 1: DONE").waitFor();
    // Of a formula column, `value` means nothing.
    await kind(panel, "Formula").check();
    await live(panel).getByText("value").first().waitFor();
    await kind(panel, "Data, filled in automatically").check();
    await live(panel).getByText("Row 1: DONE").waitFor();
    await save(page, panel);
    await cell(page, 2, 3).click();
    await page.keyboard.type("sent");
    await page.keyboard.press("Enter");
    await expectPoll(() => cell(page, 2, 3).textContent()).toBe("SENT");
    expect(await states()).toEqual(["done", "SENT"]);
    expect(ada.problems).toEqual([]);
  });

  test("fills in at every change of a row, or never", async () => {
    const panel = await editColumn(page, "State");
    await kind(panel, "Data, filled in automatically").check();
    await kind(panel, "In new rows, and at every change of a row").check();
    await fillCode(formula(panel), '"by " + user.Name');
    await save(page, panel);
    await change(2, { Name: "Bulb" });
    expect(await states()).toEqual(["done", `by ${ADA.name}`]);
    const again = await editColumn(page, "State");
    await kind(again, "Never").check();
    await save(page, again);
    expect((await stored())[2]).toBe(1);
    await change(1, { Name: "Bench" });
    expect((await states())[0]).toBe("done");
    expect(ada.problems).toEqual([]);
  });
});
