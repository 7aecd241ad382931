/** Cell editors: choices and rows that are added while typing, search of references. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, press } from "./controls.ts";
import { HOSTILE } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

type Fields = Record<string, unknown>;

describe.skipIf(!CHROMIUM)(inBrowser("cell editors"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  let openWindow: Story["openWindow"];
  let email: string;
  eachStory(async (story) => {
    ({ ada, page, invite, openWindow, email } = story);
    doc = await makeDocument(ada);
  });

  const options = (within: Page = page) => within.locator(".editor [role=option]");
  const fieldsOf = async (table: string, column: string): Promise<Fields> => {
    const path = `/api/docs/${doc}/tables/${table}/columns`;
    const { columns } = await call<{ columns: { id: string; fields: Fields }[] }>(ada, "GET", path);
    return columns.find(({ id }) => id === column)?.fields ?? {};
  };
  const widgetOptions = async (table: string, column: string): Promise<Fields> =>
    JSON.parse(String((await fieldsOf(table, column))["widgetOptions"]) || "{}") as Fields;
  const values = async (table: string, column: string): Promise<unknown[]> =>
    (await records(ada, doc, table)).map(({ fields }) => fields[column]);
  const choices = (id: string, type: string, ...all: string[]) => ({
    id,
    fields: { type, widgetOptions: JSON.stringify({ choices: all, alignment: "center" }) },
  });

  describe("of choices", () => {
    test("an unknown text is added to the choices with the next colours, as one change", async () => {
      await makeTable(ada, doc, { id: "One", columns: [choices("Kind", "Choice", "Open", "Done")], rows: [{}, {}] });
      await openTable(page, doc, "One");
      await cell(page, 1, 1).click();
      await page.keyboard.type("op");
      await expectPoll(() => options().allTextContents()).toEqual(["Open", "Add “op”"]);
      await press(page, "Escape");
      await page.keyboard.type("Paused");
      await expectPoll(() => options().allTextContents()).toEqual(["Add “Paused”"]);
      expect(await violations(page)).toEqual([]);
      await press(page, "Enter");
      await expectRows(page, ["Paused", ""]);
      await expectPoll(() => widgetOptions("One", "Kind")).toEqual({
        choices: ["Open", "Done", "Paused"],
        alignment: "center",
        choiceOptions: { Paused: { fillColor: "#cee3ff", textColor: "#0c3f78" } },
      });
      await page.locator(".grid .pill:not(.unlisted)").waitFor();
      // The choice is offered in the next cell.
      await page.keyboard.type("pau");
      await expectPoll(() => options().allTextContents()).toEqual(["Paused", "Add “pau”"]);
      await press(page, "Escape", "Control+z");
      await expectRows(page, ["", ""]);
      await expectPoll(() => widgetOptions("One", "Kind")).toEqual({ choices: ["Open", "Done"], alignment: "center" });
      expect(ada.problems).toEqual([]);
    });

    test("so are several ones of a list, with hostile names; the selection gets them all", async () => {
      const hostile = HOSTILE[0] ?? "";
      await makeTable(ada, doc, { id: "One", columns: [choices("Tags", "ChoiceList", "a")], rows: [{}, {}] });
      await openTable(page, doc, "One");
      await cell(page, 1, 1).click();
      await press(page, "Shift+ArrowDown");
      await page.keyboard.type("new");
      await options().filter({ hasText: "Add “new”" }).waitFor();
      await press(page, "Enter");
      await page.keyboard.insertText(hostile);
      await options().filter({ hasText: "Add" }).waitFor();
      await press(page, "Enter", "Control+Enter");
      await expectPoll(() => values("One", "Tags")).toEqual([
        ["L", "new", hostile.trim()],
        ["L", "new", hostile.trim()],
      ]);
      expect(await widgetOptions("One", "Tags")).toMatchObject({ choices: ["a", "new", hostile.trim()] });
      expect(ada.problems).toEqual([]);
    });

    test("Backspace clears, and chips are moved and removed by keys", async () => {
      const columns = [choices("Kind", "Choice", "Open"), choices("Tags", "ChoiceList", "a", "b", "c")];
      await makeTable(ada, doc, { id: "One", columns, rows: [{ Kind: "Open", Tags: ["L", "a", "b", "c"] }] });
      await openTable(page, doc, "One");
      await cell(page, 1, 1).click();
      await press(page, "Enter", "Control+a", "Backspace", "Enter");
      await expectRows(page, ["|abc"]);
      await cell(page, 1, 2).click();
      await press(page, "Enter", "ArrowLeft", "Alt+Shift+ArrowLeft", "Alt+Shift+ArrowUp");
      await expectPoll(() => page.locator("#live-region").textContent()).toContain("c, 1 of 3");
      await press(page, "ArrowRight", "Delete", "ArrowRight", "Enter");
      await expectRows(page, ["|cb"]);
      await expectPoll(() => values("One", "Tags")).toEqual([["L", "c", "b"]]);
      expect(ada.problems).toEqual([]);
    });

    test("for people who may not change columns it is kept as an unlisted text", async () => {
      await makeTable(ada, doc, { id: "One", columns: [choices("Kind", "Choice", "Open")], rows: [{}] });
      await call(ada, "POST", `/api/docs/${doc}/apply`, [
        ["AddRecord", "_grist_ACLResources", -1, { tableId: "*", colIds: "*" }],
        [
          "AddRecord",
          "_grist_ACLRules",
          null,
          { resource: -1, aclFormula: "user.Access == EDITOR", permissionsText: "-S" },
        ],
      ]);
      const ben = await invite(doc, "editors");
      await openTable(ben.page, doc, "One");
      await cell(ben.page, 1, 1).click();
      await ben.page.keyboard.type("Paused");
      await press(ben.page, "Enter");
      await ben.page.locator(".editor").getByText("“Paused” is not one of the choices of this column.").waitFor();
      expect(await options(ben.page).count()).toBe(0);
      await press(ben.page, "Enter");
      await expectPoll(() => values("One", "Kind")).toEqual(["Paused"]);
      expect(await widgetOptions("One", "Kind")).toMatchObject({ choices: ["Open"] });
      expect(ben.problems).toEqual([]);
    });
  });

  describe("of numbers and dates", () => {
    const days = [
      { id: "Day", fields: { type: "Date", widgetOptions: JSON.stringify({ dateFormat: "DD.MM.YYYY" }) } },
      { id: "Moment", fields: { type: "DateTime:Asia/Tokyo" } },
      { id: "Amount", fields: { type: "Numeric" } },
    ];

    test("a date shows what its text means, and a number refuses a formula", async () => {
      await makeTable(ada, doc, { id: "One", columns: days, rows: [{}] });
      await openTable(page, doc, "One");
      await cell(page, 1, 1).click();
      await page.keyboard.type("31.5.2026");
      await page.locator(".editor").getByText("Sunday, May 31, 2026").waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.type("x");
      await page.locator(".editor .understood").waitFor({ state: "hidden" });
      await press(page, "Backspace", "Tab");
      await page.keyboard.type("2026-05-31 9:30am");
      await page.locator(".editor").getByText("Sunday, May 31, 2026 at 9:30").waitFor();
      await press(page, "Tab");
      await page.keyboard.type("=1+1");
      await press(page, "Enter", "Enter");
      await page.locator(".editor").getByText("Formulas belong to the column.").waitFor();
      await press(page, "Control+a");
      await page.keyboard.type("2");
      await press(page, "Enter");
      await expectPoll(async () => (await records(ada, doc, "One"))[0]?.fields).toEqual({
        Day: Date.UTC(2026, 4, 31) / 1000,
        Moment: Date.UTC(2026, 4, 31, 0, 30) / 1000,
        Amount: 2,
      });
      expect(ada.problems).toEqual([]);
    });

    test("touch screens get the fields of the browser", async () => {
      const Moment = Date.UTC(2026, 4, 31, 0, 30, 12) / 1000;
      await makeTable(ada, doc, { id: "One", columns: days, rows: [{ Moment }] });
      const phone = await openWindow({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
      await phone.signIn(email);
      await openTable(phone.page, doc, "One");
      const open = async (column: number) => {
        await cell(phone.page, 1, column).tap();
        await cell(phone.page, 1, column).tap();
      };
      await open(1);
      await phone.page.locator(".editor input[type=date]").fill("2026-02-01");
      await press(phone.page, "Enter");
      await expectPoll(() => values("One", "Day")).toEqual([Date.UTC(2026, 1, 1) / 1000]);
      await open(2);
      const field = phone.page.locator(".editor input[type=datetime-local]");
      await expectPoll(() => field.inputValue()).toBe("2026-05-31T09:30");
      await press(phone.page, "Enter");
      await field.waitFor({ state: "detached" });
      expect(await values("One", "Moment")).toEqual([Moment]);
      expect(phone.problems).toEqual([]);
    });
  });

  describe("of references", () => {
    const makeReferences = async (type: string, names: readonly string[], rows: readonly Fields[] = [{}]) => {
      await makeTable(ada, doc, { id: "Customers", columns: [{ id: "Name", fields: { type: "Text" } }], rows: [] });
      const column = { id: "Customer", fields: { type: `${type}:Customers` } };
      await makeTable(ada, doc, { id: "Orders", columns: [column], rows: [] });
      if (names.length > 0) {
        await call(ada, "POST", `/api/docs/${doc}/apply`, [
          ["BulkAddRecord", "Customers", names.map(() => null), { Name: names }],
        ]);
      }
      const { colRef } = await fieldsOf("Customers", "Name");
      const { colRef: own } = await fieldsOf("Orders", "Customer");
      await call(ada, "POST", `/api/docs/${doc}/apply`, [
        ["ModifyColumn", "Orders", "Customer", { visibleCol: colRef }],
        ["SetDisplayFormula", "Orders", null, own, "$Customer.Name"],
        ["BulkAddRecord", "Orders", rows.map(() => null), { Customer: rows.map((row) => row["Customer"] ?? null) }],
      ]);
      await openTable(page, doc, "Orders");
      await cell(page, 1, 1).click();
    };

    test("all rows of a large table are searched, by beginning, part, case and accents", async () => {
      const names = Array.from({ length: 20_000 }, (_, at) => `Customer ${String(at).padStart(5, "0")}`);
      names[19_990] = "Zoë Ångström";
      names[19_991] = "Team zoe";
      names[19_992] = "Zoe Berg";
      await makeReferences("Ref", names);
      await page.keyboard.type("zoe");
      await expectPoll(() => options().allTextContents()).toEqual([
        "Zoe Berg",
        "Zoë Ångström",
        "Team zoe",
        "Add “zoe” to Customers",
      ]);
      await press(page, "ArrowDown", "Enter");
      await expectRows(page, ["Zoë Ångström"]);
      await expectPoll(() => values("Orders", "Customer")).toEqual([19_991]);
      await press(page, "ArrowUp");
      // Enter waits for the search.
      await page.keyboard.type("19876");
      await press(page, "Enter");
      await expectPoll(() => values("Orders", "Customer")).toEqual([19_877]);
      expect(ada.problems).toEqual([]);
    });

    test("a row is added with the text and linked, as one change", async () => {
      await makeReferences("Ref", ["Ada K."]);
      await page.keyboard.type("Anna K.");
      await expectPoll(() => options().allTextContents()).toEqual(["Add “Anna K.” to Customers"]);
      expect(await violations(page)).toEqual([]);
      await press(page, "Enter");
      await expectRows(page, ["Anna K."]);
      await expectPoll(() => values("Orders", "Customer")).toEqual([2]);
      expect(await values("Customers", "Name")).toEqual(["Ada K.", "Anna K."]);
      // Until it has the answer, the page asks before it is left.
      await expectPoll(() =>
        page.evaluate<boolean>('dispatchEvent(new Event("beforeunload", { cancelable: true }))'),
      ).toBe(true);
      await page.reload();
      await expectRows(page, ["Anna K."]);
      await button(page, "Undo").click();
      await expectRows(page, [""]);
      await expectPoll(() => values("Customers", "Name")).toEqual(["Ada K."]);
      expect(ada.problems).toEqual([]);
    });

    test("lists take several new rows, and their order changes by keys", async () => {
      await makeReferences("RefList", ["Ada"], [{ Customer: ["L", 1] }]);
      await press(page, "Enter");
      for (const name of ["Ben", "Cleo"]) {
        await page.keyboard.type(name);
        await options()
          .filter({ hasText: `Add “${name}” to Customers` })
          .waitFor();
        await press(page, "Enter");
      }
      await press(page, "ArrowLeft", "Alt+Shift+ArrowLeft", "Alt+Shift+ArrowLeft", "Enter");
      await expectRows(page, ["CleoAdaBen"]);
      await expectPoll(() => values("Orders", "Customer")).toEqual([["L", 3, 1, 2]]);
      expect(await values("Customers", "Name")).toEqual(["Ada", "Ben", "Cleo"]);
      await press(page, "Control+z");
      await expectRows(page, ["Ada"]);
      await expectPoll(() => values("Customers", "Name")).toEqual(["Ada"]);
      expect(ada.problems).toEqual([]);
    });

    test("nothing is offered where a formula makes the text", async () => {
      await makeReferences("Ref", ["Ada"]);
      await call(ada, "POST", `/api/docs/${doc}/apply`, [
        ["ModifyColumn", "Customers", "Name", { isFormula: true, formula: "'Ada'" }],
      ]);
      await page.reload();
      await cell(page, 1, 1).click();
      await page.keyboard.type("Nobody");
      await press(page, "Enter");
      await page.locator(".editor").getByText("No record of Customers matches “Nobody”.").waitFor();
      expect(await options().count()).toBe(0);
      expect(ada.problems).toEqual([]);
    });
  });
});
