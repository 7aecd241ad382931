/** A walk through the page of a table by keyboard only: where the focus is after each key. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable, records } from "./calls.ts";
import { press } from "./controls.ts";
import { focus, IN_SURFACE, walk, walkTo } from "./keyboard.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

const DAY_S = 86_400;
const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Customer", fields: { type: "Text" } },
    { id: "Status", fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: ["New", "Paid"] }) } },
    { id: "Total", fields: { type: "Numeric" } },
    { id: "Ordered", fields: { type: "Date" } },
  ],
  rows: [
    { Customer: "Karin", Status: "Paid", Total: 12.5, Ordered: 20_000 * DAY_S },
    { Customer: "Bruno", Status: "New", Total: 80, Ordered: 20_001 * DAY_S },
    { Customer: "Anna", Status: "New", Total: 7, Ordered: null },
  ],
};

describe.skipIf(!CHROMIUM)(inBrowser("a walk by keyboard through the page of a table"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    await page.setViewportSize({ width: 1440, height: 900 });
    doc = await makeDocument(ada, "Order book");
    await makeTable(ada, doc, ORDERS);
  });

  const query = (): string => decodeURIComponent(new URL(page.url()).search);

  test("goes from the top of the page by the skip link into the rows, and types there", async () => {
    await openTable(page, doc, "Orders");
    await walk(page, [["Tab", "link Skip to the content"]]);
    await walk(page, [
      ["Enter", "gridcell Customer: Karin"],
      ["ArrowDown", "gridcell Customer: Bruno"],
    ]);
    await page.keyboard.type("Bo");
    await walk(page, [["Enter", "gridcell Customer: Anna"]]);
    await expectPoll(async () => (await records(ada, doc, "Orders"))[1]?.fields["Customer"]).toBe("Bo");
    await walk(page, [
      ["Control+z", "gridcell Customer: Anna"],
      ["ArrowUp", "gridcell Customer: Bruno"],
    ]);
    expect(ada.problems).toEqual([]);
  });

  test("goes around the regions of the page with F6, and back with Shift+F6", async () => {
    await openTable(page, doc, "Orders", "?sort=Customer");
    const regions = [
      "link Quern",
      "link Home",
      "button Menu of table Orders",
      "button Customer, ascending",
      "gridcell Customer: Anna",
    ];
    await walk(
      page,
      [...regions, "link Quern"].map((focused) => ["F6", focused] as const),
    );
    await walk(
      page,
      regions.toReversed().map((focused) => ["Shift+F6", focused] as const),
    );
    // Each region remembers where the focus was, and an open panel is one more.
    await walk(page, [
      ["Shift+F6", "gridcell Customer: Anna"],
      ["ArrowDown", "gridcell Customer: Bruno"],
      ["F6", "link Quern"],
      ["Shift+F6", "gridcell Customer: Bruno"],
    ]);
    await press(page, "Shift+Enter");
    await page.locator(".panel .card-field").first().waitFor();
    await press(page, "F6", "Shift+F6");
    expect(await page.evaluate("document.activeElement.closest('.panel') !== null")).toBe(true);
    await walk(page, [
      ["Shift+F6", "gridcell Customer: Bruno"],
      ["F1", "search Search shortcuts"],
      ["Escape", "gridcell Customer: Bruno"],
    ]);
    expect(ada.problems).toEqual([]);
  });

  test("goes through the toolbar by arrows, past buttons that are disabled, and into each popover and back", async () => {
    await openTable(page, doc, "Orders", "?sort=Customer");
    await walkTo(page, "F6", "button Menu of table Orders");
    const tools = ["Filter", "Sort 1", "Group", "Columns", "Row height", "Find", "Download", "Column", "Row"];
    await walk(
      page,
      tools.map((name) => ["ArrowRight", `button ${name}`] as const),
    );
    await walk(page, [
      ["ArrowRight", "button Menu of table Orders"],
      ["End", "button Row"],
      ["Home", "button Menu of table Orders"],
    ]);
    for (const name of ["Menu of table Orders", ...tools.filter((tool) => tool !== "Find" && tool !== "Row")]) {
      await walkTo(page, "ArrowRight", `button ${name}`);
      await press(page, "Enter");
      await expectPoll(async () => [name, await page.evaluate(IN_SURFACE)]).toEqual([name, true]);
      await expectPoll(() => focus(page)).not.toContain("unseen");
      await walk(page, [["Escape", `button ${name}`]]);
    }
    // The search is a field in the place of its button.
    await walkTo(page, "ArrowLeft", "button Find");
    await walk(page, [["Enter", "search Find in the table"]]);
    await page.keyboard.type("Karin");
    await walk(page, [["Escape", "gridcell Customer: Karin"]]);
    await expectPoll(query).toContain("find=Karin");
    expect(ada.problems).toEqual([]);
  });

  test("undoes by the toolbar, where the focus goes to the rows with the last change", async () => {
    await openTable(page, doc, "Orders");
    await walkTo(page, "F6", "gridcell Customer: Karin");
    await press(page, "Delete");
    await walkTo(page, "F6", "button Menu of table Orders");
    await walkTo(page, "ArrowLeft", "button Undo");
    await walk(page, [["Enter", "gridcell Customer: Karin"]]);
    // The tab stop of the toolbar is a button that can have the focus.
    await walkTo(page, "Shift+Tab", "button Menu of table Orders");
    expect(ada.problems).toEqual([]);
  });

  test("goes through chips, column headers, group rows, rows and totals by arrows", async () => {
    const filter = encodeURIComponent('{"Total":{"gt":1}}');
    await openTable(page, doc, "Orders", `?group=Status&totals=Total:sum&filter=${filter}&sort=Customer`);
    await page.locator(".group-toggle").first().waitFor();
    await walkTo(page, "F6", "button Total > 1");
    await walk(page, [
      ["ArrowRight", "button Customer, ascending"],
      ["ArrowRight", "button Grouped by Status"],
      ["ArrowRight", "button Filter"],
      ["ArrowRight", "button Clear all"],
      ["Home", "button Total > 1"],
      ["Tab", "gridcell Customer: Anna"],
      ["ArrowUp", "button Status New 2 rows"],
      ["ArrowUp", "columnheader Customer, Text"],
      ["Enter", "menuitem Edit column…"],
      ["Escape", "columnheader Customer, Text"],
      ["ArrowRight", "columnheader Status, Choice"],
      ["Shift+F10", "menuitem Edit column…"],
      ["Escape", "columnheader Status, Choice"],
      ["ArrowDown", "button Status New 2 rows"],
      ["ArrowLeft", "button Status New 2 rows"],
      ["ArrowDown", "button Status Paid 1 row"],
      ["ArrowDown", "gridcell Status: Paid"],
      ["ArrowDown", "gridcell Status: new row"],
      ["ArrowDown", "button Status: Add total"],
      ["ArrowRight", "button Total: Sum 99.5"],
      ["Enter", "menuitemradio Sum"],
      ["Escape", "button Total: Sum 99.5"],
      ["ArrowUp", "gridcell Total: new row"],
      ["ArrowUp", "gridcell Total: 12.5"],
      ["Shift+F10", "menuitem CutCtrl+X"],
      ["Escape", "gridcell Total: 12.5"],
      ["Shift+Tab", "gridcell Status: Paid"],
    ]);
    await walkTo(page, "Shift+F6", "button Total > 1");
    await walk(page, [
      ["Delete", "button Customer, ascending"],
      ["Delete", "button Grouped by Status"],
      ["Delete", "gridcell Status: Paid"],
    ]);
    await expectPoll(query).toBe("?totals=Total:sum");
    expect(ada.problems).toEqual([]);
  });

  test("deletes all rows, and has the focus in the blank row, where Undo works", async () => {
    await openTable(page, doc, "Orders");
    await walkTo(page, "F6", "gridcell Customer: Karin");
    await press(page, "Control+a");
    await walk(page, [["Control+Delete", "gridcell Customer: new row"]]);
    await press(page, "Control+z");
    // Without rows, the first cell is that of the blank row.
    await cell(page, 1, 1).getByText("Karin").waitFor();
    await walk(page, [["Control+Home", "gridcell Customer: Karin"]]);
    expect(ada.problems).toEqual([]);
  });
});
