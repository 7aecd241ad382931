/** Rows in groups: counts, folding, totals, keys, and what is refused. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, item, press } from "./controls.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, copiedText, openTable, until } from "./table-page.ts";

const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Customer", fields: { type: "Text" } },
    { id: "Status", fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: ["New", "Shipped"] }) } },
    { id: "Quantity", fields: { type: "Int" } },
    { id: "Ordered", fields: { type: "Date" } },
  ],
  rows: [
    { Customer: "Karin", Status: "Shipped", Quantity: 3, Ordered: 1_767_225_600 },
    { Customer: "Bruno", Status: "New", Quantity: 4, Ordered: 1_769_904_000 },
    { Customer: "Karin", Status: "New", Quantity: 6, Ordered: 1_769_990_400 },
    { Customer: "Anna", Status: "", Quantity: 8, Ordered: null },
  ],
};

/** Group rows and rows in the order in which they are shown: `Status New 2 rows`, `Karin|Shipped|3|2026-01-01`. */
const lines = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(".grid .body [role=row]")]
    .toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
    .map((row) => row.querySelector(".group-toggle")?.textContent ??
      [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.textContent).join("|"))`);

const KARIN_SHIPPED = "Karin|Shipped|3|2026-01-01";
const BRUNO = "Bruno|New|4|2026-02-01";
const KARIN_NEW = "Karin|New|6|2026-02-02";
const ANNA = "Anna||8|";
const BY_STATUS = [
  "Status New 2 rows",
  BRUNO,
  KARIN_NEW,
  "Status Shipped 1 row",
  KARIN_SHIPPED,
  "Status (empty) 1 row",
  ANNA,
];

const toggle = (page: Page, text: string): Locator => page.locator(".body .group-toggle").filter({ hasText: text });
const rowCount = (page: Page): Promise<string | null> => page.getByRole("grid").getAttribute("aria-rowcount");
const isFocused = (page: Page, text: string): Promise<boolean> =>
  until(page, `document.activeElement.textContent.includes(${JSON.stringify(text)})`);

describe.skipIf(!CHROMIUM)(inBrowser("groups of rows"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, ORDERS);
  });

  test("are chosen in the toolbar, are part of the address, and are removed by their chip", async () => {
    await openTable(page, doc, "Orders");
    await button(page, "Group").click();
    await page.getByRole("dialog", { name: "Group" }).getByLabel("Group by").selectOption("Status");
    await expectPoll(() => lines(page)).toEqual(BY_STATUS);
    expect(new URL(page.url()).searchParams.get("group")).toBe("Status");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await button(page, "Group 1").getAttribute("aria-pressed")).toBe("true");
    expect(await rowCount(page)).toBe("9");
    expect(await page.locator("#sheet-count").textContent()).toBe("4 rows");
    await page.reload();
    await expectPoll(() => lines(page)).toEqual(BY_STATUS);
    await button(page, "Remove: Grouped by Status").click();
    await expectPoll(() => lines(page)).toEqual([KARIN_SHIPPED, BRUNO, KARIN_NEW, ANNA]);
    expect(await rowCount(page)).toBe("6");
    await page.goBack();
    await expectPoll(() => lines(page)).toEqual(BY_STATUS);
    expect(ada.problems).toEqual([]);
  });

  test.each([
    {
      query: "?group=-Status",
      expected: [
        "Status Shipped 1 row",
        KARIN_SHIPPED,
        "Status New 2 rows",
        BRUNO,
        KARIN_NEW,
        "Status (empty) 1 row",
        ANNA,
      ],
    },
    {
      query: "?group=Status&sort=-Quantity",
      expected: [
        "Status New 2 rows",
        KARIN_NEW,
        BRUNO,
        "Status Shipped 1 row",
        KARIN_SHIPPED,
        "Status (empty) 1 row",
        ANNA,
      ],
    },
    {
      query: "?group=Ordered:month",
      expected: [
        "Ordered January 2026 1 row",
        KARIN_SHIPPED,
        "Ordered February 2026 2 rows",
        BRUNO,
        KARIN_NEW,
        "Ordered (empty) 1 row",
        ANNA,
      ],
    },
    {
      query: "?group=Ordered:quarter&sort=Quantity",
      expected: ["Ordered Q1 2026 3 rows", KARIN_SHIPPED, BRUNO, KARIN_NEW, "Ordered (empty) 1 row", ANNA],
    },
    {
      query: "?group=Ordered:year,Customer",
      expected: [
        "Ordered 2026 3 rows",
        "Customer Bruno 1 row",
        BRUNO,
        "Customer Karin 2 rows",
        KARIN_SHIPPED,
        KARIN_NEW,
        "Ordered (empty) 1 row",
        "Customer Anna 1 row",
        ANNA,
      ],
    },
    {
      query: `?group=Status&filter=${encodeURIComponent('{"Customer":["Karin"]}')}`,
      expected: ["Status New 1 row", KARIN_NEW, "Status Shipped 1 row", KARIN_SHIPPED],
    },
  ])("are shown for $query", async ({ query, expected }) => {
    await openTable(page, doc, "Orders", query);
    await expectPoll(() => lines(page)).toEqual([...expected]);
  });

  test("fold and unfold, by pointer, keys and menu, and rows of folded ones are not requested", async () => {
    await openTable(page, doc, "Orders", "?group=Status");
    await expectPoll(() => lines(page)).toEqual(BY_STATUS);
    await toggle(page, "Status New").click();
    const folded = ["Status New 2 rows", "Status Shipped 1 row", KARIN_SHIPPED, "Status (empty) 1 row", ANNA];
    await expectPoll(() => lines(page)).toEqual(folded);
    expect(await toggle(page, "Status New").getAttribute("aria-expanded")).toBe("false");
    expect(await rowCount(page)).toBe("7");
    expect(await page.locator("#sheet-count").textContent()).toBe("4 rows");
    await cell(page, 3, 1).click();
    await press(page, "ArrowUp");
    expect(await isFocused(page, "Shipped")).toBe(true);
    await press(page, "ArrowLeft", "ArrowUp");
    expect(await isFocused(page, "Status New")).toBe(true);
    await press(page, "Enter");
    await expectPoll(() => lines(page)).toEqual([
      "Status New 2 rows",
      BRUNO,
      KARIN_NEW,
      "Status Shipped 1 row",
      "Status (empty) 1 row",
      ANNA,
    ]);
    expect(await isFocused(page, "Status New")).toBe(true);
    await press(page, "Shift+F10");
    await item(page, "Collapse all").click();
    await expectPoll(() => lines(page)).toEqual(["Status New 2 rows", "Status Shipped 1 row", "Status (empty) 1 row"]);
    const reads: string[] = [];
    page.on("request", (request) => request.url().includes("/records?") && reads.push(request.url()));
    await call(ada, "POST", `/api/docs/${doc}/tables/Orders/records`, { records: [{ fields: { Status: "New" } }] });
    await expectPoll(() => lines(page)).toEqual(["Status New 3 rows", "Status Shipped 1 row", "Status (empty) 1 row"]);
    expect(reads.filter((url) => !url.includes("fields=id"))).toEqual([]);
    expect(ada.problems).toEqual([]);
  });

  test("show totals, and follow changes", async () => {
    await openTable(page, doc, "Orders", "?group=Status&totals=Quantity:sum");
    const totals = () => page.locator(".body .group-total > [translate=no]").allTextContents();
    await expectPoll(totals).toEqual(["10", "3", "8"]);
    await call(ada, "PATCH", `/api/docs/${doc}/tables/Orders/records`, {
      records: [{ id: 1, fields: { Status: "New" } }],
    });
    await expectPoll(totals).toEqual(["13", "8"]);
    expect(await lines(page)).toEqual([
      "Status New 3 rows",
      "Karin|New|3|2026-01-01",
      BRUNO,
      KARIN_NEW,
      "Status (empty) 1 row",
      ANNA,
    ]);
  });

  test("are copied over, and give their values to new rows", async () => {
    await openTable(page, doc, "Orders", "?group=Status");
    await expectPoll(() => lines(page)).toEqual(BY_STATUS);
    await page.locator(".body .cell").filter({ hasText: "Karin" }).first().click();
    await press(page, "Shift+ArrowDown");
    expect(await copiedText(page)).toBe("Karin\nKarin");
    await press(page, "ArrowDown", "ArrowDown", "Control+Enter");
    await expectPoll(() => lines(page)).toContain("Status Shipped 2 rows");
    await expectPoll(() => lines(page)).toContain("|Shipped|0|");
  });

  test("are cleared over rows that are not loaded, in the order in which they are shown, without folded ones", async () => {
    const rows = Array.from({ length: 700 }, (_, at) => ({ Status: at % 2 ? "New" : "Shipped", Quantity: at + 1 }));
    await makeTable(ada, doc, { ...ORDERS, id: "Many", rows });
    await openTable(page, doc, "Many", "?group=Status&hide=Ordered");
    await toggle(page, "New").click();
    await expectPoll(() => toggle(page, "New").getAttribute("aria-expanded")).toBe("false");
    await cell(page, 3, 3).click();
    await press(page, "Control+Shift+ArrowDown", "Delete");
    await page.getByText("350 cells cleared.").first().waitFor();
    const stored = await records(ada, doc, "Many");
    const kept = stored.filter(({ fields }) => fields["Quantity"] !== null).map(({ fields }) => fields["Status"]);
    expect(kept).toHaveLength(350);
    expect(new Set(kept)).toEqual(new Set(["New"]));
    expect(ada.problems).toEqual([]);
  });

  test("of too many values are refused with their number", async () => {
    const rows = Array.from({ length: 1001 }, (_, at) => ({ Customer: `C${at}`, Status: "New" }));
    await makeTable(ada, doc, { ...ORDERS, id: "Many", rows });
    await openTable(page, doc, "Many");
    await button(page, "Group").click();
    await page.getByRole("dialog", { name: "Group" }).getByLabel("Group by").selectOption("Customer");
    const refusal = "Customer has 1,001 values. Group by at most 1,000.";
    await expectPoll(() => page.locator(".group-popover .field-problem").textContent()).toBe(refusal);
    expect(new URL(page.url()).searchParams.has("group")).toBe(false);
    await openTable(page, doc, "Many", "?group=Customer");
    await expectPoll(() => page.locator("#sheet-problem").textContent()).toBe(refusal);
    await cell(page, 1, 1).waitFor();
    await openTable(page, doc, "Many", "?group=Status");
    await expectPoll(() => lines(page).then(([first]) => first)).toBe("Status New 1,001 rows");
    await page.evaluate("document.querySelector('.grid').scrollTop = 20000");
    await expectPoll(() => page.locator(".sticky-groups .group-toggle").textContent()).toBe("Status New 1,001 rows");
    await page.locator(".sticky-groups .group-toggle").click();
    await expectPoll(() => lines(page)).toEqual(["Status New 1,001 rows"]);
  });

  test("count only the rows that the reader sees", async () => {
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Orders", colIds: "*" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER and rec.Customer == 'Bruno'", permissionsText: "-R" },
      ],
    ]);
    await using ben = await invite(doc, "editors");
    await openTable(ben.page, doc, "Orders", "?group=Status");
    await expectPoll(() => lines(ben.page)).toEqual([
      "Status New 1 row",
      KARIN_NEW,
      "Status Shipped 1 row",
      KARIN_SHIPPED,
      "Status (empty) 1 row",
      ANNA,
    ]);
  });
});
