/** Notices of cells that other users changed while they were edited: in the grid, on cards and in the panel of a row. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable, records } from "./calls.ts";
import { apply, card, makeCards, openCards, value } from "./cards-page.ts";
import { button, press } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, expectRows, openTable } from "./table-page.ts";

const TEA = {
  id: "Tea",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    { id: "Grams", fields: { type: "Int" } },
  ],
  rows: [
    { Name: "Assam", Grams: 100 },
    { Name: "Sencha", Grams: 50 },
  ],
};

describe.skipIf(!CHROMIUM)(inBrowser("cells that others changed meanwhile"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, TEA);
  });

  const names = async (): Promise<unknown[]> => (await records(ada, doc, "Tea")).map(({ fields }) => fields["Name"]);
  const toast = () => page.locator(".toast");

  test("are named in the grid, and Undo yours brings their value back", async () => {
    const ben = await invite(doc, "editors");
    await openTable(page, doc, "Tea");
    await expectRows(page, ["Assam|100", "Sencha|50"]);
    await cell(page, 1, 1).click();
    await page.keyboard.type("Oolong");
    // The other cell shows that the page has the change.
    await apply(ben, doc, ["UpdateRecord", "Tea", 1, { Name: HOSTILE_NAME, Grams: 7 }]);
    await expectPoll(() => cell(page, 1, 2).textContent()).toBe("7");
    await press(page, "Enter");
    await toast().getByText("Another user changed this cell to").waitFor();
    await expectHarmless(page);
    await expectRows(page, ["Oolong|7", "Sencha|50"]);
    await button(toast(), "Undo yours").click();
    await expectPoll(names).toEqual([HOSTILE_NAME, "Sencha"]);
    // Own changes are no news.
    await cell(page, 2, 1).click();
    await page.keyboard.type("Gyokuro");
    await press(page, "Enter", "ArrowUp");
    await page.keyboard.type("Bancha");
    await press(page, "Enter");
    await expectPoll(names).toEqual([HOSTILE_NAME, "Bancha"]);
    expect(await toast().count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });

  test("are named on a card and in the panel of a row", async () => {
    const ben = await invite(doc, "editors");
    await openCards(page, doc, await makeCards(ada, doc, "Tea"));
    const first = card(page, 1);
    await value(first, "Name").click();
    await page.keyboard.type(" tips");
    await apply(ben, doc, ["UpdateRecord", "Tea", 1, { Name: "", Grams: 7 }]);
    await expectPoll(() => value(first, "Grams").textContent()).toBe("7");
    await press(page, "Tab");
    await toast().getByText("Another user cleared this cell meanwhile.").waitFor();
    await button(toast(), "Undo yours").click();
    await expectPoll(names).toEqual(["", "Sencha"]);

    await card(page, 2).click({ position: { x: 4, y: 4 } });
    await press(page, "Space");
    const panel = page.locator(".panel");
    // Its first field is edited at once.
    await panel.locator("textarea").fill("Sencha new");
    await apply(ben, doc, ["UpdateRecord", "Tea", 2, { Name: "Matcha", Grams: 8 }]);
    await expectPoll(() => value(panel, "Grams").textContent()).toBe("8");
    await value(panel, "Grams").click();
    await toast().getByText("Matcha").waitFor();
    await expectPoll(names).toEqual(["", "Sencha new"]);
    expect(ada.problems).toEqual([]);
  });
});
