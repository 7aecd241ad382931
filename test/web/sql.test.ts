import { describe, expect, test } from "bun:test";
import { expectPoll } from "../helpers/expect-poll.ts";
import { readFileSync } from "node:fs";
import type { Download, Page } from "playwright-core";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Site, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, fillCode, item, press, problem, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { rowTexts } from "./table-page.ts";

const ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
const query = (page: Page) => page.getByLabel("Query", { exact: true });
const status = (page: Page) => page.locator("#result-status");

async function runs(page: Page, sql: string): Promise<void> {
  await fillCode(query(page), sql);
  await query(page).press("Control+Enter");
}

describe.skipIf(!CHROMIUM)(inBrowser("a person with questions"), () => {
  let site: Site;
  let invite: Story["invite"];
  let ada: Visit;
  let page: Page;
  let doc: string;
  const begin = async (story: Story) => {
    ({ site, invite, ada, page } = story);
    doc = await makeDocument(ada, "Bakery");
    const columns = [
      { id: "Name", fields: { type: "Text" } },
      { id: "Price", fields: { type: "Numeric" } },
      { id: "Order", fields: { type: "Int" } },
    ];
    const rows = ["Rye", "Spelt", "Oat"].map((Name, at) => ({ Name, Price: at + 0.5, Order: at }));
    await makeTable(ada, doc, { id: "Bread", columns, rows });
  };
  eachStory(begin);

  const open = async () => {
    await page.goto(`/docs/${doc}/sql`);
    await page.locator(".code-editor").waitFor();
  };

  test("builds a query by clicks, runs it, and navigates the result", async () => {
    await page.goto(`/docs/${doc}`);
    await page.getByRole("link", { name: "SQL", exact: true }).click();
    await button(page, "Bread").click();
    await expectPoll(() => page.locator("#query").inputValue()).toBe("select * from Bread limit 100");
    await button(page, "Run").click();
    await status(page)
      .getByText(/^3 rows in (\d+ ms|[\d.]+ s)$/)
      .waitFor();
    await expectPoll(() => page.getByRole("columnheader").allTextContents()).toEqual([
      "Row",
      "id",
      "manualSort",
      "Name",
      "Price",
      "Order",
    ]);
    await expectPoll(() => rowTexts(page)).toEqual(["1|1|Rye|0.5|0", "2|2|Spelt|1.5|1", "3|3|Oat|2.5|2"]);
    await expectAccessible(page);

    await fillCode(query(page), "select");
    await button(page, "Name Text").click();
    await page.keyboard.type(",");
    await button(page, "Order Int").click();
    await page.keyboard.type(" from");
    await button(page, "Bread").click();
    await expectPoll(() => page.locator("#query").inputValue()).toBe('select Name, "Order" from Bread');
    await page.keyboard.press("Control+Enter");
    await page.getByRole("columnheader", { name: "Price" }).waitFor({ state: "detached" });
    await expectPoll(() => rowTexts(page)).toEqual(["Rye|0", "Spelt|1", "Oat|2"]);
    await page.keyboard.press("Control+z");
    await expectPoll(() => page.locator("#query").inputValue()).not.toContain("Bread");
    expect(ada.problems).toEqual([]);
  });

  test("sees dates, amounts and references as the tables show them, and downloads them so", async () => {
    const fields = (type: string, options = {}) => ({ type, widgetOptions: JSON.stringify(options) });
    const columns = [
      { id: "Bread", fields: { type: "Ref:Bread", label: "Bread" } },
      { id: "Also", fields: { type: "RefList:Bread" } },
      { id: "Baked", fields: fields("Date", { dateFormat: "DD.MM.YYYY" }) },
      { id: "At", fields: { type: "DateTime:Europe/Berlin" } },
      { id: "Total", fields: fields("Numeric", { numMode: "currency", currency: "EUR", decimals: 2 }) },
      { id: "Paid", fields: { type: "Bool" } },
      { id: "Kinds", fields: fields("ChoiceList", { choices: ["dark", "light"] }) },
    ];
    await makeTable(ada, doc, { id: "Orders", columns, rows: [] });
    await call(ada, "PATCH", `/api/docs/${doc}/tables/Bread/records`, {
      records: [{ id: 1, fields: { Name: HOSTILE_NAME } }],
    });
    const visible = await call<{ columns: { id: string; fields: { colRef: number } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/Bread/columns`,
    );
    const visibleCol = visible.columns.find(({ id }) => id === "Name")?.fields.colRef;
    await call(ada, "PATCH", `/api/docs/${doc}/tables/Orders/columns`, {
      columns: ["Bread", "Also"].map((id) => ({ id, fields: { visibleCol } })),
    });
    const order = { Bread: 2, Also: ["L", 3, 2], Baked: 1_767_225_600, At: 1_767_225_600, Total: 1234.5, Paid: true };
    await call(ada, "POST", `/api/docs/${doc}/tables/Orders/records`, {
      records: [{ fields: { ...order, Kinds: ["L", "dark", "light"] } }, { fields: { Bread: 1, Baked: "soon" } }],
    });
    await open();
    const rows = (at: number) => rowTexts(page).then((texts) => texts[at]);
    await runs(page, "select Bread as b, Also, Paid, Kinds, Total * 2 as twice from Orders");
    await expectPoll(() => rows(0)).toBe("Spelt|Oat, Spelt|Yes|dark, light|2469");
    await expectPoll(() => rows(1)).toContain("|NULL|No|NULL|NULL");
    await runs(page, "select Bread as b, Also, Baked, At, Total from Orders");
    await expectPoll(() => rows(0)).toBe("Spelt|Oat, Spelt|01.01.2026|2026-01-01 1:00am|€1,234.50");
    await expectPoll(() => rows(1)).toContain("|NULL|soon|NULL|NULL");
    await expectHarmless(page);
    await page.getByRole("gridcell", { name: "01.01.2026" }).dblclick();
    await page.getByText("Stored as 1767225600").waitFor();
    await expectAccessible(page);
    await press(page, "Escape");
    await button(page, "CSV").click();
    const [file] = await Promise.all([page.waitForEvent("download"), item(page, "As shown, for spreadsheets").click()]);
    expect((await fileOf(file))[1]).toContain('Spelt,"Oat, Spelt",01.01.2026,2026-01-01 1:00am,"€1,234.50"\n');
    // The columns of a result are known without rows, and a deleted table has none.
    await call(ada, "PATCH", `/api/docs/${doc}/tables/Bread/records`, {
      records: [{ id: 2, fields: { Name: "Sour" } }],
    });
    await runs(page, "select Bread from Orders where id = 1");
    await expectPoll(() => rowTexts(page)).toEqual(["Sour"]);
    expect(ada.problems).toEqual([]);
  });

  test("passes parameters as numbers and texts", async () => {
    await open();
    await fillCode(query(page), "select Name from Bread where Price > ? and Name like :like");
    await page.getByLabel("Value for ?1").fill("1");
    await page.getByLabel("Value for :like").fill("S%");
    await page.getByLabel("Value for :like").press("Enter");
    await status(page).getByText("1 row in").waitFor();
    await expectPoll(() => rowTexts(page)).toEqual(["Spelt"]);
    await runs(page, "select typeof(?), typeof(?), typeof(?)");
    await page.getByLabel("Value for ?1").fill("12.5");
    await page.getByLabel("Value for ?2").fill("'12.5'");
    await page.getByLabel("Value for ?3").fill("");
    await button(page, "Run").click();
    await page.getByRole("gridcell", { name: "real" }).waitFor();
    await expectPoll(() => rowTexts(page)).toEqual(["real|text|null"]);
    expect(ada.problems).toEqual([]);
  });

  test("sees errors at the editor, and keeps the input", async () => {
    await open();
    await runs(page, "select Nme from Bread");
    await problem(page).getByText("no such column: Nme").waitFor();
    await expectPoll(() => page.locator("#query").inputValue()).toBe("select Nme from Bread");
    await expectPoll(() => query(page).getAttribute("aria-invalid")).toBe("true");
    await expectAccessible(page);
    await runs(page, "delete from Bread");
    await problem(page).getByText("The statement must be a SELECT").waitFor();
    await page.route("**/sql", (route) => route.abort("connectionrefused"));
    await runs(page, "select 1 as one");
    await shownText(page, "The server does not respond.").waitFor();
    await page.unroute("**/sql");
    await button(page, "Try again").click();
    await page.getByRole("gridcell", { name: "one: 1", exact: true }).waitFor();
    await expectPoll(() => problem(page).count()).toBe(0);
    await expectPoll(() => query(page).getAttribute("aria-invalid")).toBeNull();
    expect(ada.problems.every((problem) => problem.includes("ERR_CONNECTION_REFUSED"))).toBe(true);
  });

  test("cancels a query, in the server too", async () => {
    await open();
    await runs(page, ENDLESS);
    await status(page).getByText("Running").waitFor();
    while (site.app.ctx.sql.load().busy === 0) await Bun.sleep(5);
    await button(page, "Cancel").click();
    await status(page).getByText("Cancelled.").waitFor();
    await expectPoll(() => page.evaluate<string>("document.activeElement.className")).toBe("code-editor");
    while (site.app.ctx.sql.load().busy > 0) await Bun.sleep(5);
    await runs(page, "select 2 as two");
    await status(page).getByText("1 row in").waitFor();
    await expectPoll(() => rowTexts(page)).toEqual(["2"]);
    expect(ada.problems).toEqual([]);
  });

  test("scrolls through a hundred thousand virtualized rows", async () => {
    await open();
    await runs(
      page,
      "with recursive n(i) as (select 1 union all select i + 1 from n limit 100000) select i, 'row ' || i as t from n",
    );
    await status(page).getByText("100,000 rows in").waitFor();
    await page.getByRole("gridcell", { name: "row 1", exact: true }).click();
    await page.keyboard.press("Control+End");
    await page.getByRole("gridcell", { name: "row 100000" }).waitFor();
    await expectPoll(() => page.locator(".grid [role=row]").count()).toBeLessThan(60);
    await page.keyboard.press("Enter");
    await expectPoll(() => page.getByRole("dialog").locator("pre").textContent()).toBe("row 100000");
    await page.keyboard.press("Escape");
    await expectPoll(() => page.evaluate<string>("document.activeElement.textContent")).toBe("row 100000");
    expect(ada.problems).toEqual([]);
  });

  test("downloads the result as CSV, with or without formulas", async () => {
    await open();
    await runs(page, `select '=1+1' as f, 'a "b", c' as t, 1.5 as n, null as z`);
    await status(page).getByText("1 row in").waitFor();
    const saved = async (choice: string): Promise<[string, string]> => {
      const download = page.waitForEvent("download");
      await button(page, "CSV").click();
      await item(page, choice).click();
      return fileOf(await download);
    };
    expect(await saved("Unchanged")).toEqual(["Bakery query.csv", `f,t,n,z\n=1+1,"a ""b"", c",1.5,\n`]);
    expect(await saved("For spreadsheets, without formulas")).toEqual([
      "Bakery query.csv",
      `\uFEFFf,t,n,z\n'=1+1,"a ""b"", c",1.5,\n`,
    ]);
    expect(ada.problems).toEqual([]);
  });

  test("indents by the keyboard, without a keyboard trap", async () => {
    await open();
    await query(page).focus();
    await page.keyboard.type("select");
    await press(page, "Enter", "Tab");
    await page.keyboard.type("1,");
    await page.keyboard.press("Enter");
    await page.keyboard.type("2");
    await expectPoll(() => page.locator("#query").inputValue()).toBe("select\n  1,\n  2");
    await page.keyboard.press("Shift+Tab");
    await expectPoll(() => page.locator("#query").inputValue()).toBe("select\n  1,\n2");
    await press(page, "Escape", "Tab");
    await expectPoll(() => page.evaluate<string>("document.activeElement.id")).toBe("run");
    await page.keyboard.press("Shift+Tab");
    await expectPoll(() => page.evaluate<string>("document.activeElement.className")).toBe("code-editor");
  });

  test("finds recent queries of each document, and deletes them", async () => {
    await open();
    for (const sql of ["select 1 as a", "select 2 as b", HOSTILE_NAME]) {
      await runs(page, sql);
      await page.locator("#run:not([aria-disabled=true])").waitFor();
    }
    await page.reload();
    await expectPoll(() => page.locator("#query").inputValue()).toBe(HOSTILE_NAME);
    await button(page, "Recent queries").click();
    await expectPoll(() => page.locator(".last-queries code").allTextContents()).toEqual([
      HOSTILE_NAME,
      "select 2 as b",
      "select 1 as a",
    ]);
    await expectHarmless(page);
    await expectAccessible(page);
    await button(page, "select 1 as a").click();
    await expectPoll(() => page.locator("#query").inputValue()).toBe("select 1 as a");
    await button(page, "Recent queries").click();
    await button(page, "Delete all").click();
    await shownText(page, "appear here").waitFor();
    await page.reload();
    await button(page, "Recent queries").click();
    await expectPoll(() => page.locator(".last-queries").count()).toBe(0);

    const other = await makeDocument(ada, "Other");
    await page.goto(`/docs/${other}/sql`);
    await expectPoll(() => page.locator("#query").inputValue()).toBe("");
    expect(ada.problems).toEqual([]);
  });

  test("completes the words of SQLite, and no longer ones than the typed word", async () => {
    await open();
    const suggestions = page.locator(".cm-tooltip-autocomplete li");
    await query(page).pressSequentially("sel");
    await expectPoll(async () => (await suggestions.allTextContents())[0]).toBe("select");
    await page.keyboard.press("Enter");
    await query(page).pressSequentially(" Name from Bread order by Name de");
    await expectPoll(() => suggestions.allTextContents()).toContain("desc");
    expect(await suggestions.allTextContents()).not.toContain("describe");
    await page.keyboard.type("sc");
    await suggestions.first().waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await page.keyboard.type("lim");
    await expectPoll(async () => (await suggestions.allTextContents())[0]).toBe("limit");
    await page.keyboard.press("Enter");
    await page.keyboard.type(" 1");
    await expectPoll(() => page.locator("#query").inputValue()).toBe(
      "select Name from Bread order by Name desc\nlimit 1",
    );
    await button(page, "Run").click();
    await expectPoll(async () => (await rowTexts(page)).length).toBe(1);
    expect(ada.problems).toEqual([]);
  });

  test("saves a query in the document, and runs it again with another parameter", async () => {
    await open();
    await query(page).pressSequentially("select Name from Bread where Pri");
    const suggestions = page.locator(".cm-tooltip-autocomplete li");
    await expectPoll(async () => (await suggestions.allTextContents())[0]).toBe("PriceNumeric");
    await page.keyboard.press("Enter");
    await page.keyboard.type(" > :least and Name <> :not");
    await page.getByLabel("Value for :least").fill("1");
    await page.getByLabel("Value for :not").fill("'7'");
    await button(page, "Save…").click();
    await page.getByRole("dialog").getByLabel("Name").fill(HOSTILE_NAME);
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expectPoll(() => page.locator("#query-name bdi").getAttribute("title")).toBe(HOSTILE_NAME);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { url } = { url: page.url() };
    expect(new URL(url).searchParams.get("query")).toBe("1");

    const ben = await invite(doc, "viewers");
    await ben.page.goto(`/docs/${doc}/sql`);
    await ben.page.locator(".code-editor").waitFor();
    expect(await button(ben.page, "Save…").count()).toBe(0);
    await button(ben.page, "Saved queries").click();
    await expectPoll(() => ben.page.locator(".last-queries strong bdi").getAttribute("title")).toBe(HOSTILE_NAME);
    expect(await ben.page.getByRole("button", { name: "Delete" }).count()).toBe(0);
    await ben.page.locator(".last-queries button").first().click();
    await expectPoll(() => ben.page.locator("#query").inputValue()).toContain("Price > :least");
    expect(await ben.page.getByLabel("Value for :not").inputValue()).toBe("'7'");
    await ben.page.getByLabel("Value for :least").fill("2");
    await ben.page.getByLabel("Value for :least").press("Enter");
    await expectPoll(() => rowTexts(ben.page)).toEqual(["Oat"]);
    expect(ben.problems).toEqual([]);

    await page.goto(url);
    await expectPoll(() => page.getByLabel("Value for :least").inputValue()).toBe("1");
    await button(page, "Run").click();
    await expectPoll(() => rowTexts(page)).toEqual(["Spelt", "Oat"]);
    await button(page, "Saved queries").click();
    await page.getByRole("button", { name: `Delete ${HOSTILE_NAME}`, exact: true }).click();
    await button(page, "Delete query").click();
    await page.getByText("No saved queries yet.").waitFor();
    await expectHarmless(page);
    await expectAccessible(page);
    expect(ada.problems).toEqual([]);
  });

  test("sees the part of the statement that an error is about", async () => {
    await open();
    await runs(page, "select Nme from Bread");
    await expectPoll(() => page.locator(".cm-problem").textContent()).toBe("Nme");
    await runs(page, "select Name from Bread");
    await expectPoll(() => page.locator(".cm-problem").count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });

  test("shows hostile texts as text", async () => {
    await call(ada, "PATCH", `/api/docs/${doc}`, { name: HOSTILE_NAME });
    await makeTable(ada, doc, {
      id: "Odd",
      columns: [{ id: "T", fields: { type: "Text", label: HOSTILE_NAME } }],
      rows: HOSTILE.map((T) => ({ T })),
    });
    await page.goto(`/docs/${doc}/sql?q=${encodeURIComponent(`</textarea>${HOSTILE_NAME}`)}`);
    await expectPoll(() => page.locator("#query").inputValue()).toBe(`</textarea>${HOSTILE_NAME}`);
    await runs(page, `select T, T as "${HOSTILE_NAME.replaceAll('"', '""')}" from Odd order by id`);
    await status(page).getByText(`${HOSTILE.length} rows in`).waitFor();
    const shown = HOSTILE.map((text) => text.replaceAll("\r\n", "\n").slice(0, 300));
    await expectPoll(async () => (await rowTexts(page)).slice(0, 5)).toEqual(
      shown.slice(0, 5).map((text) => `${text}|${text}`),
    );
    await expectPoll(() => page.getByRole("columnheader").last().textContent()).toBe(HOSTILE_NAME);
    await runs(page, HOSTILE_NAME);
    await problem(page).waitFor();
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("may have read access only, or none", async () => {
    await using his = await invite(doc, "viewers");
    await his.page.goto(`/docs/${doc}/sql`);
    await runs(his.page, "select count(*) as n from Bread");
    await his.page.getByRole("gridcell", { name: "3" }).waitFor();
    const rule = [
      "AddRecord",
      "_grist_ACLRules",
      null,
      { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "none" },
    ];
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Bread", colIds: "*" }],
      rule,
    ]);
    await runs(his.page, "select 1");
    await problem(his.page).waitFor();
    expect((await his.page.reload())?.status()).toBe(403);
    await expectPoll(() => shownText(his.page, "Access denied").isVisible()).toBe(true);
    await expectAccessible(his.page);
    await his.context.clearCookies();
    await his.page.goto(`/docs/${doc}/sql`);
    expect(new URL(his.page.url()).pathname).toBe("/sign-in");
    expect(his.problems).toEqual([]);
  });
});

async function fileOf(download: Download): Promise<[string, string]> {
  return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
}
