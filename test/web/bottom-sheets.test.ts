/** Sheets at the bottom of phones: the editors with options, and what is chosen above the table. */
import { afterEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, item } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable, until } from "./table-page.ts";

const PHONE = { width: 390, height: 844 };
const STATUS = 2;
const TAGS = 3;
const CUSTOMER = 4;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const boxOf = (page: Page, selector: string): Promise<Box> =>
  page.evaluate<Box>(`(() => {
    const { left, right, top, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
    return { left, right, top, bottom };
  })()`);

/** An on-screen keyboard, which covers the lower part of the window and leaves the page as it is. */
const showKeyboard = (page: Page, height: number): Promise<void> =>
  page.evaluate(`(() => {
    Object.defineProperty(visualViewport, "height", { configurable: true, value: innerHeight - ${height} });
    visualViewport.dispatchEvent(new Event("resize"));
  })()`);

describe.skipIf(!CHROMIUM)(inBrowser("sheets on a phone"), () => {
  let phone: Visit;
  let page: Page;
  let doc: string;

  const refsOf = async (ada: Visit, table: string): Promise<number[]> => {
    const path = `/api/docs/${doc}/tables/${table}/columns`;
    const { columns } = await call<{ columns: { fields: { colRef: number } }[] }>(ada, "GET", path);
    return columns.map(({ fields }) => fields.colRef);
  };

  eachStory(async ({ ada, openWindow, email }) => {
    doc = await makeDocument(ada);
    const choice = (type: string, choices: string[]) => ({ type, widgetOptions: JSON.stringify({ choices }) });
    const names = ["Anna Kern", "Bruno Ortiz", "Chloé Dubois", HOSTILE_NAME];
    await makeTable(ada, doc, {
      id: "Customers",
      columns: [{ id: "Name", fields: { type: "Text" } }],
      rows: names.map((Name) => ({ Name })),
    });
    const columns = [
      { id: "Title", fields: { type: "Text" } },
      { id: "Status", fields: choice("Choice", ["New", "Shipped", "Paid"]) },
      { id: "Tags", fields: choice("ChoiceList", ["Fragile", "Gift", "Express"]) },
      { id: "Customer", fields: { type: "Ref:Customers" } },
    ];
    const rows = Array.from({ length: 12 }, (_, at) => ({ Title: `Order ${at + 1}`, Status: "New" }));
    await makeTable(ada, doc, { id: "Orders", columns, rows });
    const [visibleCol] = await refsOf(ada, "Customers");
    const customer = (await refsOf(ada, "Orders")).at(-1);
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["UpdateRecord", "_grist_Tables_column", customer, { visibleCol }],
      ["SetDisplayFormula", "Orders", null, customer, "$Customer.Name"],
    ]);
    phone = await openWindow({ viewport: PHONE, hasTouch: true, isMobile: true });
    ({ page } = phone);
    await phone.signIn(email);
    await openTable(page, doc, "Orders");
  });

  afterEach(() => phone[Symbol.asyncDispose]());

  const sheet = (name: string): Locator => page.getByRole("dialog", { name });
  const option = (name: string): Locator => page.getByRole("option", { name, exact: true });
  const stored = async (column: string, row = 1): Promise<unknown> =>
    (await records(phone, doc, "Orders"))[row - 1]?.fields[column];

  /** A tap selects a cell, a second one edits it. */
  async function edit(row: number, column: number, name: string): Promise<void> {
    await cell(page, row, 1).tap();
    for (let at = 1; at < column; at++) await page.keyboard.press("ArrowRight");
    await cell(page, row, column).tap();
    await sheet(name).waitFor();
  }

  async function expectSheet(rowAbove: number | null): Promise<void> {
    const { left, right, top, bottom } = await boxOf(page, ".popover");
    expect({ left, right, bottom }).toEqual({ left: 0, right: PHONE.width, bottom: PHONE.height });
    expect(bottom - top).toBeLessThanOrEqual(PHONE.height * 0.8 + 1);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(PHONE.width);
    if (rowAbove === null) return;
    const edited = (): ReturnType<typeof boxOf> =>
      boxOf(page, `.grid .body [role=row][aria-rowindex="${rowAbove + 1}"]`);
    // The grid scrolls once the sheet has its height.
    await expectPoll(async () => (await edited()).bottom <= top).toBe(true);
    const head = await boxOf(page, ".grid .head");
    expect((await edited()).top).toBeGreaterThanOrEqual(head.bottom - 1);
  }

  test("a choice is picked by a tap, on targets of a fingertip, and undone", async () => {
    await edit(1, STATUS, "Status");
    await expectSheet(1);
    expect((await violations(page)).filter((each) => /^(serious|critical)/.test(each))).toEqual([]);
    for (const each of await page.getByRole("option").all()) {
      expect((await each.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
    // The keyboard would cover the options.
    expect(await page.evaluate<string>("document.activeElement.getAttribute('role')")).toBe("listbox");
    await option("Shipped").tap();
    await sheet("Status").waitFor({ state: "detached" });
    await expectPoll(() => cell(page, 1, STATUS).textContent()).toBe("Shipped");
    await expectPoll(() => stored("Status")).toBe("Shipped");
    await expectPoll(() => page.evaluate<string>("document.activeElement.textContent")).toBe("Shipped");
    await page.keyboard.press("Control+z");
    await expectPoll(() => stored("Status")).toBe("New");
    expect(phone.problems).toEqual([]);
  });

  test("several choices are picked by taps, and kept by Done", async () => {
    await edit(2, TAGS, "Tags");
    await expectSheet(2);
    await option("Gift").tap();
    await option("Express").tap();
    await button(sheet("Tags"), "Remove Gift").tap();
    await option("Fragile").tap();
    await button(sheet("Tags"), "Done").tap();
    await expectPoll(() => stored("Tags", 2)).toEqual(["L", "Express", "Fragile"]);
    expect(phone.problems).toEqual([]);
  });

  test("a finger that scrolls the options chooses none", async () => {
    await edit(1, STATUS, "Status");
    const session = await phone.context.newCDPSession(page);
    const box = await option("Shipped").boundingBox();
    const point = { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 20 };
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
    for (const by of [10, 30, 60]) {
      const touchPoints = [{ ...point, y: point.y - by }];
      await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints });
    }
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await button(sheet("Status"), "Done").tap();
    await sheet("Status").waitFor({ state: "detached" });
    expect(await cell(page, 1, STATUS).textContent()).toBe("New");
    expect(phone.problems).toEqual([]);
  });

  test("a linked row is found by its text, above the keyboard of the phone", async () => {
    await edit(12, CUSTOMER, "Customer");
    // Below the last row there is room to scroll it above the sheet.
    await expectSheet(12);
    await expectHarmless(page);
    await page.getByRole("combobox", { name: "Customer" }).tap();
    await showKeyboard(page, 336);
    await expectPoll(async () => (await boxOf(page, ".popover")).bottom).toBe(PHONE.height - 336);
    await page.keyboard.type("dub");
    await expectPoll(() => page.getByRole("option").first().textContent()).toBe("Chloé Dubois");
    expect((await boxOf(page, "[role=option]")).bottom).toBeLessThanOrEqual(PHONE.height - 336);
    expect((await boxOf(page, "[role=combobox]")).top).toBeGreaterThan((await boxOf(page, ".grid .head")).bottom);
    await option("Chloé Dubois").tap();
    await expectPoll(() => stored("Customer", 12)).toBe(3);
    expect(phone.problems).toEqual([]);
  });

  test("a choice is added by typing", async () => {
    await edit(1, STATUS, "Status");
    await page.getByRole("combobox", { name: "Status" }).tap();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Paused");
    await option("Add “Paused”").tap();
    await expectPoll(() => stored("Status")).toBe("Paused");
    await edit(2, STATUS, "Status");
    await option("Paused").waitFor();
    expect(phone.problems).toEqual([]);
  });

  test("a text that is no option is kept by Done, pressed again", async () => {
    await edit(1, CUSTOMER, "Customer");
    await page.getByRole("combobox", { name: "Customer" }).tap();
    await page.keyboard.type("Nobody");
    await page.getByRole("option").first().waitFor();
    await button(sheet("Customer"), "Done").tap();
    await sheet("Customer").getByText("Press Done again to keep it.").waitFor();
    await button(sheet("Customer"), "Done").tap();
    await expectPoll(() => stored("Customer")).toBe("Nobody");
    expect(phone.problems).toEqual([]);
  });

  test("going back discards, and a tap beside the sheet saves", async () => {
    await edit(1, TAGS, "Tags");
    await option("Gift").tap();
    await page.keyboard.press("Escape");
    await sheet("Tags").waitFor({ state: "detached" });
    expect(await cell(page, 1, TAGS).textContent()).toBe("");

    // The gesture of phones closes what a browser's close watcher watches; keys do so where no element handles them.
    await edit(1, TAGS, "Tags");
    await option("Gift").tap();
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("Escape");
    await sheet("Tags").waitFor({ state: "detached" });
    expect(await cell(page, 1, TAGS).textContent()).toBe("");

    await edit(1, TAGS, "Tags");
    await option("Gift").tap();
    await page.touchscreen.tap(250, 20);
    await sheet("Tags").waitFor({ state: "detached" });
    await expectPoll(() => stored("Tags")).toEqual(["L", "Gift"]);
    expect(phone.problems).toEqual([]);
  });

  test("the panel of a row opens them, too", async () => {
    await page.locator('.grid .body [role=row][aria-rowindex="2"] [role=rowheader]').tap();
    const field = (name: string) => page.locator(".panel").getByRole("group", { name, exact: true });
    await field("Status").tap();
    await sheet("Status").waitFor();
    await option("Paid").tap();
    await sheet("Status").waitFor({ state: "detached" });
    await expectPoll(() => stored("Status")).toBe("Paid");
    await field("Customer").tap();
    await sheet("Customer").waitFor();
    await page.keyboard.press("Escape");
    await sheet("Customer").waitFor({ state: "detached" });
    expect(await page.locator(".panel").count()).toBe(1);
    expect(phone.problems).toEqual([]);
  });

  test("filter, sort, groups and columns close by Done", async () => {
    for (const name of ["Filter", "Sort", "Group", "Columns"]) {
      if (name === "Columns") {
        await button(page, "More tools").tap();
        await item(page, name).tap();
      } else await button(page, name).tap();
      const surface = name === "Group" ? page.locator(".group-popover") : sheet(name);
      await surface.waitFor();
      await expectSheet(null);
      expect((await button(surface, "Done").boundingBox())?.height).toBeGreaterThanOrEqual(44);
      await button(surface, "Done").tap();
      await surface.waitFor({ state: "detached" });
    }
    expect(await until(page, "document.activeElement !== document.body")).toBe(true);
    expect(phone.problems).toEqual([]);
  });
});
