import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call } from "./calls.ts";
import { eachStory, type Story } from "./scene.ts";
import { apply, type MadePage, makePage, openView, refsOf, rowsOf, section } from "./view-page.ts";

interface Row {
  readonly id: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

describe.skipIf(!CHROMIUM)(inBrowser("saved views"), () => {
  let ada: Visit;
  let page: Page;
  let invite: Story["invite"];
  let made: MadePage;
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    made = await makePage(ada, { isLinked: false });
  });

  const chips = (of: Page): Locator => section(of, made.orders).locator("[data-part=chips]");
  const status = (of: Page): Locator => chips(of).locator(".saving .narrow");
  /** Two sections are narrow: they have a menu instead of buttons. */
  const run = async (of: Page, name: string): Promise<void> => {
    await status(of).click();
    await of.getByRole("menuitem", { name, exact: true }).click();
  };
  const commands = async (of: Page): Promise<string[]> => chips(of).locator(".saving button.wide").allTextContents();
  const metadata = async (table: string): Promise<Row[]> =>
    (await call<{ records: Row[] }>(ada, "GET", `/api/docs/${made.doc}/tables/${table}/records`)).records;
  const stored = async (): Promise<Row["fields"]> =>
    (await metadata("_grist_Views_section")).find(({ id }) => id === made.orders)?.fields ?? {};
  const filters = async (): Promise<unknown[]> =>
    (await metadata("_grist_Filters")).map(({ fields }) => [fields["colRef"], fields["filter"], fields["pinned"]]);
  const numbers = async (of: Page): Promise<string[]> =>
    (await rowsOf(of, made.orders)).map((row) => row.split("|")[0] ?? "");
  const filterOf = (filter: object): string => `?filter.${made.orders}=${encodeURIComponent(JSON.stringify(filter))}`;

  test("two people save views: for everyone, and just for themselves", async () => {
    const refs = await refsOf(ada, made.doc);
    await openView(page, made, `?sort.${made.orders}=-Amount`);
    await expectPoll(() => numbers(page)).toEqual(["B-1", "A-2", "A-1"]);
    expect(await commands(page)).toEqual(["Save for everyone", "Just for me", "Discard"]);
    // Back and reloading keep what is not saved.
    await page.reload();
    await expectPoll(() => numbers(page)).toEqual(["B-1", "A-2", "A-1"]);
    expect(await violations(page)).toEqual([]);
    await run(page, "Save for everyone");
    await expectPoll(() => commands(page)).toEqual([]);
    expect((await stored())["sortColRefs"]).toBe(`[-${refs.column("Orders", "Amount")}]`);
    expect(new URL(page.url()).search).toBe("");
    await expectPoll(() => numbers(page)).toEqual(["B-1", "A-2", "A-1"]);

    await using ben = await invite(made.doc, "viewers");
    await openView(ben.page, made);
    await expectPoll(() => numbers(ben.page)).toEqual(["B-1", "A-2", "A-1"]);
    expect(await commands(ben.page)).toEqual([]);
    await openView(ben.page, made, filterOf({ Amount: { gte: 20 } }));
    await expectPoll(() => numbers(ben.page)).toEqual(["B-1", "A-2"]);
    expect(await commands(ben.page)).toEqual(["Just for me", "Discard"]);
    await run(ben.page, "Just for me");
    await expectPoll(() => commands(ben.page)).toEqual(["Reset"]);
    await openView(ben.page, made);
    await expectPoll(() => numbers(ben.page)).toEqual(["B-1", "A-2"]);
    expect(await filters()).toEqual([]);

    await openView(page, made);
    await expectPoll(() => numbers(page)).toEqual(["B-1", "A-2", "A-1"]);
    await run(ben.page, "Reset");
    await expectPoll(() => numbers(ben.page)).toEqual(["B-1", "A-2", "A-1"]);
    await expectPoll(() => commands(ben.page)).toEqual([]);
    await ben.page.getByRole("button", { name: "Undo" }).last().click();
    await expectPoll(() => numbers(ben.page)).toEqual(["B-1", "A-2"]);
  });

