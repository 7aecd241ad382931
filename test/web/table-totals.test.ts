/** Totals below the columns of a table, and the status line of a selected range. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { item, press } from "./controls.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, openTable, pasteText, until } from "./table-page.ts";

const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Customer", fields: { type: "Text" } },
    { id: "Quantity", fields: { type: "Int" } },
    { id: "Total", fields: { type: "Numeric", widgetOptions: JSON.stringify({ numMode: "decimal", decimals: 2 }) } },
    { id: "Ordered", fields: { type: "Date" } },
  ],
  rows: [
    { Customer: "Karin", Quantity: 3, Total: 1200, Ordered: 1_767_225_600 },
    { Customer: "Bruno", Quantity: 4, Total: 80.5, Ordered: 1_769_904_000 },
    { Customer: "Karin", Quantity: 6, Total: 20, Ordered: null },
  ],
};

/** The button of a total, by the name of its column. */
const total = (page: Page, column: string): Locator =>
  page.getByRole("row", { name: "Totals" }).getByRole("button", { name: new RegExp(`^${column}:`) });

const totalLabel = (page: Page, column: string): Promise<string | null> =>
  total(page, column).getAttribute("aria-label");

const footer = (page: Page): Locator => page.locator(".grid .foot");

const choice = (page: Page, name: string): Locator => page.getByRole("menuitemradio", { name, exact: true });

const chooseByColumn = async (page: Page, column: string, name: string) => {
  await page.getByRole("button", { name: `Menu of ${column}`, exact: true }).click({ force: true });
  await item(page, "Total…").click();
  await choice(page, name).click();
};

const rowCount = (page: Page): Promise<string | null> => page.getByRole("grid").getAttribute("aria-rowcount");

/** Holds the answers to requests for totals until they are released. */
async function holdTotals(page: Page): Promise<{ requests: string[]; release: () => void }> {
  const requests: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/aggregate", async (route) => {
    requests.push(route.request().postData() ?? "");
    await promise;
    await route.continue();
  });
  return { requests, release: resolve };
}

