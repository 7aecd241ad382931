/** The panel in which the fields of cards are arranged. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable } from "./calls.ts";
import { apply, card, type CardSection, makeCards, metadata, openCards, openLayout } from "./cards-page.ts";
import { button, item, press, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

const NAMES = ["Title", "Author", "Year", "Pages"];

describe.skipIf(!CHROMIUM)(inBrowser("the layout of cards"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let cards: CardSection;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    const columns = NAMES.map((id) => ({ id, fields: { type: "Text" } }));
    await makeTable(ada, doc, { id: "Books", columns, rows: [{ Title: "Emma", Author: "Jane Austen", Year: "1815" }] });
    cards = await makeCards(ada, doc, "Books");
    await openCards(page, doc, cards);
    await card(page, 1).waitFor();
  });

  const panel = () => page.locator(".panel");
  const stored = async () => {
    const [found] = await metadata(ada, doc, "_grist_Views_section", { id: [cards.section] });
    return found?.fields;
  };
  /** The names of the fields on the first card, line by line. */
  const lines = () =>
    page.evaluate<string[]>(`(() => {
      const labels = [...document.querySelectorAll(".record-card:first-child .field-label")];
      const byTop = Map.groupBy(labels, (label) => Math.round(label.getBoundingClientRect().top));
      return [...byTop.values()].map((line) => line.map((label) => label.textContent).join(" "));
    })()`);
  const arrange = async (name: string, command: string) => {
    await button(panel(), `Arrange ${name}`).click();
    await item(page, command).click();
  };

  test("is changed by menu and keys, one step of Undo each", async () => {
    await expectPoll(lines).toEqual(["Title Author", "Year Pages"]);
    await openLayout(page);
    await expectAccessible(page);
    await arrange("Author", "On a line of its own");
    await expectPoll(lines).toEqual(["Title", "Author", "Year Pages"]);
    await arrange("Author", "Beside the field above");
    await expectPoll(lines).toEqual(["Title Author", "Year Pages"]);
    await arrange("Pages", "Move up");
    await expectPoll(lines).toEqual(["Title Author", "Pages Year"]);
    // The focus stays at the field, for further keys.
    await press(page, "Alt+Shift+ArrowUp");
    await expectPoll(lines).toEqual(["Title Pages", "Author Year"]);
    await press(page, "Alt+Shift+ArrowLeft");
    await expectPoll(lines).toEqual(["Title", "Pages", "Author Year"]);
    await arrange("Year", "Wider");
    await expectPoll(async () => String((await stored())?.["layoutSpec"])).toContain('"size":125');
    await shownText(page, "Layout of the cards changed.").waitFor();
    await button(page.locator(".toast"), "Undo").click();
    await expectPoll(async () => String((await stored())?.["layoutSpec"])).not.toContain('"size"');
    expect(await lines()).toEqual(["Title", "Pages", "Author Year"]);
    // A reload shows the same.
    await openCards(page, doc, cards);
    await expectPoll(lines).toEqual(["Title", "Pages", "Author Year"]);
    expect(ada.problems).toEqual([]);
  });

  test("hides and shows fields, and has themes", async () => {
    await openLayout(page);
    await arrange("Author", "Hide");
    await expectPoll(lines).toEqual(["Title Year", "Pages"]);
    await button(panel(), "Show Author").click();
    await expectPoll(lines).toEqual(["Title Year", "Pages Author"]);
    expect(await button(panel(), "Show Author").count()).toBe(0);
    await panel().getByLabel("Theme").selectOption("compact");
    await page.locator('.cards[data-theme="compact"]').waitFor();
    await expectPoll(async () => (await stored())?.["theme"]).toBe("compact");
    await shownText(page, "Theme of the cards changed.").waitFor();
    await button(page.locator(".toast"), "Undo").click();
    await expectPoll(async () => (await stored())?.["theme"]).toBe("");
    await page.locator('.cards[data-theme="form"]').waitFor();
    expect(ada.problems).toEqual([]);
  });

  test("shows hostile names as text", async () => {
    const [column] = await metadata(ada, doc, "_grist_Tables_column", { colId: ["Author"] });
    await apply(ada, doc, ["UpdateRecord", "_grist_Tables_column", column?.id, { label: HOSTILE_NAME }]);
    await openCards(page, doc, cards);
    await openLayout(page);
    await arrange(HOSTILE_NAME, "Hide");
    await button(panel(), `Show ${HOSTILE_NAME}`).waitFor();
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("is not offered to viewers", async () => {
    const ben = await invite(doc, "viewers");
    await openCards(ben.page, doc, cards);
    await card(ben.page, 1).waitFor();
    await ben.page
      .locator(".toolbar")
      .getByRole("button", { name: /^Menu of/ })
      .click();
    await item(ben.page, "Open table").waitFor();
    expect((await ben.page.getByRole("menuitem").allTextContents()).filter((each) => /layout/i.test(each))).toEqual([]);
  });
});
