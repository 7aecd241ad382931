/** Conditional styles of cells and rows. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, fillCode, item } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

/** The page's window, in which functions given to `evaluate` run. */
interface Styles {
  getComputedStyle(element: unknown): { getPropertyValue(name: string): string };
}

interface Listed {
  readonly id: string;
  readonly fields: {
    readonly colRef: number;
    readonly formula: string;
    readonly widgetOptions: string;
    readonly rules: unknown;
  };
}

const AMBER = "rgb(255, 219, 165)";
const NONE = "rgba(0, 0, 0, 0)";

describe.skipIf(!CHROMIUM)(inBrowser("conditional styles"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let panel: Locator;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    panel = page.locator(".panel");
    await makeTable(ada, doc, {
      id: "One",
      columns: [
        { id: "A", fields: { type: "Numeric", label: HOSTILE_NAME } },
        { id: "B", fields: { type: "Text" } },
      ],
      rows: [
        { A: 500, B: "x" },
        { A: 5, B: "" },
        { A: null, B: "y" },
      ],
    });
  });

  const css = (element: Locator, property: string): Promise<string> =>
    element.evaluate(
      (each, name) => (globalThis as unknown as Styles).getComputedStyle(each).getPropertyValue(name),
      property,
    );
  const fills = (column: number, of = page) =>
    Promise.all([1, 2, 3].map((row) => css(cell(of, row, column), "background-color")));
  const apply = (actions: unknown) => call(ada, "POST", `/api/docs/${doc}/apply`, actions);
  const columns = async (): Promise<readonly Listed[]> =>
    (await call<{ columns: Listed[] }>(ada, "GET", `/api/docs/${doc}/tables/One/columns?hidden=1`)).columns;
  const helpers = async () =>
    (await columns()).filter(({ id }) => id.startsWith("gristHelper_")).map(({ id, fields }) => [id, fields.formula]);
  const openColumn = async (at: number) => {
    await page
      .locator(".column-head .column-menu")
      .nth(at - 1)
      .click({ force: true });
    await item(page, "Edit column…").click();
    await panel.getByLabel("Name", { exact: true }).waitFor();
  };
  const save = async () => {
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
  };
  const formula = (at: number) => panel.getByLabel("Formula of the style").nth(at);

  test("are added from templates, drawn, reordered, removed and undone", async () => {
    await openTable(page, doc, "One");
    await openColumn(1);
    await button(panel, "Add rule").click();
    await panel.getByLabel("Insert condition…").selectOption({ label: "Greater than …" });
    expect(await panel.locator(".rule > textarea").first().inputValue()).toBe("$A is not None and $A > 100");
    await button(panel, "Add rule").click();
    await fillCode(formula(1), "$A == 5");
    const second = panel.getByRole("group", { name: "Style", exact: true }).nth(1);
    await button(second, "Sample, colours of Style").click();
    await button(page, "Green").click();
    await button(second, "Bold").click();
    await save();
    await expectPoll(() => fills(1)).toEqual([AMBER, "rgb(194, 239, 201)", NONE]);
    expect(await css(cell(page, 2, 1), "font-weight")).toBe("600");
    expect(await helpers()).toEqual([
      ["gristHelper_ConditionalRule", "$A is not None and $A > 100"],
      ["gristHelper_ConditionalRule2", "$A == 5"],
    ]);
    const fields = (await columns()).find(({ id }) => id === "A")?.fields;
    expect(JSON.parse(fields?.widgetOptions ?? "")).toEqual({
      rulesOptions: [
        { fillColor: "#ffdba5", textColor: "#563a00" },
        { fillColor: "#c2efc9", textColor: "#004e20", fontBold: true },
      ],
    });
    // Helper columns are columns nowhere on the page.
    expect(await page.locator(".column-head").count()).toBe(2);
    expect(await page.locator("body").innerText()).not.toContain("gristHelper");

    await page.reload();
    await expectPoll(() => fills(1)).toEqual([AMBER, "rgb(194, 239, 201)", NONE]);
    await openColumn(1);
    await button(panel, "Move style 2").focus();
    await page.keyboard.press("Alt+Shift+ArrowUp");
    await button(panel, "Remove rule").nth(1).click();
    await save();
    await expectPoll(() => fills(1)).toEqual([NONE, "rgb(194, 239, 201)", NONE]);
    expect(await helpers()).toEqual([["gristHelper_ConditionalRule", "$A == 5"]]);
    await button(page, "Undo").first().click();
    await expectPoll(() => fills(1)).toEqual([AMBER, "rgb(194, 239, 201)", NONE]);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("of rows hold in all cells, below those of cells; a failure is marked", async () => {
    await openTable(page, doc, "One");
    await page.locator("#sheet-name + button").click();
    await item(page, "Styles of rows…").click();
    await button(panel, "Add rule").click();
    await fillCode(formula(0), "$A == 5");
    await save();
    await expectPoll(() => fills(2)).toEqual([NONE, AMBER, NONE]);
    expect(await fills(1)).toEqual([NONE, AMBER, NONE]);
    await openColumn(2);
    await button(panel, "Add rule").click();
    await fillCode(formula(0), '1 if $B == "y" else not $B');
    const style = panel.getByRole("group", { name: "Style", exact: true });
    await button(style, "Sample, colours of Style").click();
    await button(page, "Blue").click();
    await save();
    await expectPoll(() => fills(2)).toEqual([NONE, "rgb(206, 227, 255)", NONE]);
    await cell(page, 3, 2).locator(".rule-mark").waitFor();
    await cell(page, 3, 2).click();
    await expectPoll(() => cell(page, 3, 2).getAttribute("aria-label")).toBe("B: y, a conditional style fails");
    // Formulas follow renames.
    await apply([["RenameColumn", "One", "A", "Amount"]]);
    await expectPoll(async () => (await helpers())[0]).toEqual(["gristHelper_RowConditionalRule", "$Amount == 5"]);
    await expectPoll(() => fills(1)).toEqual([NONE, AMBER, NONE]);
    expect(ada.problems).toEqual([]);
  });

  test("that another window added meanwhile stay as they are", async () => {
    await openTable(page, doc, "One");
    await page.route("**/columns?*", (route) => route.abort());
    await openColumn(1);
    await button(panel, "Add rule").click();
    await fillCode(formula(0), "$A == 5");
    await apply([
      ["AddEmptyRule", "One", 0, (await columns()).find(({ id }) => id === "B")?.fields.colRef],
      ["ModifyColumn", "One", "gristHelper_ConditionalRule", { formula: "$B" }],
    ]);
    await page.unroute("**/columns?*");
    await save();
    await expectPoll(() => fills(1)).toEqual([NONE, AMBER, NONE]);
    expect(await helpers()).toEqual([
      ["gristHelper_ConditionalRule", "$B"],
      ["gristHelper_ConditionalRule2", "$A == 5"],
    ]);
  });

  test("are drawn for viewers, and do not reveal columns that access rules hide", async () => {
    const refs = new Map((await columns()).map(({ id, fields }) => [id, fields.colRef]));
    await apply([
      ["AddEmptyRule", "One", 0, refs.get("A")],
      ["ModifyColumn", "One", "gristHelper_ConditionalRule", { formula: "$A == 500" }],
      ["AddEmptyRule", "One", 0, refs.get("B")],
      ["ModifyColumn", "One", "gristHelper_ConditionalRule2", { formula: '$B == "x"' }],
      [
        "ModifyColumn",
        "One",
        "A",
        { widgetOptions: '{"rulesOptions":[{"fillColor":"#ffdba5","textColor":"#563a00"}]}' },
      ],
      [
        "ModifyColumn",
        "One",
        "B",
        { widgetOptions: '{"rulesOptions":[{"fillColor":"#ffdba5","textColor":"#563a00"}]}' },
      ],
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "One", colIds: "A" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-R" },
      ],
    ]);
    const ben = await invite(doc, "viewers");
    await openTable(ben.page, doc, "One");
    await expectPoll(() => fills(1, ben.page)).toEqual([AMBER, NONE, NONE]);
    const path = `/api/docs/${doc}/tables/One/records?hidden=1`;
    const { records } = await call<{ records: { fields: Record<string, unknown> }[] }>(ben, "GET", path);
    expect(Object.keys(records[0]?.fields ?? {})).toEqual(["manualSort", "B", "gristHelper_ConditionalRule2"]);
    expect(ben.problems).toEqual([]);
  });
});
