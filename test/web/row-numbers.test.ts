/** Sections without row numbers: what selects and moves rows takes little room, and works as with numbers. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { item, press } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { apply, type MadePage, makePage, openView, section } from "./view-page.ts";

describe.skipIf(!CHROMIUM)(inBrowser("sections without row numbers"), () => {
  let ada: Visit;
  let page: Page;
  let made: MadePage;
  eachStory(async (story) => {
    ({ ada, page } = story);
    made = await makePage(ada, { isLinked: false });
  });

  const setNumbers = (rowNumbers: string) =>
    apply(ada, made.doc, [
      ["UpdateRecord", "_grist_Views_section", made.orders, { options: JSON.stringify({ rowNumbers }) }],
    ]);

  test("have a narrow column, by which rows are selected", async () => {
    await setNumbers("hidden");
    await openView(page, made);
    const orders = section(page, made.orders);
    const head = orders.locator(".grid .body [role=rowheader]").first();
    const cell = orders.locator(".grid .body [role=row] [role=gridcell]").first();
    const column = orders.getByRole("columnheader", { name: /^Number/ });
    const left = async (of: typeof head) => Math.round((await of.boundingBox())?.x ?? 0);
    await expectPoll(async () => Math.round((await head.boundingBox())?.width ?? 0)).toBe(28);
    expect((await left(cell)) - (await left(head))).toBe(28);
    expect(await left(column)).toBe(await left(cell));
    await head.click();
    await expectPoll(() => orders.locator(".grid .row.chosen").count()).toBe(1);
    await press(page, "Shift+F10");
    await item(page, "Delete row").waitFor();
    await press(page, "Escape");
    // Rows are selected by keys, too.
    await cell.click();
    await expectPoll(() => orders.locator(".grid .row.chosen").count()).toBe(0);
    await press(page, "Shift+Space");
    await expectPoll(() => orders.locator(".grid .row.chosen").count()).toBe(1);
    // Numbers that others show again have their room.
    await setNumbers("number");
    await expectPoll(async () => Math.round((await head.boundingBox())?.width ?? 0)).toBe(52);
    await expectPoll(async () => (await left(cell)) - (await left(head))).toBe(52);
    expect(ada.problems).toEqual([]);
  });
});
