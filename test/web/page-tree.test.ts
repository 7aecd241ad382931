/** The pages of a document in its sidebar: their tree, and the commands that rename, move and delete them. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable, records } from "./calls.ts";
import { button, dialog, item, press, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { addPages, apply, metadata, outline, pageEntry, shownEntries } from "./page-tree.ts";
import { eachStory, type Story } from "./scene.ts";
import { openTable } from "./table-page.ts";

const PEOPLE = { id: "People", columns: [{ id: "Name", fields: { type: "Text" } }], rows: [{ Name: "Anna" }] };

let ada: Visit;
let page: Page;
let doc: string;
let invite: Story["invite"];

const toasts = () => page.locator("#toasts");
const inMenu = async (name: string, command: string) => {
  await openMenu(name);
  await item(page, command).click();
};
/** A refreshed list replaces its buttons: the entry is a new one after a change. */
const openMenu = async (name: string) => {
  const entry = pageEntry(page, name);
  await entry.hover();
  await button(entry, `Menu of page ${name}`).click();
  // Keys that are pressed earlier would not be its own.
  await page.getByRole("menu").waitFor();
};
const expectOutline = (...pages: readonly string[]) => expectPoll(() => outline(ada, doc)).toEqual([...pages]);
const expectEntries = (...pages: readonly string[]) => expectPoll(() => shownEntries(page)).toEqual([...pages]);
const focusOn = (name: string) => pageEntry(page, name).focus();
const idOf = async (name: string) =>
  (await records(ada, doc, "_grist_Views")).find(({ fields }) => fields["name"] === name)?.id ?? 0;

/** Undoes the change that a toast reports: all metadata has to be as before. */
async function undoToast(before: Awaited<ReturnType<typeof metadata>>, text: string): Promise<void> {
  await shownText(toasts(), text).waitFor();
  await button(toasts(), "Undo").click();
  await expectPoll(() => metadata(ada, doc)).toEqual(before);
}

