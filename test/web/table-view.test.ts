/** The view of a table: in its address, in the browser's history, and in the links of the sidebar. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, item } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

const CUSTOMERS = {
  id: "Customers",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    { id: "City", fields: { type: "Text" } },
  ],
  rows: [
    { Name: "Anna", City: "Hamburg" },
    { Name: "Bruno", City: "Lyon" },
  ],
};

const DAY_S = 86_400;
const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Title", fields: { type: "Text" } },
    { id: "Status", fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: ["New", "Paid"] }) } },
    { id: "Total", fields: { type: "Numeric" } },
    { id: "Ordered", fields: { type: "Date", widgetOptions: JSON.stringify({ dateFormat: "DD.MM.YYYY" }) } },
    { id: "Paid", fields: { type: "Bool" } },
    { id: "Tags", fields: { type: "ChoiceList", widgetOptions: JSON.stringify({ choices: ["a", "b"] }) } },
  ],
  rows: [
    { Title: "Ash", Status: "New", Total: 30, Ordered: 0, Paid: true, Tags: ["L", "a"] },
    { Title: "Elm", Status: "Paid", Total: 10, Ordered: 20_000 * DAY_S, Paid: false, Tags: null },
    { Title: "Fir", Status: "", Total: 20, Ordered: null, Paid: false, Tags: ["L", "a", "b"] },
  ],
};

describe.skipIf(!CHROMIUM)(inBrowser("the view of a table"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, CUSTOMERS);
    await makeTable(ada, doc, ORDERS);
  });

  const query = (): string => decodeURIComponent(new URL(page.url()).search);
  const titles = async (): Promise<string[]> => {
    const cells = page.locator('.grid .body [role=row] [aria-colindex="2"]');
    return cells.allTextContents();
  };
  const shows = (...expected: string[]): Promise<void> => expectPoll(titles).toEqual(expected);
  const open = (filter: unknown, more = ""): Promise<void> =>
    openTable(page, doc, "Orders", `?filter=${encodeURIComponent(JSON.stringify(filter))}${more}`);
  const chips = (): Promise<string[]> => page.locator("#sheet-view .view-chip > .text").allTextContents();

  test("is in the address: Back removes the last sort, then restores the filter; Forward does both again", async () => {
    await openTable(page, doc, "Orders", '?filter={"Paid":[false]}');
    await shows("Elm", "Fir");
    await button(page, "Menu of Total").click();
    await item(page, "Sort descending").click();
    await shows("Fir", "Elm");
    expect(query()).toBe('?filter={"Paid":[false]}&sort=-Total');
    await button(page, "Remove: Paid is any of No").click();
    await shows("Ash", "Fir", "Elm");
    expect(query()).toBe("?sort=-Total");
    await page.goBack();
    await shows("Fir", "Elm");
    await page.goBack();
    await shows("Elm", "Fir");
    expect(await chips()).toEqual(["Paid is any of No"]);
    await page.goForward();
    await shows("Fir", "Elm");
    await page.reload();
    await shows("Fir", "Elm");
    expect(ada.problems).toEqual([]);
  });

  test("holds hidden columns and widths, which add no entries to the browser's history", async () => {
    await openTable(page, doc, "Orders");
    const entries = await page.evaluate<number>("history.length");
    await button(page, "Menu of Total").click();
    await item(page, "Hide column").click();
    await expectPoll(query).toBe("?hide=Total");
    const edge = await page.getByRole("columnheader", { name: "Title, text" }).boundingBox();
    if (!edge) throw new Error("the column is not shown");
    await page.mouse.move(edge.x + edge.width - 1, edge.y + 10);
    await page.mouse.down();
    await page.mouse.move(edge.x + edge.width + 49, edge.y + 10, { steps: 4 });
    await page.mouse.up();
    await expectPoll(query).toMatch(/^\?hide=Total&width=Title:\d+$/);
    expect(await page.evaluate<number>("history.length")).toBe(entries);
    const width = Number(/\d+$/.exec(query())?.[0]);
    expect(width).toBeGreaterThan(Math.round(edge.width) + 40);
    await page.reload();
    await cell(page, 1, 1).waitFor();
    expect(Math.round((await cell(page, 1, 1).boundingBox())?.width ?? 0)).toBe(width);
    expect(await page.getByRole("columnheader", { name: "Total, number" }).count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });

  test("is what the links of the sidebar open, while other addresses show their own view", async () => {
    await openTable(page, doc, "Orders", "?sort=-Title");
    await shows("Fir", "Elm", "Ash");
    const link = (table: string) => page.locator("#tables").getByRole("link", { name: table, exact: true });
    await link("Customers").click();
    await page.waitForURL("**/Customers");
    await link("Orders").click();
    await page.waitForURL("**/Orders?sort=-Title");
    await shows("Fir", "Elm", "Ash");
    await openTable(page, doc, "Orders", "?view=default");
    await shows("Ash", "Elm", "Fir");
    expect(ada.problems).toEqual([]);
  });

  test("follows columns that are renamed, and drops deleted ones", async () => {
    await open({ Title: { contains: "s" } }, "&sort=Total&hide=Tags&width=Total:90");
    await shows("Ash");
    await call(ada, "DELETE", `/api/docs/${doc}/tables/Orders/columns/Total`, undefined);
    await expectPoll(query).toBe('?filter={"Title":{"contains":"s"}}&hide=Tags');
    await shows("Ash");
    expect(ada.problems).toEqual([]);
  });

  test("has the rows of the address before any script asks for them", async () => {
    const asked: string[] = [];
    page.on("request", (request) => request.url().includes("/records?") && asked.push(request.url()));
    await open({ or: [{ Title: { startsWith: "E" } }, { Status: { empty: true } }] }, "&sort=-Title");
    await shows("Fir", "Elm");
    // Only the number of all rows is missing.
    expect(asked.filter((each) => !each.includes("fields=id"))).toEqual([]);
  });

  test.each([
    ["Status is any of New, Paid", { Status: ["New", "Paid"] }, ["Ash", "Elm"]],
    ["Status is none of New", { or: [{ Status: { nin: ["New"] } }, { Status: { empty: true } }] }, ["Elm", "Fir"]],
    ["Status is empty", { Status: { empty: true } }, ["Fir"]],
    ["Total > 10", { Total: { gt: 10 } }, ["Ash", "Fir"]],
    ["Total between 5 and 15", { Total: { gte: 5, lte: 15 } }, ["Elm"]],
    [
      "Title does not contain s",
      { or: [{ not: { Title: { contains: "s" } } }, { Title: { empty: true } }] },
      ["Elm", "Fir"],
    ],
    ["Ordered after 31.12.2000", { Ordered: { gt: "2000-12-31" } }, ["Elm"]],
    ["Ordered in the last 7 days", { Ordered: { within: "last7days" } }, []],
    ["Paid is not checked", { or: [{ Paid: { ne: true } }, { Paid: { empty: true } }] }, ["Elm", "Fir"]],
    ["Tags has all of a, b", { Tags: { hasAll: ["a", "b"] } }, ["Fir"]],
    ["2 conditions (any)", { or: [{ Title: { eq: "Ash" } }, { Total: { lt: 15 } }] }, ["Ash", "Elm"]],
    ["Custom condition", { not: { Title: { eq: "Ash" } } }, ["Elm", "Fir"]],
  ] as const)("shows the chip %s", async (text, filter, rows) => {
    await open(filter);
    await shows(...rows);
    expect(await chips()).toEqual([text]);
    // Each can be removed.
    await page.locator("#sheet-view .view-chip > .text").focus();
    await page.keyboard.press("Delete");
    await shows("Ash", "Elm", "Fir");
    expect(query()).toBe("");
    expect(ada.problems).toEqual([]);
  });

  test("names rows and columns of other tables in chips", async () => {
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddColumn", "Orders", "Customer", { type: "Ref:Customers", isFormula: false }],
    ]);
    const { columns } = await call<{ columns: { id: string; fields: { colRef: number } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/Customers/columns`,
      undefined,
    );
    const name = columns.find(({ id }) => id === "Name")?.fields.colRef;
    const own = await call<{ columns: { id: string; fields: { colRef: number } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/Orders/columns`,
      undefined,
    );
    const ref = own.columns.find(({ id }) => id === "Customer")?.fields.colRef;
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["UpdateRecord", "_grist_Tables_column", ref, { visibleCol: name }],
      ["SetDisplayFormula", "Orders", null, ref, "$Customer.Name"],
      ["BulkUpdateRecord", "Orders", [1, 2], { Customer: [1, 2] }],
    ]);
    await open({ Customer: [2] });
    await shows("Elm");
    await expectPoll(chips).toEqual(["Customer is any of Bruno"]);
    // A row that the table does not show, and a column of its table.
    await open({ Customer: [1], "Customer.City": { contains: "burg" }, Total: { gt: 1000 } });
    await expectPoll(chips).toEqual(["Customer is any of Anna", "Customer › City contains burg", "Total > 1000"]);
    expect(ada.problems).toEqual([]);
  });
});
