/** A person turns a column of texts into dates, evaluates it by month, and takes that back. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "../browser.ts";
import { makeDocument, makeTable, records } from "../calls.ts";
import { button, dialog, press } from "../controls.ts";
import { eachStory } from "../scene.ts";
import { expectRows, openTable } from "../table-page.ts";
import { chooseTotal, DESKTOP, editColumn, groupTotals, lines, totalOf, undo } from "./table-lines.ts";

const VISITS = [
  ["31.12.2025", 3],
  ["02.01.2026", 4],
  ["n/a", 1],
  ["15.01.2026", 6],
  ["tomorrow?", 2],
  ["", 5],
] as const;
const ROWS = VISITS.map(([day, guests]) => `${day}|${guests}`);
const BY_MONTH = ["Day December 2025 1 row", "31.12.2025|3", "Day January 2026 2 rows", "02.01.2026|4", "15.01.2026|6"];

describe.skipIf(!CHROMIUM)(inBrowser("a person who retypes a column"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    await page.setViewportSize(DESKTOP);
    doc = await makeDocument(ada, "Visits");
    const columns = [
      { id: "Day", fields: { type: "Text" } },
      { id: "Guests", fields: { type: "Int" } },
    ];
    await makeTable(ada, doc, { id: "Visits", columns, rows: VISITS.map(([Day, Guests]) => ({ Day, Guests })) });
    await openTable(page, doc, "Visits");
    await expectRows(page, ROWS);
  });

  const days = async () => (await records(ada, doc, "Visits")).map(({ fields }) => fields["Day"]);
  const preview = (panel: Locator, text: string) => panel.locator(".type-preview").getByText(text).waitFor();

  async function retype(): Promise<void> {
    const panel = await editColumn(page, "Day");
    await panel.getByRole("combobox", { name: "Type", exact: true }).selectOption({ label: "Date" });
    await preview(panel, "3 of 5 cells convert.");
    await preview(panel, "“n/a” (1), “tomorrow?” (1)");
    expect(await days()).toEqual(VISITS.map(([day]) => day));
    await button(panel, "Apply").click();
    await panel.waitFor({ state: "detached" });
    await page.locator(".toast").getByText("3 of 5 cells converted.").waitFor();
  }

  test("sees which cells convert, groups by month, totals, corrects one, and undoes all of it", async () => {
    await retype();
    const date = (text: string) => Date.parse(text) / 1000;
    const converted = [date("2025-12-31"), date("2026-01-02"), "n/a", date("2026-01-15"), "tomorrow?", null];
    expect(await days()).toEqual(converted);
    await expectRows(page, ROWS);

    await button(page, "Group").click();
    await dialog(page).getByLabel("Group by").selectOption({ label: "Day" });
    await dialog(page).getByLabel("Period of Day").selectOption({ label: "Month" });
    await press(page, "Escape");
    await chooseTotal(page, "Guests", "Sum");
    await expectPoll(async () => (await lines(page)).slice(0, 5)).toEqual(BY_MONTH);
    // Texts that are no dates are groups of their own, and no value gets lost.
    await expectPoll(async () => (await lines(page)).slice(5).toSorted()).toEqual(
      ["Day (empty) 1 row", "Day n/a 1 row", "Day tomorrow? 1 row", "n/a|1", "tomorrow?|2", "|5"].toSorted(),
    );
    await expectPoll(async () => (await groupTotals(page)).slice(0, 2)).toEqual(["3", "10"]);
    await expectPoll(() => totalOf(page, "Guests")).toBe("Guests: Sum 21");

    await page.locator(".body .cell").filter({ hasText: "n/a" }).click();
    await page.keyboard.type("16.01.2026");
    await press(page, "Enter");
    await expectPoll(async () => (await lines(page)).filter((line) => line.startsWith("Day January"))).toEqual([
      "Day January 2026 3 rows",
    ]);
    await expectPoll(async () => (await groupTotals(page)).slice(0, 2)).toEqual(["3", "11"]);
    await undo(page);
    await expectPoll(days).toEqual(converted);
    await undo(page);
    await expectPoll(days).toEqual(VISITS.map(([day]) => day));
    await page.getByRole("columnheader", { name: "Day, text" }).waitFor();
    // The period of a column that has no dates any more is not asked for.
    await expectPoll(() => page.locator("#sheet-problem").textContent()).toBe("");
    await button(page, "Remove: Grouped by Day").click();
    await expectRows(page, ROWS);
    expect(ada.problems).toEqual([]);
  });
});
