import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { button, dialog } from "./controls.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, openTable, until } from "./table-page.ts";

const inWindow = (selector: string): string => `(() => {
  const { left, right, top, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
  return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight && right > left;
})()`;

const isInWindow = (page: Page, selector: string): Promise<boolean> => page.evaluate<boolean>(inWindow(selector));

describe.skipIf(!CHROMIUM)(inBrowser("a person with a phone"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let email: string;
  let openWindow: Story["openWindow"];
  eachStory(async (story) => {
    ({ ada, page, email, openWindow } = story);
    await page.setViewportSize({ width: 390, height: 844 });
    doc = await makeDocument(ada, "Bicycle shop orders of the year 2026");
    const columns = [{ id: "Name", fields: { type: "Text" } }];
    await makeTable(ada, doc, { id: "Orders", columns, rows: [{ Name: "Anna Kern" }] });
  });

  test("sees the name of each page of a document, which opens its list, and a way back to the documents", async () => {
    const names = {
      "/tables/Orders": "Orders",
      "/sql": "SQL",
      "/webhooks": "Webhooks",
      "/sharing": "Sharing",
      "/history": "History",
      "/code": "API",
      "/settings": "Settings",
    };
    for (const [path, name] of Object.entries(names)) {
      await page.goto(`/docs/${doc}${path}`);
      await expectPoll(async () => [path, await isInWindow(page, ".top-bar .here")]).toEqual([path, true]);
      await button(page.getByRole("banner"), name).click();
      const current = page.locator("#sidebar a[aria-current=page]");
      await expectPoll(() => current.textContent()).toBe(name);
      await expectPoll(async () => [path, await isInWindow(page, "#sidebar a[aria-current=page]")]).toEqual([
        path,
        true,
      ]);
      await expectPoll(() => page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
      await page.keyboard.press("Escape");
      await expectPoll(() => current.isVisible()).toBe(false);
    }
    await button(page, "Open sidebar").click();
    await page.getByRole("link", { name: "Quern", exact: true }).click();
    await page.waitForURL("**/");
    expect(ada.problems).toEqual([]);
  });

  test("opens the menus of the page and of the account as sheets at the bottom of the window", async () => {
    await page.goto(`/docs/${doc}/tables/Orders`);
    const surfaces = [
      { opener: page.locator(".top-bar details.menu > summary"), selector: ".top-bar details.menu > nav" },
      { opener: button(page, "Menu of Name"), selector: "[role=menu]" },
      { opener: button(page, "Filter"), selector: ".popover" },
    ];
    for (const { opener, selector } of surfaces) {
      await opener.click();
      await page.locator(selector).waitFor();
      const box = await page.evaluate<unknown>(`(() => {
        const { left, right, top, bottom } = document.querySelector("${selector}").getBoundingClientRect();
        return { left, right, bottom, isBelowTop: top > 0 };
      })()`);
      expect([selector, box]).toEqual([selector, { left: 0, right: 390, bottom: 844, isBelowTop: true }]);
      await page.keyboard.press("Escape");
      await expectPoll(() => page.locator(selector).isVisible()).toBe(false);
    }
    expect(ada.problems).toEqual([]);
  });

  test("adds a column with a button above the table", async () => {
    await page.goto(`/docs/${doc}/tables/Orders`);
    await expectPoll(() => isInWindow(page, "#sheet-tools [aria-label=Column]")).toBe(true);
    // All other buttons fit the window beside it.
    await expectPoll(() => isInWindow(page, "#sheet-tools button:last-child")).toBe(true);
    await button(page, "Column").click();
    await dialog(page).getByLabel("Name").fill("City");
    await button(page, "Add column").click();
    await page.getByRole("columnheader", { name: "City, text" }).waitFor();
    expect(ada.problems).toEqual([]);
  });

  test("swipes from column to column: they stop at their edges, beside the frozen one", async () => {
    const columns = Array.from({ length: 12 }, (_, n) => ({
      id: `C${n}`,
      fields: { type: "Text", label: `Column ${n}` },
    }));
    await makeTable(ada, doc, { id: "Wide", columns, rows: [{ C0: "Anna" }, { C0: "Ben" }] });
    await using phone = await openWindow({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await phone.signIn(email);
    await openTable(phone.page, doc, "Wide", "?freeze=1");
    const gap = () =>
      phone.page.evaluate<number>(`(() => {
        const grid = document.querySelector(".grid");
        const heads = [...grid.querySelectorAll(".column-head")];
        const end = grid.querySelector(".column-head.frozen").getBoundingClientRect().right;
        return Math.min(...heads.filter((head) => !head.matches(".frozen"))
          .map((head) => Math.abs(head.getBoundingClientRect().left - end)));
      })()`);
    const scrolled = () => phone.page.evaluate<number>("document.querySelector('.grid').scrollLeft");
    // The browser stops where it does after a swipe.
    for (const left of [150, 390, 520, 900]) {
      await phone.page.evaluate(`document.querySelector(".grid").scrollTo({ left: ${left} })`);
      await expectPoll(scrolled).toBeGreaterThan(left - 100);
      await expectPoll(async () => [left, Math.round(await gap())]).toEqual([left, 0]);
    }
    expect(phone.problems).toEqual([]);
  });
});

describe.skipIf(!CHROMIUM)(inBrowser("a person with a phone and a language with longer words"), () => {
  let story: Story;
  let doc: string;
  eachStory(async (begun) => {
    story = begun;
    doc = await makeDocument(story.ada, "Orders");
    const columns = ["Name", "Amount", "Pages"].map((id) => ({ id, fields: { type: id === "Name" ? "Text" : "Int" } }));
    await makeTable(story.ada, doc, { id: "Orders", columns, rows: [{ Name: "Anna", Amount: 1, Pages: 2 }] });
  });

  test("sees all tools, editors and toasts of a table within the window", async () => {
    const { openWindow, email } = story;
    await using ada = await openWindow({ locale: "en-XA", viewport: { width: 390, height: 844 } });
    await ada.signIn(email);
    await openTable(ada.page, doc, "Orders", `?sort=-Name&filter=${encodeURIComponent('{"Amount":[1]}')}`);
    await ada.page.locator(".chip").nth(1).waitFor();
    await expectPoll(() => ada.page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    await expectPoll(() => isInWindow(ada.page, "#sheet-tools button:last-child")).toBe(true);

    await cell(ada.page, 1, 3).click();
    await ada.page.keyboard.type("many");
    await ada.page.keyboard.press("Enter");
    await ada.page.locator(".editor-message > p").waitFor();
    // The editor grows by the message, and moves into the window before the next frame is painted.
    expect(await until(ada.page, inWindow(".editor"))).toBe(true);

    await ada.page.keyboard.type(" words, more than are lost without a question");
    await ada.page.keyboard.press("Escape");
    await ada.page.locator(".toast").waitFor();
    // A button beside the text that leaves no room for whole words is placed below it.
    await expectPoll(() =>
      ada.page.evaluate<number>(`document.querySelector(".toast > p").offsetWidth`),
    ).toBeGreaterThan(200);
    expect(ada.problems).toEqual([]);
  });
});
