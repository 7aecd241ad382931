/** Importing a file by its address, and leaving the page of an import. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { button, dialog, press } from "./controls.ts";
import { choose, drop } from "./home-page.ts";
import { columnLines, dropFile, importWindow, result } from "./import-window.ts";
import { eachStory, type Story } from "./scene.ts";
import { expectRows, openTable } from "./table-page.ts";

const files = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => new Response("Item;Price\nBell;12,50\nLock;27,50\n", { headers: { "Content-Type": "text/csv" } }),
});
/** In the format of the file, or of the document. */
const rows = (bell: string, lock: string): string[] => [`Bell|${bell}`, `Lock|${lock}`];

const HOST = `127.0.0.1:${files.port}`;
afterAll(() => files.stop(true));

let ada: Visit;
let page: Page;
let site: Story["site"];

/** Files that the server keeps for imports. */
const kept = (): string[] => {
  const folder = join(site.folder, "tmp");
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe.skipIf(!CHROMIUM)(inBrowser("a person with the address of a file"), () => {
  eachStory(
    (story) => {
      ({ ada, page, site } = story);
    },
    { flags: { "import-allow": HOST } },
  );

  const preview = async () => {
    await importWindow(page).getByLabel("From an address").fill(`http://${HOST}/price%20list.csv`);
    await press(page, "Enter");
    await expectPoll(() => result(page).textContent()).toBe("2 rows");
    expect((await columnLines(page))[1]).toContain("Number, decimal comma");
    expect(kept()).not.toEqual([]);
  };

  test("makes a document of it", async () => {
    await page.goto("/");
    await choose(page, "the workspace Home", "Import from an address…");
    await preview();
    await button(importWindow(page), "Import 2 rows").click();
    await page.waitForURL(/\/docs\//);
    await expectRows(page, rows("12,50", "27,50"));
    expect(kept()).toEqual([]);
    expect(ada.problems).toEqual([]);
  });

  test("adds a table to a document, and takes it back", async () => {
    const doc = await makeDocument(ada);
    await makeTable(ada, doc, { id: "People", columns: [{ id: "Name" }], rows: [{ Name: "Bo" }] });
    await openTable(page, doc, "People");
    await button(page.locator("#sidebar"), "Import a file").click({ force: true });
    await importWindow(page).waitFor();
    await preview();
    await button(importWindow(page), "Import 2 rows").click();
    await expectRows(page, rows("12.50", "27.50"));
    const table = page.locator("#sidebar").getByText(/price.list/i);
    await table.first().waitFor();
    await button(page.locator("#toasts"), "Undo").click();
    await table.first().waitFor({ state: "detached" });
    expect(ada.problems).toEqual([]);
  });

  test("leaves no file behind by leaving the page with a preview", async () => {
    await page.goto("/");
    await drop(page, "Home", { "Stock.csv": "Item,Price\nBell,1\n" });
    await expectPoll(() => result(page).textContent()).toBe("1 row");
    expect(kept()).not.toEqual([]);
    await page.goto("/help");
    await expectPoll(kept).toEqual([]);
    // Shown again as it was left, or loaded again: there is no preview of a file that is gone.
    await page.goBack();
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    expect(await result(page).count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });

  test("finds no preview in a page that the browser shows again", async () => {
    const doc = await makeDocument(ada);
    await makeTable(ada, doc, { id: "People", columns: [{ id: "Name" }], rows: [{ Name: "Bo" }] });
    await openTable(page, doc, "People");
    await dropFile(page, ".grid", "more.csv", "Name\nCleo\n");
    await expectPoll(() => result(page).textContent()).toBe("1 new");
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))");
    await expectPoll(kept).toEqual([]);
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await importWindow(page).getByLabel("From an address").waitFor();
    await press(page, "Escape");
    await expectPoll(() => dialog(page).count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });
});
