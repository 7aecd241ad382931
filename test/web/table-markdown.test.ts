/** Columns of Markdown. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { button, item } from "./controls.ts";
import { expectHarmless, HOSTILE } from "./hostile.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

describe.skipIf(!CHROMIUM)(inBrowser("Markdown"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
  });

  test("is chosen in the panel, shown in one line, in blocks and in the row's panel", async () => {
    const text = "**Fragile**, see [packing](https://quern.example/packing)\n\n- one\n- two";
    await makeTable(ada, doc, { id: "One", columns: [{ id: "A", fields: { type: "Text" } }], rows: [{ A: text }] });
    await openTable(page, doc, "One");
    await button(page, "Menu of A").click();
    await item(page, "Edit column…").click();
    await page.locator(".panel").getByLabel("Display").selectOption({ label: "Markdown" });
    await button(page.locator(".panel"), "Save").click();
    const line = cell(page, 1, 1).locator(".markdown-line");
    await expectPoll(() => line.textContent()).toBe("Fragile, see packing");
    expect(await line.locator("strong").textContent()).toBe("Fragile");
    const link = line.getByRole("link");
    expect(await link.getAttribute("href")).toBe("https://quern.example/packing");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    await cell(page, 1, 1).click({ position: { x: 3, y: 3 } });
    await page.keyboard.press("Shift+Enter");
    // It is shown as text while it is edited.
    await page.locator(".panel textarea").waitFor();
    await page.keyboard.press("Escape");
    await expectPoll(() => page.locator(".card-field li").allTextContents()).toEqual(["one", "two"]);
    await openTable(page, doc, "One", "?lines=4");
    await expectPoll(() => cell(page, 1, 1).locator("li").count()).toBe(2);
    await cell(page, 1, 1).click({ position: { x: 3, y: 3 } });
    await page.keyboard.press("F2");
    expect(await page.locator(".editor textarea").inputValue()).toBe(text);
    expect(ada.problems).toEqual([]);
  });

  test("runs nothing and loads nothing", async () => {
    const attacks = [
      ...HOSTILE,
      "[x](javascript:window.wasRun=1)",
      '![x](https://evil.example/a.png "t")',
      "<img src=x onerror=window.wasRun=1>",
    ];
    await makeTable(ada, doc, {
      id: "One",
      columns: [{ id: "A", fields: { type: "Text", widgetOptions: '{"widget":"Markdown"}' } }],
      rows: [{ A: "**ready**" }, ...attacks.map((A) => ({ A }))],
    });
    await openTable(page, doc, "One", "?lines=2");
    await cell(page, 1, 1).locator("strong").waitFor();
    await expectHarmless(page);
    expect(await page.locator(".grid .body img").count()).toBe(0);
    const addresses = await page.evaluate<string[]>(
      `[...document.querySelectorAll(".grid .body a")].map((link) => link.getAttribute("href") ?? "")`,
    );
    for (const address of addresses) expect(address).toMatch(/^(https?:|mailto:)/);
    expect(ada.problems).toEqual([]);
  });
});
