/** The ways to the import window on the page of a table, and out of it: by roles, by keyboard, and by Cancel. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, dialog, item, press, shownText } from "./controls.ts";
import { chooseFile, columnLines, dropFile, importWindow, result, textFile } from "./import-window.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, expectRows, openTable, pasteText } from "./table-page.ts";

const PEOPLE = {
  id: "People",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    { id: "Score", fields: { type: "Numeric" } },
  ],
  rows: [{ Name: "Anna", Score: 1 }],
};

const CSV = "Name,Score\nBo,2\nCleo,3\n";

let ada: Visit;
let page: Page;
let doc: string;
let invite: Story["invite"];

const toasts = () => page.locator("#toasts");

describe.skipIf(!CHROMIUM)(inBrowser("the import window of a table"), () => {
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, PEOPLE);
    await call(ada, "DELETE", `/api/docs/${doc}/tables/Table1`).catch(() => {});
  });

  test("opens for a dropped file, and adds its rows to the table", async () => {
    await openTable(page, doc, "People");
    await dropFile(page, ".grid", "more.csv", CSV);
    await expectPoll(() => result(page).textContent()).toBe("2 new");
    expect(await columnLines(page)).toEqual([
      "Name | Bo | Name | Text | All cells fit",
      "Score | 2 | Score | Number | All cells fit",
    ]);
    await button(importWindow(page), "Import 2 rows").click();
    await expectRows(page, ["Anna|1", "Bo|2", "Cleo|3"]);
    await expectPoll(() => dialog(page).count()).toBe(0);
    // The focus returns to the table, where Undo reverts the import.
    await press(page, "Control+z");
    await expectRows(page, ["Anna|1"]);
    await press(page, "Control+y");
    await expectRows(page, ["Anna|1", "Bo|2", "Cleo|3"]);
    expect(ada.problems).toEqual([]);
  });

  test("takes a pasted text, and a large one pasted into the table", async () => {
    await openTable(page, doc, "People");
    await button(page.locator("#sidebar"), "Import a file").click({ force: true });
    await importWindow(page).waitFor();
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "Town\\tSize\\nOslo\\t3\\n");
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    })()`);
    await importWindow(page).getByText("Pasted rows.tsv").first().waitFor();
    await expectPoll(() => result(page).textContent()).toBe("1 row");
    await press(page, "Escape");
    await expectPoll(() => dialog(page).count()).toBe(0);
    await cell(page, 1, 1).click();
    await pasteText(page, `Name\tScore\n${`${"x".repeat(90)}\t7\n`.repeat(46_000)}`);
    await expectPoll(() => result(page).textContent()).toBe("46,000 new");
    expect(ada.problems).toEqual([]);
  });

  test("opens from an empty table and a document without tables", async () => {
    await call(ada, "POST", `/api/docs/${doc}/apply`, [["BulkRemoveRecord", "People", [1]]]);
    await openTable(page, doc, "People");
    await button(page.locator("#grid-host"), "Import a file").click();
    await chooseFile(page, textFile("people.csv", CSV));
    await button(importWindow(page), "Import 2 rows").click();
    await expectRows(page, ["Bo|2", "Cleo|3"]);
    await expectPoll(() => dialog(page).count()).toBe(0);
    await page.goto("/");
    await call(ada, "POST", `/api/docs/${doc}/apply`, [["RemoveTable", "People"]]);
    await page.goto(`/docs/${doc}`);
    await button(page.locator("#sheet"), "Import a file").click();
    await chooseFile(page, textFile("people.csv", CSV));
    await button(importWindow(page), "Import 2 rows").click();
    await page.waitForURL(`**/docs/${doc}/tables/People`);
    await expectRows(page, ["Bo|2", "Cleo|3"]);
    expect(ada.problems).toEqual([]);
  });

  test("is usable by keyboard, and returns the focus", async () => {
    await openTable(page, doc, "People");
    await button(page.locator("#toolbar"), "Menu of table People").focus();
    await press(page, "Enter");
    await item(page, "Import a file…").focus();
    await press(page, "Enter");
    await expectPoll(() => page.evaluate<string>("document.activeElement.textContent")).toBe("Choose a file");
    await expectAccessible(page);
    await press(page, "Tab");
    await page.keyboard.type("ftp://example.org/x.csv");
    await press(page, "Enter");
    await importWindow(page).getByText("Enter an address that begins with https://").waitFor();
    await chooseFile(page, textFile("people.csv", CSV));
    await result(page).getByText("2 new").waitFor();
    await expectAccessible(page);
    await expectPoll(() => page.locator("#live-region").textContent()).toContain("2 new");
    await page.getByLabel("Add all rows of the file as new rows").focus();
    await press(page, "ArrowDown", "Tab", "Space");
    await result(page).getByText("2 new").waitFor();
    await expectPoll(() => button(importWindow(page), "Import 2 rows").getAttribute("aria-disabled")).toBe("false");
    // Choices would be lost.
    await press(page, "Escape");
    await dialog(page).getByText("Close without importing?").waitFor();
    await press(page, "Escape");
    await expectPoll(() => dialog(page).count()).toBe(1);
    await press(page, "Escape");
    await dialog(page).getByText("Close without importing?").waitFor();
    await button(dialog(page).last(), "Close").last().click();
    await expectPoll(() => dialog(page).count()).toBe(0);
    await expectPoll(() => page.evaluate<boolean>("document.activeElement === document.body")).toBe(false);
    expect(await records(ada, doc, "People")).toHaveLength(1);
    expect(ada.problems).toEqual([]);
  });

  test("is not there for viewers", async () => {
    await using ben = await invite(doc, "viewers");
    await openTable(ben.page, doc, "People");
    expect(await ben.page.getByRole("button", { name: "Import a file" }).count()).toBe(0);
    await dropFile(ben.page, ".grid", "more.csv", CSV);
    expect(await dialog(ben.page).count()).toBe(0);
    expect(ben.problems).toEqual([]);
  });

  test("has only existing tables for editors who may not change tables", async () => {
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "*", colIds: "*" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-S" },
      ],
    ]);
    await using ben = await invite(doc, "editors");
    await openTable(ben.page, doc, "People");
    expect(await button(ben.page.locator("#sidebar"), "Import a file").count()).toBe(0);
    await dropFile(ben.page, ".grid", "more.csv", "Name,Other\nBo,2\n");
    await expectPoll(() => result(ben.page).textContent()).toBe("1 new");
    const goals = importWindow(ben.page).getByLabel("Import into");
    expect(await goals.locator("option").allTextContents()).toEqual(["Existing table “People”"]);
    const options = importWindow(ben.page).getByLabel("Column for Other").locator("option");
    expect(await options.allTextContents()).toEqual(["Leave out", "Name", "Score"]);
    await button(importWindow(ben.page), "Import 1 row").click();
    await expectRows(ben.page, ["Anna|1", "Bo|0"]);
    expect(ben.problems).toEqual([]);
  });

  test("ends an upload by Cancel, and leaves nothing", async () => {
    await openTable(page, doc, "People");
    let hold: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (hold = resolve));
    await page.route("**/uploads", async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    await dropFile(page, ".grid", "slow.csv", CSV);
    await importWindow(page).getByText("slow.csv").first().waitFor();
    await expectAccessible(page);
    await button(importWindow(page), "Cancel").click();
    await shownText(toasts(), "Import cancelled. Nothing was added.").waitFor();
    expect(await dialog(page).count()).toBe(0);
    hold?.();
    await page.unroute("**/uploads");
    expect(await records(ada, doc, "People")).toHaveLength(1);
    expect(ada.problems).toEqual([]);
  });

  test("keeps its input when the server is away, and tries again", async () => {
    await openTable(page, doc, "People");
    await page.route("**/import?**", (route) =>
      route.request().url().includes("dryRun") ? route.continue() : route.abort("connectionrefused"),
    );
    await dropFile(page, ".grid", "more.csv", CSV);
    await button(importWindow(page), "Import 2 rows").click();
    await shownText(importWindow(page), "The server does not respond.").waitFor();
    await page.unroute("**/import?**");
    await button(importWindow(page), "Try again").click();
    await expectRows(page, ["Anna|1", "Bo|2", "Cleo|3"]);
    expect(ada.problems.every((problem) => problem.includes("ERR_CONNECTION_REFUSED"))).toBe(true);
  });

  test("imports while another window changes the table", async () => {
    await openTable(page, doc, "People");
    const other = await ada.context.newPage();
    await openTable(other, doc, "People");
    await dropFile(page, ".grid", "more.csv", "Name,Score\nAnna,5\n");
    await page.getByLabel("Update rows with the same …").check();
    await importWindow(page).getByRole("group", { name: "Same values in" }).getByLabel("Name").check();
    await expectPoll(() => result(page).textContent()).toBe("1 updated");
    await call(ada, "POST", `/api/docs/${doc}/apply`, [["UpdateRecord", "People", 1, { Name: "Anna K." }]]);
    await expectRows(other, ["Anna K.|1"]);
    // What counts is the table at the time of the import.
    await button(importWindow(page), "Import 1 row").click();
    await expectRows(other, ["Anna K.|1", "Anna|5"]);
    await expectRows(page, ["Anna K.|1", "Anna|5"]);
    await other.close();
    expect(ada.problems).toEqual([]);
  });
});
