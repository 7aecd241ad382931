/** What the page of a table says to assistive technology, and what it shows in forced colours. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, item, press } from "./controls.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, openTable, until } from "./table-page.ts";

const PEOPLE = {
  id: "People",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    { id: "Born", fields: { type: "Int" } },
    { id: "City", fields: { type: "Text" } },
    { id: "Code", fields: { type: "Text" } },
  ],
  rows: [
    { Name: "Anna Kern", Born: 1990, City: "Bonn", Code: "a" },
    { Name: "Anna Kern", Born: 1990, City: "Oslo", Code: "b" },
    { Name: "Bo Lind", Born: 1980, City: "Turku", Code: "c" },
  ],
};

const WIDE = Array.from({ length: 12 }, (_, at) => ({ id: `Column${at}`, fields: { type: "Text" } }));

const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Customer", fields: { type: "Ref:People" } },
    { id: "Quantity", fields: { type: "Int" } },
    { id: "Paid", fields: { type: "Bool" } },
    { id: "Unit", fields: { type: "Numeric", isFormula: true, formula: "12 / $Quantity" } },
    ...WIDE,
    { id: "Last", fields: { type: "Numeric", isFormula: true, formula: "$Quantity * 2" } },
  ],
  rows: [
    { Customer: 1, Quantity: 3, Paid: true },
    { Customer: 2, Quantity: 0, Paid: false },
    { Customer: 3, Quantity: "many", Paid: false },
  ],
};

describe.skipIf(!CHROMIUM)(inBrowser("the page of a table"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada, "Shop");
    await makeTable(ada, doc, PEOPLE);
    await makeTable(ada, doc, ORDERS);
    const { columns } = await call<{ columns: { id: string; fields: { colRef: number } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/People/columns`,
    );
    const name = columns.find(({ id }) => id === "Name")?.fields.colRef;
    await call(ada, "PATCH", `/api/docs/${doc}/tables/Orders/columns`, {
      columns: [{ id: "Customer", fields: { visibleCol: name } }],
    });
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["SetDisplayFormula", "Orders", null, await refOf("Customer"), "$Customer.Name"],
    ]);
  });

  const refOf = async (id: string): Promise<number> => {
    const { columns } = await call<{ columns: { id: string; fields: { colRef: number } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/Orders/columns`,
    );
    return columns.find((column) => column.id === id)?.fields.colRef ?? 0;
  };

  test("names the active cell alone, and what is wrong with it", async () => {
    await openTable(page, doc, "Orders");
    const grid = page.getByRole("grid", { name: "Table Orders" });
    expect(await grid.getAttribute("aria-colcount")).toBe("18");
    expect(await grid.getAttribute("aria-rowcount")).toBe("5");
    const keys = await grid.getAttribute("aria-describedby");
    expect(await page.locator(`#${keys}`).textContent()).toBe(
      "Press F6 to leave the table, Ctrl+slash or F1 for shortcuts.",
    );
    const states = [
      { at: [1, 1], label: "Customer: Anna Kern", invalid: null },
      { at: [1, 3], label: "Paid: Yes", invalid: null },
      { at: [1, 5], label: "Column0: empty", invalid: null },
      { at: [2, 4], label: "Unit: Divided by zero", invalid: "true" },
      { at: [3, 2], label: "Quantity: many", invalid: "true" },
    ] as const;
    for (const { at, label, invalid } of states) {
      await cell(page, at[0], at[1]).click();
      const active = page.locator(".grid [role=gridcell][tabindex='0']");
      await expectPoll(() => active.getAttribute("aria-label")).toBe(label);
      expect(await active.getAttribute("aria-invalid")).toBe(invalid);
      expect(await active.getAttribute("aria-describedby")).toBe(invalid && "cell-status");
      expect(await page.locator(".grid [role=gridcell][aria-label]").count()).toBe(1);
      expect(await page.locator(".grid [role=gridcell][aria-invalid]").count()).toBe(invalid ? 1 : 0);
    }
    await expectPoll(() => page.locator("#cell-status").textContent()).toContain("“many” is kept as text");
    expect(await violations(page)).toEqual([]);
  });

  test("has one live region, which speaks what the page shows", async () => {
    await openTable(page, doc, "Orders");
    const live = "[role=status], [role=alert], [role=log], [aria-live]:not([aria-live=off])";
    const liveIds = () => page.evaluate<string[]>(`[...document.querySelectorAll("${live}")].map(({ id }) => id)`);
    await cell(page, 1, 2).click();
    await page.keyboard.type("few");
    await page.keyboard.press("Enter");
    await expectPoll(() => page.locator("#live-region").textContent()).toContain("“few” does not fit here");
    expect(await liveIds()).toEqual(["live-region"]);
    await press(page, "Escape");
    await cell(page, 1, 4).click();
    await press(page, "Enter");
    // Hidden as soon as the editor of formulas is loaded.
    await page.locator(".panel textarea.code").waitFor({ state: "attached" });
    expect(await liveIds()).toEqual(["live-region"]);
  });

  test("moves between chips by arrow keys, and removes them by Delete", async () => {
    const filter = encodeURIComponent(JSON.stringify({ Quantity: [3], Paid: [true] }));
    await openTable(page, doc, "Orders", `?sort=-Quantity&filter=${filter}`);
    const chips = page.getByRole("list", { name: "View" });
    await expectPoll(() => chips.locator("[tabindex='0']").count()).toBe(1);
    await expectPoll(() => page.locator("#sheet-count").textContent()).toBe("1 of 3 rows");
    const focused = () =>
      page.evaluate<string>("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
    await chips.locator("[tabindex='0']").focus();
    expect(await focused()).toBe("Quantity is any of 3");
    await press(page, "ArrowRight");
    expect(await focused()).toBe("Paid is checked");
    await press(page, "ArrowRight", "ArrowRight");
    expect(await focused()).toBe("Filter");
    await press(page, "ArrowRight");
    expect(await focused()).toBe("Clear all");
    await press(page, "ArrowLeft", "ArrowLeft", "Delete");
    await expectPoll(focused).toBe("Paid is checked");
    await press(page, "Home", "Delete");
    await expectPoll(focused).toBe("Paid is checked");
    await press(page, "Delete");
    await expectPoll(() => page.locator("#sheet-count").textContent()).toBe("3 rows");
    // Without chips, the focus is in the grid.
    expect(await until(page, "document.activeElement.matches('.grid [role=gridcell]')")).toBe(true);
    expect(await chips.isVisible()).toBe(false);
    await openTable(page, doc, "Orders", `?sort=-Quantity&filter=${filter}`);
    await button(page, "Clear all").click();
    await expectPoll(() => page.locator("#sheet-count").textContent()).toBe("3 rows");
    expect(new URL(page.url()).search).toBe("");
    expect(ada.problems).toEqual([]);
  });

  test("says to each user under a row rule that rules limit the rows, without a number", async () => {
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Orders", colIds: "*" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER and rec.Quantity == 1000", permissionsText: "none" },
      ],
    ]);
    await using ben = await invite(doc, "editors");
    const text = "Access rules limit the rows you see";
    await openTable(ben.page, doc, "Orders");
    // The rule hides no row from Ben.
    await expectPoll(() => ben.page.locator("#sheet-count").textContent()).toBe("3 rows");
    expect(await ben.page.locator("#sheet-view").textContent()).toBe(text);
    await openTable(ben.page, doc, "People");
    expect(await ben.page.getByText(text).count()).toBe(0);
    await openTable(page, doc, "Orders");
    expect(await page.getByText(text).count()).toBe(0);
    expect(ben.problems).toEqual([]);
  });

  test.each([
    { name: "beside the grid", width: 1440 },
    { name: "over the grid", width: 900 },
  ])("shows a column whose panel is $name, with the focus in its formula", async ({ width }) => {
    await page.setViewportSize({ width, height: 700 });
    await openTable(page, doc, "Orders");
    await cell(page, 1, 1).click();
    await press(page, "End", "Enter");
    const area = page.locator(".panel .code-editor");
    await area.waitFor();
    expect(await until(page, "document.activeElement.matches('.panel .code-editor')")).toBe(true);
    expect(await area.getByRole("textbox").textContent()).toBe("$Quantity * 2");
    const box = await area.boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(700);
    const head = await page.getByRole("columnheader", { name: "Last, formula, number" }).boundingBox();
    const panel = await page.locator(".panel").boundingBox();
    expect(head?.x ?? 0).toBeGreaterThan(0);
    expect((head?.x ?? Infinity) + (head?.width ?? 0)).toBeLessThanOrEqual(panel?.x ?? 0);
    expect(ada.problems).toEqual([]);
  });

  test("shows a column that its menu opens beside the panel", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await openTable(page, doc, "Orders");
    await button(page, "Menu of Column3").click();
    await item(page, "Edit column…").click();
    await page.locator(".panel").waitFor();
    const head = await page.getByRole("columnheader", { name: "Column3, text" }).boundingBox();
    const panel = await page.locator(".panel").boundingBox();
    expect((head?.x ?? Infinity) + (head?.width ?? 0)).toBeLessThanOrEqual(panel?.x ?? 0);
  });

  test("tells references that read alike apart by other columns", async () => {
    await openTable(page, doc, "Orders");
    await cell(page, 3, 1).click();
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Enter");
    const options = page.locator(".choices [role=option]");
    await expectPoll(() => options.allInnerTexts()).toEqual(["Anna Kern\nBonn · a", "Anna Kern\nOslo · b", "Bo Lind"]);
    await press(page, "ArrowDown", "ArrowDown", "Enter");
    await expectPoll(() => cell(page, 3, 1).textContent()).toBe("Anna Kern");
    await expectPoll(async () => {
      const { records } = await call<{ records: { fields: Record<string, unknown> }[] }>(
        ada,
        "GET",
        `/api/docs/${doc}/tables/Orders/records`,
      );
      return records[2]?.fields["Customer"];
    }).toBe(2);
  });

  test("tells them apart only by what the person may read", async () => {
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "People", colIds: "City" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-R" },
      ],
      ["AddRecord", "_grist_ACLResources", -2, { tableId: "People", colIds: "Code" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -2, aclFormula: 'user.Access != OWNER and rec.Code == "a"', permissionsText: "-R" },
      ],
    ]);
    await using ben = await invite(doc, "editors");
    await openTable(ben.page, doc, "Orders");
    await cell(ben.page, 3, 1).click();
    await ben.page.keyboard.press("Backspace");
    await ben.page.keyboard.press("Enter");
    const options = ben.page.locator(".choices [role=option]");
    await expectPoll(() => options.allInnerTexts()).toEqual(["Anna Kern", "Anna Kern\nb", "Bo Lind"]);
  });

  test("outlines a range and the active cell in forced colours", async () => {
    await page.emulateMedia({ forcedColors: "active" });
    try {
      await openTable(page, doc, "Orders");
      await cell(page, 1, 1).click();
      await press(page, "Shift+ArrowDown", "Shift+ArrowRight");
      const styleOf = (row: number, column: number, pseudo: string, names: readonly string[]): Promise<string> =>
        page.evaluate(`(() => {
          const row = document.querySelector('.grid [role=row][aria-rowindex="${row + 1}"]');
          const style = getComputedStyle(row.querySelector('[aria-colindex="${column + 1}"]'), "${pseudo}");
          return ${JSON.stringify(names)}.map((name) => style[name]).join(" ");
        })()`);
      const sides = ["Top", "Right", "Bottom", "Left"].map((side) => `border${side}Width`);
      const edges = (row: number, column: number) => styleOf(row, column, "::after", sides);
      await expectPoll(() => edges(1, 1)).toBe("2px 0px 0px 2px");
      expect(await edges(1, 2)).toBe("2px 2px 0px 0px");
      expect(await edges(2, 1)).toBe("0px 0px 2px 2px");
      expect(await edges(2, 2)).toBe("0px 2px 2px 0px");
      expect(await styleOf(1, 1, "", ["outlineStyle", "outlineWidth"])).toBe("solid 3px");
    } finally {
      await page.emulateMedia({ forcedColors: "none" });
    }
  });
});
