/** Styles of cells, headers and rows: wrapping, colours and fonts. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, type NewColumn } from "./calls.ts";
import { button, item } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable, until } from "./table-page.ts";

/** The page's window, in which functions given to `evaluate` run. */
interface Styles {
  getComputedStyle(element: unknown, pseudo?: string): { getPropertyValue(name: string): string };
}

describe.skipIf(!CHROMIUM)(inBrowser("styles of cells"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let panel: Locator;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    panel = page.locator(".panel");
  });

  const column = (id: string, type: string, options: Record<string, unknown> = {}): NewColumn => ({
    id,
    fields: { type, widgetOptions: JSON.stringify(options) },
  });
  const openColumn = async (name: string) => {
    await button(page, `Menu of ${name}`).click();
    await item(page, "Edit column…").click();
    await panel.getByLabel("Name", { exact: true }).waitFor();
  };
  const save = async () => {
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
  };
  const stored = async (at = 0): Promise<Record<string, unknown>> => {
    const path = `/api/docs/${doc}/tables/One/columns`;
    const { columns } = await call<{ columns: { fields: { widgetOptions: string } }[] }>(ada, "GET", path);
    return JSON.parse(columns[at]?.fields.widgetOptions || "{}") as Record<string, unknown>;
  };
  const css = (element: Locator, property: string, pseudo?: string): Promise<string> =>
    element.evaluate(
      (each, [name = "", part]) =>
        (globalThis as unknown as Styles).getComputedStyle(each, part).getPropertyValue(name),
      [property, pseudo],
    );

  test("columns wrap in rows of several lines, unless they are set not to", async () => {
    const text = "a long text of several words ".repeat(6);
    await makeTable(ada, doc, {
      id: "One",
      columns: [column("A", "Text", { wrap: true }), column("B", "Text")],
      rows: [{ A: text, B: text }],
    });
    await openTable(page, doc, "One", "?lines=4");
    expect(await css(cell(page, 1, 1), "white-space")).toBe("pre-wrap");
    await openColumn("B");
    expect(await panel.getByLabel("Wrap text").isChecked()).toBe(true);
    await panel.getByLabel("Wrap text").uncheck();
    await save();
    await expectPoll(() => css(cell(page, 1, 2), "white-space")).toBe("pre");
    expect(await stored(1)).toEqual({ wrap: false });
    await page.reload();
    await expectPoll(() => css(cell(page, 1, 2), "white-space")).toBe("pre");
    await openTable(page, doc, "One");
    expect(await css(cell(page, 1, 1), "white-space")).toBe("pre");
    expect(ada.problems).toEqual([]);
  });

  test("the panel sets colours and fonts of cells and headers", async () => {
    await makeTable(ada, doc, { id: "One", columns: [column("A", "Text", { other: 1 })], rows: [{ A: "x" }] });
    await openTable(page, doc, "One");
    await openColumn("A");
    const cells = panel.getByRole("group", { name: "Cells" });
    await button(cells, "Sample, colours of Cells").click();
    await button(page, "Green").click();
    await button(cells, "Bold").click();
    const header = panel.getByRole("group", { name: "Header" });
    await button(header, "Sample, colours of Header").click();
    await page.getByRole("dialog").getByLabel("Text colour").fill("#ff0000");
    await button(header, "Strikethrough").click();
    await save();
    const look = () =>
      Promise.all(["background-color", "color", "font-weight"].map((each) => css(cell(page, 1, 1), each)));
    await expectPoll(look).toEqual(["rgb(194, 239, 201)", "rgb(0, 78, 32)", "600"]);
    expect(await css(page.getByRole("columnheader", { name: /^A,/ }), "text-decoration-line")).toBe("line-through");
    expect(await stored()).toEqual({
      other: 1,
      fillColor: "#c2efc9",
      textColor: "#004e20",
      fontBold: true,
      headerTextColor: "#ff0000",
      headerFontStrikethrough: true,
    });
    await page.emulateMedia({ colorScheme: "dark" });
    await expectPoll(look).toEqual(["rgb(23, 85, 42)", "rgb(220, 249, 225)", "600"]);
    await page.emulateMedia({ colorScheme: "light" });
    await button(page, "Undo").first().click();
    await expectPoll(() => css(cell(page, 1, 1), "font-weight")).toBe("400");
    expect(await stored()).toEqual({ other: 1 });
    expect(ada.problems).toEqual([]);
  });

  test("text stays readable in any colour, and the selection visible in any fill", async () => {
    await makeTable(ada, doc, {
      id: "One",
      columns: [
        column("A", "Text", { textColor: "#fefefe" }),
        column("B", "Text", { fillColor: "#101010", textColor: "#202020" }),
        column("C", "Text", { fillColor: "red; } body { display: none", textColor: "url(x)", fontBold: "yes" }),
      ],
      rows: [{ A: "x", B: "y", C: "z" }],
    });
    await openTable(page, doc, "One");
    const colours = () => Promise.all([1, 2, 3].map((at) => css(cell(page, 1, at), "color")));
    const [light, onFill, invalid] = await colours();
    expect([onFill, invalid]).toEqual(["rgb(255, 255, 255)", "rgb(43, 39, 35)"]);
    expect(light).toBe("rgb(106, 104, 101)");
    await cell(page, 1, 1).click();
    await page.keyboard.press("Shift+ArrowRight");
    expect(await until(page, `document.querySelectorAll(".grid .cell.chosen").length === 2`)).toBe(true);
    expect(await css(cell(page, 1, 2), "background-color")).toBe("rgb(16, 16, 16)");
    const overlay = await css(cell(page, 1, 2), "background-color", "::after");
    expect(overlay).not.toBe("rgba(0, 0, 0, 0)");
    expect(ada.problems).toEqual([]);
  });
});
