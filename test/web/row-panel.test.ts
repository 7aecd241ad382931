/** The panel of a row: fields edited in place, steps to other rows, and files in large. */
import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, dialog, item, press, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

const TASKS = {
  id: "Tasks",
  columns: [
    { id: "Task", fields: { type: "Text" } },
    { id: "Hours", fields: { type: "Numeric" } },
    { id: "Due", fields: { type: "Date" } },
    { id: "Done", fields: { type: "Bool" } },
    { id: "Twice", fields: { type: "Numeric", isFormula: true, formula: "$Hours * 2" } },
  ],
  rows: [
    { Task: "Oil chain", Hours: 1, Due: 1_767_225_600, Done: false },
    { Task: HOSTILE_NAME, Hours: 2, Due: null, Done: true },
    { Task: "Fix brake", Hours: 3, Due: null, Done: false },
  ],
};

describe.skipIf(!CHROMIUM)(inBrowser("the panel of a row"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, TASKS);
    await openTable(page, doc, "Tasks");
  });

  const panel = () => page.locator(".panel");
  const field = (name: string) =>
    panel()
      .locator(".card-field")
      .filter({ has: page.getByRole("heading", { name }) });
  const title = () => panel().locator("h2").textContent();
  const stored = async (column: string) => (await records(ada, doc, "Tasks")).map((row) => row.fields[column]);

  test("edits fields one after another by the keyboard, and each is saved when it is left", async () => {
    await cell(page, 1, 1).click();
    await press(page, "Shift+Enter");
    await field("Task").locator("textarea").waitFor();
    await expectPoll(title).toBe("Oil chain");
    await page.keyboard.type(" twice");
    await press(page, "Tab");
    await expectPoll(() => stored("Task")).toContain("Oil chain twice");
    await field("Hours").locator("textarea").waitFor();
    await press(page, "Control+a");
    await page.keyboard.type("4.5");
    await press(page, "Enter");
    await expectPoll(() => stored("Hours")).toEqual([4.5, 2, 3]);
    await field("Due").locator("textarea").waitFor();
    await press(page, "Escape");
    expect(await panel().count()).toBe(1);
    await press(page, "Enter");
    await field("Due").locator("textarea").fill("2026-03-05");
    await press(page, "Tab", "Tab");
    await expectPoll(() => stored("Due")).toEqual([1_772_668_800, null, null]);
    await press(page, " ");
    await expectPoll(() => stored("Done")).toEqual([true, true, false]);
    await expectPoll(() => field("Twice").locator(".cell").textContent()).toBe("9");
    await expectAccessible(page);
    await press(page, "Escape");
    await panel().waitFor({ state: "detached" });
    await press(page, "Control+z");
    await expectPoll(() => stored("Done")).toEqual([false, true, false]);
    expect(ada.problems).toEqual([]);
  });

  test("shows the next rows by buttons and keys, and follows its row when that moves", async () => {
    await openTable(page, doc, "Tasks", "?sort=Task");
    await expectRows(
      page,
      ["Fix brake|3||No|6", "Oil chain|1|2026-01-01|No|2", `${HOSTILE_NAME}|2||Yes|4`].toSorted((a, b) =>
        a.localeCompare(b, "en"),
      ),
    );
    const order = await page.locator('.grid .body [aria-colindex="2"]').allTextContents();
    await cell(page, 1, 1).click({ button: "right" });
    await item(page, "Open row").click();
    await panel().getByText("Row 1 of 3").waitFor();
    await press(page, "Alt+PageDown");
    await panel().getByText("Row 2 of 3").waitFor();
    expect(await title()).toBe(order[1] ?? "");
    await button(panel(), "Next row").click();
    await panel().getByText("Row 3 of 3").waitFor();
    await expectHarmless(page);
    expect(await button(panel(), "Next row").getAttribute("aria-disabled")).toBe("true");
    await button(panel(), "Previous row").click();
    await button(panel(), "Previous row").click();
    await panel().getByText("Row 1 of 3").waitFor();
    // The edited row keeps its place, and the panel shows it also after it has moved.
    await field("Task").locator(".field-value").click();
    await field("Task").locator("textarea").fill("Zz last");
    await panel().locator("h2").click();
    await expectPoll(title).toBe("Zz last");
    await panel().getByText("Row 1 of 3").waitFor();
    await cell(page, 2, 2).click();
    await expectPoll(async () => (await page.locator('.grid .body [aria-colindex="2"]').allTextContents()).at(-1)).toBe(
      "Zz last",
    );
    await panel().getByText("Row 3 of 3").waitFor();
    expect(await title()).toBe("Zz last");
    expect(ada.problems).toEqual([]);
  });

  test("keeps a refused value with its reason, and duplicates and deletes from its menu", async () => {
    await page.route("**/apply*", (route) => route.abort("internetdisconnected"));
    await page.route("**/tables/Tasks/records*", (route) =>
      route.request().method() === "GET" ? route.continue() : route.abort("internetdisconnected"),
    );
    await page.locator('.grid .body [role=row][aria-rowindex="2"] .row-head').click();
    await press(page, "Shift+Enter");
    await field("Task").locator("textarea").fill("Not sent");
    await press(page, "Tab");
    await field("Task").getByRole("button", { name: "Try again" }).waitFor();
    await page.unrouteAll();
    await field("Task").getByRole("button", { name: "Try again" }).click();
    await expectPoll(() => stored("Task")).toContain("Not sent");
    await button(panel(), "Menu of the row").click();
    await item(page, "Duplicate row").click();
    await shownText(page, "1 row duplicated.").waitFor();
    await button(panel(), "Menu of the row").click();
    await item(page, "Delete row").click();
    await shownText(page, "1 row deleted.").waitFor();
    await panel().getByText("This row no longer exists.").waitFor();
    expect(ada.problems.filter((each) => !each.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
  });

  test("shows files as tiles, with a large preview of images", async () => {
    await call(ada, "POST", `/api/docs/${doc}/tables/Tasks/columns`, {
      columns: [{ id: "Files", fields: { type: "Attachments" } }],
    });
    await page.reload();
    await page.locator('.grid .body [role=row][aria-rowindex="2"] .row-head').click({ button: "right" });
    await item(page, "Open row").click();
    await button(panel(), "Add or remove files…").click();
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    await dialog(page)
      .locator('input[type="file"]:not([capture])')
      .setInputFiles([
        { name: "photo.png", mimeType: "image/png", buffer: png },
        { name: "report.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.1") },
      ]);
    await dialog(page).getByText("photo.png").waitFor();
    await button(dialog(page), "Close").click();
    await button(panel(), "Preview of photo.png").click();
    await dialog(page).locator(".file-preview img").waitFor();
    await dialog(page).getByText("1 of 2").waitFor();
    await expectAccessible(page);
    await press(page, "ArrowRight");
    await dialog(page).getByRole("heading", { name: "report.pdf" }).waitFor();
    const opened = dialog(page).getByRole("link", { name: "Open in a new tab" });
    expect(await opened.getAttribute("href")).toContain("inline=1");
    expect(await opened.getAttribute("target")).toBe("_blank");
    await expectHarmless(page);
    await press(page, "Escape");
    await dialog(page).waitFor({ state: "detached" });
    expect(ada.problems).toEqual([]);
  });

  test("is part of the address, also of a row that the view does not show", async () => {
    const row = () => new URL(page.url()).searchParams.get("row");
    await cell(page, 1, 1).click();
    await press(page, "Shift+Enter");
    await expectPoll(row).toBe("1");
    await press(page, "Alt+PageDown");
    await expectPoll(row).toBe("2");
    await expectPoll(title).toContain("was-made");
    await page.reload();
    await expectPoll(title).toContain("was-made");
    await panel().getByText("Row 2 of 3").waitFor();
    // A change of the view keeps it, and so does Back.
    await openTable(page, doc, "Tasks", `?filter=${encodeURIComponent('{"Hours":{"gt":1}}')}&row=1`);
    await expectPoll(title).toBe("Oil chain");
    await panel().getByText("Not in this part of the view").waitFor();
    expect(await field("Hours").locator(".cell").textContent()).toBe("1");
    expect(await button(page, "Next row").isDisabled()).toBe(true);
    await button(page, "Previous row").click();
    await expectPoll(row).toBe("3");
    await expectPoll(title).toBe("Fix brake");
    await press(page, "Escape");
    await panel().waitFor({ state: "detached" });
    expect(row()).toBeNull();
    await openTable(page, doc, "Tasks", "?row=99");
    await panel().getByText("This row no longer exists").waitFor();
    await openTable(page, doc, "Tasks", "?row=-1");
    expect(await panel().count()).toBe(0);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("leads to the history of the row", async () => {
    await call(ada, "PATCH", `/api/docs/${doc}/tables/Tasks/records`, { records: [{ id: 2, fields: { Hours: 8 } }] });
    await call(ada, "PATCH", `/api/docs/${doc}/tables/Tasks/records`, { records: [{ id: 3, fields: { Hours: 9 } }] });
    await cell(page, 2, 1).click();
    await press(page, "Shift+Enter");
    await button(panel(), "Menu of the row").click();
    await item(page, "History of this row").click();
    await page.waitForURL(/history\?table=Tasks&row=2$/);
    await page.getByText("Changes of the row").waitFor();
    expect(await page.locator(".chosen-row").textContent()).toContain(HOSTILE_NAME);
    // The change of its hours, and the one that added the rows.
    const states = page.locator(".states .states");
    await expectPoll(() => states.locator("> li").count()).toBe(2);
    expect(await states.textContent()).not.toContain("9");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Show changes of all rows" }).click();
    await page.waitForURL(/history\?table=Tasks$/);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("has no fields to edit for viewers", async () => {
    const ben = await invite(doc, "viewers");
    await openTable(ben.page, doc, "Tasks");
    await cell(ben.page, 1, 1).click();
    await press(ben.page, "Enter");
    await ben.page.locator(".panel").getByText("Row 1 of 3").waitFor();
    expect(await ben.page.locator(".panel .field-value, .panel input, .panel textarea").count()).toBe(0);
    await button(ben.page.locator(".panel"), "Menu of the row").click();
    expect(await ben.page.getByRole("menuitem").allTextContents()).toEqual(["Copy link", "History of this row"]);
    await expectAccessible(ben.page);
    expect(ben.problems).toEqual([]);
  });

  describe("follows the record card of the table", () => {
    const names = () => panel().getByRole("heading", { level: 3 }).allTextContents();
    const metadata = async (table: string, filter: Readonly<Record<string, unknown>>) => {
      const query = new URLSearchParams({ filter: JSON.stringify(filter) });
      const path = `/api/docs/${doc}/tables/${table}/records?${query.toString()}`;
      const found = await call<{ records: { id: number; fields: Record<string, unknown> }[] }>(ada, "GET", path);
      return found.records;
    };
    const apply = (...actions: unknown[][]) => call(ada, "POST", `/api/docs/${doc}/apply`, actions);
    const openRow = async () => {
      await openTable(page, doc, "Tasks");
      await cell(page, 1, 1).click();
      await press(page, "Shift+Enter");
      await field("Task").waitFor();
    };
    let card: number;
    let fields: number[];
    beforeEach(async () => {
      const sections = await metadata("_grist_Views_section", { parentId: [0], parentKey: ["single"] });
      card = sections.at(-1)?.id ?? 0;
      const found = await metadata("_grist_Views_section_field", { parentId: [card] });
      fields = found
        .toSorted((a, b) => Number(a.fields["parentPos"]) - Number(b.fields["parentPos"]))
        .map(({ id }) => id);
    });

    test("in the order of its fields, with the hidden ones on demand", async () => {
      await openRow();
      await expectPoll(names).toEqual(["Task", "Hours", "Due", "Done", "Twice"]);
      const [task = 0, hours = 0, due = 0, done = 0, twice = 0] = fields;
      await apply(
        ["RemoveRecord", "_grist_Views_section_field", hours],
        ["RemoveRecord", "_grist_Views_section_field", twice],
        ["UpdateRecord", "_grist_Views_section_field", due, { widgetOptions: '{"dateFormat":"YYYY"}' }],
        [
          "UpdateRecord",
          "_grist_Views_section",
          card,
          { layoutSpec: JSON.stringify({ children: [{ leaf: done }, { children: [{ leaf: due }, { leaf: task }] }] }) },
        ],
      );
      await openRow();
      await expectPoll(names).toEqual(["Done", "Due", "Task"]);
      await expectPoll(() => field("Due").locator(".cell").textContent()).toBe("2026");
      await button(panel(), "Show 2 hidden fields").click();
      await expectPoll(names).toEqual(["Done", "Due", "Task", "Hours", "Twice"]);
      await field("Hours").locator("textarea").waitFor();
      await page.keyboard.type("5");
      await press(page, "Enter");
      await expectPoll(() => stored("Hours")).toContainEqual(15);
    });

    test("unless it is disabled", async () => {
      await apply(
        ["RemoveRecord", "_grist_Views_section_field", fields[1]],
        ["UpdateRecord", "_grist_Views_section", card, { options: '{"disabled":true}' }],
      );
      await openRow();
      await expectPoll(names).toEqual(["Task", "Hours", "Due", "Done", "Twice"]);
    });
  });
});
