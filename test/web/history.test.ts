import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { expectHarmless, HOSTILE, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { shownText } from "./controls.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person at the history"), () => {
  let invite: Story["invite"];
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ invite, ada, page } = story);
    doc = await makeDocument(ada, "Stock");
    const columns = [
      { id: "Item", fields: { type: "Text" } },
      { id: "Amount", fields: { type: "Int" } },
      { id: "Due", fields: { type: "Date" } },
    ];
    const rows = ["Oak", "Brass"].map((Item) => ({ Item, Amount: 3, Due: 1790000000 }));
    await makeTable(ada, doc, { id: "Orders", columns, rows });
  });

  const apply = (...actions: unknown[][]) => call(ada, "POST", `/api/docs/${doc}/apply`, actions);
  /** Single changes; those of a session are below its summary. */
  const states = () => page.locator("a[id^=state-]").allTextContents();
  const openSession = () => page.locator(".session summary").first().click();
  const items = async () => {
    type Records = { records: { fields: { Item: string } }[] };
    const { records } = await call<Records>(ada, "GET", `/api/docs/${doc}/tables/Orders/records`);
    return records.map(({ fields }) => fields.Item);
  };

  test("sees states and changed rows", async () => {
    await apply(["UpdateRecord", "Orders", 1, { Amount: 7, Due: 1795000000 }], ["RemoveRecord", "Orders", 2]);
    await apply(["RenameColumn", "Orders", "Item", "Good"]);
    await page.goto(`/docs/${doc}`);
    await page.getByRole("navigation", { name: "Tools" }).getByRole("link", { name: "History" }).click();
    await page.waitForURL(/history$/);
    await expectPoll(() => states()).toEqual([
      "Changed the id of column Item of Orders from Item to Good",
      "Changed Amount and Due in 1 row of Orders",
      "Added 2 rows to Orders",
      "Added table Orders",
      "Created the document",
    ]);
    await expectPoll(() => page.locator(".states li").first().innerText()).toContain("Ada Lovelace, just now");
    await openSession();
    await page.locator("#state-4").click();
    await page.waitForURL(/history\/4$/);
    const headings = ["Row", "Column", "Before", "After", "Restore"];
    await expectPoll(() => page.locator("thead th").allTextContents()).toEqual(headings);
    const rows = page.locator("#history tbody");
    await expectPoll(() => rows.nth(0).locator("td.column").allTextContents()).toEqual(["Amount", "Due"]);
    await expectPoll(() => rows.nth(0).locator("del").allTextContents()).toEqual(["3", "2026-09-21"]);
    await expectPoll(() => rows.nth(0).locator("ins").allTextContents()).toEqual(["7", "2026-11-18"]);
    await expectPoll(async () => (await rows.nth(1).locator("del").allTextContents()).toSorted()).toEqual([
      "2026-09-21",
      "3",
      "Brass",
    ]);
    await page.getByRole("link", { name: "Older" }).click();
    await page.waitForURL(/history\/3$/);
    await expectPoll(() => page.locator("#history tbody").count()).toBe(2);
    await page.getByRole("link", { name: "All states" }).click();
    await page.waitForURL(/history#state-3$/);
    expect(ada.problems).toEqual([]);
  });

  test("reads changed columns with labels and cell counts", async () => {
    const rows = Array.from({ length: 5000 }, (_, at) => ({
      fields: { Item: `2026-0${1 + (at % 9)}-01`, Amount: at },
    }));
    await call(ada, "POST", `/api/docs/${doc}/tables/Orders/records`, { records: rows });
    await apply(["ModifyColumn", "Orders", "Item", { label: "Unit price", untieColIdFromLabel: true }]);
    await apply(["ConvertFromColumn", "Orders", "Item", "Item", "Date", "", 0]);
    await apply(["BulkUpdateRecord", "Orders", [3, 4, 5], { Item: [0, 0, 0], Amount: [9000, 9000, 9000] }]);
    await apply(["AddVisibleColumn", "Orders", "Double", { isFormula: true, formula: "$Amount" }]);
    await apply(["ModifyColumn", "Orders", "Double", { formula: "$Amount * 2" }]);
    await apply(["ModifyColumn", "Orders", "Double", { isFormula: false, formula: "" }]);
    await page.goto(`/docs/${doc}/history`);
    await expectPoll(async () => (await states()).slice(0, 6)).toEqual([
      "Changed Double in Orders from a formula to data of type Number",
      "Changed the formula of Double in Orders, 5,002 cells",
      "Added column Double to Orders",
      "Changed Unit price and Amount in 3 rows of Orders",
      "Changed the type of Unit price in Orders to Date, 5,000 cells",
      "Changed column settings",
    ]);
    // Columns with equal labels are distinguished by their ids.
    await apply(["AddVisibleColumn", "Orders", "Other", { type: "Text", label: "Amount" }]);
    await page.reload();
    await expectPoll(async () => (await states())[0]).toBe("Added column Amount (Other) to Orders");
    await openSession();
    await page.locator("#state-7").click();
    await page.waitForURL(/history\/7$/);
    const columns = () => page.locator("#history tbody").first().locator("td.column").allTextContents();
    await expectPoll(columns).toEqual(["Unit price", "Amount"]);
    await expectPoll(() => page.locator(".sentences li").allTextContents()).toEqual([
      "Changed Unit price and Amount in 3 rows of Orders",
    ]);
    expect(ada.problems).toEqual([]);
  });

  test("reads names and displayed values, neither ids nor raw numbers", async () => {
    const columns = [
      { id: "Full_name", fields: { type: "Text", label: "Full name" } },
      { id: "Born", fields: { type: "Date", label: "Born", widgetOptions: '{"dateFormat":"DD.MM.YYYY"}' } },
    ];
    const rows = ["Karin", "Bruno"].map((Full_name) => ({ Full_name, Born: 86_400 }));
    await makeTable(ada, doc, { id: "Customers", columns, rows });
    await apply(["AddVisibleColumn", "Orders", "Customer", { type: "Ref:Customers", isFormula: false }]);
    type Listing = { columns: { id: string; fields: { colRef: number } }[] };
    const { columns: listed } = await call<Listing>(ada, "GET", `/api/docs/${doc}/tables/Customers/columns`);
    const visibleCol = listed.find(({ id }) => id === "Full_name")?.fields.colRef;
    await apply(
      ["ModifyColumn", "Orders", "Customer", { visibleCol }],
      ["SetDisplayFormula", "Orders", null, "Customer", "$Customer.Full_name"],
    );
    const widgetOptions = JSON.stringify({ numMode: "currency", currency: "EUR" });
    await apply([
      "AddVisibleColumn",
      "Orders",
      "Unit_price",
      { type: "Numeric", label: "Unit price", isFormula: false, widgetOptions },
    ]);
    await apply(["UpdateRecord", "Orders", 1, { Customer: 1, Unit_price: 1890 }]);
    await apply(["UpdateRecord", "Orders", 1, { Customer: 2 }]);
    await apply(["RemoveRecord", "Orders", 1]);
    await apply(["RemoveRecord", "Customers", 2]);
    await apply(["RemoveColumn", "Orders", "Unit_price"]);
    await page.goto(`/docs/${doc}/history`);
    await expectPoll(async () => (await states()).slice(0, 6)).toEqual([
      "Deleted column Unit price from Orders",
      "Deleted 1 row from Customers",
      "Deleted 1 row from Orders",
      "Changed Customer in 1 row of Orders",
      "Changed Customer and Unit price in 1 row of Orders",
      "Added column Unit price to Orders",
    ]);
    const texts = (selector: string) => page.locator(selector).allTextContents();
    await openSession();
    await page.getByRole("link", { name: "Changed Customer in 1 row of Orders" }).click();
    await expectPoll(() => texts("tbody .kind")).toEqual(["changed"]);
    await page.getByText("(deleted row)").waitFor();
    await expectPoll(() => texts("tbody td del")).toEqual(["Karin"]);
    // The customer was deleted later.
    await expectPoll(() => texts("tbody td ins")).toEqual(["Bruno"]);
    await page.getByRole("link", { name: "Older" }).click();
    await expectPoll(() => texts("tbody td.column")).toEqual(["Customer", "Unit price"]);
    await expectPoll(() => texts("tbody td ins")).toEqual(["Karin", "€1,890.00"]);
    await expectPoll(() => page.locator("main").innerText()).not.toContain("Unit_price");
    expect(ada.problems).toEqual([]);
  });

  test("restores a state, and undoes that", async () => {
    await apply(["RemoveRecord", "Orders", 1]);
    await page.goto(`/docs/${doc}/history`);
    await openSession();
    await page.getByRole("button", { name: /^Restore state 3:/ }).click();
    const dialog = page.getByRole("dialog", { name: "Restore state 3?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await items()).toEqual(["Brass"]);
    await page.getByRole("button", { name: /^Restore state 3:/ }).click();
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await page.locator(".toast").waitFor();
    expect(await items()).toEqual(["Oak", "Brass"]);
    await expectPoll(async () => (await states())[0]).toBe("Restored state 3");
    await page.goto(`/docs/${doc}/history/4`);
    await page.getByRole("button", { name: /^Restore state 4:/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.waitForURL(/history$/);
    expect(await items()).toEqual(["Brass"]);
    expect([...ada.problems, ...ada.refusals]).toEqual([]);
  });

  test("sees in place why a state cannot be restored", async () => {
    await apply(["RemoveRecord", "Orders", 1]);
    await page.goto(`/docs/${doc}/history`);
    await call(ada, "POST", `/api/docs/${doc}/states/remove`, { keep: 1 });
    await openSession();
    await page.getByRole("button", { name: /^Restore state 3:/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByRole("dialog").getByText("There is no state 3 in the history of this document").waitFor();
    expect(ada.refusals).toEqual([`404 POST /api/docs/${doc}/states/3/restore`]);
    await page.goto(`/docs/${doc}/history/4`);
    await shownText(page, "the previous state is not kept").waitFor();
    await page.goto(`/docs/${doc}/history/3`);
    await expectPoll(() => page.locator("h1").textContent()).toBe("Page not found");
    expect(ada.problems).toEqual([]);
  });

  test("is notified of newer states, and pages through states and rows", async () => {
    await page.goto(`/docs/${doc}/history`);
    await apply(["BulkAddRecord", "Orders", Array.from({ length: 60 }, () => null), {}]);
    await page.getByRole("button", { name: "Show" }).click();
    // The list is replaced.
    await page.locator("#state-4").waitFor({ state: "attached" });
    await openSession();
    await page.locator("#state-4").click();
    await page.waitForURL(/history\/4$/);
    await expectPoll(() => page.locator("#history tbody").count()).toBe(20);
    await page.getByRole("link", { name: "Show more" }).click();
    await page.waitForURL(/table=Orders&from=0$/);
    await expectPoll(() => page.locator("#history tbody").count()).toBe(60);
    for (let i = 0; i < 52; i++) await apply(["UpdateRecord", "Orders", 1, { Amount: i }]);
    await page.goto(`/docs/${doc}/history`);
    await expectPoll(() => states()).toHaveLength(50);
    await page.getByRole("link", { name: "Older states" }).click();
    await page.waitForURL(/before=7$/);
    await expectPoll(() => states()).toHaveLength(6);
    await page.getByRole("link", { name: "Newest states" }).click();
    await page.waitForURL(/history$/);
    expect(ada.problems).toEqual([]);
  });

  test("is subscribed only while the page is visible, and then receives missed events", async () => {
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/events")) asked.push(request.url());
    });
    const look = (isHidden: boolean) =>
      page.evaluate(`(() => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => ${isHidden} });
        document.dispatchEvent(new Event("visibilitychange"));
      })()`);
    await page.goto(`/docs/${doc}/history`);
    await apply(["UpdateRecord", "Orders", 1, { Amount: 9 }]);
    await page.getByRole("button", { name: "Show" }).click();
    await page.locator("#state-4").waitFor({ state: "attached" });
    const isClosed = page.waitForEvent("requestfailed", (request) => request.url().includes("/events"));
    await look(true);
    await isClosed;
    await apply(["RemoveRecord", "Orders", 1]);
    expect(await page.getByRole("button", { name: "Show" }).count()).toBe(0);
    await look(false);
    await page.getByRole("button", { name: "Show" }).click();
    await page.locator("#state-5").waitFor({ state: "attached" });
    expect(asked.length).toBe(2);
    expect(asked[1]).toMatch(/after=4-/);
    expect(ada.problems).toEqual([]);
  });

  test("sees hostile texts as text", async () => {
    await using ben = await invite(doc, "editors", { email: "ben@example.com", name: HOSTILE_NAME });
    const Item = [...HOSTILE];
    await call(ben, "POST", `/api/docs/${doc}/tables/Orders/data`, { Item });
    await call(ben, "PATCH", `/api/docs/${doc}/tables/Orders/records`, {
      records: HOSTILE.map((text, i) => ({ id: i + 1, fields: { Item: text } })),
    });
    await call(ada, "PATCH", `/api/docs/${doc}`, { name: HOSTILE_NAME });
    await page.goto(`/docs/${doc}/history`);
    await expectPoll(() => page.locator(".states li").first().innerText()).toContain(HOSTILE_NAME);
    await expectHarmless(page);
    await page.goto(`/docs/${doc}/history/4`);
    const shown = await page.locator("#history ins").allTextContents();
    expect(shown).toEqual(HOSTILE.map((text) => text.replaceAll("\r", "\n")));
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("cannot restore without permission, and sees nothing without access", async () => {
    await apply(["RemoveRecord", "Orders", 1]);
    const person = { email: "cleo@example.com", name: "Cleo" };
    await using cleo = await invite(doc, "viewers", person);
    await cleo.page.goto(`/docs/${doc}/history`);
    await expectPoll(() => cleo.page.locator("a[id^=state-]").count()).toBe(4);
    expect(await cleo.page.getByRole("button", { name: /Restore/ }).count()).toBe(0);
    expect(await cleo.page.locator("#history").innerText()).not.toContain("Ada");
    await call(ada, "PATCH", `/api/docs/${doc}/access`, { delta: { users: { [person.email]: null } } });
    await cleo.page.goto(`/docs/${doc}/history`);
    await expectPoll(() => cleo.page.locator("h1").textContent()).toBe("Access denied");
  });
});