  test("filters are saved as other programs have them, and pinned", async () => {
    const refs = await refsOf(ada, made.doc);
    const amount = refs.column("Orders", "Amount");
    await openView(page, made, filterOf({ Amount: { gte: 20 } }));
    const chip = chips(page).getByRole("button", { name: /^Amount ≥/ });
    await chip.click({ button: "right" });
    await page.getByRole("menuitem", { name: "Pin filter" }).click();
    await chips(page).getByRole("button", { name: "Amount ≥ 20, pinned", exact: true }).waitFor();
    await run(page, "Save for everyone");
    await expectPoll(filters).toEqual([[amount, '{"min":20}', true]]);
    await expectPoll(() => commands(page)).toEqual([]);
    // A pinned filter stays without a value.
    await chips(page).getByRole("button", { name: "Amount ≥ 20, pinned", exact: true }).press("Delete");
    await chips(page).getByRole("button", { name: "Amount, pinned", exact: true }).waitFor();
    await expectPoll(() => numbers(page)).toEqual(["A-1", "A-2", "B-1"]);
    await run(page, "Discard");
    await expectPoll(() => numbers(page)).toEqual(["A-2", "B-1"]);
    // Opening the builder changes nothing.
    await chips(page).getByRole("button", { name: "Amount ≥ 20, pinned", exact: true }).click();
    await page.getByText("Filters hide rows from view. They do not restrict access.").waitFor();
    await page.keyboard.press("Escape");
    expect(await commands(page)).toEqual([]);
  });

  test("filters of Quern apply until another program changes the view", async () => {
    const refs = await refsOf(ada, made.doc);
    await openView(page, made, filterOf({ Number: { contains: "a-" } }));
    await expectPoll(() => numbers(page)).toEqual(["A-1", "A-2"]);
    await run(page, "Save for everyone");
    await page.getByText("Other programs ignore this filter and show all rows.").first().waitFor();
    await openView(page, made);
    await expectPoll(() => numbers(page)).toEqual(["A-1", "A-2"]);
    const sortColRefs = `[-${refs.column("Orders", "Amount")}]`;
    await apply(ada, made.doc, [["UpdateRecord", "_grist_Views_section", made.orders, { sortColRefs }]]);
    await openView(page, made);
    await expectPoll(() => numbers(page)).toEqual(["B-1", "A-2", "A-1"]);
    await chips(page).getByText("Another program changed this view.").waitFor();
  });

