/** Cards of a large table: only those in view are in the page. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { apply, card, focusedCard, makeCards, openCards, value } from "./cards-page.ts";
import { press } from "./controls.ts";
import { eachStory } from "./scene.ts";

describe.skipIf(!CHROMIUM)(inBrowser("cards in large numbers"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
  });

  const COUNT = 10_000;

  test("are drawn only in view, and reached by keys and by scrolling", async () => {
    await makeTable(ada, doc, {
      id: "Many",
      columns: [
        { id: "Number", fields: { type: "Int" } },
        { id: "Text", fields: { type: "Text" } },
      ],
      rows: [],
    });
    const ids = Array.from({ length: COUNT }, () => null);
    await apply(ada, doc, [
      "BulkAddRecord",
      "Many",
      ids,
      {
        Number: ids.map((_, at) => at + 1),
        Text: ids.map((_, at) => "word ".repeat(at % 5 === 3 ? 60 : 1)),
      },
    ]);
    await openCards(page, doc, await makeCards(ada, doc, "Many"));
    await card(page, 1).click({ position: { x: 4, y: 4 } });
    const perLine = await page.evaluate<number>(
      "Number(document.querySelector('.card-list').style.getPropertyValue('--per-line'))",
    );
    expect(perLine).toBeGreaterThan(1);
    await press(page, "ArrowRight");
    await expectPoll(() => focusedCard(page)).toBe(2);
    await press(page, "ArrowDown");
    await expectPoll(() => focusedCard(page)).toBe(2 + perLine);
    await press(page, "ArrowUp", "ArrowUp");
    await expectPoll(() => focusedCard(page)).toBe(2);
    await press(page, "End");
    await expectPoll(() => focusedCard(page)).toBe(COUNT);
    await expectPoll(() => value(card(page, COUNT), "Number").textContent()).toBe(String(COUNT));
    expect(await card(page, COUNT).getAttribute("aria-setsize")).toBe(String(COUNT));
    await press(page, "PageUp");
    await expectPoll(() => focusedCard(page)).toBeLessThan(COUNT);
    await press(page, "Home");
    await expectPoll(() => focusedCard(page)).toBe(1);
    expect(await page.locator(".record-card").count()).toBeLessThan(60);
    // Lines follow each other without gaps and overlaps, whatever the heights of their cards.
    await page.locator(".cards").hover();
    for (let turn = 0; turn < 12; turn++) {
      await page.mouse.wheel(0, turn < 8 ? 900 : -900);
      await expectPoll(() => page.evaluate<string[]>(UNEVEN_LINES)).toEqual([]);
    }
    expect(await page.locator(".record-card").count()).toBeLessThan(60);
    expect(ada.problems).toEqual([]);
  });
});

/** The gaps between lines of cards in view that are not those of the style sheet. */
const UNEVEN_LINES = `(() => {
  const cards = [...document.querySelectorAll(".record-card")].filter((each) => !each.classList.contains("active"));
  const tops = new Map();
  for (const each of cards) {
    const { top, bottom } = each.getBoundingClientRect();
    tops.set(Math.round(top), Math.max(Math.round(bottom), tops.get(Math.round(top)) ?? -Infinity));
  }
  const lines = [...tops].toSorted(([a], [b]) => a - b);
  const view = document.querySelector(".cards").getBoundingClientRect();
  return [
    ...lines.slice(1).flatMap(([top], at) => Math.abs(top - lines[at][1] - 12) <= 1 ? [] : [lines[at] + " " + top]),
    ...(lines.length > 0 && lines[0][0] <= view.bottom && lines.at(-1)[1] >= view.top ? [] : ["nothing in view"]),
    ...(cards.some((each) => each.classList.contains("unread")) ? ["being loaded"] : []),
  ];
})()`;
