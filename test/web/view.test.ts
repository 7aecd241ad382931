import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, item, press, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import {
  addSection,
  apply,
  cellOf,
  CUSTOMERS,
  type MadePage,
  makePage,
  openView,
  refsOf,
  rowsOf,
  section,
} from "./view-page.ts";

const ANNA = ["A-1|Customers[1]|10", "A-2|Customers[1]|20"];

/** The stored record of a section, or another one of the metadata. */
const stored = async (visit: Visit, doc: string, table: string, id: number) =>
  (await records(visit, doc, table)).find((each) => each.id === id)?.fields;

describe.skipIf(!CHROMIUM)(inBrowser("a page with customers and their orders"), () => {
  let ada: Visit;
  let page: Page;
  let made: MadePage;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    made = await makePage(ada);
  });

  test("shows the orders of the selected customer", async () => {
    await openView(page, made);
    expect(await page.title()).toBe("Customers and orders – Library · Quern");
    await expectPoll(() => rowsOf(page, made.customers)).toEqual(["Anna|Berlin", "Bruno|Lyon", "Chloe|Paris"]);
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(ANNA);
    await cellOf(page, made.customers, 2, 1).click();
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["B-1|Customers[2]|30"]);
    await shownText(section(page, made.orders), "of Bruno").waitFor();
    await cellOf(page, made.customers, 3, 1).click();
    await expectPoll(() => rowsOf(page, made.orders)).toEqual([]);
    await cellOf(page, made.customers, 4, 1).click();
    await shownText(section(page, made.orders), "Select a row in CUSTOMERS first.").waitFor();
  });

  test("gives new orders the selected customer, and undoes each change of the page", async () => {
    await openView(page, made);
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(ANNA);
    await cellOf(page, made.customers, 2, 1).click();
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["B-1|Customers[2]|30"]);
    await cellOf(page, made.orders, 2, 1).click();
    await page.keyboard.type("B-2");
    await press(page, "Enter");
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["B-1|Customers[2]|30", "B-2|Customers[2]|"]);
    await expectPoll(async () => (await records(ada, made.doc, "Orders")).at(-1)?.fields).toMatchObject({
      Number: "B-2",
      Customer: 2,
    });
    await button(page, "Undo").click();
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["B-1|Customers[2]|30"]);
    await button(page, "Redo").click();
    await expectPoll(() => rowsOf(page, made.orders)).toHaveLength(2);
  });

  test("follows changes by other people, of rows, of the selected row, and of the page", async () => {
    await openView(page, made);
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(ANNA);
    await apply(ada, made.doc, [["UpdateRecord", "Orders", 3, { Customer: 1 }]]);
    await expectPoll(() => rowsOf(page, made.orders)).toEqual([...ANNA, "B-1|Customers[1]|30"]);
    await apply(ada, made.doc, [["UpdateRecord", "Customers", 1, { Name: "Anne" }]]);
    await shownText(section(page, made.orders), "of Anne").waitFor();
    await apply(ada, made.doc, [["UpdateRecord", "_grist_Views_section", made.orders, { title: "Their orders" }]]);
    await shownText(section(page, made.orders), "Their orders").waitFor();
    const { sectionRef } = await addSection(ada, made.doc, {
      view: made.view,
      table: (await refsOf(ada, made.doc)).table("Customers"),
    });
    await expectPoll(() => rowsOf(page, sectionRef)).toHaveLength(3);
    await apply(ada, made.doc, [["RemoveViewSection", sectionRef]]);
    await section(page, sectionRef).waitFor({ state: "detached" });
    expect(await rowsOf(page, made.orders)).toHaveLength(3);
  });

  test("links by all ways that the format has", async () => {
    const { doc, view } = made;
    const refs = await refsOf(ada, doc);
    const orders = refs.table("Orders");
    const summary = await addSection(ada, doc, { view, table: orders, groupBy: [refs.column("Orders", "Customer")] });
    const link = (source: number, sourceColumn: number, targetColumn: number) =>
      apply(ada, doc, [
        [
          "UpdateRecord",
          "_grist_Views_section",
          made.orders,
          { linkSrcSectionRef: source, linkSrcColRef: sourceColumn, linkTargetColRef: targetColumn },
        ],
      ]);
    await link(summary.sectionRef, 0, 0);
    await openView(page, made);
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(ANNA);
    await cellOf(page, summary.sectionRef, 2, 1).click();
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["B-1|Customers[2]|30"]);
    // The customer of the selected order, with a cursor, and the orders of that customer.
    await link(0, 0, 0);
    await apply(ada, doc, [
      [
        "UpdateRecord",
        "_grist_Views_section",
        made.customers,
        { linkSrcSectionRef: made.orders, linkSrcColRef: refs.column("Orders", "Customer") },
      ],
    ]);
    await expectPoll(() => rowsOf(page, made.orders)).toHaveLength(3);
    await cellOf(page, made.orders, 3, 1).click();
    await expectPoll(() =>
      section(page, made.customers).locator(".grid .body [role=gridcell][tabindex='0']").textContent(),
    ).toBe("Bruno");
    expect(await rowsOf(page, made.customers)).toHaveLength(3);
  });

  test("changes links by the menu, which offers valid ones, and by the title", async () => {
    await openView(page, made);
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(ANNA);
    await button(section(page, made.orders), /selected by/i).click();
    await item(page, "Remove link").click();
    await expectPoll(() => rowsOf(page, made.orders)).toHaveLength(3);
    expect(await stored(ada, made.doc, "_grist_Views_section", made.orders)).toMatchObject({
      linkSrcSectionRef: 0,
      linkTargetColRef: 0,
    });
    await button(section(page, made.orders), "Menu of section ORDERS").click();
    await item(page, "Select by…").click();
    await page.getByRole("menuitemradio", { name: "CUSTOMERS: rows whose Customer is the selected row" }).click();
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(ANNA);
    await button(section(page, made.customers), "Menu of section CUSTOMERS").click();
    await item(page, "Select by…").click();
    // Orders depend on customers already.
    await expectPoll(() => page.getByRole("menuitemradio").allTextContents()).toEqual(["No link: show all rows"]);
  });

  test("renames, duplicates, collapses and deletes sections, each with Undo", async () => {
    await openView(page, made);
    await button(section(page, made.orders), "Menu of section ORDERS").focus();
    await press(page, "F2");
    await page.getByLabel("Title").fill("Their orders");
    await button(page, "Rename").click();
    await shownText(section(page, made.orders), "Their orders").waitFor();
    expect(await stored(ada, made.doc, "_grist_Views_section", made.orders)).toMatchObject({ title: "Their orders" });
    await button(page, "Undo").last().click();
    await shownText(section(page, made.orders), "ORDERS").waitFor();
    const menu = async (command: string) => {
      await button(section(page, made.orders), /^Menu of section/).click();
      await item(page, command).click();
    };
    await menu("Duplicate section");
    await expectPoll(() => page.locator(".boxes .leaf").count()).toBe(3);
    const copies = (await records(ada, made.doc, "_grist_Views_section")).filter(
      ({ fields }) => fields["parentId"] === made.view,
    );
    expect(copies.at(-1)?.fields).toMatchObject({ linkSrcSectionRef: made.customers, parentKey: "record" });
    await button(page, "Undo").first().click();
    await expectPoll(() => page.locator(".boxes .leaf").count()).toBe(2);
    await menu("Collapse section");
    await expectPoll(() => page.locator(".boxes .leaf").count()).toBe(1);
    await page.locator(".tray-buttons").getByRole("button", { name: "ORDERS" }).click();
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(ANNA);
    await button(page, "Undo").first().click();
    await expectPoll(() => page.locator(".boxes .leaf").count()).toBe(2);
    await menu("Delete section");
    // A page with one section looks like that of a table.
    await page.locator("#sheet").waitFor();
    expect(await stored(ada, made.doc, "_grist_Views_section", made.orders)).toBeUndefined();
  });

  test("is rearranged by buttons, keys and dragging, and stored when that is saved", async () => {
    await openView(page, made);
    await button(page, "Edit layout").click();
    await expectPoll(() => page.url()).toContain("edit=layout");
    const tools = (ref: number) => section(page, ref).locator(".leaf-tools");
    await button(tools(made.orders), "Move down").click();
    await button(tools(made.customers), "Wider").isDisabled();
    await tools(made.customers).locator(".handle").focus();
    await press(page, "Alt+Shift+ArrowDown");
    await expectPoll(() => page.locator(".boxes > * > .leaf").first().getAttribute("data-section")).toBe(
      String(made.orders),
    );
    expect(await stored(ada, made.doc, "_grist_Views", made.view)).toMatchObject({ layoutSpec: "" });
    const target = await section(page, made.orders).boundingBox();
    const handle = await tools(made.customers).locator(".handle").boundingBox();
    if (!target || !handle) throw new Error("not shown");
    await page.mouse.move(handle.x + 10, handle.y + 10);
    await page.mouse.down();
    await page.mouse.move(target.x + target.width - 40, target.y + target.height / 2, { steps: 5 });
    await page.locator(".drop-zone.right").waitFor();
    await page.mouse.up();
    await expectPoll(() => page.locator(".boxes .boxes-row > .leaf").count()).toBe(2);
    await button(page, "Save layout").click();
    const layoutSpec = `{"children":[{"children":[{"leaf":${made.orders}},{"leaf":${made.customers}}]}]}`;
    await expectPoll(() => stored(ada, made.doc, "_grist_Views", made.view)).toMatchObject({ layoutSpec });
    await button(page, "Undo").first().click();
    await expectPoll(() => stored(ada, made.doc, "_grist_Views", made.view)).toMatchObject({ layoutSpec: "" });
    expect(new URL(page.url()).search).toBe("");
  });

  test("is left as it is when a new layout is cancelled", async () => {
    await openView(page, made, "?edit=layout");
    await button(section(page, made.orders).locator(".leaf-tools"), "Move up").click();
    await expectPoll(() => page.locator(".boxes .boxes-row").count()).toBe(0);
    await button(page, "Cancel").click();
    await expectPoll(() => page.locator(".boxes .boxes-row > .leaf").count()).toBe(2);
    expect(await stored(ada, made.doc, "_grist_Views", made.view)).toMatchObject({ layoutSpec: "" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Edit layout");
  });

  test("is used by keys: F6 leads to each section, and Find searches the active one", async () => {
    await openView(page, made);
    await cellOf(page, made.customers, 1, 1).click();
    const reached = new Set<string>();
    for (let presses = 0; presses < 12; presses++) {
      await press(page, "F6");
      reached.add(String(await page.evaluate('document.activeElement.closest(".leaf")?.dataset.section ?? ""')));
    }
    expect([...reached]).toEqual(expect.arrayContaining([String(made.customers), String(made.orders)]));
    await cellOf(page, made.orders, 1, 1).click();
    await press(page, "Control+f");
    await page.keyboard.type("A-2");
    await expectPoll(() => rowsOf(page, made.orders)).toEqual([ANNA[1] ?? ""]);
    expect(await rowsOf(page, made.customers)).toHaveLength(3);
  });

  test("shows one section at a time on a phone, and leads to the linked one", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openView(page, made);
    await expectPoll(() => page.getByRole("tab").allTextContents()).toEqual(["CUSTOMERS", "ORDERS"]);
    expect(await section(page, made.orders).isVisible()).toBe(false);
    await cellOf(page, made.customers, 2, 1).click();
    await button(page, "Continue to ORDERS").click();
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["B-1|Customers[2]|30"]);
    expect(await section(page, made.customers).isVisible()).toBe(false);
    await page.getByRole("tab", { name: "ORDERS" }).focus();
    await press(page, "ArrowLeft");
    await cellOf(page, made.customers, 1, 1).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test("shows viewers no command that changes it", async () => {
    const ben = await invite(made.doc, "viewers");
    await openView(ben.page, made);
    await expectPoll(() => rowsOf(ben.page, made.orders)).toEqual(ANNA);
    expect(await button(ben.page, "Edit layout").count()).toBe(0);
    await button(section(ben.page, made.orders), "Menu of section ORDERS").click();
    expect(await ben.page.getByRole("menuitem").allTextContents()).toEqual([
      "Open table",
      "Download these rows as CSV",
    ]);
    await press(ben.page, "Escape");
    await ben.page.goto(`/docs/${made.doc}/pages/${made.view}?edit=layout`);
    await expectPoll(() => rowsOf(ben.page, made.orders)).toEqual(ANNA);
    expect(await ben.page.locator(".layout-bar").count()).toBe(0);
    expect(ben.problems).toEqual([]);
  });

  test("leaves out tables that access rules hide, and does not exist if they hide all", async () => {
    const ben = await invite(made.doc, "editors");
    await apply(ada, made.doc, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Orders", colIds: "*" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-R" },
      ],
    ]);
    const other = await addSection(ada, made.doc, { view: 0, table: (await refsOf(ada, made.doc)).table("Orders") });
    await openView(ben.page, made);
    const text = await ben.page.content();
    expect(text).not.toContain("A-1");
    expect(await ben.page.locator(".leaf, #sheet").count()).toBe(1);
    const read = (view: number) =>
      ben.page.request.get(`/docs/${made.doc}/pages/${view}`, { headers: { Accept: "text/html" } });
    const [hidden, unknown] = [await read(other.viewRef), await read(999)];
    expect([hidden.status(), unknown.status()]).toEqual([404, 404]);
    expect(await hidden.text()).toBe(await unknown.text());
  });

  test("has the former addresses of pages", async () => {
    await page.goto(`/doc/${made.doc}/p/${made.view}`);
    await section(page, made.orders).waitFor();
    await page.goto(`/doc/${made.doc}/p/acl`);
    expect(new URL(page.url()).pathname).toStartWith(`/docs/${made.doc}`);
  });

  test("holds hostile names, and is accessible", async () => {
    await apply(ada, made.doc, [
      ["UpdateRecord", "_grist_Views", made.view, { name: HOSTILE_NAME }],
      ["UpdateRecord", "_grist_Views_section", made.orders, { title: HOSTILE_NAME }],
      ...HOSTILE.map((Name) => ["AddRecord", "Customers", null, { Name }] as const),
    ]);
    await openView(page, made);
    await section(page, made.orders).getByText(HOSTILE_NAME, { exact: true }).waitFor();
    for (let row = 4; row < 4 + Math.min(4, HOSTILE.length); row++) {
      await cellOf(page, made.customers, row, 1).click();
      await expectPoll(() => rowsOf(page, made.orders)).toEqual([]);
    }
    await expectHarmless(page);
    await expectAccessible(page);
    await button(page, "Edit layout").click();
    await expectAccessible(page);
    await button(page, "Cancel").click();
  });
});