describe.skipIf(!CHROMIUM)(inBrowser("totals of a table"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, ORDERS);
  });

  test("are chosen in the menu of a column or below it, and are part of the address", async () => {
    await openTable(page, doc, "Orders");
    expect(await footer(page).count()).toBe(0);
    expect(await rowCount(page)).toBe("5");
    await chooseByColumn(page, "Total", "Sum");
    await expectPoll(() => totalLabel(page, "Total")).toBe("Total: Sum 1,300.50");
    expect(await rowCount(page)).toBe("6");
    expect(await footer(page).getAttribute("aria-rowindex")).toBe("6");
    await total(page, "Customer").click();
    expect(await page.getByRole("menuitemradio").allTextContents()).toEqual(["None", "Count", "Filled", "Unique"]);
    expect(await choice(page, "None").getAttribute("aria-checked")).toBe("true");
    await choice(page, "Unique").click();
    await expectPoll(() => totalLabel(page, "Customer")).toBe("Customer: Unique 2");
    expect(new URL(page.url()).searchParams.get("totals")).toBe("Total:sum,Customer:unique");
    await page.reload();
    await expectPoll(() => totalLabel(page, "Customer")).toBe("Customer: Unique 2");
    expect(await violations(page)).toEqual([]);
    await total(page, "Customer").click();
    await choice(page, "None").click();
    await chooseByColumn(page, "Total", "None");
    await expectPoll(() => footer(page).count()).toBe(0);
    expect(await rowCount(page)).toBe("5");
    expect(new URL(page.url()).searchParams.has("totals")).toBe(false);
    expect(ada.problems).toEqual([]);
  });

  const COLUMN = { sum: "Total", average: "Total", minimum: "Ordered", maximum: "Ordered", filled: "Ordered" };
  test.each([
    ["sum", "Sum 1,300.50"],
    ["average", "Average 433.50"],
    ["minimum", "Minimum 2026-01-01"],
    ["maximum", "Maximum 2026-02-01"],
    ["filled", "Filled 2"],
  ] as const)("show %s in the format of the column", async (name, text) => {
    await openTable(page, doc, "Orders", `?totals=${COLUMN[name]}:${name}`);
    await expectPoll(() => totalLabel(page, COLUMN[name])).toBe(`${COLUMN[name]}: ${text}`);
  });

  test("leave out what does not fit the type of a column", async () => {
    await openTable(page, doc, "Orders", "?totals=Customer:sum,Gone:sum");
    await cell(page, 3, 1).waitFor();
    expect(await footer(page).count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });

  test("cover the filtered rows, and follow changes", async () => {
    const filter = encodeURIComponent(JSON.stringify({ Customer: ["Karin"] }));
    await openTable(page, doc, "Orders", `?totals=Quantity:sum&filter=${filter}`);
    await expectPoll(() => totalLabel(page, "Quantity")).toBe("Quantity: Sum 9");
    await cell(page, 1, 2).click();
    await page.keyboard.type("5");
    await page.keyboard.press("Enter");
    await expectPoll(() => totalLabel(page, "Quantity")).toBe("Quantity: Sum 11");
    const added = { records: [{ fields: { Customer: "Karin", Quantity: 100 } }] };
    await call(ada, "POST", `/api/docs/${doc}/tables/Orders/records`, added);
    await expectPoll(() => totalLabel(page, "Quantity")).toBe("Quantity: Sum 111");
    await page.getByRole("list", { name: "View" }).getByRole("button").first().focus();
    await page.keyboard.press("Delete");
    await expectPoll(() => totalLabel(page, "Quantity")).toBe("Quantity: Sum 115");
  });

  test("arrive after the rows, and are requested one at a time", async () => {
    const { requests, release } = await holdTotals(page);
    await openTable(page, doc, "Orders", "?totals=Quantity:sum");
    await cell(page, 3, 1).waitFor();
    await expectPoll(() => requests.length).toBe(1);
    expect(await total(page, "Quantity").getAttribute("aria-busy")).toBe("true");
    expect(await total(page, "Quantity").locator(".bar").count()).toBe(1);
    for (const quantity of [10, 20, 30]) {
      const fields = { Quantity: quantity };
      await call(ada, "PATCH", `/api/docs/${doc}/tables/Orders/records`, { records: [{ id: 1, fields }] });
      await expectPoll(() => cell(page, 1, 2).textContent()).toBe(String(quantity));
    }
    expect(requests).toHaveLength(1);
    release();
    await expectPoll(() => totalLabel(page, "Quantity")).toBe("Quantity: Sum 40");
    await expectPoll(() => requests.length).toBe(2);
    expect(await total(page, "Quantity").getAttribute("aria-busy")).toBe("false");
    await page.unroute("**/aggregate");
  });

  test("say why one cannot be read, and show the others", async () => {
    await page.route("**/aggregate", (route) => {
      const isUnique = route.request().postData()?.includes("countDistinct") ?? false;
      const refusal = { error: "Too many values", details: { code: "limit.exceeded" } };
      return isUnique ? route.fulfill({ status: 400, json: refusal }) : route.continue();
    });
    await openTable(page, doc, "Orders", "?totals=Quantity:sum,Customer:unique");
    await expectPoll(() => totalLabel(page, "Quantity")).toBe("Quantity: Sum 13");
    await expectPoll(() => totalLabel(page, "Customer")).toContain("Customer: Unique ");
    expect(await total(page, "Customer").locator(".value").count()).toBe(0);
    await page.unroute("**/aggregate");
  });

  test("cover only the rows and cells that the reader sees", async () => {
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Orders", colIds: "*" }],
      ["AddRecord", "_grist_ACLResources", -2, { tableId: "Orders", colIds: "Total" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER and rec.Customer == 'Bruno'", permissionsText: "-R" },
      ],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -2, aclFormula: "user.Access != OWNER and rec.Quantity == 6", permissionsText: "-R" },
      ],
    ]);
    await using ben = await invite(doc, "editors");
    await openTable(ben.page, doc, "Orders", "?totals=Quantity:sum,Total:sum,Customer:count");
    await expectPoll(() => totalLabel(ben.page, "Quantity")).toBe("Quantity: Sum 9");
    expect(await totalLabel(ben.page, "Total")).toBe("Total: Sum 1,200.00");
    expect(await totalLabel(ben.page, "Customer")).toBe("Customer: Count 2");
  });

  test("are reached by arrow keys below the last row, and chosen by the keyboard", async () => {
    await openTable(page, doc, "Orders", "?totals=Total:sum");
    await expectPoll(() => totalLabel(page, "Total")).toBe("Total: Sum 1,300.50");
    await cell(page, 3, 2).click();
    await press(page, "ArrowDown", "ArrowDown", "ArrowRight");
    const focused = `document.activeElement.getAttribute("aria-label")`;
    expect(await until(page, `${focused} === "Total: Sum 1,300.50"`)).toBe(true);
    await press(page, "Enter", "A");
    await press(page, "Enter");
    expect(await until(page, `${focused} === "Total: Average 433.50"`)).toBe(true);
    await press(page, "ArrowUp", "ArrowUp");
    expect(await until(page, `document.activeElement === document.querySelector(".grid .cell.active")`)).toBe(true);
    expect(await cell(page, 3, 3).getAttribute("aria-label")).toBe("Total: 20.00");
    expect(ada.problems).toEqual([]);
  });

  test("stay at the bottom while the last row can be read", async () => {
    const rows = Array.from({ length: 200 }, (_, at) => ({ Customer: `C${at}`, Quantity: 1 }));
    await makeTable(ada, doc, { ...ORDERS, id: "Many", rows });
    await openTable(page, doc, "Many", "?totals=Quantity:sum");
    await expectPoll(() => totalLabel(page, "Quantity")).toBe("Quantity: Sum 200");
    await cell(page, 1, 1).click();
    await press(page, "Control+End");
    await cell(page, 200, 1).waitFor();
    const bottomOfRow = await cell(page, 200, 1).boundingBox();
    const box = await footer(page).boundingBox();
    const grid = await page.locator(".grid").boundingBox();
    expect((bottomOfRow?.y ?? 0) + (bottomOfRow?.height ?? 0)).toBeLessThanOrEqual((box?.y ?? 0) + 1);
    // Above the scroll bar of wide tables.
    expect((grid?.y ?? 0) + (grid?.height ?? 0) - (box?.y ?? 0) - (box?.height ?? 0)).toBeLessThan(20);
  });
});

