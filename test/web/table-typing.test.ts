import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, item } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

const STATUSES = ["New", "Packed", "Shipped"];
const COLUMNS = [
  { id: "Item", fields: { type: "Text" } },
  { id: "Amount", fields: { type: "Int" } },
  { id: "Price", fields: { type: "Numeric" } },
  { id: "Status", fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: STATUSES }) } },
  { id: "Total", fields: { type: "Numeric", isFormula: true, formula: "$Amount * $Price" } },
  { id: "Note", fields: { type: "Text" } },
];
const ROWS = 20;
/** Notes of inserted rows. */
const INSERTED = ["Above", "Below"];

/** The values typed into a row. */
const typedValues = (row: number): string[] => [
  `Item ${row}`,
  String(100 + row),
  String(row + 0.5),
  STATUSES[row % STATUSES.length] ?? "",
];

/** The entered values of a row, and the note of a row that another user inserted. */
const rowText = ({ fields }: { fields: Record<string, unknown> }): string =>
  [
    ...["Item", "Amount", "Price", "Status"].map((id) => fields[id]),
    ...INSERTED.filter((note) => note === fields["Note"]),
  ].join("|");

const EMPTY = ["|0|0|", ...INSERTED.map((note) => `|0|0||${note}`)];

/** Delays every call of the page. */
async function delayCalls(page: Page, delayMs: number): Promise<void> {
  await page.route("**/api/**", async (route) => {
    await Bun.sleep(delayMs);
    await route.continue();
  });
}

/** Types a row's values from its first column on. */
async function typeRow(page: Page, row: number): Promise<void> {
  await page.keyboard.press("Home");
  const values = typedValues(row);
  for (const [at, value] of values.entries()) {
    await page.keyboard.type(value);
    await page.keyboard.press(at < values.length - 1 ? "Tab" : "Enter");
  }
}

/** Lets references show the names of their records. */
async function showNames(visit: Visit, doc: string, columnIds: readonly string[]): Promise<void> {
  const listed = await call<{ columns: { id: string; fields: { colRef: number } }[] }>(
    visit,
    "GET",
    `/api/docs/${doc}/tables/Customers/columns`,
  );
  const visibleCol = listed.columns.find(({ id }) => id === "Name")?.fields.colRef;
  await call(visit, "PATCH", `/api/docs/${doc}/tables/Orders/columns`, {
    columns: columnIds.map((id) => ({ id, fields: { visibleCol } })),
  });
}

