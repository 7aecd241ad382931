/** Importing a file as a new document: its preview, progress, Cancel and failures. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, listed } from "./calls.ts";
import { button, dialog, press, problem, shownText } from "./controls.ts";
import { choose, drop, toast } from "./home-page.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { columnLines, importWindow, result } from "./import-window.ts";
import { eachStory, type Story } from "./scene.ts";
import { expectRows } from "./table-page.ts";

let ada: Visit;
let page: Page;
let site: Story["site"];

const documents = async () => (await listed(ada)).flatMap(({ docs }) => docs.map(({ name }) => name));

/** Files that the server keeps for imports. */
const kept = (): string[] => {
  const folder = join(site.folder, "tmp");
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe.skipIf(!CHROMIUM)(inBrowser("a person who imports a file at home"), () => {
  eachStory((story) => {
    ({ ada, page, site } = story);
  });

  test("sees German numbers and dates in words, and opens the document", async () => {
    await page.goto("/");
    await drop(page, "Home", { "Umsatz.csv": "Tag;Betrag\n02.03.2026;1.234,50 €\n05.03.2026;89,90 €\n" });
    await expectPoll(() => columnLines(page)).toEqual([
      "Tag | 02.03.2026 | Date, day first | All cells fit",
      "Betrag | 1.234,50\u00A0€ | Currency, decimal comma | All cells fit",
    ]);
    await expectPoll(() => result(page).textContent()).toBe("2 rows");
    await expectAccessible(page);
    await importWindow(page).getByLabel("Import Tag").uncheck();
    await button(importWindow(page), "Import 2 rows").click();
    await page.waitForURL(/\/docs\//);
    await expectRows(page, ["1.234,50\u00A0€", "89,90\u00A0€"]);
    expect(ada.problems).toEqual([]);
  });

  test("names the column whose dates can be read in two ways", async () => {
    await page.goto("/");
    await drop(page, "Home", { "Days.csv": "Day\n03/04/2026\n05/04/2026\n" });
    await expectPoll(() => columnLines(page)).toEqual([
      "Day | 03/04/2026 | Date, month first Day or month could come first; your language decided. | All cells fit",
    ]);
    await importWindow(page).getByLabel("Dates").selectOption({ label: "Day first" });
    await expectPoll(() => columnLines(page)).toEqual(["Day | 03/04/2026 | Date, day first | All cells fit"]);
    await button(importWindow(page), "Cancel").click();
    await expectPoll(() => dialog(page).count()).toBe(0);
    await expectPoll(kept).toEqual([]);
    expect(await documents()).toEqual([]);
    expect(ada.problems).toEqual([]);
  });

  test("cancels an upload, and an import, and finds nothing of them", async () => {
    await page.goto("/");
    const rows = "x,1\n".repeat(400_000);
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
    await session.send("Network.emulateNetworkConditions", slow);
    await drop(page, "Home", { "Large.csv": `Name,Size\n${rows}` });
    await shownText(importWindow(page), /(Uploading|Reading) Large\.csv/).waitFor();
    await button(importWindow(page), "Cancel").click();
    await toast(page).getByText("Import cancelled. Nothing was added.").waitFor();
    await session.send("Network.emulateNetworkConditions", { ...slow, uploadThroughput: -1 });
    await expectPoll(kept).toEqual([]);

    await drop(page, "Home", { "Large.csv": `Name,Size\n${rows}` });
    await expectPoll(() => result(page).textContent()).toBe("400,000 rows");
    await button(importWindow(page), "Import 400,000 rows").click();
    await shownText(importWindow(page), /Importing Large\.csv/).waitFor();
    // Escape asks first, and then stops the import.
    await press(page, "Escape");
    await dialog(page).last().getByText("Cancel the import?").waitFor();
    await button(dialog(page).last(), "Cancel import").click();
    await expectPoll(() => dialog(page).count()).toBe(0);
    await expectPoll(kept).toEqual([]);
    expect(await documents()).toEqual([]);
    expect(ada.problems).toEqual([]);
  });

  test("reads why an address or a file is refused", async () => {
    await page.goto("/");
    await choose(page, "the workspace Home", "Import from an address…");
    await importWindow(page).getByLabel("From an address").fill("https://127.0.0.1/people.csv");
    await press(page, "Enter");
    await expectPoll(() => problem(importWindow(page)).textContent()).toContain("address");
    await press(page, "Escape");
    await drop(page, "Home", { [`${HOSTILE_NAME}.bin`]: "\u0000\u0001" });
    await expectPoll(() => problem(importWindow(page)).textContent()).toContain(
      "Save it as CSV, TSV, XLSX, JSON or NDJSON",
    );
    await expectHarmless(page);
    await press(page, "Escape");
    await expectPoll(() => dialog(page).count()).toBe(0);
    expect(await call<unknown[]>(ada, "GET", "/api/orgs")).not.toEqual([]);
    expect(ada.problems).toEqual([]);
  });
});
