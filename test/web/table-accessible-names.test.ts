/** What the browser tells a screen reader about the active cell: its column, value, problem and position. */
import { describe, expect, test } from "bun:test";
import type { CDPSession, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { press } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

const DAY_S = 86_400;
const CURRENCY = JSON.stringify({ numMode: "currency", currency: "EUR" });
const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Item", fields: { type: "Text" } },
    { id: "Price", fields: { type: "Numeric", widgetOptions: CURRENCY } },
    { id: "Packed", fields: { type: "Bool" } },
    { id: "Share", fields: { type: "Any", isFormula: true, formula: "$Price / $Price" } },
    { id: "Due", fields: { type: "Date" } },
    { id: "Customer", fields: { type: "Ref:Customers" } },
    { id: "Status", fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: ["New", "Paid"] }) } },
  ],
  rows: [
    { Item: "Bell", Price: 12.5, Packed: true, Due: 20_000 * DAY_S, Customer: 1, Status: "New" },
    { Item: HOSTILE_NAME, Price: 0, Packed: false, Due: "soon", Customer: 2, Status: "Paid" },
    { Item: "", Price: null, Packed: false, Due: null, Customer: 0, Status: "New" },
  ],
};

interface AxValue {
  readonly value?: unknown;
}

/** A node of Chromium's accessibility tree. */
interface AxNode {
  readonly role?: AxValue;
  readonly name?: AxValue;
  readonly description?: AxValue;
  readonly properties?: readonly { readonly name: string; readonly value: AxValue }[];
}

interface Spoken {
  readonly role: unknown;
  readonly name: unknown;
  readonly description: unknown;
  readonly invalid: unknown;
  /** Row and column of all rows and columns, with the column header and the row header. */
  readonly position: string;
}

