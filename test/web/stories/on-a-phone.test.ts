/** A person works with an order book on a phone, by touch only. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "../browser.ts";
import { makeDocument, makeTable, records } from "../calls.ts";
import { button, dialog } from "../controls.ts";
import { eachStory } from "../scene.ts";
import { cell, expectRows, openTable } from "../table-page.ts";
import { countLine, PHONE } from "./table-lines.ts";

const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Customer", fields: { type: "Text" } },
    { id: "Status", fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: ["New", "Paid"] }) } },
    { id: "Total", fields: { type: "Numeric" } },
  ],
  rows: [
    { Customer: "Anna Kern", Status: "Paid", Total: 37.5 },
    { Customer: "Bruno Ortiz", Status: "New", Total: 250 },
    { Customer: "Milena Ćirić", Status: "Paid", Total: 199.9 },
  ],
};
const [ANNA = "", BRUNO = "", MILENA = ""] = ORDERS.rows.map((row) => Object.values(row).join("|"));

describe.skipIf(!CHROMIUM)(inBrowser("a person with an order book on a phone"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let openPhone: () => Promise<Visit>;
  eachStory(async (story) => {
    doc = await makeDocument(story.ada, "Order book");
    await makeTable(story.ada, doc, ORDERS);
    openPhone = async () => {
      const phone = await story.openWindow({ viewport: PHONE, hasTouch: true, isMobile: true });
      await phone.signIn(story.email);
      return phone;
    };
  });

  /** A tool above the table, of which narrow windows show some in a menu. */
  async function tapTool(name: string): Promise<void> {
    const tool = button(page.locator("#sheet-tools"), name);
    if (await tool.isVisible()) return tool.tap();
    await button(page, "More tools").tap();
    await page.getByRole("menuitem", { name }).tap();
  }
  const close = async (sheet: Locator) => {
    await page
      .locator("h1, .top-bar")
      .first()
      .tap({ position: { x: 195, y: 5 }, force: true });
    await sheet.waitFor({ state: "detached" });
  };
  const stored = async () => (await records(ada, doc, "Orders")).map(({ fields }) => Object.values(fields).join("|"));

  test("filters, sorts, edits a cell, adds a row, opens a row, and undoes", async () => {
    ada = await openPhone();
    await using phone = ada;
    ({ page } = phone);
    await openTable(page, doc, "Orders");
    await expectRows(page, [ANNA, BRUNO, MILENA]);

    await tapTool("Filter");
    const builder = dialog(page);
    await builder.getByLabel("Column", { exact: true }).selectOption({ label: "Total" });
    await builder.getByLabel("Operator").selectOption({ label: "≥" });
    await builder.getByLabel("Value").fill("100");
    await button(builder, "Show 2 rows").tap();
    await builder.waitFor({ state: "detached" });
    await expectRows(page, [BRUNO, MILENA]);
    await expectPoll(() => countLine(page)).toBe("2 of 3 rows");

    await tapTool("Sort");
    await dialog(page).getByLabel("Add sort column…").selectOption({ label: "Total" });
    await expectRows(page, [MILENA, BRUNO]);
    await close(dialog(page));

    await button(page, "Remove: Total ≥ 100").tap();
    await button(page, "Remove: Total, ascending").tap();
    await expectRows(page, [ANNA, BRUNO, MILENA]);

    await cell(page, 2, 1).tap();
    await cell(page, 2, 1).tap();
    await page.locator(".editor textarea").fill("Bruno Otero");
    // The Enter key of the keyboard on the screen.
    await page.keyboard.press("Enter");
    await expectRows(page, [ANNA, BRUNO.replace("Ortiz", "Otero"), MILENA]);
    await expectPoll(async () => (await stored())[1]).toBe(BRUNO.replace("Ortiz", "Otero"));

    await tapTool("Row");
    await expectPoll(() => countLine(page)).toBe("4 rows");
    // The new row is the active one: one tap edits it.
    await cell(page, 4, 1).tap();
    await page.locator(".editor textarea").fill("Neue Kundin");
    await page.keyboard.press("Enter");
    await expectPoll(async () => (await stored())[3]).toBe("Neue Kundin||0");

    await page.locator(".grid .body [role=rowheader]").nth(1).tap();
    const card = page.locator(".panel");
    await card.getByRole("heading", { name: "Bruno Otero" }).waitFor();
    await card.getByRole("group", { name: "Status" }).tap();
    await page.getByRole("dialog", { name: "Status" }).getByRole("option", { name: "Paid" }).tap();
    await expectPoll(async () => (await stored())[1]).toBe("Bruno Otero|Paid|250");
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(PHONE.width);
    await button(card, "Close").tap();
    await card.waitFor({ state: "detached" });

    for (let times = 0; times < 4; times++) {
      await page.locator(".top-bar details.menu > summary").tap();
      await button(page.locator(".top-bar details.menu > nav"), "Undo").tap();
      await expectPoll(() => page.locator(".top-bar details.menu > nav").isVisible()).toBe(false);
    }
    await expectRows(page, [ANNA, BRUNO, MILENA]);
    await expectPoll(stored).toEqual([ANNA, BRUNO, MILENA]);
    expect(phone.problems).toEqual([]);
  });
});
