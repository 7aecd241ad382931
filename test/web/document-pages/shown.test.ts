/** What the browser shows of grids, cards and boxes, by the settings that documents store for them. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "../browser.ts";
import { call, makeDocument } from "../calls.ts";
import { eachStory } from "../scene.ts";
import { cellOf, openView, rowsOf, section } from "../view-page.ts";
import { Paper } from "./paper.ts";

/** The page's window, in which functions given to `evaluate` run. */
interface Styles {
  getComputedStyle(element: unknown): { getPropertyValue(name: string): string };
}

const css = (element: Locator, property: string): Promise<string> =>
  element.evaluate(
    (each, name) => (globalThis as unknown as Styles).getComputedStyle(each).getPropertyValue(name),
    property,
  );

const RED = "#FF0000";
const GREEN = "#00FF00";
const BLUE = "#0000FF";
const [SHOWN_RED, SHOWN_GREEN, SHOWN_BLUE] = ["rgb(255, 0, 0)", "rgb(0, 255, 0)", "rgb(0, 0, 255)"];
const NONE = "rgba(0, 0, 0, 0)";

const TOOLS = [
  { id: "Name", type: "Text" },
  { id: "Kind", type: "Text" },
  { id: "Price", type: "Numeric" },
  { id: "Note", type: "Text" },
];
const ROWS = {
  Name: ["Saw", "Plane", "Axe"],
  Kind: ["hand", "hand", "forest"],
  Price: [12.5, 40, 30],
  Note: ["", "sharp", ""],
};

