import { describe, expect, test } from "bun:test";
import { cutName, markName, plainMarkedText, splitMarkedText } from "../../src/web/base/names.ts";
import { CHROMIUM, inBrowser } from "./browser.ts";
import { call, listed } from "./calls.ts";
import { expectHarmless, HOSTILE, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

describe("names in sentences", () => {
  test.each([
    ["Orders", "Orders"],
    ["", ""],
    ["x".repeat(40), "x".repeat(40)],
    ["x".repeat(41), `${"x".repeat(39)}…`],
    [`${"x".repeat(38)} and more`, `${"x".repeat(38)}…`],
    ["\u{1F469}\u200D\u{1F680}".repeat(40), "\u{1F469}\u200D\u{1F680}".repeat(40)],
    ["\u{1F469}\u200D\u{1F680}".repeat(41), `${"\u{1F469}\u200D\u{1F680}".repeat(39)}…`],
    ["e\u0301".repeat(50), `${"e\u0301".repeat(39)}…`],
    ["x".repeat(100_000), `${"x".repeat(39)}…`],
  ])("%j", (name, cut) => expect(cutName(name)).toBe(cut));

  test.each(HOSTILE)("are found again in a plain text: %j", (name) => {
    const text = `Table ${markName(name)} renamed to ${markName(`\uFDD0${name}\uFDD1`)}.`;
    expect(splitMarkedText(text)).toEqual([
      { text: "Table ", isName: false },
      { text: name, isName: true },
      { text: " renamed to ", isName: false },
      { text: name, isName: true },
      { text: ".", isName: false },
    ]);
    expect(plainMarkedText(text)).toBe(`Table \u2068${cutName(name)}\u2069 renamed to \u2068${cutName(name)}\u2069.`);
  });

  test("may be empty", () => {
    expect(splitMarkedText(markName(""))).toEqual([{ text: "", isName: true }]);
  });
});

/** One text for each way to break a page. */
const NAMES = [
  HOSTILE_NAME,
  `${"W".repeat(180)} no end`,
  "\u202Eright to left \u05D0\u05D1\u05D2 \u2066",
  '\u{1F469}\u200D\u{1F680} “quotes” ‘and’ "more"',
] as const;

describe.skipIf(!CHROMIUM)(inBrowser("hostile names"), () => {
  let story: Story;
  eachStory((begun) => {
    story = begun;
  });

  test.each(NAMES)("break no page: %j", async (name) => {
    const { ada, page } = story;
    const [home] = await listed(ada);
    await call(ada, "PATCH", `/api/workspaces/${home?.id}`, { name });
    const doc = await call<string>(ada, "POST", `/api/workspaces/${home?.id}/docs`, { name });
    await call(ada, "POST", `/api/docs/${doc}/tables`, { tables: [{ id: "T", columns: [{ id: "A" }, { id: "B" }] }] });
    const { tables } = await call<{ tables: { id: string; fields: Record<string, number> }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables`,
    );
    const { tableRef, rawViewSectionRef } = tables.find(({ id }) => id === "T")?.fields ?? {};
    const apply = (...actions: unknown[][]) => call(ada, "POST", `/api/docs/${doc}/apply`, actions);
    await apply(["ModifyColumn", "T", "A", { label: name, untieColIdFromLabel: true, type: "Text" }]);
    const { columns } = await call<{ columns: { id: string; fields: { colRef: number } }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/T/columns`,
    );
    await apply([
      "CreateViewSection",
      tableRef,
      0,
      "record",
      [columns.find(({ id }) => id === "A")?.fields.colRef],
      null,
    ]);
    await apply(["AddRecord", "T", null, { A: name }]);
    await apply(["UpdateRecord", "_grist_Views_section", rawViewSectionRef, { title: name }]);
    const listing = await call<{ tables: { id: string; fields: Record<string, number> }[] }>(
      ada,
      "GET",
      `/api/docs/${doc}/tables`,
    );
    const table = listing.tables.find(({ fields }) => fields["tableRef"] === tableRef)?.id ?? "";
    const summary = listing.tables.find(({ fields }) => fields["summarySourceTable"] === tableRef)?.id ?? "";
    const at = `/docs/${doc}`;
    const paths = [
      "/",
      `/workspaces/${home?.id}`,
      `/workspaces/${home?.id}/sharing`,
      `${at}/tables/${table}`,
      `${at}/tables/${summary}`,
      ...["history", "history/5", "sql", "webhooks", "sharing", "code"].map((each) => `${at}/${each}`),
    ];
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      for (const path of paths) {
        await page.goto(path);
        const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        expect([path, width, overflow]).toEqual([path, width, 0]);
        await expectHarmless(page);
        // Summaries are named by their columns everywhere, and names do not affect the direction of the page.
        const text = await page.locator("body").innerText();
        if (!/sql|code/.test(path)) expect([path, /_summary_/.test(text)]).toEqual([path, false]);
      }
    }
    await call(ada, "PATCH", `/api/workspaces/${home?.id}`, { name: "Home" });
    expect(ada.problems).toEqual([]);
  });
});
