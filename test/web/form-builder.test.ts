import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeTable } from "./calls.ts";
import { button, dialog, item, press, problem } from "./controls.ts";
import {
  box,
  field,
  makeForm,
  makeSignup,
  metadata as readMetadata,
  nameOf,
  openBuilder,
  panel,
  part,
  questions,
  toast,
} from "./form-builder-page.ts";
import { expectHarmless, HOSTILE, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person who builds a form"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let section: number;
  const begin = async (story: Story) => {
    ({ ada, page } = story);
    ({ doc, section } = await makeSignup(ada));
  };
  eachStory(begin);

  const metadata = (table: string, filter: object = {}) => readMetadata(ada, doc, table, filter);
  const storedSection = async () => (await metadata("_Views_section", { id: [section] }))[0]?.fields;
  const layout = async () => JSON.parse(String((await storedSection())?.["layoutSpec"])) as { children: unknown[] };
  const open = () => openBuilder(page, doc, section);

  /** Returns all metadata cells, by table, row and column. */
  async function snapshot(): Promise<Map<string, string>> {
    const cells = new Map<string, string>();
    for (const name of ["_Views", "_Views_section", "_Views_section_field", "_Tables_column", "_Pages", "_Shares"]) {
      for (const { id, fields } of await metadata(name)) {
        for (const [column, value] of Object.entries(fields))
          cells.set(`${name} ${id} ${column}`, JSON.stringify(value));
      }
    }
    return cells;
  }

  /** Returns the metadata columns of existing records that an edit changed, and the tables that it added to or removed from. */
  async function changesOf(edit: () => Promise<unknown>, until: () => Promise<unknown>): Promise<string[]> {
    const before = await snapshot();
    await edit();
    await until();
    const after = await snapshot();
    const rowOf = (cell: string) => cell.replace(/ \w+$/, "");
    const rows = (cells: Map<string, string>) => new Set([...cells.keys()].map(rowOf));
    const [old, now] = [rows(before), rows(after)];
    const changed = [...after].filter(([cell, value]) => old.has(rowOf(cell)) && before.get(cell) !== value);
    const only = (one: Set<string>, other: Set<string>, sign: string) =>
      [...one].filter((row) => !other.has(row)).map((row) => `${sign}${row.replace(/ \d+$/, "")}`);
    return [
      ...changed.map(([cell]) => cell.replace(/ \d+ /, ".")),
      ...only(now, old, "+"),
      ...only(old, now, "-"),
    ].toSorted();
  }

  const states = async (): Promise<number> =>
    (await call<{ states: { n: number }[] }>(ada, "GET", `/api/docs/${doc}/states`)).states[0]?.n ?? 0;

  test("sees the form, makes a question required, and publishes it", async () => {
    await open();
    expect(await questions(page)).toEqual(["Mail", "Size", "Phone"]);
    await page.getByText("Draft", { exact: true }).waitFor();
    await expectAccessible(page);
    await nameOf(page, "Mail").click();
    await panel(page).getByLabel("Question").fill("Your mail");
    await panel(page).getByLabel("Required").check();
    await nameOf(page, "Your mail").getByText("(required)").waitFor();
    await expectAccessible(page);
    await button(panel(page), "Close").click();
    await button(page, "Publish").click();
    await toast(page, "Form published.").waitFor();
    await page.getByText("Published", { exact: true }).waitFor();
    await button(page, "Unpublish").waitFor();
    await ada.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("#copy-link").click();
    await toast(page, "Link copied.").waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    const [{ key, linkId } = { key: "", linkId: "" }] = await call<{ key: string; linkId: string }[]>(
      ada,
      "GET",
      `/api/docs/${doc}/shares`,
    );
    expect(link).toBe(`${new URL(page.url()).origin}/forms/${key}/${section}`);
    const answered = await call<{ formTitle: string }>(ada, "GET", `/api/s/${key}/forms/${section}`);
    expect(answered.formTitle).toBe("Signup");
    const [share] = await metadata("_Shares");
    expect(share?.fields).toMatchObject({ options: '{"publish":true}' });
    expect(share?.fields["linkId"]).toBe(linkId);
    expect(linkId).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(await storedSection()).toMatchObject({ shareOptions: '{"form":true,"publish":true}' });
    expect(await layout()).toMatchObject({
      type: "Layout",
      children: [{ type: "Paragraph" }, {}, { type: "Section" }, { type: "Submit" }],
    });
    const pages = await metadata("_Pages");
    expect(pages.filter(({ fields }) => fields["shareRef"] === share?.id)).toHaveLength(1);

    await button(page, "Unpublish").click();
    await page.getByText("Draft", { exact: true }).waitFor();
    expect(await storedSection()).toMatchObject({ shareOptions: '{"form":true,"publish":false}' });
    expect((await metadata("_Shares"))[0]?.fields).toMatchObject({ options: '{"publish":false}' });
    await button(page, "Publish").click();
    await button(page, "Unpublish").waitFor();
    expect((await metadata("_Shares")).map(({ fields }) => fields["linkId"])).toContain(share?.fields["linkId"]);
  });

  test("each edit writes only the metadata that belongs to it, in one step", async () => {
    await open();
    const layoutIs = (pattern: RegExp) => () =>
      expectPoll(async () => String((await storedSection())?.["layoutSpec"])).toMatch(pattern);
    const first = await states();
    expect(await changesOf(() => page.getByLabel("Photo").check(), layoutIs(/"leaf"/))).toEqual([
      "+_Views_section_field",
      "_Views_section.layoutSpec",
    ]);
    await expectPoll(() => questions(page)).toEqual(["Mail", "Size", "Phone", "Photo"]);
    expect(await states()).toBe(first + 1);
    const required = async () => {
      await button(page, "More about Size").click();
      await item(page, "Make required").click();
    };
    expect(await changesOf(required, () => nameOf(page, "Size").getByText("(required)").waitFor())).toEqual([
      "_Views_section_field.widgetOptions",
    ]);
    const remove = () => nameOf(page, "Size").press("Delete");
    expect(await changesOf(remove, () => toast(page, "Size removed").waitFor())).toEqual([
      "-_Views_section_field",
      "_Views_section.layoutSpec",
    ]);
    const add = async () => {
      await button(page, "New question").click();
      await dialog(page).getByLabel("Question").fill("How old are you?");
      await dialog(page).getByLabel("Type of answer").selectOption("Int");
      await button(dialog(page), "Add question").click();
    };
    const before = await states();
    expect(await changesOf(add, () => nameOf(page, "How old are you?").waitFor())).toEqual([
      "+_Tables_column",
      "+_Views_section_field",
      "+_Views_section_field",
      "+_Views_section_field",
      "_Views_section.layoutSpec",
    ]);
    expect(await states()).toBe(before + 1);
    await button(panel(page), "Close").click();
    const title = async () => {
      await button(page, "Thank-you, closing…").click();
      await panel(page).getByLabel("Name of the form").fill("Join us");
      await panel(page).getByLabel("Name of the form").press("Tab");
    };
    expect(await changesOf(title, () => page.getByRole("heading", { name: "Join us", level: 1 }).waitFor())).toEqual([
      "_Views_section.title",
    ]);
    const signIn = () => panel(page).getByLabel("Visitors must sign in").check();
    const options = () => expectPoll(async () => (await storedSection())?.["options"]).toContain("signIn");
    expect(await changesOf(signIn, options)).toEqual(["_Views_section.options"]);
    expect((await storedSection())?.["options"]).toBe('{"quern":{"v":1,"form":{"signIn":true}}}');
  });

  test("moves boxes by menu, keys and dragging, and undoes it", async () => {
    await open();
    await button(page, "Move Size").click();
    await expectAccessible(page);
    await item(page, "Move up").click();
    await expectPoll(() => questions(page)).toEqual(["Size", "Mail", "Phone"]);
    await nameOf(page, "Size").focus();
    await press(page, "Alt+Shift+ArrowDown", "Alt+Shift+ArrowDown");
    await expectPoll(() => questions(page)).toEqual(["Mail", "Phone", "Size"]);
    await expectPoll(() => page.evaluate<string>("document.activeElement.textContent")).toContain("Size");
    await press(page, "Alt+Shift+ArrowLeft");
    await expectPoll(async () => (await layout()).children).toHaveLength(5);
    await press(page, "Control+z", "Control+z", "Control+z");
    await expectPoll(() => questions(page)).toEqual(["Size", "Mail", "Phone"]);
    await page.keyboard.press("Control+y");
    await expectPoll(() => questions(page)).toEqual(["Mail", "Size", "Phone"]);
    await nameOf(page, "Phone").dragTo(nameOf(page, "Mail"), { targetPosition: { x: 5, y: 2 } });
    await expectPoll(() => questions(page)).toEqual(["Phone", "Mail", "Size"]);
  });

  test("adds texts, sections, columns and lines", async () => {
    await open();
    await part(page, "Columns").click();
    await toast(page, "Columns added").waitFor();
    await nameOf(page, "Empty column").click();
    await part(page, "Text").click();
    await panel(page).getByLabel("Text", { exact: true }).fill("**Bold** words");
    await page.keyboard.press("Tab");
    await field(page, "Alignment").selectOption("center");
    await page.locator(".form-text strong", { hasText: "Bold" }).waitFor();
    await button(panel(page), "Close").click();
    await part(page, "Line").click();
    await box(page, "Line").waitFor();
    await part(page, "Section").click();
    await expectPoll(() => page.locator(".form-box.section").count()).toBe(2);
    await expectAccessible(page);
    const texts = JSON.stringify(await layout());
    expect(texts).toContain('"text":"**Bold** words","alignment":"center"');
    expect(texts).toContain('"text":"---"');
    await toast(page, "Section added").getByRole("button", { name: "Undo" }).click();
    await expectPoll(() => page.locator(".form-box.section").count()).toBe(1);
  });

  test("adds a question with choices, and undoes it with its column", async () => {
    await open();
    await button(page, "New question").click();
    await dialog(page).getByLabel("Question").fill("Which day?");
    await dialog(page).getByLabel("Type of answer").selectOption("ChoiceList");
    await dialog(page).getByLabel("Choices, one per line").fill("Monday\n\n Friday \nMonday");
    await button(dialog(page), "Add question").click();
    await expectPoll(() => box(page, "Which day?").locator(".form-options bdi").allTextContents()).toEqual([
      "Monday",
      "Friday",
    ]);
    expect(await metadata("_Tables_column", { label: ["Which day?"] })).toHaveLength(1);
    await toast(page, "Which day? added").getByRole("button", { name: "Undo" }).click();
    await expectPoll(() => questions(page)).toEqual(["Mail", "Size", "Phone"]);
    expect(await metadata("_Tables_column", { label: ["Which day?"] })).toHaveLength(0);
  });

  test("a question asks for its own column, also when another person adds one at the same time", async () => {
    await open();
    let isFirst = true;
    // The ids as they were before that person's column.
    await page.route("**/_grist_Tables_column/records?sort=*", async (route) => {
      const response = await route.fetch();
      const { records } = (await response.json()) as { records: { id: number }[] };
      const before = isFirst ? records.map((record) => ({ ...record, id: record.id - 1 })) : records;
      isFirst = false;
      await route.fulfill({ json: { records: before } });
    });
    await button(page, "New question").click();
    await dialog(page).getByLabel("Question").fill("Age");
    await button(dialog(page), "Add question").click();
    await nameOf(page, "Age").waitFor();
    const columns = await metadata("_Tables_column", { label: ["Age"] });
    const fields = await metadata("_Views_section_field", { parentId: [section] });
    expect(columns).toHaveLength(1);
    expect(fields.map(({ fields: { colRef } }) => colRef).slice(3)).toEqual(columns.map(({ id }) => id));
    expect(isFirst).toBe(false);
  });

  test("removing a question is undone with its options", async () => {
    await open();
    await nameOf(page, "Size").click();
    await field(page, "Show as").selectOption("radio");
    await field(page, "Alignment").selectOption("horizontal");
    await box(page, "Size").locator(".form-options.beside").waitFor();
    await page.locator("#form-parts").getByLabel("Size").uncheck();
    await toast(page, "Size removed").getByRole("button", { name: "Undo" }).click();
    await box(page, "Size").locator(".form-options.beside").waitFor();
    const fields = await metadata("_Views_section_field", { parentId: [section] });
    expect(fields.map(({ fields: { widgetOptions } }) => widgetOptions)).toContain(
      '{"formSelectFormat":"radio","formOptionsAlignment":"horizontal"}',
    );
    const columns = await metadata("_Tables_column", { colId: ["Size"] });
    expect(columns[0]?.fields["widgetOptions"]).toBe(JSON.stringify({ choices: ["S", "M", "L"] }));
  });

  test("a question leads to the panel of its column", async () => {
    await open();
    await nameOf(page, "Size").click();
    await panel(page).getByRole("link", { name: "All other options of the column" }).click();
    await panel(page).getByRole("heading", { name: "Column Size", exact: true }).waitFor();
    expect(page.url()).toEndWith("#settings=Size");
  });

  test("settings stay beside their fields when they are refused", async () => {
    await open();
    await button(page, "Thank-you, closing…").click();
    await panel(page).getByLabel("Address to go on to").fill("javascript:alert(1)");
    await panel(page).getByLabel("Address to go on to").press("Tab");
    await problem(panel(page)).getByText("must start with https://").waitFor();
    await panel(page).getByLabel("Address to go on to").fill("https://example.com/{{ID}}");
    await panel(page).getByLabel("Thank-you text").fill("See you!");
    await panel(page).getByLabel("Offer to send another answer").check();
    await panel(page).getByLabel("Maximum number of answers").fill("100");
    await panel(page)
      .getByText(/^In your time zone, .+\. Visitors see the time in theirs\.$/)
      .waitFor();
    await panel(page).getByLabel("Closes at").fill("2030-05-03T18:30");
    await press(page, "Escape");
    await panel(page).waitFor({ state: "detached" });
    await expectPoll(async () => (await storedSection())?.["options"]).toMatch(
      /"maxAnswers":100.*"closesAt":"2030-05-0.*Z"/,
    );
    expect(await layout()).toMatchObject({
      successURL: "https://example.com/{{ID}}",
      successText: "See you!",
      anotherResponse: true,
    });
  });

  test("hostile names are texts", async () => {
    const columns = HOSTILE.map((label, at) => ({ id: `C${at}`, fields: { label, type: "Text" } }));
    await makeTable(ada, doc, { id: "Hostile", columns, rows: [] });
    section = await makeForm(ada, doc, "Hostile");
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["UpdateRecord", "_grist_Views_section", section, { title: HOSTILE_NAME }],
    ]);
    await open();
    await page.getByRole("heading", { name: HOSTILE_NAME, level: 1 }).waitFor();
    for (const label of HOSTILE)
      await expectPoll(() => page.locator("#form-parts bdi").allTextContents()).toContain(label);
    for (const at of [0, 3, 8]) {
      await page.locator(".form-box.question").nth(at).locator("[data-control=name]").click();
      await panel(page).waitFor();
    }
    await button(panel(page), "Close").click();
    await page.locator(".form-box.question").first().locator("[data-control=name]").press("Delete");
    await toast(page, "removed").waitFor();
    await expectHarmless(page);
    await expectAccessible(page);
  });

  test("keeps boxes of other programs and deleted columns, and follows other people", async () => {
    await open();
    const spec = {
      type: "Layout",
      x: 1,
      children: [
        { type: "Map", zoom: 3 },
        { type: "Field", leaf: 9999, y: [] },
        { type: "Label", text: "Hello" },
        { type: "Submit" },
      ],
    };
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["UpdateRecord", "_grist_Views_section", section, { layoutSpec: JSON.stringify(spec) }],
    ]);
    await box(page, "Part of another program").waitFor();
    await box(page, "Unavailable column").waitFor();
    await nameOf(page, "Part of another program").focus();
    await press(page, "Alt+Shift+ArrowDown");
    await expectPoll(layout).toEqual({
      ...spec,
      children: [spec.children[1], spec.children[0], spec.children[2], spec.children[3]],
    });
  });

  test("goes through the form by keys", async () => {
    await open();
    await page.locator("#form-canvas [tabindex='0']").first().focus();
    await press(page, "End");
    await expectPoll(() => page.evaluate<string>("document.activeElement.textContent")).toBe("Submit button");
    await press(page, "ArrowUp", "Enter");
    await panel(page).getByLabel("Question").waitFor();
    await expectPoll(() => page.evaluate<string>("document.activeElement.value")).toBe("Phone");
    await press(page, "Escape");
    await expectPoll(() => page.evaluate<string>("document.activeElement.textContent")).toContain("Phone");
    await press(page, "Shift+F10");
    await item(page, "Remove from form").waitFor();
  });

  test("on a phone, the list is a sheet", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open();
    await button(page, "Add").click();
    await dialog(page).getByLabel("Photo").check();
    await expectPoll(() => dialog(page).getByLabel("Photo").isChecked()).toBe(true);
    await button(dialog(page), "Done").click();
    await expectPoll(() => questions(page)).toEqual(["Mail", "Size", "Phone", "Photo"]);
    await nameOf(page, "Photo").click();
    await panel(page).getByLabel("Question").fill("A photo of you");
    await button(panel(page), "Close").click();
    await nameOf(page, "A photo of you").waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