describe.skipIf(!CHROMIUM)(inBrowser("a person who types without pauses"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let ben: Visit;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, {
      id: "Orders",
      columns: COLUMNS,
      rows: Array.from({ length: ROWS }, () => ({ Item: "" })),
    });
    ben = await story.invite(doc, "editors");
  });
  afterEach(async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await ben[Symbol.asyncDispose]();
  });

  /** Changes a row as another user, and inserts rows above and below all others. */
  async function changeElsewhere(round: number): Promise<void> {
    const path = `/api/docs/${doc}/tables/Orders/records`;
    await call(ben, "PATCH", path, { records: [{ id: round, fields: { Note: `Note ${round}` } }] });
    await call(ben, "POST", path, { records: [{ fields: { Note: "Above", manualSort: 0 } }] });
    await call(ben, "POST", path, { records: [{ fields: { Note: "Below" } }] });
  }

  /** Waits until the stored records with values are the expected ones, in their order. */
  async function expectStored(expected: readonly (readonly string[])[]): Promise<void> {
    const read = async () => (await records(ada, doc, "Orders")).map(rowText).filter((text) => !EMPTY.includes(text));
    await expectPoll(read).toEqual(expected.map((values) => values.join("|")));
  }

  /** Holds the response of the first matching request, which the server handles at once, until it is released. */
  async function holdResponse(url: string, method: string): Promise<{ isHolding: Promise<void>; release(): void }> {
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let isFirst = true;
    await page.route(url, async (route) => {
      if (!isFirst || route.request().method() !== method) return route.fallback();
      isFirst = false;
      const response = await route.fetch();
      held.resolve();
      await released.promise;
      await route.fulfill({ response });
    });
    return { isHolding: held.promise, release: released.resolve };
  }

  /** The stored records with the given fields. */
  const stored = async (...fields: string[]): Promise<unknown[][]> =>
    (await records(ada, doc, "Orders")).map((record) => fields.map((field) => record.fields[field]));

  for (const { network, delayMs, rows } of [
    { network: "fast", delayMs: 0, rows: ROWS },
    { network: "slow", delayMs: 300, rows: 5 },
  ]) {
    test(`fills rows and adds new ones while others change the table, on a ${network} network`, async () => {
      if (delayMs > 0) await delayCalls(page, delayMs);
      await openTable(page, doc, "Orders");
      await cell(page, ROWS - rows + 1, 1).click();
      const changes: Promise<void>[] = [];
      for (let row = 1; row <= rows; row++) {
        changes.push(changeElsewhere(row));
        await typeRow(page, row);
      }
      for (let row = rows + 1; row <= rows + 3; row++) {
        changes.push(changeElsewhere(row));
        await page.keyboard.press("Control+Enter");
        await typeRow(page, row);
      }
      await Promise.all(changes);
      await expectStored(Array.from({ length: rows + 3 }, (_, at) => typedValues(at + 1)));
      expect(ada.problems).toEqual([]);
    });
  }

  test("sees entered values while rows that were read before arrive", async () => {
    await openTable(page, doc, "Orders");
    await cell(page, 1, 1).click();
    const reads = await holdResponse("**/records?*", "GET");
    await page.keyboard.type("Bell");
    await page.keyboard.press("Tab");
    await reads.isHolding;
    const writes = await holdResponse("**/apply", "POST");
    await page.keyboard.type("2");
    await page.keyboard.press("Tab");
    await page.keyboard.type("12.5");
    await page.keyboard.press("Enter");
    await call(ben, "POST", `/api/docs/${doc}/tables/Orders/records`, { records: [{ fields: { Note: "Below" } }] });
    await writes.isHolding;
    const arrived = page.waitForResponse("**/records?*");
    reads.release();
    await arrived;
    await expectPoll(() => page.getByRole("grid").getAttribute("aria-rowcount")).toBe(String(ROWS + 3));
    expect(await cell(page, 1, 2).textContent()).toBe("2");
    expect(await cell(page, 1, 3).textContent()).toBe("12.5");
    writes.release();
    await expectStored([["Bell", "2", "12.5", ""]]);
    await cell(page, 1, 5).getByText("25", { exact: true }).waitFor();
  });

  test("stays in their row when others insert rows above it", async () => {
    await openTable(page, doc, "Orders");
    await cell(page, 2, 1).click();
    await page.keyboard.type("Bell");
    await page.keyboard.press("Tab");
    const path = `/api/docs/${doc}/tables/Orders/records`;
    await call(ben, "POST", path, { records: [{ fields: { Note: "Above", manualSort: 0 } }] });
    await cell(page, 1, 6).getByText("Above").waitFor();
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await expectStored([["Bell", "7", "0", ""]]);
  });

  test("enters a new row before it is stored, and the cell that was being edited before", async () => {
    await delayCalls(page, 300);
    await openTable(page, doc, "Orders");
    await cell(page, ROWS, 1).click();
    await page.keyboard.type("Last");
    await button(page, "Row").click();
    await page.keyboard.type("New");
    await page.keyboard.press("Tab");
    await page.keyboard.type("3");
    await page.keyboard.press("Enter");
    await expectStored([
      ["Last", "0", "0", ""],
      ["New", "3", "0", ""],
    ]);
  });

  test("enters a new row of a sorted table, and a row that is not loaded", async () => {
    const more = Array.from({ length: 400 }, () => ({ fields: { Note: "More" } }));
    await call(ada, "POST", `/api/docs/${doc}/tables/Orders/records`, { records: more });
    await delayCalls(page, 300);
    await openTable(page, doc, "Orders", "?sort=-Note");
    await cell(page, 1, 1).click();
    await page.keyboard.press("Control+Enter");
    await page.keyboard.type("New");
    await page.keyboard.press("Tab");
    await page.keyboard.type("3");
    await page.keyboard.press("Enter");
    await expectStored([["New", "3", "0", ""]]);
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Control+ArrowDown");
    await page.keyboard.type("End!");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Tab");
    await page.keyboard.type("4");
    await page.keyboard.press("Enter");
    await expectPoll(async () => (await stored("Item", "Amount")).filter(([item]) => item !== "")).toContainEqual([
      "End",
      4,
    ]);
  });

  test("toggles a checkbox with each press of Space", async () => {
    await call(ada, "POST", `/api/docs/${doc}/tables/Orders/columns`, {
      columns: [{ id: "Paid", fields: { type: "Bool" } }],
    });
    await delayCalls(page, 300);
    await openTable(page, doc, "Orders");
    await cell(page, 1, 7).click();
    const sent: (string | null)[] = [];
    page.on("request", (request) => request.url().includes("/apply") && sent.push(request.postData()));
    let answered = 0;
    page.on("requestfinished", (request) => void (answered += Number(request.url().includes("/apply"))));
    for (let press = 1; press <= 3; press++) await page.keyboard.press("Space");
    const toggle = (value: boolean) => JSON.stringify([["UpdateRecord", "Orders", 1, { Paid: value }]]);
    await expectPoll(() => answered).toBe(3);
    expect(sent).toEqual([toggle(true), toggle(false), toggle(true)]);
    expect((await stored("Paid"))[0]).toEqual([true]);
  });

  test("enters references before the options are loaded", async () => {
    await makeTable(ada, doc, {
      id: "Customers",
      columns: [{ id: "Name", fields: { type: "Text" } }],
      rows: [{ Name: "Karin" }, { Name: "Bruno" }],
    });
    const columns = [
      { id: "Buyer", fields: { type: "Ref:Customers" } },
      { id: "Others", fields: { type: "RefList:Customers" } },
    ];
    await call(ada, "POST", `/api/docs/${doc}/tables/Orders/columns`, { columns });
    await showNames(ada, doc, ["Buyer", "Others"]);
    await delayCalls(page, 300);
    await openTable(page, doc, "Orders");
    await cell(page, 1, 7).click();
    await page.keyboard.type("Bruno");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Kar");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Bruno");
    await page.keyboard.press("Tab");
    await expectPoll(async () => (await stored("Buyer", "Others"))[0]).toEqual([2, ["L", 1, 2]]);
  });

  test("enters values into a column that someone else has just renamed", async () => {
    await page.route("**/events*", () => {});
    await openTable(page, doc, "Orders");
    await call(ben, "PATCH", `/api/docs/${doc}/tables/Orders/columns`, {
      columns: [{ id: "Amount", fields: { colId: "Quantity" } }],
    });
    await cell(page, 1, 2).click();
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await page.keyboard.type("8");
    await page.keyboard.press("Enter");
    await expectPoll(async () => (await stored("Quantity")).slice(0, 3)).toEqual([[7], [8], [0]]);
  });

  test("sees the latest columns when an earlier response arrives late", async () => {
    await openTable(page, doc, "Orders");
    const reads = await holdResponse("**/tables/Orders/columns?*", "GET");
    await call(ben, "POST", `/api/docs/${doc}/tables/Orders/columns`, {
      columns: [{ id: "Ben", fields: { type: "Text" } }],
    });
    await reads.isHolding;
    const header = page.getByRole("columnheader").nth(2);
    await header.hover();
    await header.locator("svg").last().click();
    await item(page, "Edit column…").click();
    const panel = page.locator(".panel");
    await panel.getByRole("textbox", { name: "Name" }).fill("Quantity");
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
    const late = page.waitForResponse("**/tables/Orders/columns?*");
    reads.release();
    await late;
    await cell(page, 1, 2).click();
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await expectPoll(async () => (await stored("Quantity"))[0]).toEqual([7]);
    await expectPoll(() => header.textContent()).toContain("Quantity");
  });
});