describe.skipIf(!CHROMIUM)(inBrowser("a page"), () => {
  let ada: Visit;
  let page: Page;
  eachStory((story) => {
    ({ ada, page } = story);
  });

  test("with one section looks like the page of a table, and one without says so", async () => {
    const doc = await makeDocument(ada);
    await makeTable(ada, doc, CUSTOMERS);
    const { viewRef, sectionRef } = await addSection(ada, doc, {
      view: 0,
      table: (await refsOf(ada, doc)).table("Customers"),
    });
    await openView(page, { doc, view: viewRef });
    await expectPoll(() => page.locator(".grid .body [role=row]").count()).toBe(3);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("New page");
    await button(page, "Undo").waitFor();
    await apply(ada, doc, [["RemoveViewSection", sectionRef]]);
    await shownText(page, "No sections yet").waitFor();
  });

  test("notes what it does not show, and links to forms", async () => {
    const doc = await makeDocument(ada);
    await makeTable(ada, doc, CUSTOMERS);
    const table = (await refsOf(ada, doc)).table("Customers");
    const { viewRef: view } = await addSection(ada, doc, { view: 0, table, kind: "chart" });
    const form = await addSection(ada, doc, { view, table, kind: "form" });
    await addSection(ada, doc, { view, table, kind: "custom.calendar" });
    await page.goto(`/docs/${doc}/pages/${view}`);
    await shownText(page, "Quern does not show charts yet. The chart stays in the document.").waitFor();
    await shownText(page, "Calendar “CUSTOMERS Calendar”").waitFor();
    const edit = page.getByRole("link", { name: "Edit form" });
    expect(await edit.getAttribute("href")).toBe(`/docs/${doc}/forms/${form.sectionRef}/edit`);
    await expectAccessible(page);
  });

  test("lists its sections without a script", async () => {
    const { doc, view, orders } = await makePage(ada);
    const html = await (await page.request.get(`/docs/${doc}/pages/${view}`)).text();
    expect(html).toContain(`<a href="/docs/${doc}/tables/Orders">`);
    expect(html).toContain(`/api/docs/${doc}/download/csv?tableId=Orders&amp;viewSection=${orders}`);
    const csv = await call(ada, "GET", `/api/docs/${doc}/tables/Orders/records`);
    expect(csv).toBeDefined();
  });

  test("moves nothing while it loads", async () => {
    const made = await makePage(ada);
    await page.addInitScript(`window.shift = 0;
      new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value; })
        .observe({ type: "layout-shift", buffered: true });`);
    await openView(page, made);
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(ANNA);
    expect(Number(await page.evaluate("window.shift"))).toBeLessThanOrEqual(0.02);
  });
});
