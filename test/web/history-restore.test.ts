/** Rows, columns and cells found in the history and restored; states compared. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person who looks for lost values"), () => {
  let invite: Story["invite"];
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ invite, ada, page } = story);
    doc = await makeDocument(ada, "Stock");
    const goods = [
      { id: "Name", fields: { type: "Text" } },
      { id: "Price", fields: { type: "Int" } },
    ];
    await makeTable(ada, doc, {
      id: "Goods",
      columns: goods,
      rows: [1, 2, 3].map((n) => ({ Name: `Good ${n}`, Price: n })),
    });
    const orders = [
      { id: "Note", fields: { type: "Text" } },
      { id: "Good", fields: { type: "Ref:Goods" } },
    ];
    await makeTable(ada, doc, { id: "Orders", columns: orders, rows: [{ Note: "first", Good: 2 }] });
  });

  const apply = (who: Visit, ...actions: unknown[][]) => call(who, "POST", `/api/docs/${doc}/apply`, actions);
  const records = async (table: string) => {
    type Records = { records: { id: number; fields: Record<string, unknown> }[] };
    return (await call<Records>(ada, "GET", `/api/docs/${doc}/tables/${table}/records`)).records;
  };
  const prices = async () => (await records("Goods")).map(({ fields }) => fields["Price"]);
  const dialog = () => page.getByRole("dialog");
  const confirm = () => dialog().getByRole("button", { name: "Restore", exact: true }).click();
  const newest = async () =>
    (await call<{ states: { n: number }[] }>(ada, "GET", `/api/docs/${doc}/states`)).states[0]?.n ?? 0;

  test("finds a lost row, and restores it with the reference to it", async () => {
    await using ben = await invite(doc, "editors");
    await apply(ben, ["RemoveRecord", "Goods", 2]);
    await apply(ada, ["UpdateRecord", "Goods", 1, { Price: 10 }]);
    const before = (await newest()) + 1;
    await page.goto(`/docs/${doc}/history`);
    await page.getByLabel("Person").selectOption({ label: "Ben" });
    await page.getByLabel("Table", { exact: true }).selectOption({ label: "Goods" });
    await page.getByRole("button", { name: "Apply filter" }).click();
    await page.waitForURL(/table=Goods&person=\d+$/);
    await page
      .getByRole("link", { name: "Deleted 1 row from Goods" })
      .or(page.locator("#history .what > a"))
      .first()
      .click();
    await page.waitForURL(/history\/\d+$/);
    await page.getByRole("button", { name: "Restore row" }).first().click();
    const title = dialog().getByRole("heading");
    await expectPoll(() => title.innerText()).toBe("Restore row Good 2?");
    await expectPoll(() => dialog().locator("li").allInnerTexts()).toEqual([
      "The deleted row returns with its former values.",
      "1 reference to the row in Good of Orders is set again.",
    ]);
    // By keyboard.
    await page.keyboard.press("Tab");
    await dialog().getByRole("button", { name: "Restore", exact: true }).press("Enter");
    await page.locator(".toast").waitFor();
    expect((await records("Goods")).map(({ id, fields }) => [id, fields["Name"]])).toContainEqual([2, "Good 2"]);
    expect((await records("Orders"))[0]?.fields["Good"]).toBe(2);
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await page.getByText("Restore undone.").first().waitFor();
    expect(await records("Goods")).toHaveLength(2);
    await page.goto(`/docs/${doc}/history`);
    await page
      .getByText(`Restored from state ${before - 3}`)
      .first()
      .waitFor({ state: "attached" });
    expect(ada.problems).toEqual([]);
  });

  test("restores a column after a wrong fill, without what others wrote since", async () => {
    await apply(ada, ["BulkUpdateRecord", "Goods", [1, 2, 3], { Price: [0, 0, 0] }]);
    const fill = await newest();
    await using ben = await invite(doc, "editors");
    await apply(ben, ["UpdateRecord", "Goods", 3, { Price: 33 }]);
    await page.goto(`/docs/${doc}/history/${fill}`);
    await page.getByRole("button", { name: "Restore column Price" }).click();
    await expectPoll(() => dialog().locator("li").allInnerTexts()).toEqual([
      `Price gets its values in state ${fill - 1} back in 2 rows of Goods.`,
      "1 value was changed later and stays as it is.",
    ]);
    await dialog().getByLabel("Also overwrite values that were changed later").check();
    await expectPoll(() => dialog().locator("li").allInnerTexts()).toEqual([
      `Price gets its values in state ${fill - 1} back in 3 rows of Goods.`,
    ]);
    await dialog().getByLabel("Also overwrite values that were changed later").uncheck();
    await expectPoll(() => dialog().locator("li").count()).toBe(2);
    await confirm();
    await page.locator(".toast").waitFor();
    expect(await prices()).toEqual([1, 2, 33]);
    expect(ada.problems).toEqual([]);
  });

  test("adds a deleted row again whose id another row has", async () => {
    await apply(ada, ["RemoveRecord", "Goods", 3]);
    const removal = await newest();
    await apply(ada, ["AddRecord", "Goods", 3, { Name: "Other" }]);
    await page.goto(`/docs/${doc}/history/${removal}`);
    await page.getByRole("button", { name: "Restore row" }).first().click();
    await expectPoll(() => dialog().locator("li").allInnerTexts()).toEqual([
      "There is nothing to restore.",
      "1 row was deleted, and a row with the same id was added or restored. It stays as it is.",
    ]);
    await dialog().getByLabel("Add the deleted row again, with a new id").check();
    await expectPoll(() => dialog().locator("li").allInnerTexts()).toEqual([
      "The deleted row is added again with its former values. References to it are not set again.",
    ]);
    await confirm();
    await page.locator(".toast").waitFor();
    const names = async () => (await records("Goods")).map(({ id, fields }) => `${id} ${String(fields["Name"])}`);
    expect(await names()).toEqual(["1 Good 1", "2 Good 2", "3 Other", "4 Good 3"]);
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await expectPoll(names).toEqual(["1 Good 1", "2 Good 2", "3 Other"]);
    expect(ada.problems).toEqual([]);
  });

  test("reads why a column cannot be restored", async () => {
    await apply(ada, ["BulkUpdateRecord", "Goods", [1, 2, 3], { Price: [0, 0, 0] }]);
    const fill = await newest();
    await apply(ada, ["ModifyColumn", "Goods", "Price", { type: "Text" }]);
    await page.goto(`/docs/${doc}/history/${fill}`);
    await page.getByRole("button", { name: "Restore column Price" }).click();
    await expectPoll(() => dialog().locator("li").allInnerTexts()).toEqual([
      "There is nothing to restore.",
      "The type of 1 column was changed, and its former values do not fit any more. Undo that change first.",
    ]);
  });

  test("compares two states, and restores a cell", async () => {
    const left = await newest();
    await apply(ada, ["UpdateRecord", "Goods", 1, { Price: 11, Name: "Best" }], ["RemoveRecord", "Goods", 3]);
    await apply(
      ada,
      ["AddRecord", "Goods", 4, { Name: "New" }],
      ["ModifyColumn", "Goods", "Price", { label: "Cost", colId: "Cost" }],
      ["AddVisibleColumn", "Orders", "Count", { type: "Int" }],
    );
    await page.goto(`/docs/${doc}/history`);
    await page.getByText("Compare two states").click();
    await page.getByLabel("Compare", { exact: true }).selectOption(String(left));
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(new RegExp(`history/${left}\\?with=now$`));
    await expectPoll(() => page.locator("#history > .sentences li").allInnerTexts()).toEqual([
      "Renamed column Price of Goods to Cost",
      "Added column Count to Orders",
    ]);
    await expectPoll(() => page.locator("thead th").allInnerTexts()).toEqual([
      "Row",
      "Column",
      `State ${left}`,
      "Now",
      "Restore",
    ]);
    const rows = page.locator("#history tbody");
    await expectPoll(() => rows.locator(".kind").allInnerTexts()).toEqual(["changed", "deleted", "added"]);
    await expectPoll(() => rows.nth(0).locator("td.before bdi").allInnerTexts()).toEqual(["Good 1", "1"]);
    await expectPoll(() => rows.nth(0).locator("td.after bdi").allInnerTexts()).toEqual(["Best", "11"]);
    await page.getByRole("button", { name: "Restore Cost of Best" }).click();
    await confirm();
    await page.locator(".toast").waitFor();
    await expectPoll(() => rows.nth(0).locator("td.before bdi").allInnerTexts()).toEqual(["Good 1"]);
    expect((await records("Goods"))[0]?.fields).toMatchObject({ Cost: 1, Name: "Best" });
    // Two changes, the newer one first: the page puts them in order.
    await page.getByLabel("Compare", { exact: true }).selectOption(String(left + 3));
    await page.getByLabel("with", { exact: true }).selectOption(String(left + 1));
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(new RegExp(`history/${left + 1}\\?with=${left + 3}$`));
    await expectPoll(() => rows.locator(".kind").allInnerTexts()).toEqual(["changed", "added"]);
    expect(ada.problems).toEqual([]);
  });

  test("reads large differences in pages", async () => {
    const left = await newest();
    await apply(ada, [
      "BulkAddRecord",
      "Goods",
      Array.from({ length: 250 }, () => null),
      { Price: Array.from({ length: 250 }, (_, n) => n + 1) },
    ]);
    await page.goto(`/docs/${doc}/history/${left}?with=now`);
    const count = () => page.locator("#history tbody").count();
    await expectPoll(count).toBe(20);
    await page.getByRole("link", { name: "Show more" }).click();
    await expectPoll(count).toBe(100);
    await page.getByRole("link", { name: "Next rows" }).click();
    await page.getByRole("link", { name: "Next rows" }).click();
    await expectPoll(count).toBe(50);
    await expectPoll(() => page.locator("td.after bdi").first().innerText()).toBe("201");
    await page.getByRole("link", { name: "Previous rows" }).click();
    await expectPoll(count).toBe(100);
    expect(ada.problems).toEqual([]);
  });

  test("viewers compare without restoring; hidden parts stay hidden", async () => {
    const left = await newest();
    await apply(ada, ["UpdateRecord", "Goods", 1, { Price: 11, Name: HOSTILE_NAME }]);
    await using cleo = await invite(doc, "viewers");
    await cleo.page.goto(`/docs/${doc}/history/${left}?with=now`);
    await cleo.page.locator("#history td").getByText("11", { exact: true }).first().waitFor();
    expect(await cleo.page.getByRole("button", { name: /Restore/ }).count()).toBe(0);
    await expectHarmless(cleo.page);
    expect(await cleo.page.locator("main").innerText()).not.toContain("Ada");
    await cleo.page.goto(`/docs/${doc}/history`);
    expect(await cleo.page.getByLabel("Person").count()).toBe(0);
    await apply(
      ada,
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Goods", colIds: "Price" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-R" },
      ],
    );
    for (const path of ["", `/${left}`, `/${left}?with=now`, "?table=Goods"]) {
      await cleo.page.goto(`/docs/${doc}/history${path}`);
      await expectPoll(() => cleo.page.locator("h1").textContent()).toBe("Access denied");
    }
  });
});
