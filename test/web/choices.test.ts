/** The choices of a column: colours, order, new names that cells follow, removal. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { PALETTE } from "../../src/web/base/palette.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, item, press } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

const [BLUE] = PALETTE.map(({ light }) => light);

describe.skipIf(!CHROMIUM)(inBrowser("the choices of a column"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let panel: Locator;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    panel = page.locator(".panel");
  });

  const openPanel = async (
    columns: { id: string; fields: Record<string, unknown> }[],
    rows: Record<string, unknown>[],
  ) => {
    await makeTable(ada, doc, { id: "One", columns, rows });
    await openTable(page, doc, "One");
    await button(page, `Menu of ${columns[0]?.id}`).click();
    await item(page, "Edit column…").click();
    await panel.getByLabel("Choice", { exact: true }).first().waitFor();
  };
  const names = (): Promise<string[]> =>
    page.evaluate(`[...document.querySelectorAll(".choice-name > input")].map((each) => each.value)`);
  const save = async () => {
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
  };
  const storedOptions = async (): Promise<unknown> => {
    const path = `/api/docs/${doc}/tables/One/columns`;
    const { columns } = await call<{ columns: { fields: { widgetOptions: string } }[] }>(ada, "GET", path);
    return JSON.parse(columns[0]?.fields.widgetOptions ?? "");
  };
  const choices = (type: string, ...all: string[]) => [
    { id: "Kind", fields: { type, widgetOptions: JSON.stringify({ choices: all }) } },
  ];
  const pillStyle = (property: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector(".grid .pill")).${property}`);

  test("new ones take the pairs of the palette in turn; others can be chosen", async () => {
    await openPanel(choices("Choice", "old"), [{ Kind: "new" }]);
    for (const name of ["new", "hot", "odd"]) {
      await button(panel, "Choice").click();
      await panel.getByLabel("Choice", { exact: true }).last().fill(name);
    }
    await button(panel, "Colour of hot: Green").click();
    expect(await violations(page)).toEqual([]);
    await press(page, "Escape");
    await expectPoll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Colour of hot: Green");
    await press(page, "Enter");
    await button(page.getByRole("dialog", { name: "Colours" }), "Red").click();
    await button(panel, "Colour of hot: Red").waitFor();
    await button(panel, "Colour of odd: Amber").click();
    await page.getByLabel("Custom…").fill("#112233");
    await button(panel, "Colour of odd: #112233").waitFor();
    await save();
    const red = PALETTE.find(({ name }) => name === "palette.red")?.light;
    expect(await storedOptions()).toEqual({
      choices: ["old", "new", "hot", "odd"],
      choiceOptions: {
        new: { fillColor: BLUE?.fill, textColor: BLUE?.text },
        hot: { fillColor: red?.fill, textColor: red?.text },
        odd: { fillColor: "#112233", textColor: "#ffffff" },
      },
    });
    // Stored is the light pair; dark pages draw the dark one.
    await expectPoll(() => pillStyle("backgroundColor")).toBe("rgb(206, 227, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    await expectPoll(() => pillStyle("backgroundColor")).toBe("rgb(32, 72, 122)");
    expect(await pillStyle("color")).toBe("rgb(231, 241, 255)");
    expect(ada.problems).toEqual([]);
  });

  test("cells follow a new name unless that is turned off, and Undo restores both", async () => {
    await openPanel(choices("Choice", "New", "Paid", "Sent"), [{ Kind: "New" }, { Kind: "Paid" }, { Kind: "New" }]);
    const fields = panel.getByLabel("Choice", { exact: true });
    await fields.nth(0).fill("Open");
    await panel.getByLabel("Rename in 2 cells").waitFor();
    await fields.nth(1).fill("Done");
    await panel.getByLabel("Rename in 1 cell").uncheck();
    // No cell has it: there is nothing to decide.
    await fields.nth(2).fill("Shipped");
    await save();
    await expectRows(page, ["Open", "Paid", "Open"]);
    expect(await storedOptions()).toMatchObject({ choices: ["Open", "Done", "Shipped"] });
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await expectRows(page, ["New", "Paid", "New"]);
    await expectPoll(storedOptions).toMatchObject({ choices: ["New", "Paid", "Sent"] });
    expect(ada.problems).toEqual([]);
  });

  test("lists of choices follow, too", async () => {
    await openPanel(choices("ChoiceList", "a", "b"), [{ Kind: ["L", "a", "b"] }, { Kind: ["L", "b"] }]);
    await panel.getByLabel("Choice", { exact: true }).nth(1).fill("c");
    await panel.getByLabel("Rename in 2 cells").waitFor();
    await save();
    await expectPoll(async () => (await records(ada, doc, "One")).map(({ fields }) => fields["Kind"])).toEqual([
      ["L", "a", "c"],
      ["L", "c"],
    ]);
    expect(ada.problems).toEqual([]);
  });

  test("they are moved by keys and by the menu of their grip, and removed with a note about their cells", async () => {
    await openPanel(choices("Choice", "one", "two", "three"), [{ Kind: "two" }]);
    await panel.getByLabel("Choice", { exact: true }).nth(2).focus();
    await press(page, "Alt+Shift+ArrowUp");
    expect(await names()).toEqual(["one", "three", "two"]);
    await button(panel, "Move two").click();
    await item(page, "Move to the top").click();
    expect(await names()).toEqual(["two", "one", "three"]);
    await button(panel, "Remove two").click();
    await panel.getByText("1 cell keeps “two”.").or(panel.getByText("1 cell keeps two.")).waitFor();
    expect(await page.evaluate("document.activeElement.value")).toBe("one");
    await save();
    expect(await storedOptions()).toMatchObject({ choices: ["one", "three"] });
    await expectRows(page, ["two"]);
    expect(await page.evaluate("[...document.querySelectorAll('.grid .pill')].map((each) => each.className)")).toEqual([
      "pill unlisted",
    ]);
    await cell(page, 1, 1).click();
    expect(ada.problems).toEqual([]);
  });

  test("colours and other styles of unchanged choices stay as they are", async () => {
    const widgetOptions = {
      choices: ["a", "b"],
      choiceOptions: { a: { fillColor: "#ABCDEF", fontBold: true }, b: { textColor: "#123456" } },
      alignment: "center",
    };
    await openPanel([{ id: "Kind", fields: { type: "Choice", widgetOptions: JSON.stringify(widgetOptions) } }], [{}]);
    await button(panel, "Colour of a: #ABCDEF").waitFor();
    await button(panel, "Choice").click();
    await panel.getByLabel("Choice", { exact: true }).last().fill("c");
    await save();
    expect(await storedOptions()).toEqual({
      ...widgetOptions,
      choices: ["a", "b", "c"],
      choiceOptions: { ...widgetOptions.choiceOptions, c: { fillColor: BLUE?.fill, textColor: BLUE?.text } },
    });
    expect(ada.problems).toEqual([]);
  });
});
