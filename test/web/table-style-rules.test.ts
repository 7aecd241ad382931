/** Conditional styles that two people change at the same time, and the field of their formulas. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, fillCode, item, shownText } from "./controls.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

const GREEN = { fillColor: "#c2efc9", textColor: "#004e20" };
const AMBER = { fillColor: "#ffdba5", textColor: "#563a00" };

interface Listed {
  readonly id: string;
  readonly fields: { colRef: number; formula: string; widgetOptions: string; rules: unknown };
}

describe.skipIf(!CHROMIUM)(inBrowser("rules of styles"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, {
      id: "One",
      columns: [
        { id: "A", fields: { type: "Numeric" } },
        { id: "B", fields: { type: "Text" } },
      ],
      rows: [{ A: 500, B: "x" }],
    });
  });

  const apply = (actions: unknown) => call(ada, "POST", `/api/docs/${doc}/apply`, actions);
  const columns = async () =>
    (await call<{ columns: Listed[] }>(ada, "GET", `/api/docs/${doc}/tables/One/columns?hidden=1`)).columns;
  const column = async (id: string) => (await columns()).find((each) => each.id === id)?.fields;
  const formulasOf = async (refs: unknown) => {
    const all = await columns();
    const formulaOf = (ref: unknown) => all.find(({ fields }) => fields.colRef === ref)?.fields.formula;
    return (Array.isArray(refs) ? refs.slice(1) : []).map(formulaOf);
  };
  /** Each formula with its style. */
  const rules = async () => {
    const { rules: refs, widgetOptions = "" } = (await column("A")) ?? {};
    const { rulesOptions = [] } = JSON.parse(widgetOptions || "{}") as { rulesOptions?: unknown[] };
    return { formulas: await formulasOf(refs), styles: rulesOptions };
  };
  const openColumn = async (on: Page, name = "A") => {
    await button(on, `Menu of ${name}`).click({ force: true });
    await item(on, "Edit column…").click();
    await on.locator(".panel").getByLabel("Name", { exact: true }).waitFor();
  };
  const addRule = async (on: Page, formula: string, colour?: string) => {
    const panel = on.locator(".panel");
    await button(panel, "Add rule").click();
    await fillCode(panel.getByLabel("Formula of the style").last(), formula);
    if (!colour) return;
    await button(panel, "Sample, colours of Style").last().click();
    await button(on, colour).click();
  };
  const save = async (on: Page) => {
    await button(on.locator(".panel"), "Save").click();
    await on.locator(".panel").waitFor({ state: "detached" });
  };

  test("keep their styles when two people add one to the same column", async () => {
    await using ben = await invite(doc, "editors");
    await openTable(page, doc, "One");
    await openTable(ben.page, doc, "One");
    await openColumn(page);
    await openColumn(ben.page);
    await addRule(page, "$A > 1");
    await addRule(ben.page, "$A > 2", "Green");
    await save(ben.page);
    await save(page);
    expect(await rules()).toEqual({ formulas: ["$A > 2", "$A > 1"], styles: [GREEN, AMBER] });
    // And when one person changes another setting of the column meanwhile.
    await openColumn(page);
    await openColumn(ben.page);
    await addRule(ben.page, "$A > 3", "Green");
    await save(ben.page);
    await page.locator(".panel").getByLabel("Alignment").selectOption("right");
    await save(page);
    expect(await rules()).toEqual({
      formulas: ["$A > 2", "$A > 1", "$A > 3"],
      styles: [GREEN, AMBER, GREEN],
    });
    expect(JSON.parse((await column("A"))?.widgetOptions ?? "{}")).toMatchObject({ alignment: "right" });
    expect([...ada.problems, ...ben.problems]).toEqual([]);
  });

  test("keep their styles when another one is added between reading and writing", async () => {
    await openTable(page, doc, "One");
    await openColumn(page);
    await addRule(page, "$A > 1");
    let isFirst = true;
    await page.route("**/apply", async (route) => {
      if (isFirst) {
        isFirst = false;
        await apply([
          ["AddEmptyRule", "One", 0, (await column("A"))?.colRef],
          ["ModifyColumn", "One", "gristHelper_ConditionalRule", { formula: "$A > 2" }],
          ["ModifyColumn", "One", "A", { widgetOptions: JSON.stringify({ rulesOptions: [GREEN] }) }],
        ]);
      }
      await route.continue();
    });
    await save(page);
    expect(await rules()).toEqual({ formulas: ["$A > 2", "$A > 1"], styles: [GREEN, AMBER] });
    await page.unroute("**/apply");
    await button(page.locator("#toasts"), "Undo").click();
    await expectPoll(rules).toEqual({ formulas: ["$A > 2"], styles: [GREEN] });
    expect(ada.problems).toEqual([]);
  });

  test("are not saved when others are added at each attempt", async () => {
    await openTable(page, doc, "One");
    await openColumn(page);
    await addRule(page, "$A > 1");
    let count = 0;
    await page.route("**/apply", async (route) => {
      await apply([
        ["AddEmptyRule", "One", 0, (await column("A"))?.colRef],
        ["ModifyColumn", "One", `gristHelper_ConditionalRule${++count === 1 ? "" : count}`, { formula: "$A > 2" }],
      ]);
      await route.continue();
    });
    await button(page.locator(".panel"), "Save").click();
    await shownText(page.locator(".panel"), "nothing was saved. Try again.").waitFor();
    expect((await rules()).formulas).toEqual(["$A > 2", "$A > 2", "$A > 2"]);
    await page.unroute("**/apply");
    await save(page);
    expect((await rules()).formulas).toEqual(["$A > 2", "$A > 2", "$A > 2", "$A > 1"]);
    expect(ada.problems).toEqual([]);
  });

  test("of rows keep their styles", async () => {
    await using ben = await invite(doc, "editors");
    const open = async (on: Page) => {
      await openTable(on, doc, "One");
      await on.locator("#sheet-name + button").click();
      await item(on, "Styles of rows…").click();
    };
    await open(page);
    await open(ben.page);
    await addRule(page, "$A > 1");
    await addRule(ben.page, "$A > 2", "Green");
    await save(ben.page);
    await save(page);
    const { records } = await call<{ records: { fields: Record<string, unknown> }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/_grist_Views_section/records?hidden=1`,
    );
    const section = records.find(({ fields }) => Array.isArray(fields["rules"]))?.fields;
    expect(await formulasOf(section?.["rules"])).toEqual(["$A > 2", "$A > 1"]);
    expect(JSON.parse(String(section?.["options"]))).toMatchObject({ rulesOptions: [GREEN, AMBER] });
  });

  test("say in words what is wrong with a formula, and offer columns and functions", async () => {
    await openTable(page, doc, "One");
    await openColumn(page);
    const panel = page.locator(".panel");
    await addRule(page, "$A / 0 > 1");
    await button(panel, "Save").click();
    await shownText(page, "A was saved, but the formula of a style fails: A number is divided by zero.").waitFor();
    const area = panel.getByLabel("Formula of the style");
    await expectPoll(() => area.getAttribute("aria-invalid")).toBe("true");
    expect(await page.evaluate<boolean>("document.activeElement.matches('.rule .code-editor')")).toBe(true);
    await shownText(panel, "A number is divided by zero.").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await fillCode(area, "");
    await expectPoll(() => area.getAttribute("aria-invalid")).toBeNull();
    const inserts = panel.locator("details.inserts");
    await inserts.locator("summary").first().click();
    await inserts.getByPlaceholder("Find a function").fill("LEN(");
    await inserts.getByRole("button", { name: /^LEN\(/ }).click();
    await inserts.getByRole("button", { name: "$B", exact: true }).click();
    expect(await panel.locator(".rule > textarea").inputValue()).toBe("LEN($B");
    expect(await violations(page)).toEqual([]);
    await area.press("End");
    await area.pressSequentially(") > 0");
    await save(page);
    expect(await rules()).toEqual({ formulas: ["LEN($B) > 0"], styles: [AMBER] });
    // Errors of stored formulas are shown when the panel opens.
    await apply([["ModifyColumn", "One", "gristHelper_ConditionalRule", { formula: "$Nope" }]]);
    await openTable(page, doc, "One");
    await openColumn(page);
    await shownText(panel, "The formula uses a column or attribute that does not exist.").first().waitFor();
    expect(await cell(page, 1, 1).textContent()).toBe("500");
    expect(ada.problems).toEqual([]);
  });
});
