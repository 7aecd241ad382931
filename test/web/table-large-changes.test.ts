/** Changes that are larger than what the history keeps, and their undo. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, dialog, item, press, shownText } from "./controls.ts";
import { dropFile, importWindow, result } from "./import-window.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, openTable, pasteText } from "./table-page.ts";

const TASKS = {
  id: "Tasks",
  columns: [{ id: "Title", fields: { type: "Text" } }],
  rows: Array.from({ length: 200 }, (_, n) => ({ Title: `Tea ${n}` })),
};

describe.skipIf(!CHROMIUM)(inBrowser("changes that the history does not keep"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(
    async (story) => {
      ({ ada, page, invite } = story);
      doc = await makeDocument(ada);
      await makeTable(ada, doc, TASKS);
    },
    { flags: { "history-bytes": "4KB" } },
  );

  const titles = async (): Promise<string[]> =>
    (await call<{ Title: string[] }>(ada, "GET", `/api/docs/${doc}/tables/Tasks/data`)).Title;
  const cleared = async () => (await titles()).filter((title) => title === "").length;
  const states = async () => (await call<{ states: unknown[] }>(ada, "GET", `/api/docs/${doc}/states`)).states.length;
  const clearAll = async (on: Page) => {
    await openTable(on, doc, "Tasks");
    await cell(on, 1, 1).click();
    await press(on, "Control+a", "Delete");
  };
  const TEXT = "This changes 200 cells, more than the history keeps.";

  test("save a snapshot, which Undo restores", async () => {
    await clearAll(page);
    await shownText(dialog(page), TEXT).waitFor();
    expect(await violations(page)).toEqual([]);
    await button(dialog(page), "Cancel").click();
    expect(await cleared()).toBe(0);
    await press(page, "Delete");
    await button(dialog(page), "Save snapshot and change").click();
    await shownText(page, "200 cells cleared.").waitFor();
    expect(await cleared()).toBe(200);
    const before = await states();
    await button(page.locator("#toasts"), "Undo").click();
    await expectPoll(cleared).toBe(0);
    // The restored content has the history of then.
    expect(await states()).toBeLessThan(before);
    await expectPoll(() => cell(page, 1, 1).textContent()).toBe("Tea 0");
  });

  test("include imports, which lead back to their preview when cancelled", async () => {
    await openTable(page, doc, "Tasks");
    const text = `Title\n${Array.from({ length: 300 }, (_, n) => `Imported ${n}\n`).join("")}`;
    await dropFile(page, ".grid", "tasks.csv", text);
    await button(importWindow(page), "Import 300 rows").click();
    await shownText(dialog(page), "This changes 300 cells, more than the history keeps.").waitFor();
    await button(dialog(page).last(), "Cancel").click();
    await expectPoll(() => result(page).textContent()).toBe("300 new");
    await button(importWindow(page), "Import 300 rows").click();
    await button(dialog(page).last(), "Save snapshot and change").click();
    await shownText(page, "300 rows imported into Tasks.").waitFor();
    expect(await titles()).toHaveLength(500);
    await button(page.locator("#toasts"), "Undo").click();
    await expectPoll(async () => (await titles()).length).toBe(200);
    expect(ada.problems).toEqual([]);
  });

  test("say so when the document was changed since", async () => {
    await clearAll(page);
    await button(dialog(page), "Save snapshot and change").click();
    await shownText(page, "200 cells cleared.").waitFor();
    // Other changes, until the history drops the large one.
    for (let n = 0; n < 120 && (await states()) > 1; n++) {
      const fields = { Title: `x`.repeat(5000) };
      await call(ada, "POST", `/api/docs/${doc}/tables/Tasks/records`, { records: [{ fields }] });
    }
    await press(page, "Control+z");
    await shownText(page, /The document was changed after this change/).waitFor();
    expect(await cleared()).toBe(200);
  });

  test("are undone by the history while it still has them", async () => {
    await clearAll(page);
    await button(dialog(page), "Save snapshot and change").click();
    await shownText(page, "200 cells cleared.").waitFor();
    const records = [{ fields: { Title: "later" } }];
    await call(ada, "POST", `/api/docs/${doc}/tables/Tasks/records`, { records });
    await press(page, "Control+z");
    await expectPoll(cleared).toBe(0);
    expect(await titles()).toContain("later");
  });

  const large = (name: string) => button(dialog(page), name);
  const undoByToast = () => button(page.locator("#toasts"), "Undo").click();
  const PASTED = Array.from({ length: 200 }, (_, n) => `Coffee ${n}`);

  test("can be pastes into the cells", async () => {
    await openTable(page, doc, "Tasks");
    await cell(page, 1, 1).click();
    await pasteText(page, PASTED.join("\n"));
    await shownText(dialog(page), TEXT).waitFor();
    await large("Cancel").click();
    expect(await titles()).toContain("Tea 0");
    await cell(page, 1, 1).click();
    await pasteText(page, PASTED.join("\n"));
    await large("Save snapshot and change").click();
    await shownText(page, "200 cells pasted.").waitFor();
    expect((await titles()).toSorted()).toEqual(PASTED.toSorted());
    await undoByToast();
    await expectPoll(titles).toContain("Tea 0");
    await expectPoll(() => cell(page, 1, 1).textContent()).toBe("Tea 0");
    expect(ada.problems).toEqual([]);
  });

  test("can be pastes with a preview, to which Cancel leads back", async () => {
    await openTable(page, doc, "Tasks");
    await cell(page, 1, 1).click();
    await press(page, "Control+End");
    await pasteText(page, PASTED.join("\n"));
    await button(dialog(page), "Paste").click();
    await shownText(page.locator("dialog"), TEXT).waitFor();
    await page.locator("dialog").last().getByRole("button", { name: "Cancel" }).click();
    await large("Paste").click();
    await large("Save snapshot and change").click();
    await shownText(page, "399 rows").waitFor();
    await undoByToast();
    await shownText(page, "200 rows").waitFor();
    expect(ada.problems).toEqual([]);
  });

  test("can be filled cells, and deleted or duplicated rows", async () => {
    await openTable(page, doc, "Tasks");
    await cell(page, 1, 1).click();
    await press(page, "Control+Shift+End", "Control+d");
    await shownText(dialog(page), "This changes 199 cells, more than the history keeps.").waitFor();
    await large("Save snapshot and change").click();
    await shownText(page, "199 cells filled.").waitFor();
    await undoByToast();
    await expectPoll(titles).toContain("Tea 1");
    await cell(page, 1, 1).click();
    await press(page, "Control+Shift+End", "Control+Delete");
    await large("Save snapshot and change").click();
    await shownText(page, "200 rows deleted.").waitFor();
    await undoByToast();
    await shownText(page, "200 rows").waitFor();
    expect(ada.problems).toEqual([]);
  });

  test("can be moved rows", async () => {
    await openTable(page, doc, "Tasks");
    await cell(page, 2, 1).click();
    await press(page, "Shift+ ", "Shift+PageDown");
    await press(page, ...Array.from({ length: 12 }, () => "Shift+PageDown"), "Alt+Shift+ArrowUp");
    await shownText(dialog(page), "This changes 199 cells, more than the history keeps.").waitFor();
    await large("Cancel").click();
    expect(await cell(page, 200, 1).textContent()).toBe("Tea 199");
    await press(page, "Alt+Shift+ArrowUp");
    await large("Save snapshot and change").click();
    await expectPoll(() => cell(page, 200, 1).textContent()).toBe("Tea 0");
    await press(page, "Control+z");
    await expectPoll(() => cell(page, 200, 1).textContent()).toBe("Tea 199");
    expect(ada.problems).toEqual([]);
  });

  test("can be changed types and deleted columns", async () => {
    await openTable(page, doc, "Tasks");
    await button(page, "Menu of Title").click({ force: true });
    await item(page, "Edit column…").click();
    const panel = page.locator(".panel");
    await panel.getByRole("combobox", { name: "Type" }).selectOption("Choice");
    await panel
      .getByText(/cells? (convert|converts)\.|All 200 cells/)
      .first()
      .waitFor();
    await button(panel, "Apply").click();
    await large("Save snapshot and change").click();
    await shownText(page, /^(The type of )?Title (was|is)/).waitFor();
    const type = async () =>
      (
        await call<{ columns: { id: string; fields: { type: string } }[] }>(
          ada,
          "GET",
          `/api/docs/${doc}/tables/Tasks/columns`,
        )
      ).columns.map(({ id, fields }) => `${id} ${fields.type}`);
    expect(await type()).toEqual(["Title Choice"]);
    await undoByToast();
    await expectPoll(type).toEqual(["Title Text"]);
    const remove = item(page, "Delete column");
    // The columns are shown again after the change, which closes menus.
    await expectPoll(async () => {
      if (!(await remove.isVisible())) await button(page, "Menu of Title").click({ force: true });
      return remove.isVisible();
    }).toBe(true);
    await remove.click();
    await large("Delete column").click();
    await large("Save snapshot and change").click();
    await shownText(page, "Column Title deleted.").waitFor();
    await undoByToast();
    await expectPoll(type).toEqual(["Title Text"]);
    expect(ada.problems).toEqual([]);
  });

  test("have no snapshot for editors", async () => {
    const ben = await invite(doc, "editors");
    await clearAll(ben.page);
    await button(dialog(ben.page), "Change without snapshot").click();
    await shownText(ben.page, "200 cells cleared.").waitFor();
    await press(ben.page, "Control+z");
    await expectPoll(cleared).toBe(0);
  });
});

describe.skipIf(!CHROMIUM)(inBrowser("large changes on a server without snapshots"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(
    async (story) => {
      ({ ada, page } = story);
      doc = await makeDocument(ada);
      await makeTable(ada, doc, TASKS);
    },
    { flags: { "history-bytes": "4KB", "snapshots-keep": "0" } },
  );

  test("are offered without a snapshot, and say how long they can be undone", async () => {
    await openTable(page, doc, "Tasks");
    await cell(page, 1, 1).click();
    await press(page, "Control+a", "Delete");
    await shownText(dialog(page), "You can undo it only until the document is changed after that.").waitFor();
    await button(dialog(page), "Change without snapshot").click();
    await shownText(page, "200 cells cleared.").waitFor();
    await press(page, "Control+z");
    await expectPoll(() => cell(page, 1, 1).textContent()).toBe("Tea 0");
    await pasteText(page, TASKS.rows.map(() => "Milk").join("\n"));
    await button(dialog(page), "Change without snapshot").click();
    await shownText(page, "200 cells pasted.").waitFor();
    expect(ada.problems).toEqual([]);
  });
});
