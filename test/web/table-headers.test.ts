import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, dialog, item, press, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

const TREES = {
  id: "Trees",
  columns: [
    { id: "Name", fields: { type: "Text", label: "Name" } },
    { id: "Height", fields: { type: "Numeric", label: "Height" } },
    { id: "Double", fields: { type: "Numeric", label: "Double", isFormula: true, formula: "$Height * 2" } },
    ...["A", "B", "C", "D", "E", "F"].map((id) => ({ id: `Note${id}`, fields: { type: "Text", label: `Note ${id}` } })),
  ],
  rows: [
    { Name: "Elm", Height: 30, NoteA: "a long note about this tree that needs much more room" },
    { Name: "Fir", Height: 60, NoteF: "last" },
  ],
};

const headerNames = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(".grid .column-head .name")].map((each) => each.textContent)`);

const header = (page: Page, name: string): Locator =>
  page.locator(".grid .column-head").filter({ has: page.getByText(name, { exact: true }) });

const nameField = (page: Page): Locator => page.locator(".header-editor input");

const x = async (element: Locator): Promise<number> => Math.round((await element.boundingBox())?.x ?? Number.NaN);

const width = async (element: Locator): Promise<number> =>
  Math.round((await element.boundingBox())?.width ?? Number.NaN);

const parameter = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

async function choose(page: Page, column: string, command: string): Promise<void> {
  await button(page, `Menu of ${column}`).click();
  await item(page, command).click();
}

describe.skipIf(!CHROMIUM)(inBrowser("column headers"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, TREES);
    const about = ["ModifyColumn", "Trees", "Height", { description: "In metres" }];
    await call(ada, "POST", `/api/docs/${doc}/apply`, [about]);
  });

  const labels = async (): Promise<string[]> => {
    const { columns } = await call<{ columns: { fields: { label: string } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/Trees/columns`,
    );
    return columns.map(({ fields }) => fields.label);
  };

  test("rename a column in place: by double click, F2 and the menu", async () => {
    await openTable(page, doc, "Trees", "?width=Height:200&sort=Height");
    await header(page, "Height").locator(".name").dblclick();
    await expectPoll(() => nameField(page).inputValue()).toBe("Height");
    await nameField(page).fill("");
    await press(page, "Enter");
    await shownText(page, "Enter a name.").waitFor();
    expect(await nameField(page).getAttribute("aria-invalid")).toBe("true");
    await nameField(page).fill("Name");
    await shownText(page, "Another column is called Name.").waitFor();
    await nameField(page).fill("Size");
    await press(page, "Enter");
    await expectPoll(() => headerNames(page).then((names) => names[1])).toBe("Size");
    expect(await labels()).toContain("Size");
    // The view follows the id, and keys go on at the header.
    await expectPoll(() => parameter(page, "width")).toBe("Size:200");
    expect(parameter(page, "sort")).toBe("Size");
    await expectPoll(() => page.evaluate("document.activeElement?.getAttribute('aria-label')")).toBe("Size, Number");
    await press(page, "F2");
    await nameField(page).waitFor();
    await press(page, "Escape");
    await nameField(page).waitFor({ state: "detached" });
    await press(page, "F2");
    await nameField(page).fill("Lost");
    await press(page, "Escape");
    await nameField(page).waitFor({ state: "detached" });
    await expectPoll(() => page.evaluate("document.activeElement?.getAttribute('aria-label')")).toBe("Size, Number");
    // Leaving saves.
    await choose(page, "Size", "Rename");
    await nameField(page).fill(HOSTILE_NAME);
    await cell(page, 1, 1).click();
    await expectPoll(() => headerNames(page).then((names) => names[1])).toBe(HOSTILE_NAME);
    await expectHarmless(page);
    expect(await labels()).not.toContain("Lost");
    await button(page.locator(".toast"), "Undo").click();
    await expectPoll(() => headerNames(page).then((names) => names[1])).toBe("Size");
    expect(ada.problems).toEqual([]);
  });

  test("move by dragging, keys and the menu, in the view only", async () => {
    await openTable(page, doc, "Trees");
    const from = await header(page, "Name").boundingBox();
    const to = await header(page, "Double").boundingBox();
    if (!from || !to) throw new Error("no headers");
    await page.mouse.move(from.x + 60, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 63, from.y + 10);
    expect(await page.locator(".drop-line").count()).toBe(0);
    await page.mouse.move(to.x + to.width - 8, to.y + 10, { steps: 4 });
    await page.locator(".drop-line").waitFor();
    await page.mouse.up();
    await expectPoll(() => headerNames(page).then((names) => names.slice(0, 3))).toEqual(["Height", "Double", "Name"]);
    expect(parameter(page, "order")).toStartWith("Height,Double,Name,NoteA");
    // The moved header has the focus.
    await press(page, "Alt+Shift+ArrowLeft");
    await expectPoll(() => headerNames(page).then((names) => names.slice(0, 3))).toEqual(["Height", "Name", "Double"]);
    await press(page, "Alt+Shift+ArrowLeft", "Alt+Shift+ArrowLeft");
    await expectPoll(() => headerNames(page).then((names) => names.slice(0, 3))).toEqual(["Name", "Height", "Double"]);
    await choose(page, "Name", "Move right");
    await expectPoll(() => headerNames(page).then((names) => names.slice(0, 2))).toEqual(["Height", "Name"]);
    await page.reload();
    await expectPoll(() => headerNames(page).then((names) => names.slice(0, 2))).toEqual(["Height", "Name"]);
    expect((await labels())[0]).toBe("Name");
    expect(ada.problems).toEqual([]);
  });

  test("freeze columns at the left, with their cells, totals and editors", async () => {
    await page.setViewportSize({ width: 900, height: 700 });
    await openTable(page, doc, "Trees", "?totals=Height:sum");
    await choose(page, "Height", "Freeze up to here");
    expect(parameter(page, "freeze")).toBe("2");
    const at = [await x(cell(page, 1, 1)), await x(cell(page, 1, 2))];
    await cell(page, 1, 1).click();
    await press(page, "End");
    await expectPoll(() => x(cell(page, 1, 9))).toBeLessThan(900);
    expect([await x(cell(page, 1, 1)), await x(cell(page, 1, 2))]).toEqual(at);
    expect(await x(header(page, "Height"))).toBe(at[1] ?? 0);
    expect(await x(page.locator(".foot-cell[aria-colindex='3']"))).toBe(at[1] ?? 0);
    // Cells are scrolled into view beside them.
    await press(page, "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft");
    const frozenEnd = (at[1] ?? 0) + (await width(cell(page, 1, 2)));
    await expectPoll(() => x(cell(page, 1, 4))).toBeGreaterThan(frozenEnd - 2);
    await press(page, "End");
    await cell(page, 2, 2).dblclick();
    await expectPoll(() => x(page.locator(".grid .editor"))).toBe(at[1] ?? 0);
    await press(page, "Escape");
    await page.reload();
    await cell(page, 1, 1).click();
    await press(page, "End");
    await expectPoll(() => x(cell(page, 1, 1))).toBe(at[0] ?? 0);
    // One on phones, of 40 % of the width.
    await page.setViewportSize({ width: 390, height: 800 });
    await expectPoll(() => width(cell(page, 1, 1))).toBe(156);
    expect(await page.locator(".column-head.frozen").count()).toBe(1);
    await page.setViewportSize({ width: 900, height: 700 });
    await choose(page, "Name", "Unfreeze");
    expect(parameter(page, "freeze")).toBeNull();
    await button(page, "Columns").click();
    await button(page, "Freeze up to Name").click();
    expect(parameter(page, "freeze")).toBe("1");
    await expectPoll(() => button(page, "Freeze up to Name").getAttribute("aria-pressed")).toBe("true");
    await button(page, "Freeze up to Name").click();
    expect(parameter(page, "freeze")).toBeNull();
    expect(ada.problems).toEqual([]);
  });

  test("take the width of their content, or a given one", async () => {
    await openTable(page, doc, "Trees");
    const note = header(page, "Note A");
    const edge = await note.locator(".edge").boundingBox();
    if (!edge) throw new Error("no edge");
    await page.mouse.dblclick(edge.x + 4, edge.y + 10);
    await expectPoll(() => width(note)).toBeGreaterThan(250);
    const fits = `((cell) => cell.scrollWidth <= cell.clientWidth)(
      document.querySelector(".grid .body [aria-rowindex='2'] [aria-colindex='5']"))`;
    expect(await page.evaluate<boolean>(fits)).toBe(true);
    await choose(page, "Note A", "Width…");
    await dialog(page).getByLabel("Width in pixels, from 48 to 600").fill("120");
    await button(dialog(page), "Set width").click();
    await expectPoll(() => width(note)).toBe(120);
    expect(parameter(page, "width")).toBe("NoteA:120");
    await choose(page, "Note A", "Fit width");
    await expectPoll(() => width(note)).toBeGreaterThan(250);
    expect(ada.problems).toEqual([]);
  });

  test("insert columns at both sides, and duplicate one with its values", async () => {
    await openTable(page, doc, "Trees");
    await choose(page, "Height", "Insert left");
    await dialog(page).getByLabel("Name").fill("Before");
    await button(dialog(page), "Add column").click();
    await expectPoll(() => headerNames(page).then((names) => names.slice(0, 3))).toEqual(["Name", "Before", "Height"]);
    await choose(page, "Height", "Move right");
    await choose(page, "Height", "Insert right");
    await dialog(page).getByLabel("Name").fill("After");
    await button(dialog(page), "Add column").click();
    await expectPoll(() => headerNames(page).then((names) => names.slice(2, 5))).toEqual(["Double", "Height", "After"]);
    await choose(page, "Height", "Duplicate");
    await expectPoll(() => headerNames(page).then((names) => names.slice(3, 5))).toEqual(["Height", "Height copy"]);
    const rows = await records(ada, doc, "Trees");
    expect(rows.map(({ fields }) => fields["Height_copy"])).toEqual([30, 60]);
    await expectPoll(() => header(page, "Height copy").getAttribute("title")).toBe("Height copy (Number)\nIn metres");
    await button(page.locator(".toast"), "Undo").click();
    await expectPoll(() => labels().then((all) => all.includes("Height copy"))).toBe(false);
    await choose(page, "Double", "Duplicate");
    await expectPoll(() => headerNames(page).then((names) => names[3])).toBe("Double copy");
    const computed = await records(ada, doc, "Trees");
    expect(computed.map(({ fields }) => fields["Double_copy"])).toEqual([60, 120]);
    await page.getByRole("columnheader", { name: "Double copy, formula, Number", exact: true }).waitFor();
    expect(ada.problems).toEqual([]);
  });

  test("show and speak descriptions, filters and sorting", async () => {
    await openTable(page, doc, "Trees", '?filter={"Height":{"gt":1}}&sort=-Height');
    const height = page.getByRole("columnheader", { name: "Height, Number, filtered", exact: true });
    await height.waitFor();
    expect(await height.getAttribute("aria-sort")).toBe("descending");
    expect(await height.locator(".about .icon").count()).toBe(1);
    const about = `document.getElementById(document.querySelector(".column-head[aria-colindex='3']")
      .getAttribute("aria-describedby")).textContent`;
    expect(await page.evaluate<string>(about)).toBe("In metres");
    await choose(page, "Name", "Edit column…");
    await page.locator(".panel").getByLabel("Description").fill(HOSTILE_NAME);
    await button(page.locator(".panel"), "Save").click();
    await expectPoll(() => header(page, "Name").getAttribute("title")).toBe(`Name (Text)\n${HOSTILE_NAME}`);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("offer viewers the commands of the view only", async () => {
    const ben = await invite(doc, "viewers");
    await openTable(ben.page, doc, "Trees");
    await button(ben.page, "Menu of Height").click();
    await item(ben.page, "Move left").waitFor();
    expect(await item(ben.page, "Rename").count()).toBe(0);
    expect(await item(ben.page, "Duplicate").count()).toBe(0);
    await press(ben.page, "Escape");
    await header(ben.page, "Height").locator(".name").dblclick();
    await press(ben.page, "F2", "Alt+Shift+ArrowLeft");
    await expectPoll(() => headerNames(ben.page).then((names) => names[0])).toBe("Height");
    expect(await nameField(ben.page).count()).toBe(0);
    expect(ben.problems).toEqual([]);
  });
});
