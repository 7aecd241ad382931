/** Entering text in cells: without keys, as input methods do, and into lists that are left by Tab. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { press } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

const TASKS = {
  id: "Tasks",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    {
      id: "Kind",
      fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: ["Home", "Garden", "Office"] }) },
    },
    { id: "Tags", fields: { type: "ChoiceList", widgetOptions: JSON.stringify({ choices: ["red", "green"] }) } },
    { id: "Link", fields: { type: "Text", widgetOptions: JSON.stringify({ widget: "HyperLink" }) } },
    { id: "Count", fields: { type: "Int", isFormula: true, formula: "len($Name)" } },
  ],
  rows: [{ Name: "Ash" }, { Name: "Elm" }],
};

describe.skipIf(!CHROMIUM)(inBrowser("text"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, TASKS);
    await openTable(page, doc, "Tasks");
  });
  const stored = async (id: string) => (await records(ada, doc, "Tasks")).map(({ fields }) => fields[id]);
  const editorText = () => page.locator(".editor :is(textarea, input)").first().inputValue();

  test("without a key opens the editor of the cell, of lists, and of the blank row", async () => {
    await cell(page, 1, 1).click();
    await page.keyboard.insertText(`今日は ${HOSTILE_NAME}`);
    expect(await editorText()).toBe(`今日は ${HOSTILE_NAME}`);
    await page.keyboard.insertText("!");
    await press(page, "Enter");
    await expectPoll(() => stored("Name")).toEqual([`今日は ${HOSTILE_NAME}!`, "Elm"]);
    await cell(page, 1, 2).click();
    await page.keyboard.insertText("Gar");
    await press(page, "Enter");
    await expectPoll(() => stored("Kind")).toEqual(["Garden", ""]);
    await cell(page, 2, 1).click();
    await press(page, "ArrowDown");
    await page.keyboard.insertText("Oak");
    await press(page, "Enter");
    await expectPoll(() => stored("Name")).toEqual([`今日は ${HOSTILE_NAME}!`, "Elm", "Oak"]);
    await press(page, "x", "Enter");
    await expectPoll(() => stored("Name")).toEqual([`今日は ${HOSTILE_NAME}!`, "Elm", "Oak", "x"]);
    // Computed cells take none.
    await cell(page, 1, 5).click();
    await page.keyboard.insertText("7");
    expect(await page.locator(".editor").count()).toBe(0);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("that an input method composes replaces the value, and a cancelled composition keeps it", async () => {
    const session = await page.context().newCDPSession(page);
    const compose = (text: string) =>
      session.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
    await cell(page, 2, 1).click();
    await compose("に");
    await compose("にほ");
    await compose("");
    await expectPoll(() => cell(page, 2, 1).textContent()).toBe("Elm");
    await compose("に");
    await compose("にほん");
    expect(await cell(page, 2, 1).textContent()).toBe("にほん");
    await session.send("Input.insertText", { text: "日本" });
    await expectPoll(editorText).toBe("日本");
    await page.keyboard.type("go");
    await press(page, "Enter");
    await expectPoll(() => stored("Name")).toEqual(["Ash", "日本go"]);
    await press(page, "Control+z");
    await expectPoll(() => stored("Name")).toEqual(["Ash", "Elm"]);
    await expectPoll(() => cell(page, 2, 1).textContent()).toBe("Elm");
    expect(ada.problems).toEqual([]);
  });

  test("in a list takes the best match by Tab, or is kept, and the next keys are for the next cell", async () => {
    await cell(page, 1, 2).click();
    await page.keyboard.type("off");
    await press(page, "Tab");
    await page.keyboard.type("gre");
    await press(page, "Tab", "Shift+Tab");
    await expectPoll(() => stored("Kind")).toEqual(["Office", ""]);
    await expectPoll(() => stored("Tags")).toEqual([["L", "green"], null]);
    await cell(page, 1, 1).click();
    await press(page, "Tab", "Tab", "Shift+Tab");
    await press(page, "ArrowDown");
    await page.keyboard.type("Ho");
    await press(page, "Shift+Tab");
    await page.keyboard.type("Yew");
    await press(page, "Enter");
    await expectPoll(() => stored("Kind")).toEqual(["Office", "Home"]);
    await expectPoll(() => stored("Name")).toEqual(["Ash", "Yew"]);
    expect(ada.problems).toEqual([]);
  });

  test("in a reference without a match is kept by Tab, and the next values go to the next cells", async () => {
    await makeTable(ada, doc, {
      id: "People",
      columns: [{ id: "Name", fields: { type: "Text", isFormula: true, formula: "'Anna ' + str($id)" } }],
      rows: [{}, {}],
    });
    await call(ada, "POST", `/api/docs/${doc}/tables/Tasks/columns`, {
      columns: [
        { id: "Who", fields: { type: "Ref:People" } },
        { id: "More", fields: { type: "Text" } },
      ],
    });
    const { columns } = await call<{ columns: { id: string; fields: { colRef: number } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/People/columns`,
    );
    const visibleCol = columns.find(({ id }) => id === "Name")?.fields.colRef;
    await call(ada, "PATCH", `/api/docs/${doc}/tables/Tasks/columns`, {
      columns: [{ id: "Who", fields: { visibleCol } }],
    });
    await openTable(page, doc, "Tasks");
    await cell(page, 1, 6).click();
    await page.keyboard.type("Nobody");
    await press(page, "Tab");
    await page.keyboard.type("first");
    await press(page, "Enter");
    await cell(page, 2, 6).click();
    await page.keyboard.type("anna 2");
    await press(page, "Tab");
    await page.keyboard.type("second");
    await press(page, "Enter");
    await expectPoll(() => stored("More")).toEqual(["first", "second"]);
    await expectPoll(() => stored("Who")).toEqual(["Nobody", 2]);
    expect(ada.problems).toEqual([]);
  });

  test("in a table without rows is entered and pasted at once", async () => {
    await makeTable(ada, doc, { id: "Empty", columns: [{ id: "Name", fields: { type: "Text" } }], rows: [] });
    await openTable(page, doc, "Empty");
    await page.locator(".grid-empty").getByText("Type, or paste from a spreadsheet.").waitFor();
    await page.keyboard.type("Ash");
    await press(page, "Enter");
    await page.keyboard.type("Elm");
    await press(page, "Enter");
    await expectRows(page, ["Ash", "Elm"]);
    await openTable(page, doc, "Empty", `?filter=${JSON.stringify({ Name: ["Oak"] })}`);
    await page.locator(".grid-empty").getByText("No rows match.").waitFor();
    await page.locator(".grid-empty").getByRole("button", { name: "Clear filters" }).click();
    await expectRows(page, ["Ash", "Elm"]);
    expect(ada.problems).toEqual([]);
  });
});
