/** Hyperlinks: how they are shown and edited. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { linkText, parseLink } from "../../src/web/pages/table/client/cells/links.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable, records } from "./calls.ts";
import { button, press } from "./controls.ts";
import { expectHarmless } from "./hostile.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

describe("links of cells", () => {
  test.each([
    ["Quern", "https://quern.example", "Quern https://quern.example"],
    ["Quern", "quern.example/a b", "Quern https://quern.example/a%20b"],
    ["", "http://quern.example", "http://quern.example"],
    ["only text", " ", "only text"],
    ["bad", "javascript:alert(1)", "bad javascript:alert(1)"],
  ])("%s, %s", (label, address, text) => expect(linkText(label, address)).toBe(text));

  test("lead to web pages only", () => {
    expect(parseLink("bad javascript:alert(1)")).toBeNull();
    expect(parseLink("two words https://a.example")).toEqual({ label: "two words", href: "https://a.example" });
  });
});

describe.skipIf(!CHROMIUM)(inBrowser("hyperlinks"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, {
      id: "One",
      columns: [{ id: "A", fields: { type: "Text", widgetOptions: '{"widget":"HyperLink"}' } }],
      rows: [{ A: "Quern https://quern.example" }, { A: "x javascript:window.wasRun=1" }],
    });
    await openTable(page, doc, "One");
  });
  const editor = () => page.getByRole("group", { name: "A", exact: true });
  const stored = async () => (await records(ada, doc, "One")).map(({ fields }) => fields["A"]);

  test("are edited as a text and an address", async () => {
    await cell(page, 1, 1).click();
    await page.keyboard.press("Enter");
    expect(await editor().getByLabel("Text").inputValue()).toBe("Quern");
    expect(await editor().getByLabel("Address").inputValue()).toBe("https://quern.example");
    await page.keyboard.type(" docs");
    await page.keyboard.press("Tab");
    await page.keyboard.type("quern.example/help");
    await page.keyboard.press("Enter");
    await expectPoll(stored).toEqual(["Quern docs https://quern.example/help", "x javascript:window.wasRun=1"]);
    const link = cell(page, 1, 1).getByRole("link", { name: "Quern docs" });
    expect(await link.getAttribute("href")).toBe("https://quern.example/help");
    expect(await link.locator(".icon").count()).toBe(1);
    expect(await cell(page, 2, 1).getByRole("link").count()).toBe(0);
    await button(page, "Undo").first().click();
    await expectPoll(async () => (await stored())[0]).toBe("Quern https://quern.example");
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("are replaced by typing, and kept by Escape", async () => {
    await cell(page, 1, 1).click();
    await page.keyboard.type("New");
    expect(await editor().getByLabel("Address").inputValue()).toBe("");
    await press(page, "Tab", "Shift+Tab");
    expect(await editor().getByLabel("Text").and(page.locator(":focus")).count()).toBe(1);
    await page.keyboard.press("Escape");
    expect((await stored())[0]).toBe("Quern https://quern.example");
    expect(ada.problems).toEqual([]);
  });
});
