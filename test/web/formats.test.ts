/** How cells look: formats with a sample, alignment, kinds of controls. */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, item } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

interface Format {
  readonly type: string;
  readonly value: unknown;
  readonly options?: Record<string, unknown>;
  readonly set: (panel: Locator) => Promise<unknown>;
  readonly sample: string | null;
  readonly stored: Record<string, unknown>;
  readonly shown: string;
}

const select = (label: string, option: string) => (panel: Locator) =>
  panel.getByRole("combobox", { name: label, exact: true }).selectOption({ label: option });

const FORMATS: Readonly<Record<string, Format>> = {
  separator: {
    type: "Numeric",
    value: 98_765.4,
    set: select("Format", "1,000 separator"),
    sample: "1,234.5 · -0.75",
    stored: { numMode: "decimal" },
    shown: "98,765.4",
  },
  currency: {
    type: "Numeric",
    value: 12.5,
    async set(panel) {
      await select("Format", "Currency")(panel);
      await panel.getByRole("combobox", { name: "Currency of the amounts" }).selectOption("GBP");
    },
    sample: "£1,234.50 · -£0.75",
    stored: { numMode: "currency", currency: "GBP" },
    shown: "£12.50",
  },
  "negative amounts": {
    type: "Numeric",
    value: -3,
    async set(panel) {
      await panel.getByLabel("Decimals").fill("2");
      await panel.getByLabel("Negative numbers in parentheses").check();
    },
    sample: "1234.50 · (0.75)",
    stored: { decimals: 2, numSign: "parens" },
    shown: "(3.00)",
  },
  "a currency that is no longer chosen": {
    type: "Numeric",
    value: 0.5,
    options: { numMode: "currency", currency: "EUR" },
    set: select("Format", "Percent"),
    sample: "123,450% · -75%",
    stored: { numMode: "percent" },
    shown: "50%",
  },
  integers: {
    type: "Int",
    value: 1234,
    set: select("Format", "1,000 separator"),
    sample: "1,234 · -12",
    stored: { numMode: "decimal" },
    shown: "1,234",
  },
  dates: {
    type: "Date",
    value: 1_767_225_600,
    set: select("Date format", "D MMM YYYY"),
    sample: "31 Dec 2026",
    stored: { dateFormat: "D MMM YYYY" },
    shown: "1 Jan 2026",
  },
  times: {
    type: "DateTime:UTC",
    value: 1_767_225_600,
    set: select("Time format", "HH:mm"),
    sample: "2026-12-31 14:05",
    stored: { dateFormat: "YYYY-MM-DD", timeFormat: "HH:mm" },
    shown: "2026-01-01 00:00",
  },
  hyperlinks: {
    type: "Text",
    value: "Quern https://quern.example",
    set: select("Display", "Hyperlink"),
    sample: null,
    stored: { widget: "HyperLink" },
    shown: "Quern",
  },
  alignment: {
    type: "Text",
    value: "x",
    options: { wrap: true },
    set: select("Alignment", "Right"),
    sample: null,
    stored: { wrap: true, alignment: "right" },
    shown: "x",
  },
};

describe.skipIf(!CHROMIUM)(inBrowser("formats of columns"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let panel: Locator;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    panel = page.locator(".panel");
  });

  const openColumn = async (type: string, options: Record<string, unknown>, rows: Record<string, unknown>[]) => {
    await makeTable(ada, doc, {
      id: "One",
      columns: [{ id: "A", fields: { type, widgetOptions: JSON.stringify(options) } }],
      rows,
    });
    await openTable(page, doc, "One");
    await button(page, "Menu of A").click();
    await item(page, "Edit column…").click();
    await panel.getByLabel("Name", { exact: true }).waitFor();
  };
  const save = async () => {
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
  };
  const stored = async (): Promise<unknown> => {
    const path = `/api/docs/${doc}/tables/One/columns`;
    const { columns } = await call<{ columns: { fields: { widgetOptions: string } }[] }>(ada, "GET", path);
    return JSON.parse(columns[0]?.fields.widgetOptions ?? "");
  };

  test.each(Object.entries(FORMATS))("%s", async (_, format) => {
    const { type, value, options = {}, set, sample, stored: expected, shown } = format;
    await openColumn(type, options, [{ A: value }]);
    await set(panel);
    if (sample !== null) await expectPoll(() => panel.locator(".sample .value").textContent()).toBe(sample);
    await save();
    await expectRows(page, [shown]);
    expect(await stored()).toEqual(expected);
    expect(ada.problems).toEqual([]);
  });

  test("cells follow the alignment", async () => {
    await openColumn("Numeric", { alignment: "center" }, [{ A: 1 }]);
    expect(await panel.getByRole("combobox", { name: "Alignment" }).inputValue()).toBe("center");
    const align = () =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(".grid [role=gridcell]")).textAlign`);
    expect(await align()).toBe("center");
    await select("Alignment", "By type")(panel);
    await save();
    await expectPoll(align).toBe("right");
    expect(await stored()).toEqual({});
  });

  test("switches toggle like checkboxes, and show their state without colour", async () => {
    await openColumn("Bool", {}, [{ A: false }]);
    await select("Display", "Switch")(panel);
    await save();
    const knob = () =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(".grid .switch"), "::after").left`);
    const off = await knob();
    await cell(page, 1, 1).click();
    await page.keyboard.press("Space");
    await page.locator(".grid .switch.on").waitFor();
    expect(await knob()).not.toBe(off);
    await expectPoll(() => cell(page, 1, 1).getAttribute("aria-label")).toBe("A: Yes");
    expect(await stored()).toEqual({ widget: "Switch" });
    expect(ada.problems).toEqual([]);
  });
});
