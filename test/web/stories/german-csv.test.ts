/** A person imports a CSV file of a German program, and evaluates it. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "../browser.ts";
import { call, listed, records } from "../calls.ts";
import { button, dialog, press } from "../controls.ts";
import { workspace } from "../home-page.ts";
import { importWindow } from "../import-window.ts";
import { eachStory } from "../scene.ts";
import { cell, expectRows } from "../table-page.ts";
import { chooseTotal, DESKTOP, groupTotals, lines, totalOf, undo } from "./table-lines.ts";

const CSV = [
  "Konto;Händler;Tag;Betrag;Stück;Bezahlt",
  "00421;Bäckerei Müller;31.12.2025;1.234,50 €;12;WAHR",
  "00422;Getränke Öz & Söhne;02.01.2026;89,90 €;3;FALSCH",
  "00423;Straßenfest „Groß“;15.01.2026;240,00 €;7;FALSCH",
  "00424;Bäckerei Müller;09.02.2026;-15,25 €;1;WAHR",
  "",
].join("\r\n");

/** The bytes of a text in Windows-1252, where quotation marks and € are not those of Latin-1. */
const inWindows1252 = (text: string): Buffer =>
  Buffer.from(text.replaceAll("€", "\u0080").replaceAll("„", "\u0084").replaceAll("“", "\u0093"), "latin1");

const DAY = (text: string): number => Date.parse(text) / 1000;

describe.skipIf(!CHROMIUM)(inBrowser("a person with a German CSV file"), () => {
  let ada: Visit;
  let page: Page;
  eachStory(async (story) => {
    ({ ada, page } = story);
    await page.setViewportSize(DESKTOP);
  });

  async function importFile(buffer: Buffer): Promise<string> {
    await page.goto("/");
    const chosen = page.waitForEvent("filechooser");
    await button(workspace(page, "Home"), "Import a file").click();
    await (await chosen).setFiles({ name: "Umsätze 2026.csv", mimeType: "text/csv", buffer });
    await button(importWindow(page), "Import 4 rows").click();
    await page.waitForURL(/\/docs\//);
    await page.locator(".grid").waitFor();
    return (await listed(ada))[0]?.docs[0]?.uuid ?? "";
  }

  // Amounts and their currency are joined by a no-break space.
  const ROWS = [
    "00421|Bäckerei Müller|31.12.2025|1.234,50\u00A0€|12|Yes",
    "00422|Getränke Öz & Söhne|02.01.2026|89,90\u00A0€|3|No",
    "00423|Straßenfest „Groß“|15.01.2026|240,00\u00A0€|7|No",
    "00424|Bäckerei Müller|09.02.2026|-15,25\u00A0€|1|Yes",
  ];

  test.each([
    { encoding: "UTF-8", bytes: () => Buffer.from(CSV) },
    { encoding: "UTF-8 with a byte order mark", bytes: () => Buffer.from(`\uFEFF${CSV}`) },
    { encoding: "Windows-1252", bytes: () => inWindows1252(CSV) },
  ])("in $encoding sees its texts, dates and amounts as in the file", async ({ bytes }) => {
    const doc = await importFile(bytes());
    await expectRows(page, ROWS);
    const { tables } = await call<{ tables: { id: string }[] }>(ada, "GET", `/api/docs/${doc}/tables`);
    const table = tables[0]?.id ?? "";
    expect((await records(ada, doc, table))[0]?.fields).toEqual({
      Konto: "00421",
      Handler: "Bäckerei Müller",
      Tag: DAY("2025-12-31"),
      Betrag: 1234.5,
      Stuck: 12,
      Bezahlt: true,
    });
    expect(ada.problems).toEqual([]);
  });

  test("enters German numbers and dates, groups by month, totals, and undoes", async () => {
    const doc = await importFile(inWindows1252(CSV));
    const { tables } = await call<{ tables: { id: string }[] }>(ada, "GET", `/api/docs/${doc}/tables`);
    const stored = async () => (await records(ada, doc, tables[0]?.id ?? "")).map(({ fields }) => fields);
    await cell(page, 4, 3).click();
    await page.keyboard.type("28.2.2026");
    await press(page, "Tab");
    await page.keyboard.type("1.015,5");
    await press(page, "Enter");
    await expectRows(page, [...ROWS.slice(0, 3), "00424|Bäckerei Müller|28.02.2026|1.015,50\u00A0€|1|Yes"]);
    await expectPoll(async () => (await stored())[3]).toMatchObject({ Tag: DAY("2026-02-28"), Betrag: 1015.5 });

    await button(page, "Group").click();
    await dialog(page).getByLabel("Group by").selectOption({ label: "Tag" });
    await dialog(page).getByLabel("Period of Tag").selectOption({ label: "Month" });
    await press(page, "Escape");
    await chooseTotal(page, "Betrag", "Sum");
    await expectPoll(async () => (await lines(page)).filter((line) => line.startsWith("Tag "))).toEqual([
      "Tag December 2025 1 row",
      "Tag January 2026 2 rows",
      "Tag February 2026 1 row",
    ]);
    await expectPoll(() => groupTotals(page)).toEqual(["1.234,50\u00A0€", "329,90\u00A0€", "1.015,50\u00A0€"]);
    await expectPoll(() => totalOf(page, "Betrag")).toBe("Betrag: Sum 2.579,90\u00A0€");
    await page.reload();
    await expectPoll(() => groupTotals(page)).toEqual(["1.234,50\u00A0€", "329,90\u00A0€", "1.015,50\u00A0€"]);

    await page.goBack();
    await expectPoll(() => page.locator(".grid .total .value").count()).toBe(0);
    await page.goForward();
    await expectPoll(() => totalOf(page, "Betrag")).toBe("Betrag: Sum 2.579,90\u00A0€");
    expect(ada.problems).toEqual([]);
  });

  test("filters by a German number and a German date, and undoes a cleared cell", async () => {
    await importFile(Buffer.from(CSV));
    await button(page, "Filter").click();
    const builder = dialog(page);
    await builder.getByLabel("Column", { exact: true }).selectOption({ label: "Betrag" });
    await builder.getByLabel("Operator").selectOption({ label: "≥" });
    await builder.getByLabel("Value").fill("89,9");
    await expectRows(page, ROWS.slice(0, 3));
    await press(page, "Escape");
    await page.locator("#sheet-view .view-chip", { hasText: "Betrag ≥ 89,90\u00A0€" }).waitFor();
    await cell(page, 2, 2).click();
    await press(page, "Delete");
    await expectRows(page, [ROWS[0] ?? "", "00422||02.01.2026|89,90\u00A0€|3|No", ROWS[2] ?? ""]);
    await undo(page);
    await expectRows(page, ROWS.slice(0, 3));
    expect(ada.problems).toEqual([]);
  });
});