describe.skipIf(!CHROMIUM)(inBrowser("a page shows"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let paper: Paper;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    paper = new Paper((method, path, body) => call(ada, method, `/api/docs/${doc}${path}`, body));
    await paper.addTable("Tools", TOOLS, ROWS);
  });

  const raw = async () => {
    const table = (await paper.records("_grist_Tables")).find(({ fields }) => fields["tableId"] === "Tools");
    return Number(table?.fields["rawViewSectionRef"]);
  };
  const addRule = async (owner: { field?: number; column?: number }, formula: string) => {
    const [made] = await paper.apply(["AddEmptyRule", "Tools", owner.field ?? 0, owner.column ?? 0]);
    await paper.apply(["UpdateRecord", "_grist_Tables_column", (made as { colRef: number }).colRef, { formula }]);
  };
  /** The rows of the only section of a page. */
  const rows = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll(".grid .body [role=row]")].map((row) =>
      [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.textContent).join("|"))`);
  const fills = (ref: number, column: number) =>
    Promise.all([1, 2, 3].map((row) => css(cellOf(page, ref, row, column), "background-color")));

  test("columns in their order with their widths, without hidden ones, and the look of rows", async () => {
    const { view, section: ref } = await paper.addSection("Tools", {
      values: {
        defaultWidth: 150,
        options: JSON.stringify({
          numFrozen: 2,
          verticalGridlines: false,
          horizontalGridlines: false,
          zebraStripes: true,
          rowNumbers: "rowId",
          rowHeight: 3,
        }),
        sortColRefs: `[-${await paper.column("Tools", "Price")}]`,
      },
    });
    const field = (column: string) => paper.field(ref, "Tools", column);
    const [note, price, kind] = [await field("Note"), await field("Price"), await field("Kind")];
    await paper.apply(
      ["UpdateRecord", "_grist_Views_section_field", note, { parentPos: 0.5, width: 260 }],
      ["UpdateRecord", "_grist_Views_section_field", price, { width: 80 }],
      ["RemoveRecord", "_grist_Views_section_field", kind],
    );
    await openView(page, { doc, view });
    await expectPoll(rows).toEqual(["sharp|Plane|40", "|Axe|30", "|Saw|12.5"]);
    const grid = page.locator(".grid");
    const heads = await page
      .locator(".column-head")
      .evaluateAll((each) =>
        (each as { getBoundingClientRect(): { width: number }; className: string }[]).map((head) => [
          Math.round(head.getBoundingClientRect().width),
          head.className.split(" ").includes("frozen"),
        ]),
      );
    expect(heads).toEqual([
      [260, true],
      [150, true],
      [80, false],
    ]);
    const classes = (await grid.getAttribute("class"))?.split(" ");
    expect(classes).toEqual(expect.arrayContaining(["without-vertical-lines", "without-horizontal-lines", "striped"]));
    const numbers = await page.locator(".grid .body [role=rowheader]").allTextContents();
    expect(numbers.slice(0, 3).map((text) => text.trim())).toEqual(["2", "3", "1"]);
    expect(ada.problems).toEqual([]);
  });

  test("styles of columns, rules of columns above those of rows, and settings of one field only", async () => {
    const column = await paper.column("Tools", "Name");
    const kind = await paper.column("Tools", "Kind");
    const own = await paper.addSection("Tools");
    const common = await paper.addSection("Tools", { view: own.view });
    const field = await paper.field(own.section, "Tools", "Kind");
    await addRule({}, '$Name != "Saw"');
    await addRule({ column }, '$Name == "Axe"');
    await addRule({ field }, "$Price > 20");
    const style = (fillColor: string, rule: string) =>
      JSON.stringify({ fillColor, rulesOptions: [{ fillColor: rule }], alignment: "right" });
    await paper.apply(
      ["UpdateRecord", "_grist_Views_section", await raw(), { options: `{"rulesOptions":[{"fillColor":"${BLUE}"}]}` }],
      ["UpdateRecord", "_grist_Tables_column", column, { widgetOptions: style(RED, GREEN) }],
      ["UpdateRecord", "_grist_Tables_column", kind, { widgetOptions: `{"fillColor":"${RED}"}` }],
      [
        "UpdateRecord",
        "_grist_Views_section_field",
        field,
        { widgetOptions: `{"rulesOptions":[{"fillColor":"${GREEN}"}]}` },
      ],
    );
    await openView(page, { doc, view: own.view });
    for (const { section: ref } of [own, common])
      await expectPoll(() => fills(ref, 1)).toEqual([SHOWN_RED, SHOWN_BLUE, SHOWN_GREEN]);
    // The field has settings of its own: neither the colour of the column, nor its rules.
    await expectPoll(() => fills(own.section, 2)).toEqual([NONE, SHOWN_GREEN, SHOWN_GREEN]);
    await expectPoll(() => fills(common.section, 2)).toEqual([SHOWN_RED, SHOWN_BLUE, SHOWN_BLUE]);
    await expectPoll(() => fills(common.section, 3)).toEqual([NONE, SHOWN_BLUE, SHOWN_BLUE]);
    expect(await css(cellOf(page, own.section, 1, 1), "text-align")).toMatch(/right|end/);
    expect(ada.problems).toEqual([]);
  });

  test("boxes side by side and below each other, in the proportions of their sizes", async () => {
    const left = await paper.addSection("Tools");
    const { view } = left;
    const [top, bottom, folded] = [
      await paper.addSection("Tools", { view }),
      await paper.addSection("Tools", { view }),
      await paper.addSection("Tools", { view, values: { title: "Later" } }),
    ];
    const layoutSpec = JSON.stringify({
      children: [
        {
          children: [
            { leaf: left.section, size: 60 },
            { size: 30, children: [{ leaf: top.section }, { leaf: bottom.section }] },
          ],
        },
      ],
      collapsed: [{ leaf: folded.section }],
    });
    await paper.apply(["UpdateRecord", "_grist_Views", view, { layoutSpec }]);
    await openView(page, { doc, view });
    await expectPoll(() => rowsOf(page, bottom.section)).toHaveLength(3);
    const box = async (made: { section: number }) => {
      const found = await section(page, made.section).boundingBox();
      if (!found) throw new Error(`section ${made.section} is not shown`);
      return found;
    };
    const [a, b, c] = [await box(left), await box(top), await box(bottom)];
    expect(a.width / b.width).toBeCloseTo(2, 1);
    expect(b.x).toBeGreaterThanOrEqual(a.x + a.width);
    expect([c.x, c.width]).toEqual([b.x, b.width]);
    expect(c.y).toBeGreaterThanOrEqual(b.y + b.height);
    expect(b.height / c.height).toBeCloseTo(1, 1);
    expect(await section(page, folded.section).isVisible()).toBe(false);
    expect(ada.problems).toEqual([]);
  });

  test.each(["", "form", "compact", "blocks"])("cards of the theme “%s” with their layout", async (theme) => {
    // Cards of a list are too narrow for two blocks in a line.
    const kind = theme === "blocks" ? "single" : "detail";
    const { view, section: ref } = await paper.addSection("Tools", { kind, values: { theme } });
    const field = (column: string) => paper.field(ref, "Tools", column);
    const [name, sort, price] = [await field("Name"), await field("Kind"), await field("Price")];
    const layoutSpec = JSON.stringify({
      children: [
        { leaf: price },
        {
          children: [
            { leaf: name, size: 55 },
            { leaf: sort, size: 45 },
          ],
        },
        { leaf: 9999 },
        { leaf: price },
      ],
    });
    await paper.apply(["UpdateRecord", "_grist_Views_section", ref, { layoutSpec }]);
    await page.goto(`/docs/${doc}/pages/${view}`);
    await page.locator(".record-card:not(.unread)").first().waitFor();
    // Fields line by line: Note, which the layout does not mention, is on a line of its own, since the last one has two.
    const lines = () =>
      page.evaluate<string[]>(`(() => {
        const labels = [...document.querySelector(".record-card").querySelectorAll(".field-label")];
        const byTop = Map.groupBy(labels, (label) => Math.round(label.getBoundingClientRect().top));
        return [...byTop.values()].map((line) => line.map((label) => label.textContent).join(" "));
      })()`);
    await expectPoll(lines).toEqual(["Price", "Name Kind", "Note"]);
    expect(await page.locator(".cards").getAttribute("data-theme")).toBe(theme === "" ? "form" : theme);
    const texts = await page.locator(".record-card").first().locator(".cell").allTextContents();
    expect(texts.map((text) => text.trim())).toEqual(["12.5", "Saw", "hand", ""]);
    expect(ada.problems).toEqual([]);
  });

  test("chips of filters, also of filters that only are pinned, and of sorts", async () => {
    const { view, section: ref } = await paper.addSection("Tools", {
      values: { sortColRefs: `["-${await paper.column("Tools", "Name")}:naturalSort"]` },
    });
    await paper.addFilter(ref, await paper.column("Tools", "Kind"), { filter: '{"included":["hand"]}' });
    await paper.addFilter(ref, await paper.column("Tools", "Note"), { filter: "", pinned: true });
    await openView(page, { doc, view });
    await expectPoll(rows).toEqual(["Saw|hand|12.5|", "Plane|hand|40|sharp"]);
    const chips = page.locator("[data-part=chips], #chips").first();
    for (const text of [/Kind/, /Note/, /Name/]) await chips.getByRole("button", { name: text }).first().waitFor();
    expect(ada.problems).toEqual([]);
  });
});