  test("columns are saved by their fields, in one step of undo", async () => {
    await openView(
      page,
      made,
      `?hide.${made.orders}=Customer&order.${made.orders}=Amount,Number&lines.${made.orders}=2`,
    );
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["10|A-1", "20|A-2", "30|B-1"]);
    await run(page, "Save for everyone");
    await expectPoll(() => commands(page)).toEqual([]);
    await openView(page, made);
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["10|A-1", "20|A-2", "30|B-1"]);
    expect(JSON.parse(String((await stored())["options"]))).toEqual({ rowHeight: 2 });
    await section(page, made.orders).locator(".grid [role=gridcell]").first().click();
    await page.keyboard.press("Control+z");
    await expectPoll(async () => (await rowsOf(page, made.orders))[0]?.split("|").at(-1)).toBe("10");
  });

  test("back takes an unsaved filter away", async () => {
    await openView(page, made);
    await expectPoll(() => numbers(page)).toEqual(["A-1", "A-2", "B-1"]);
    await section(page, made.orders)
      .getByRole("columnheader", { name: /^Amount/ })
      .click();
    await page.keyboard.press("Alt+ArrowDown");
    await page.getByRole("menuitem", { name: "Sort descending" }).click();
    await expectPoll(() => numbers(page)).toEqual(["B-1", "A-2", "A-1"]);
    expect(page.url()).toContain(`sort.${made.orders}=-Amount`);
    await page.goBack();
    await expectPoll(() => numbers(page)).toEqual(["A-1", "A-2", "B-1"]);
    await expectPoll(() => commands(page)).toEqual([]);
  });

  test("a column has a format for one view only, and the common one again", async () => {
    const amounts = async () => (await rowsOf(page, made.orders)).map((row) => row.split("|").at(-1));
    const options = async (table: string): Promise<unknown[]> =>
      (await metadata(table)).map(({ fields }) => fields["widgetOptions"]).filter((text) => text !== "");
    const openColumn = async () => {
      const header = section(page, made.orders).getByRole("columnheader", { name: /^Amount/ });
      await header.click();
      await header.press("Alt+ArrowDown");
      await page.getByRole("menuitem", { name: "Edit column" }).click();
    };
    await openView(page, made);
    await expectPoll(amounts).toEqual(["10", "20", "30"]);
    const before = await options("_grist_Tables_column");
    await openColumn();
    await page.getByRole("button", { name: "For this view only" }).click();
    await page.getByText("Format, appearance and styles are for this view only.").waitFor();
    await page.getByLabel("Decimals").fill("2");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expectPoll(amounts).toEqual(["10.00", "20.00", "30.00"]);
    expect(await options("_grist_Tables_column")).toEqual(before);
    await expectPoll(async () => JSON.stringify(await options("_grist_Views_section_field"))).toContain("decimals");
    await openColumn();
    await page.getByRole("button", { name: "Use common settings" }).click();
    await expectPoll(amounts).toEqual(["10", "20", "30"]);
    expect(await options("_grist_Views_section_field")).toEqual([]);
  });

  test("a column gets copies of its conditional styles for one view, which are undone in one step", async () => {
    const fields = async () => {
      const { column } = await refsOf(ada, made.doc);
      const all = await metadata("_grist_Views_section_field");
      return all.find(({ fields: of }) => of["parentId"] === made.orders && of["colRef"] === column("Orders", "Amount"))
        ?.fields;
    };
    const helpers = async (): Promise<unknown[]> =>
      (await metadata("_grist_Tables_column"))
        .filter(({ fields: of }) => String(of["colId"]).startsWith("gristHelper_ConditionalRule"))
        .map(({ id, fields: of }) => [id, of["formula"]]);
    const { column } = await refsOf(ada, made.doc);
    const rulesOptions = [{ fillColor: "#c2efc9", textColor: "#004e20" }];
    await apply(ada, made.doc, [
      ["AddEmptyRule", "Orders", 0, column("Orders", "Amount")],
      ["ModifyColumn", "Orders", "gristHelper_ConditionalRule", { formula: "$Amount > 15" }],
      ["ModifyColumn", "Orders", "Amount", { widgetOptions: JSON.stringify({ rulesOptions }) }],
    ]);
    const [[common] = []] = (await helpers()) as [number, string][];
    const styled = page.locator(`#section-${made.orders} .grid .body .filled`);
    await openView(page, made);
    await expectPoll(() => styled.count()).toBe(2);
    const header = section(page, made.orders).getByRole("columnheader", { name: /^Amount/ });
    await header.click();
    await header.press("Alt+ArrowDown");
    await page.getByRole("menuitem", { name: "Edit column" }).click();
    for (let round = 0; round < 2; round++) {
      await page.getByRole("button", { name: "For this view only" }).click();
      await page.getByText("Format, appearance and styles are for this view only.").waitFor();
      const own = await fields();
      expect(JSON.parse(String(own?.["widgetOptions"]))).toEqual({ rulesOptions });
      const rules = own?.["rules"] as unknown[];
      expect(rules).toHaveLength(2);
      expect(rules[1]).not.toBe(common);
      expect(await helpers()).toEqual([
        [common, "$Amount > 15"],
        [rules[1], "$Amount > 15"],
      ]);
      await expectPoll(() => styled.count()).toBe(2);
      if (round === 1) break;
      await page.getByRole("button", { name: "Use common settings" }).click();
      await page.getByRole("button", { name: "For this view only" }).waitFor();
    }
    await page.getByRole("button", { name: "Undo", exact: true }).last().click();
    await expectPoll(async () => (await fields())?.["widgetOptions"]).toBe("");
    expect(ada.problems).toEqual([]);
  });

  test("cards are filtered and sorted by views that are saved for everyone, or just for one user", async () => {
    const refs = await refsOf(ada, made.doc);
    await apply(ada, made.doc, [["UpdateRecord", "_grist_Views_section", made.orders, { parentKey: "detail" }]]);
    const cards = async (of: Page): Promise<string[]> =>
      section(of, made.orders).locator(".record-card:not(.unread) .card-field:first-child .cell").allTextContents();
    await openView(page, made, `?sort.${made.orders}=-Amount&pin.${made.orders}=Amount`);
    await expectPoll(() => cards(page)).toEqual(["B-1", "A-2", "A-1"]);
    await run(page, "Save for everyone");
    await expectPoll(() => commands(page)).toEqual([]);
    expect((await stored())["sortColRefs"]).toBe(`[-${refs.column("Orders", "Amount")}]`);
    await using ben = await invite(made.doc, "viewers");
    await openView(ben.page, made, filterOf({ Amount: { gte: 20 } }));
    await expectPoll(() => cards(ben.page)).toEqual(["B-1", "A-2"]);
    await run(ben.page, "Just for me");
    await expectPoll(() => commands(ben.page)).toEqual(["Reset"]);
    await openView(ben.page, made);
    await expectPoll(() => cards(ben.page)).toEqual(["B-1", "A-2"]);
    await openView(page, made);
    await expectPoll(() => cards(page)).toEqual(["B-1", "A-2", "A-1"]);
    expect(ada.problems).toEqual([]);
  });
});