describe.skipIf(!CHROMIUM)(inBrowser("a selected range"), () => {
  let page: Page;
  eachStory(async (story) => {
    ({ page } = story);
    const doc = await makeDocument(story.ada);
    await makeTable(story.ada, doc, ORDERS);
    await openTable(page, doc, "Orders");
  });

  test.each([
    { from: [1, 1], keys: ["ArrowDown"], text: "2 cells" },
    { from: [1, 2], keys: ["ArrowDown", "ArrowDown"], text: "3 cells · Sum 13 · Average 4.33" },
    { from: [1, 3], keys: ["ArrowDown"], text: "2 cells · Sum 1,280.50 · Average 640.25" },
    { from: [1, 2], keys: ["ArrowRight"], text: "2 cells · Sum 1,203 · Average 601.5" },
    { from: [2, 1], keys: ["ArrowRight", "ArrowDown"], text: "4 cells · Sum 10 · Average 5" },
    { from: [2, 2], keys: [], text: "" },
  ])("shows $text", async ({ from: [row = 0, column = 0], keys, text }) => {
    await cell(page, row, column).click();
    for (const key of keys) await page.keyboard.press(`Shift+${key}`);
    await expectPoll(() => page.locator("#sheet-range").textContent()).toBe(text);
  });

  test("follows changes of its cells", async () => {
    await cell(page, 1, 2).click();
    await page.keyboard.press("Shift+ArrowDown");
    await expectPoll(() => page.locator("#sheet-range").textContent()).toBe("2 cells · Sum 7 · Average 3.5");
    await pasteText(page, "10");
    await expectPoll(() => page.locator("#sheet-range").textContent()).toBe("2 cells · Sum 20 · Average 10");
  });
});
