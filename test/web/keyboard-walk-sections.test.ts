/** A walk through a page with sections and through a list of cards, by keyboard only. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { records } from "./calls.ts";
import { openCards } from "./cards-page.ts";
import { press } from "./controls.ts";
import { focus, IN_SURFACE, walk, walkTo } from "./keyboard.ts";
import { eachStory } from "./scene.ts";
import { addSection, type MadePage, makePage, openView, refsOf, rowsOf } from "./view-page.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a walk by keyboard through a page with sections"), () => {
  let ada: Visit;
  let page: Page;
  let made: MadePage;
  eachStory(async (story) => {
    ({ ada, page } = story);
    await page.setViewportSize({ width: 1440, height: 900 });
    made = await makePage(ada);
  });

  /** Opens what the focused control opens, and returns from it. */
  async function openAndLeave(control: string): Promise<void> {
    await press(page, "Enter");
    await expectPoll(async () => [control, await page.evaluate(IN_SURFACE)]).toEqual([control, true]);
    await expectPoll(() => focus(page)).not.toContain("unseen");
    await walk(page, [["Escape", control]]);
  }

  test("goes around its regions, selects a row in one section, and adds one in the other", async () => {
    await openView(page, made);
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["A-1|Customers[1]|10", "A-2|Customers[1]|20"]);
    const regions = ["link Quern", "link Home", "button Edit layout", "button Filter", "gridcell Name: Anna"];
    await walkTo(page, "F6", "link Quern");
    await walk(
      page,
      [...regions.slice(1), "gridcell Number: A-1", "link Quern"].map((focused) => ["F6", focused] as const),
    );
    await walkTo(page, "Shift+F6", "gridcell Name: Anna");
    await walk(page, [["ArrowDown", "gridcell Name: Bruno"]]);
    await expectPoll(() => rowsOf(page, made.orders)).toEqual(["B-1|Customers[2]|30"]);
    await walkTo(page, "F6", "gridcell Number: B-1");
    await walk(page, [["ArrowDown", "gridcell Number: new row"]]);
    await page.keyboard.type("B-2");
    await press(page, "Enter");
    await expectPoll(async () =>
      (await records(ada, made.doc, "Orders")).map(({ fields }) => [fields["Number"], fields["Customer"]]),
    ).toContainEqual(["B-2", 2]);
    expect(ada.problems).toEqual([]);
  });

  test("opens the tools of the active section, and returns from each", async () => {
    await openView(page, made);
    await expectPoll(() => rowsOf(page, made.orders)).toHaveLength(2);
    await walkTo(page, "F6", "gridcell Number: A-1");
    await walkTo(page, "Shift+F6", "button Filter");
    for (const name of ["Filter", "Sort", "Group", "Columns", "Row height"]) {
      await openAndLeave(`button ${name}`);
      if (name !== "Row height") await press(page, "ArrowRight");
    }
    await walkTo(page, "ArrowRight", "button Menu of section ORDERS");
    await openAndLeave("button Menu of section ORDERS");
    expect(ada.problems).toEqual([]);
  });

  test("arranges sections without a pointer", async () => {
    await openView(page, made);
    await walkTo(page, "F6", "button Edit layout");
    await press(page, "Enter");
    await page.locator(".leaf-tools").first().waitFor();
    await expectPoll(() => focus(page)).not.toContain("unseen");
    expect(await focus(page)).not.toBe("body");
    await expectPoll(() => focus(page)).toBe("button Move section CUSTOMERS");
    // What the tools cover is passed over.
    await walk(page, [
      ["Tab", "button Move section ORDERS"],
      ["Shift+Tab", "button Move section CUSTOMERS"],
    ]);
    await walkTo(page, "Shift+Tab", "button Cancel");
    await press(page, "Enter");
    await page.locator(".leaf-tools").first().waitFor({ state: "detached" });
    expect(await focus(page)).toBe("button Edit layout");
    expect(ada.problems).toEqual([]);
  });

  test("goes through cards and their fields, and returns to the card", async () => {
    const { viewRef, sectionRef } = await addSection(ada, made.doc, {
      view: 0,
      table: (await refsOf(ada, made.doc)).table("Orders"),
      kind: "detail",
    });
    await openCards(page, made.doc, { view: viewRef, section: sectionRef });
    await page.locator(".record-card").first().waitFor();
    await walkTo(page, "F6", "listitem A-1");
    await walk(page, [
      ["ArrowRight", "listitem A-2"],
      ["End", "listitem B-1"],
      ["Home", "listitem A-1"],
      ["Enter", "textbox Number"],
    ]);
    await press(page, "Control+a");
    await page.keyboard.type("A-9");
    await press(page, "Enter");
    await expectPoll(async () => (await records(ada, made.doc, "Orders"))[0]?.fields["Number"]).toBe("A-9");
    await walkTo(page, "Escape", "listitem A-9");
    await walkTo(page, "F6", "button Menu of section ORDERS Card list");
    await openAndLeave("button Menu of section ORDERS Card list");
    expect(ada.problems).toEqual([]);
  });
});
