/** The filter builder. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, item, press } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { openTable } from "./table-page.ts";

const DAY_S = 86_400;
const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Title", fields: { type: "Text" } },
    { id: "Status", fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: ["New", "Paid"] }) } },
    { id: "Total", fields: { type: "Numeric" } },
    { id: "Ordered", fields: { type: "Date" } },
    { id: "Done", fields: { type: "Bool" } },
  ],
  rows: [
    { Title: "Ash", Status: "New", Total: 1000.5, Ordered: 0, Done: true },
    { Title: "Elm", Status: "Paid", Total: 10, Ordered: 20_000 * DAY_S, Done: false },
    { Title: "Fir", Status: "", Total: 20, Ordered: null, Done: false },
    { Title: "", Status: "New", Total: null, Ordered: 20_001 * DAY_S, Done: false },
  ],
};

describe.skipIf(!CHROMIUM)(inBrowser("the filter builder"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, ORDERS);
  });

  const builder = (): Locator => page.getByRole("dialog", { name: "Filter" });
  const query = (): string => decodeURIComponent(new URL(page.url()).search);
  const condition = (path: string): Locator => builder().locator(`[data-path="${path}"]`);
  const shows = (...expected: string[]): Promise<void> =>
    expectPoll(() => page.locator('.grid .body [role=row] [aria-colindex="2"]').allTextContents()).toEqual(expected);
  const open = async (filter?: unknown): Promise<void> => {
    await openTable(page, doc, "Orders", filter ? `?filter=${encodeURIComponent(JSON.stringify(filter))}` : "");
    await button(page, /^Filter/)
      .first()
      .click();
    await builder().waitFor();
  };
  const choose = async (path: string, column: string, operator?: string): Promise<void> => {
    await condition(path).getByLabel("Column", { exact: true }).selectOption(column);
    if (operator) await condition(path).getByLabel("Operator").selectOption({ label: operator });
  };

  test("applies conditions as they are entered, with the number of rows", async () => {
    await open();
    await choose("0", "Title", "contains");
    // Incomplete conditions are ignored.
    expect(query()).toBe("");
    expect(await condition("0").getAttribute("class")).toContain("incomplete");
    await condition("0").getByLabel("Value").fill("s");
    await shows("Ash");
    await expectPoll(() => builder().locator(".count-line").textContent()).toBe("1 of 4 rows");
    expect(query()).toBe('?filter={"Title":{"contains":"s"}}');
    expect(await condition("0").getAttribute("class")).not.toContain("incomplete");
    // Typing does not add entries to the browser's history, another condition does.
    const entries = await page.evaluate<number>("history.length");
    await condition("0").getByLabel("Value").fill("i");
    await shows("Fir");
    expect(await page.evaluate<number>("history.length")).toBe(entries);
    await condition("0").getByLabel("Operator").selectOption({ label: "does not contain" });
    await shows("Ash", "Elm", "");
    await button(builder(), "Condition").click();
    await choose("1", "Total", "≤");
    await condition("1").getByLabel("Value").fill("10");
    await shows("Elm");
    expect(await page.evaluate<number>("history.length")).toBe(entries + 1);
    await condition("1").getByLabel("Combine conditions with").selectOption("any");
    await shows("Ash", "Elm", "");
    await press(page, "Escape");
    await builder().waitFor({ state: "detached" });
    await expectPoll(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Filter 2");
    expect(await page.locator("#sheet-view .view-chip > .text").allTextContents()).toEqual(["2 conditions (any)"]);
    expect(ada.problems).toEqual([]);
  });

  test.each([
    { column: "Total", operator: ">", fill: "1000", rows: ["Ash"], filter: { Total: { gt: 1000 } } },
    { column: "Total", operator: "=", fill: "1,000.5", rows: ["Ash"], filter: { Total: { eq: 1000.5 } } },
    { column: "Total", operator: "is empty", fill: null, rows: [""], filter: { Total: { empty: true } } },
    {
      column: "Ordered",
      operator: "after",
      fill: "2000-01-01",
      rows: ["Elm", ""],
      filter: { Ordered: { gt: "2000-01-01" } },
    },
    { column: "Done", operator: "is checked", fill: null, rows: ["Ash"], filter: { Done: { eq: true } } },
    {
      column: "Title",
      operator: "matches pattern",
      fill: "^[AE]",
      rows: ["Ash", "Elm"],
      filter: { Title: { matches: "^[AE]" } },
    },
  ])("filters $column $operator $fill", async ({ column, operator, fill, rows, filter }) => {
    await open();
    await choose("0", column, operator);
    if (fill !== null) await condition("0").getByLabel("Value").fill(fill);
    await shows(...rows);
    expect(query()).toBe(`?filter=${JSON.stringify(filter)}`);
    expect(ada.problems).toEqual([]);
  });

  test("offers values with their numbers of rows", async () => {
    await open();
    await choose("0", "Status", "is any of");
    await button(condition("0"), "Choose…").click();
    const values = condition("0").locator(".filter-values label");
    await expectPoll(() => values.allTextContents()).toEqual(["New2", "(empty)1", "Paid1"]);
    await values.filter({ hasText: "Paid" }).click();
    await shows("Elm");
    await values.filter({ hasText: "(empty)" }).click();
    await shows("Elm", "Fir");
    await condition("0").getByLabel("Search values").fill("ne");
    await expectPoll(() => values.allTextContents()).toEqual(["New2"]);
    await press(page, "Escape");
    expect(await page.locator("#sheet-view .view-chip > .text").allTextContents()).toEqual([
      "Status is any of Paid, (empty)",
    ]);
    expect(ada.problems).toEqual([]);
  });

  test("nests groups, duplicates and deletes conditions, and clears them", async () => {
    await open({ Done: { eq: false } });
    await button(builder(), "Group").click();
    await choose("1.0", "Status", "is any of");
    await button(condition("1.0"), "Choose…").click();
    await condition("1.0").getByLabel("Paid").check();
    await button(condition("1"), "Condition").click();
    await choose("1.1", "Total", "is empty");
    await shows("Elm", "");
    expect(query()).toBe('?filter={"Done":{"eq":false},"or":[{"Status":["Paid"]},{"Total":{"empty":true}}]}');
    await button(condition("1.1"), "More actions of the condition").click();
    await item(page, "Turn into group").click();
    await button(condition("1.1"), "Condition").click();
    // Groups nest two deep.
    expect(await button(condition("1.1"), "Group").count()).toBe(0);
    await choose("1.1.1", "Title", "is");
    await condition("1.1.1").getByLabel("Value").fill("Fir");
    await shows("Elm", "Fir", "");
    await button(condition("0"), "More actions of the condition").click();
    await item(page, "Delete").click();
    await shows("Elm", "Fir", "");
    expect(query()).toContain('{"or":[{"Total":{"empty":true}},{"Title":{"eq":"Fir"}}]}');
    await button(builder(), "Clear").click();
    await shows("Ash", "Elm", "Fir", "");
    expect(query()).toBe("");
    expect(ada.problems).toEqual([]);
  });

  test("opens from a chip and from a column at its condition, and follows Back", async () => {
    await openTable(page, doc, "Orders", '?filter={"Status":["New"],"Total":{"gt":5},"not":{"Title":["x"]}}');
    await shows("Ash");
    await button(page, "Total > 5").click();
    await expectPoll(() => page.evaluate("document.activeElement.value")).toBe("5");
    expect(await condition("2").textContent()).toContain('Custom condition {"not":{"Title":["x"]}}');
    await page.keyboard.type("5000");
    await shows();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("1");
    await shows("Ash");
    // The custom condition is kept.
    expect(query()).toBe('?filter={"Status":["New"],"Total":{"gt":1},"not":{"Title":["x"]}}');
    await press(page, "Escape");
    await button(page, "Menu of Done").click();
    await item(page, "Filter…").click();
    await condition("3").getByLabel("Operator").selectOption({ label: "is not checked" });
    await shows();
    await page.goBack();
    await shows("Ash");
    await expectPoll(() => condition("3").count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });

  test("offers the columns of referenced rows", async () => {
    await makeTable(ada, doc, {
      id: "Customers",
      columns: [{ id: "City", fields: { type: "Text" } }],
      rows: [{ City: "Hamburg" }, { City: "Lyon" }],
    });
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddColumn", "Orders", "Customer", { type: "Ref:Customers", isFormula: false }],
      ["BulkUpdateRecord", "Orders", [1, 2], { Customer: [1, 2] }],
    ]);
    await open({ "Customer.City": { contains: "burg" } });
    await shows("Ash");
    await expectPoll(() => condition("0").locator("select").first().locator("option:checked").textContent()).toBe(
      "Customer › City",
    );
    await condition("0").getByLabel("Value").fill("ly");
    await shows("Elm");
    expect(ada.problems).toEqual([]);
  });

  test.each(["light", "dark"] as const)("has no serious violations: %s", async (scheme) => {
    await page.emulateMedia({ colorScheme: scheme });
    await open({ Status: ["New"], or: [{ Total: { gt: 1 } }, { Done: { eq: true } }] });
    await button(condition("0"), "Values: New").click();
    await condition("0").getByLabel("Paid").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(ada.problems).toEqual([]);
  });

  test("is a sheet on phones, which says how many rows it shows", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open({ Status: ["New"], Total: { gt: 1 } });
    const box = await builder().boundingBox();
    expect([box?.x, box?.width, (box?.y ?? 0) + (box?.height ?? 0)]).toEqual([0, 390, 844]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    await button(builder(), "Show 1 row").click();
    await builder().waitFor({ state: "detached" });
    expect(ada.problems).toEqual([]);
  });
});
