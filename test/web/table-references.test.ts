/** References in the column panel: matching texts, adding missing rows, and the other direction. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, item } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory } from "./scene.ts";
import { expectRows, openTable } from "./table-page.ts";

type Fields = Record<string, unknown>;

describe.skipIf(!CHROMIUM)(inBrowser("references in the column panel"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let panel: Locator;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    panel = page.locator(".panel");
    const text = (id: string) => ({ id, fields: { type: "Text" } });
    const customers = { id: "Customers", columns: [text("Name"), text("Code")] };
    await makeTable(ada, doc, { ...customers, rows: [{ Name: "Anna Kern", Code: "AK" }] });
    const rows = ["AK", "BO", "CD", "BO", ""].map((Customer) => ({ Customer }));
    await makeTable(ada, doc, { id: "Orders", columns: [text("Customer")], rows });
    await openTable(page, doc, "Orders");
  });

  const openPanel = async (column: string) => {
    await button(page, `Menu of ${column}`).click();
    await item(page, "Edit column…").click();
    await panel.waitFor();
  };
  const toReference = async () => {
    await openPanel("Customer");
    await panel.getByRole("combobox", { name: "Type" }).selectOption("Ref");
    await panel.getByRole("combobox", { name: "Table" }).selectOption({ label: "Customers" });
    await panel.getByLabel("Shows").locator("option", { hasText: "Code" }).waitFor({ state: "attached" });
  };
  const apply = async (name = "Apply") => {
    await button(panel, name).click();
    await panel.waitFor({ state: "detached" });
  };
  const columnsOf = async (table: string): Promise<{ id: string; fields: Fields }[]> =>
    (await call<{ columns: { id: string; fields: Fields }[] }>(ada, "GET", `/api/docs/${doc}/tables/${table}/columns`))
      .columns;
  const values = async (table: string, column: string): Promise<unknown[]> =>
    (await records(ada, doc, table)).map(({ fields }) => fields[column]);
  const undo = () => page.locator(".toast").getByRole("button", { name: "Undo" }).click();

  test("texts are matched by another column than the shown one, and missing rows added, as one change", async () => {
    const [column] = await columnsOf("Orders");
    await toReference();
    await panel.getByText("None of the 4 cells convert.").waitFor();
    await panel.getByLabel("Match by").selectOption({ label: "Code" });
    await panel.getByText("1 of 4 cells convert.").waitFor();
    await panel.getByLabel("Add 2 missing rows to Customers").check();
    await panel.getByText("All 4 cells convert.").waitFor();
    expect(await violations(page)).toEqual([]);
    await apply();
    await expectPoll(() => values("Orders", "Customer")).toEqual([1, 2, 3, 2, 0]);
    expect(await values("Customers", "Code")).toEqual(["AK", "BO", "CD"]);
    // They show names, which only the first row has.
    await expectRows(page, ["Anna Kern", "", "", "", ""]);
    await undo();
    await expectRows(page, ["AK", "BO", "CD", "BO", ""]);
    await expectPoll(() => values("Customers", "Code")).toEqual(["AK"]);
    expect((await columnsOf("Orders"))[0]).toEqual(column as typeof column & object);
    expect(ada.problems).toEqual([]);
  });

  test("the other direction is added with the type, as one change; the link is shown and removed", async () => {
    await toReference();
    await panel.getByLabel("Match by").selectOption({ label: "Code" });
    await panel.getByLabel("Also show these rows in Customers").check();
    await expectPoll(() => panel.getByLabel("Name of the column there").inputValue()).toBe("Orders");
    await panel.getByLabel("Name of the column there").fill(HOSTILE_NAME);
    await panel.getByText("1 of 4 cells convert.").waitFor();
    await apply();
    await expectPoll(async () => (await columnsOf("Customers")).at(-1)?.fields).toMatchObject({
      label: HOSTILE_NAME,
      type: "RefList:Orders",
    });
    const id = (await columnsOf("Customers")).at(-1)?.id ?? "";
    expect(await values("Customers", id)).toEqual([["L", 1]]);
    await openPanel("Customer");
    await panel.getByText(/^Customers shows these rows in/).waitFor();
    expect(await panel.getByRole("link", { name: HOSTILE_NAME }).getAttribute("href")).toBe(
      `/docs/${doc}/tables/Customers`,
    );
    expect(await violations(page)).toEqual([]);
    await button(panel, "Stop showing").click();
    await expectPoll(() => page.evaluate("document.activeElement.type")).toBe("checkbox");
    await apply("Save");
    await expectPoll(async () => (await columnsOf("Orders"))[0]?.fields["reverseCol"]).toBe(0);
    expect((await columnsOf("Customers")).at(-1)?.id).toBe(id);
    await undo();
    await expectPoll(async () => Number((await columnsOf("Orders"))[0]?.fields["reverseCol"]) > 0).toBe(true);
    // Undo of the first change removes the other column.
    await button(page, "Undo").click();
    await expectRows(page, ["AK", "BO", "CD", "BO", ""]);
    await expectPoll(async () => (await columnsOf("Customers")).map((each) => each.id)).toEqual(["Name", "Code"]);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("an existing reference gets another direction, also when the column is renamed", async () => {
    await toReference();
    await panel.getByLabel("Match by").selectOption({ label: "Code" });
    await panel.getByText("1 of 4 cells convert.").waitFor();
    await apply();
    await expectRows(page, ["Anna Kern", "BO", "CD", "BO", ""]);
    await openPanel("Customer");
    await panel.getByLabel("Name", { exact: true }).fill("Buyer");
    await panel.getByLabel("Also show these rows in Customers").check();
    await apply("Save");
    await expectPoll(async () => (await columnsOf("Customers")).at(-1)?.id).toBe("Orders");
    expect((await columnsOf("Orders"))[0]?.fields["label"]).toBe("Buyer");
    await undo();
    await expectPoll(async () => (await columnsOf("Customers")).length).toBe(2);
    expect(ada.problems).toEqual([]);
  });

  test("choices are collected from texts, items of lists one by one", async () => {
    await openPanel("Customer");
    await panel.getByRole("combobox", { name: "Type" }).selectOption("ChoiceList");
    await panel.getByLabel("Choice", { exact: true }).nth(2).waitFor();
    await panel.getByText("All 4 cells convert.").waitFor();
    await apply();
    const [column] = await columnsOf("Orders");
    expect(JSON.parse(String(column?.fields["widgetOptions"]))).toMatchObject({ choices: ["BO", "AK", "CD"] });
    await expectPoll(() => page.locator(".grid .pill.unlisted").count()).toBe(0);
    await undo();
    await expectRows(page, ["AK", "BO", "CD", "BO", ""]);
    expect(ada.problems).toEqual([]);
  });
});
