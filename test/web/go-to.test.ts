/** The search of a document finds its pages and tables by name. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable, records } from "./calls.ts";
import { dialog, press } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { addPages, apply } from "./page-tree.ts";
import { eachStory, type Story } from "./scene.ts";
import { openTable } from "./table-page.ts";
import { refsOf } from "./view-page.ts";

const table = (id: string) => ({
  id,
  columns: [{ id: "Status", fields: { type: "Text" } }],
  rows: [{ Status: "New" }],
});

let ada: Visit;
let page: Page;
let doc: string;
let invite: Story["invite"];

const field = (on = page) => on.locator(".top-bar").getByRole("combobox");
const options = (on = page) =>
  on
    .getByRole("listbox")
    .getByRole("option")
    .evaluateAll((all) => all.map((each) => (each as { innerText: string }).innerText));
const chosen = () => page.getByRole("option", { selected: true }).innerText();
const viewOf = async (name: string) =>
  (await records(ada, doc, "_grist_Views")).find(({ fields }) => fields["name"] === name)?.id ?? 0;

/** Opens the search by its key, once the script of the page handles it. */
async function openSearch(on: Page): Promise<void> {
  await expectPoll(async () => {
    await press(on, "Control+k");
    return on.evaluate<string>("document.activeElement.name ?? ''");
  }).toBe("q");
}

describe.skipIf(!CHROMIUM)(inBrowser("the search of a document"), () => {
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    await page.setViewportSize({ width: 1280, height: 720 });
    doc = await makeDocument(ada, "Bicycle shop");
    await makeTable(ada, doc, table("Orders"));
    await makeTable(ada, doc, table("Salaries"));
    await addPages(ada, doc, ["Reports", "-Order book", HOSTILE_NAME, "Résumé of orders"]);
    await openTable(page, doc, "Orders");
  });

  test("leads to pages, tables and summaries", async () => {
    const refs = await refsOf(ada, doc);
    await apply(ada, doc, [
      ["CreateViewSection", refs.table("Orders"), 0, "record", [refs.column("Orders", "Status")], null],
    ]);
    await page.reload();
    await openSearch(page);
    await page.keyboard.type("order");
    await expectPoll(options).toEqual([
      "Order book\nPage below Reports",
      "Orders\nPage",
      "Résumé of orders\nPage",
      "Orders\nTable",
      "By Status\nSummary of Orders",
      "Search all documents for “order”",
    ]);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type(" RESUME");
    await expectPoll(options).toEqual(["Résumé of orders\nPage", "Search all documents for “order RESUME”"]);
    expect(await chosen()).toBe("Résumé of orders\nPage");
    await press(page, "Enter");
    await page.waitForURL(`**/docs/${doc}/pages/${await viewOf("Résumé of orders")}`);
    expect(ada.problems).toEqual([]);
  });

  test("is left by Escape, and leads to all documents", async () => {
    await openSearch(page);
    await page.keyboard.type("book");
    await expectPoll(options).toHaveLength(2);
    await press(page, "ArrowDown");
    expect(await chosen()).toBe("Search all documents for “book”");
    await press(page, "Escape");
    await expectPoll(() => page.getByRole("listbox").count()).toBe(0);
    expect(await field().inputValue()).toBe("book");
    await press(page, "s");
    await expectPoll(options).toEqual(["Search all documents for “books”"]);
    await press(page, "Enter");
    await page.waitForURL("/?q=books");
    expect(ada.problems).toEqual([]);
  });

  test("asks in a dialog on phones", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator(".top-bar details.menu summary").click();
    await page.getByRole("link", { name: "Search pages, documents and rows" }).click();
    await dialog(page).waitFor();
    await expectPoll(options).toHaveLength(10);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    await page.keyboard.type("wasRun");
    await expectPoll(options).toEqual([`${HOSTILE_NAME}\nPage`, "Search all documents for “wasRun”"]);
    await expectHarmless(page);
    await press(page, "Escape");
    await expectPoll(() => dialog(page).count()).toBe(0);
    await press(page, "Control+k");
    await dialog(page).waitFor();
    await page.getByRole("option", { name: "Order book" }).click();
    await page.waitForURL(`**/docs/${doc}/pages/${await viewOf("Order book")}`);
    expect(ada.problems).toEqual([]);
  });

  test("does not show readers what access rules hide", async () => {
    const ben = await invite(doc, "viewers");
    const search = async () => {
      await openTable(ben.page, doc, "Orders");
      await openSearch(ben.page);
      await ben.page.keyboard.type("salar");
    };
    await search();
    const elsewhere = "Search all documents for “salar”";
    await expectPoll(() => options(ben.page)).toEqual(["Salaries\nPage", "Salaries\nTable", elsewhere]);
    await apply(ada, doc, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Salaries", colIds: "*" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "none", rulePos: 1 },
      ],
    ]);
    await search();
    await expectPoll(() => options(ben.page)).toEqual([elsewhere]);
    expect(await ben.page.content()).not.toContain("Salaries");
    expect(ben.problems).toEqual([]);
  });
});