describe.skipIf(!CHROMIUM)(inBrowser("the active cell for screen readers"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    await page.setViewportSize({ width: 1440, height: 900 });
    doc = await makeDocument(ada);
    const customers = ["Karin", HOSTILE_NAME].map((Name) => ({ Name }));
    await makeTable(ada, doc, {
      id: "Customers",
      columns: [{ id: "Name", fields: { type: "Text" } }],
      rows: customers,
    });
    await makeTable(ada, doc, { ...ORDERS, rows: [] });
    await showReference("Orders", "Customer");
    await call(ada, "POST", `/api/docs/${doc}/tables/Orders/records`, {
      records: ORDERS.rows.map((fields) => ({ fields })),
    });
  });

  /** Shows the names of customers in place of their row ids. */
  async function showReference(table: string, column: string): Promise<void> {
    const { columns } = await call<{ columns: { id: string; fields: { colRef: number } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/${table}/columns`,
    );
    const ref = columns.find(({ id }) => id === column)?.fields.colRef;
    const { columns: shown } = await call<{ columns: { fields: { colRef: number } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/Customers/columns`,
    );
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["UpdateRecord", "_grist_Tables_column", ref, { visibleCol: shown[0]?.fields.colRef }],
      ["SetDisplayFormula", table, null, ref, `$${column}.Name`],
    ]);
  }

  const POSITION = `(() => {
    const cell = document.activeElement.closest("[role=gridcell], [role=columnheader]");
    const grid = cell.closest("[role=grid]");
    const row = cell.closest("[role=row]");
    return [row, grid].map((each, at) => each.getAttribute(at ? "aria-rowcount" : "aria-rowindex")).join("/") + ", " +
      [cell, grid].map((each, at) => each.getAttribute(at ? "aria-colcount" : "aria-colindex")).join("/");
  })()`;

  async function spoken(of: Page, session: CDPSession): Promise<Spoken> {
    const { result } = await session.send("Runtime.evaluate", { expression: "document.activeElement" });
    const { nodes } = (await session.send("Accessibility.getPartialAXTree", {
      objectId: result.objectId ?? "",
      fetchRelatives: false,
    })) as unknown as { nodes: readonly AxNode[] };
    const [node] = nodes;
    return {
      role: node?.role?.value,
      name: node?.name?.value,
      description: node?.description?.value ?? "",
      invalid: node?.properties?.find(({ name }) => name === "invalid")?.value.value ?? "false",
      position: await of.evaluate<string>(POSITION),
    };
  }

  /** Activates cells, and checks the name of each, and the description of a wrong value. */
  async function expectSpoken(
    of: Page,
    expected: readonly (readonly [row: number, column: number, name: string, problem?: string])[],
  ): Promise<void> {
    const session = await of.context().newCDPSession(of);
    for (const [row, column, name, problem = ""] of expected) {
      await cell(of, row, column).click();
      await expectPoll(() => spoken(of, session)).toEqual({
        role: "gridcell",
        name,
        description: problem,
        invalid: String(problem !== ""),
        // With the row of column headers and the column of row numbers.
        position: `${row + 1}/5, ${column + 1}/8`,
      });
    }
  }

  test("names the column and the value of each type, with what is wrong with it", async () => {
    await openTable(page, doc, "Orders");
    await expectSpoken(page, [
      [1, 1, "Item: Bell"],
      [1, 2, "Price: €12.50"],
      [1, 3, "Packed: Yes"],
      [1, 4, "Share: 1"],
      [1, 5, "Due: 2024-10-04"],
      [1, 6, "Customer: Karin"],
      [1, 7, "Status: New"],
      [2, 1, `Item: ${HOSTILE_NAME}`],
      [2, 3, "Packed: No"],
      [2, 4, "Share: Divided by zero", "Divided by zero (ZeroDivisionError: float division by zero) Why?"],
      [2, 5, "Due: soon", "“soon” is kept as text: it does not fit the column type (Date)."],
      [2, 6, `Customer: ${HOSTILE_NAME}`],
      [3, 1, "Item: empty"],
      [3, 2, "Price: empty"],
      [3, 5, "Due: empty"],
      [3, 6, "Customer: empty"],
    ]);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("says that access rules hide a cell", async () => {
    await using ben = await invite(doc, "viewers");
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Orders", colIds: "Price" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER and rec.Price > 1", permissionsText: "-R" },
      ],
    ]);
    await openTable(ben.page, doc, "Orders");
    await cell(ben.page, 1, 2).click();
    const session = await ben.page.context().newCDPSession(ben.page);
    await expectPoll(() => spoken(ben.page, session)).toMatchObject({
      name: "Price: Hidden by access rules",
      description: "Access rules hide this cell",
      position: "2/4, 3/8",
    });
    await cell(ben.page, 2, 2).click();
    await expectPoll(() => spoken(ben.page, session)).toMatchObject({ name: "Price: €0.00", description: "" });
    expect(ben.problems).toEqual([]);
  });

  test.each([
    {
      of: "a filter",
      query: `?filter=${encodeURIComponent('{"Status":["New"]}')}`,
      lines: [
        "columnheader Item, Text 1/4, 2/8",
        "gridcell Item: Bell 2/4, 2/8",
        "gridcell Item: empty 3/4, 2/8",
        "gridcell Item: new row 4/4, 2/8",
      ],
    },
    {
      of: "groups",
      query: "?group=Status&filter=%7B%22Price%22%3A%7B%22empty%22%3Afalse%7D%7D",
      lines: [
        "columnheader Item, Text 1/6, 2/8",
        "button Status New 1 row 2/6, 1/8",
        "gridcell Item: Bell 3/6, 2/8",
        "button Status Paid 1 row 4/6, 1/8",
        `gridcell Item: ${HOSTILE_NAME} 5/6, 2/8`,
        "gridcell Item: new row 6/6, 2/8",
      ],
    },
    {
      of: "groups and totals",
      query: "?group=Status&totals=Price:sum",
      lines: [
        "columnheader Item, Text 1/8, 2/8",
        "button Status New 2 rows 2/8, 1/8",
        "gridcell Item: Bell 3/8, 2/8",
        "gridcell Item: empty 4/8, 2/8",
        "button Status Paid 1 row 5/8, 1/8",
        `gridcell Item: ${HOSTILE_NAME} 6/8, 2/8`,
        "gridcell Item: new row 7/8, 2/8",
        "button Item: Add total 8/8, 2/8",
      ],
    },
  ])("counts the rows of $of", async ({ query, lines }) => {
    await openTable(page, doc, "Orders", query);
    await page.locator(".grid .body .cell").first().click();
    const session = await page.context().newCDPSession(page);
    await press(page, "Control+Home", "ArrowUp", "ArrowUp");
    for (const [at, line] of lines.entries()) {
      if (at > 0) await press(page, "ArrowDown");
      await expectPoll(async () => {
        const { role, name, position } = await spoken(page, session);
        return `${String(role)} ${String(name)} ${position}`;
      }).toBe(line);
    }
    expect(ada.problems).toEqual([]);
  });
});
