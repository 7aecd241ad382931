import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, item, press } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, expectRows, openTable, until } from "./table-page.ts";

/** A red square. */
const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAJUlEQVR4nGP4z8BAEiJN9aiGUQ2jGkY1jGoY1TCqYVTDqIZRDQBVUf8BPYGRMgAAAABJRU5ErkJggg==",
);

describe.skipIf(!CHROMIUM)(inBrowser("cells of every type"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    const people = ["Ada", "Grace", "Mary"].map((Name) => ({ Name }));
    await makeTable(ada, doc, { id: "People", columns: [{ id: "Name", fields: { type: "Text" } }], rows: people });
    const { tables } = await call<{ tables: { id: string; fields: { rawViewSectionRef: number } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables`,
    );
    const section = tables.find(({ id }) => id === "People")?.fields.rawViewSectionRef;
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["UpdateRecord", "_grist_Views_section", section, { title: "Our people" }],
    ]);
  });

  const openOne = async (columns: { id: string; fields: Record<string, unknown> }[]): Promise<void> => {
    await makeTable(ada, doc, { id: "One", columns, rows: [{}] });
    await openTable(page, doc, "One");
    await cell(page, 1, 1).click();
  };
  const stored = async (): Promise<Record<string, unknown> | undefined> => (await records(ada, doc, "One"))[0]?.fields;

  test("a column becomes a reference or a reference list, selected by display value", async () => {
    await openOne([
      { id: "Who", fields: { type: "Text" } },
      { id: "All", fields: { type: "Text" } },
    ]);
    for (const [name, type] of [
      ["Who", "Ref"],
      ["All", "RefList"],
    ] as const) {
      await button(page, `Menu of ${name}`).click();
      await item(page, "Edit column…").click();
      const panel = page.locator(".panel");
      await panel.locator("select").first().selectOption(type);
      await panel.getByRole("combobox", { name: "Table" }).selectOption({ label: "Our people" });
      await panel.getByLabel("Shows").locator("option", { hasText: "Name" }).waitFor({ state: "attached" });
      await button(panel, "Apply").click();
      await panel.waitFor({ state: "detached" });
    }
    await cell(page, 1, 1).click();
    await page.keyboard.type("gra");
    await page.locator(".editor [role=option]").first().waitFor();
    await expectPoll(() => page.locator(".editor [role=option]").allTextContents()).toEqual([
      "Grace",
      "Add “gra” to Our people",
    ]);
    await page.keyboard.press("Enter");
    await expectRows(page, ["Grace|"]);
    await cell(page, 1, 2).click();
    await page.keyboard.press("Enter");
    for (const name of ["Mary", "Ada"]) await page.locator(".editor [role=option]", { hasText: name }).click();
    await page.keyboard.press("Enter");
    await expectRows(page, ["Grace|MaryAda"]);
    // Cells show values before the server has stored them.
    await expectPoll(() => stored()).toEqual({ Who: 2, All: ["L", 3, 1] });
    // No such record: shown in place.
    await cell(page, 1, 1).click();
    await page.keyboard.type("Nobody");
    await page.locator(".editor [role=option]", { hasText: "Add “Nobody” to Our people" }).waitFor();
    await press(page, "ArrowUp", "Enter");
    await page.locator(".editor").getByText("No record of Our people matches “Nobody”.").waitFor();
    await page.keyboard.press("Escape");
    await expectRows(page, ["Grace|MaryAda"]);
    expect(ada.problems).toEqual([]);
  });

  test("checkboxes, dates, times, choices and numbers", async () => {
    await openOne([
      { id: "Done", fields: { type: "Bool" } },
      { id: "Day", fields: { type: "Date", widgetOptions: JSON.stringify({ dateFormat: "DD.MM.YYYY" }) } },
      { id: "Moment", fields: { type: "DateTime:Asia/Tokyo" } },
      { id: "Tags", fields: { type: "ChoiceList", widgetOptions: JSON.stringify({ choices: ["old", "new"] }) } },
      {
        id: "Price",
        fields: { type: "Numeric", widgetOptions: JSON.stringify({ numMode: "currency", currency: "EUR" }) },
      },
    ]);
    await page.keyboard.press(" ");
    await cell(page, 1, 2).click();
    await page.keyboard.type("24.12.2025");
    await page.keyboard.press("Tab");
    expect(await until(page, `document.activeElement.getAttribute("aria-colindex") === "4"`)).toBe(true);
    await page.keyboard.type("2025-12-24 9:30am");
    await press(page, "Tab", "Enter");
    await page.locator(".editor [role=option]", { hasText: "new" }).click();
    await page.keyboard.type("odd");
    await press(page, "ArrowUp", "Enter");
    await page.locator(".editor").getByText("“odd” is not one of the choices of this column.").waitFor();
    await page.keyboard.press("Enter");
    await cell(page, 1, 5).click();
    await page.keyboard.type("€12.5");
    await page.keyboard.press("Enter");
    await expectRows(page, ["Yes|24.12.2025|2025-12-24 9:30am|newodd|€12.50"]);
    await expectPoll(() => stored()).toEqual({
      Done: true,
      Day: Date.UTC(2025, 11, 24) / 1000,
      Moment: Date.UTC(2025, 11, 24, 0, 30) / 1000,
      Tags: ["L", "new", "odd"],
      Price: 12.5,
    });
    expect(ada.problems).toEqual([]);
  });

  test("attachments are added, shown, and removed", async () => {
    await openOne([{ id: "Pictures", fields: { type: "Attachments" } }]);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("No files yet.").waitFor();
    await dialog.getByLabel("Add files").setInputFiles([
      { name: "red.png", mimeType: "image/png", buffer: Buffer.from(PNG) },
      { name: "notes <b>.txt", mimeType: "text/plain", buffer: Buffer.from("hello") },
    ]);
    await dialog.getByRole("link", { name: "notes <b>.txt" }).waitFor();
    await button(dialog, "Close").click();
    const image = cell(page, 1, 1).locator("img");
    await image.waitFor();
    expect(await until(page, `document.querySelector(".grid .cell img").naturalWidth === 16`)).toBe(true);
    await expectPoll(() => image.getAttribute("alt")).toBe("red.png");
    await cell(page, 1, 1).click();
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Remove file" }).first().click();
    expect(await until(page, `document.querySelectorAll("dialog .file-list > li").length === 1`)).toBe(true);
    await button(dialog, "Close").click();
    await expectPoll(async () => (await stored())?.["Pictures"]).toHaveLength(2);
    expect(ada.problems).toEqual([]);
  });

  test("a text column becomes a choice column with the values in use", async () => {
    const columns = [{ id: "Kind", fields: { type: "Text" } }];
    const rows = ["open", "closed", "open", ""].map((Kind) => ({ Kind }));
    await makeTable(ada, doc, { id: "Tasks", columns, rows });
    await openTable(page, doc, "Tasks");
    await button(page, "Menu of Kind").click();
    await item(page, "Edit column…").click();
    const panel = page.locator(".panel");
    await panel.getByRole("combobox", { name: "Type" }).selectOption("Choice");
    await panel.getByLabel("Choice", { exact: true }).nth(1).waitFor();
    await button(panel, "Apply").click();
    await panel.waitFor({ state: "detached" });
    const { columns: now } = await call<{ columns: { fields: { type: string; widgetOptions: string } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/Tasks/columns`,
    );
    expect(now[0]?.fields.type).toBe("Choice");
    expect(JSON.parse(now[0]?.fields.widgetOptions ?? "")).toMatchObject({ choices: ["open", "closed"] });
    expect(ada.problems).toEqual([]);
  });
});