describe.skipIf(!CHROMIUM)(inBrowser("the pages of a document"), () => {
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, PEOPLE);
    await apply(ada, doc, [["RemoveTable", "Table1"]]).catch(() => {});
    await addPages(ada, doc, ["A", "-B", "--C", "D"]);
  });

  test("are a tree, which keys and pointers fold; this browser keeps it", async () => {
    const [first] = (await records(ada, doc, "_grist_Pages")).toSorted((a, b) => a.id - b.id).slice(1);
    await apply(ada, doc, [["UpdateRecord", "_grist_Pages", first?.id ?? 0, { options: '{"collapsed":true}' }]]);
    await openTable(page, doc, "People");
    await expectEntries("People", "A", "D");
    await focusOn("A");
    await press(page, "ArrowRight");
    await expectEntries("People", "A", "-B", "--C", "D");
    await press(page, "ArrowDown", "ArrowLeft", "ArrowDown");
    await expectEntries("People", "A", "-B", "D");
    expect(
      await pageEntry(page, "D").evaluate((element) => (element as { matches(s: string): boolean }).matches(":focus")),
    ).toBe(true);
    await page.reload();
    await page.locator(".grid").waitFor();
    await expectEntries("People", "A", "-B", "D");
    // The document has what it had.
    expect((await records(ada, doc, "_grist_Pages")).map(({ fields }) => fields["options"])).toContain(
      '{"collapsed":true}',
    );
    expect(await violations(page)).toEqual([]);
    expect(ada.problems).toEqual([]);
  });

  test("lead to themselves, before the tables, which are folded on other pages", async () => {
    await page.goto(`/docs/${doc}/history`);
    expect(await pageEntry(page, "B").locator("a").getAttribute("href")).toBe(`/docs/${doc}/pages/${await idOf("B")}`);
    const table = page.locator("#tables").getByRole("treeitem", { name: "People", exact: true });
    expect(await table.isVisible()).toBe(false);
    await focusOn("D");
    await press(page, "ArrowDown", "ArrowRight", "ArrowDown");
    await table.waitFor();
    // The browser reports it a moment later, and the page then keeps it.
    await expectPoll(() => page.evaluate<string>("document.cookie")).toContain("quern_tables=open");
    await page.reload();
    await table.waitFor();
    await page.locator("#tables summary").click();
    await table.waitFor({ state: "hidden" });
    // The current table is shown.
    await openTable(page, doc, "People");
    await table.waitFor();
    expect(ada.problems).toEqual([]);
  });

  test("are renamed by F2 and the menu; tables keep their names", async () => {
    await openTable(page, doc, "People");
    const before = await metadata(ada, doc);
    await focusOn("People");
    await press(page, "F2");
    await dialog(page).getByLabel("Name").fill("Staff");
    await press(page, "Enter");
    await expectEntries("Staff", "A", "-B", "--C", "D");
    expect(await violations(page)).toEqual([]);
    await undoToast(before, "Page People renamed to Staff.");
    await expectEntries("People", "A", "-B", "--C", "D");
    await inMenu("B", "Rename…");
    await dialog(page).getByLabel("Name").fill(HOSTILE_NAME);
    await button(dialog(page), "Rename").click();
    await expectEntries("People", "A", `-${HOSTILE_NAME}`, "--C", "D");
    await expectHarmless(page);
    await openMenu(HOSTILE_NAME);
    await expectHarmless(page);
    await press(page, "Escape", "Control+z");
    await expectEntries("People", "A", "-B", "--C", "D");
    expect(ada.problems).toEqual([]);
  });

  test("are moved by keys, with those below them, and undone by keys", async () => {
    await openTable(page, doc, "People");
    const before = await metadata(ada, doc);
    await focusOn("D");
    await press(page, "Alt+Shift+ArrowUp");
    await expectOutline("People", "D", "A", "-B", "--C");
    await expectEntries("People", "D", "A", "-B", "--C");
    await press(page, "Alt+Shift+ArrowDown");
    await expectEntries("People", "A", "-B", "--C", "D");
    await press(page, "Alt+Shift+ArrowRight");
    await expectEntries("People", "A", "-B", "--C", "-D");
    await focusOn("A");
    await press(page, "Alt+Shift+ArrowRight");
    await expectEntries("People", "-A", "--B", "---C", "--D");
    await press(page, "Alt+Shift+ArrowLeft");
    await expectEntries("People", "A", "-B", "--C", "-D");
    for (let count = 0; count < 5; count++) await press(page, "Control+z");
    await expectPoll(() => metadata(ada, doc)).toEqual(before);
    await expectEntries("People", "A", "-B", "--C", "D");
    await press(page, "Control+y");
    await expectOutline("People", "D", "A", "-B", "--C");
    expect(ada.problems).toEqual([]);
  });

  test("are moved by their menu, which says what is impossible", async () => {
    await openTable(page, doc, "People");
    const before = await metadata(ada, doc);
    await inMenu("C", "Outdent");
    await expectOutline("People", "A", "-B", "-C", "D");
    await undoToast(before, "Page C moved.");
    await inMenu("A", "Move down");
    await expectOutline("People", "D", "A", "-B", "--C");
    await undoToast(before, "Page A moved.");
    await expectEntries("People", "A", "-B", "--C", "D");
    await openMenu("C");
    await expectPoll(() =>
      page
        .getByRole("menuitem")
        .evaluateAll((all) =>
          (all as unknown as { ariaDisabled: string | null; textContent: string }[])
            .filter(({ ariaDisabled }) => ariaDisabled === "true")
            .map(({ textContent }) => textContent.replace(/(Alt|⌥).*/, "")),
        ),
    ).toEqual(["Move upFirst at its level", "Move downLast at its level", "IndentNo page above it at its level"]);
    await press(page, "Escape");
    expect(ada.problems).toEqual([]);
  });

  test("are moved by dragging, to the depth of the pointer", async () => {
    await openTable(page, doc, "People");
    const before = await metadata(ada, doc);
    // The list is replaced when the server reports the change before.
    const boxOf = async (name: string) => {
      const box = { x: 0, y: 0, height: 0 };
      await expectPoll(async () => Object.assign(box, await pageEntry(page, name).boundingBox()).y).toBeGreaterThan(0);
      return box;
    };
    const drag = async (from: string, to: string, { x, y }: { x: number; y: number }) => {
      const source = await boxOf(from);
      const target = await boxOf(to);
      await page.mouse.move(source.x + 60, source.y + 10);
      await page.mouse.down();
      await page.mouse.move(source.x + 64, source.y + 14, { steps: 4 });
      const list = await page.locator("#pages .tree").boundingBox();
      const line = page.locator(".page-drop-line");
      const edge = target.y + (y < target.height / 2 ? 0 : target.height);
      let step = 0;
      // Its script loads when the first drag begins.
      await expectPoll(async () => {
        await page.mouse.move((list?.x ?? 0) + x + (step++ % 2), target.y + y, { steps: 2 });
        const shown = (await line.count()) > 0 ? await line.boundingBox() : null;
        return shown !== null && Math.abs(shown.y - edge) < 6;
      }).toBe(true);
      const box = await line.boundingBox();
      await page.mouse.up();
      return { left: (box?.x ?? 0) - (list?.x ?? 0), height: box?.height };
    };
    expect(await drag("D", "A", { x: 40, y: 4 })).toEqual({ left: 16, height: 2 });
    await expectOutline("People", "-D", "A", "-B", "--C");
    await undoToast(before, "Page D moved.");
    await expectEntries("People", "A", "-B", "--C", "D");
    await drag("B", "D", { x: 20, y: 28 });
    await expectOutline("People", "A", "D", "B", "-C");
    await undoToast(before, "Page B moved.");
    expect(ada.problems).toEqual([]);
  });

  test("are deleted at once", async () => {
    await openTable(page, doc, "People");
    const before = await metadata(ada, doc);
    await inMenu("A", "Delete…");
    await expectOutline("People", "-B", "--C", "D");
    await expectEntries("People", "-B", "--C", "D");
    await undoToast(before, "Page A deleted.");
    await expectEntries("People", "A", "-B", "--C", "D");
    expect(ada.problems).toEqual([]);
  });

  test("ask about tables that no other page shows", async () => {
    await openTable(page, doc, "People");
    const before = await metadata(ada, doc);
    await inMenu("People", "Delete…");
    expect(await dialog(page).getByLabel("Keep table People").isChecked()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await button(dialog(page), "Delete page").click();
    await expectOutline("A", "-B", "--C", "D");
    await undoToast(before, "Page People deleted.");
    await inMenu("People", "Delete…");
    await dialog(page).getByLabel("Also delete table People").check();
    await button(dialog(page), "Delete page").click();
    await shownText(page, "No tables yet").waitFor();
    await undoToast(before, "Page People deleted.");
    await page.waitForURL(`**/docs/${doc}/tables/People`);
    expect(ada.problems).toEqual([]);
  });

  test("have no commands for viewers", async () => {
    await using ben = await invite(doc, "viewers");
    await openTable(ben.page, doc, "People");
    await expectPoll(() => shownEntries(ben.page)).toEqual(["People", "A", "-B", "--C", "D"]);
    expect(await ben.page.locator("#pages button:not([data-fold])").count()).toBe(0);
    await pageEntry(ben.page, "A").focus();
    await press(ben.page, "F2", "Alt+Shift+ArrowDown", "Shift+F10");
    expect(await dialog(ben.page).count()).toBe(0);
    // Changes of others are shown.
    await apply(ada, doc, [["UpdateRecord", "_grist_Views", await idOf("D"), { name: "Plan" }]]);
    await expectPoll(() => shownEntries(ben.page)).toEqual(["People", "A", "-B", "--C", "Plan"]);
    expect(await outline(ada, doc)).toEqual(["People", "A", "-B", "--C", "Plan"]);
    expect(ben.problems).toEqual([]);
  });
});
