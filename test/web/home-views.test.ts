import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { formatListChoice, parseListChoice, sortRows } from "../../src/web/base/list-choice.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { listed, makeDocument, makeTable } from "./calls.ts";
import { button, press } from "./controls.ts";
import { choose, names, shortcuts } from "./home-page.ts";
import { expectHarmless, HOSTILE_LINES } from "./hostile.ts";
import { eachStory } from "./scene.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person with many documents"), () => {
  let ada: Visit;
  let page: Page;
  eachStory(async (story) => {
    ({ ada, page } = story);
    await page.setViewportSize({ width: 1440, height: 900 });
    for (const name of ["Rye 10", "barley", "Rye 9"]) await makeDocument(ada, name);
  });

  const header = (name: string) => page.locator("[data-workspace]").getByRole("columnheader", { name });
  const spoken = () => page.locator("#live-region").textContent();

  async function chooseView(name: string): Promise<void> {
    await button(page, "View").click();
    await page.getByRole("menuitemradio", { name, exact: true }).click();
  }

  test("sorts by headers, also after a reload and on the page of a workspace", async () => {
    await page.goto("/");
    await expectPoll(() => names(page)).toEqual(["Rye 9", "barley", "Rye 10"]);
    await button(header("Name"), "Name").focus();
    await press(page, "Enter");
    await expectPoll(() => names(page)).toEqual(["barley", "Rye 9", "Rye 10"]);
    await expectPoll(() => header("Name").getAttribute("aria-sort")).toBe("ascending");
    await expectPoll(spoken).toBe("Sorted by Name, ascending");
    // The focus stays on the header.
    await press(page, "Enter");
    await expectPoll(() => names(page)).toEqual(["Rye 10", "Rye 9", "barley"]);
    await expectPoll(() => header("Name").getAttribute("aria-sort")).toBe("descending");
    const [home] = await listed(ada);
    await page.goto(`/workspaces/${home?.id}`);
    await expectPoll(() => names(page)).toEqual(["Rye 10", "Rye 9", "barley"]);
    await button(header("Changed"), "Changed").click();
    await expectPoll(() => names(page)).toEqual(["Rye 9", "barley", "Rye 10"]);
    await chooseView("Pinned first, then by last change");
    await expectPoll(() => header("Changed").getAttribute("aria-sort")).toBe(null);
    await page.goto("/");
    await choose(page, "Rye 10", "Pin");
    await expectPoll(() => names(page)).toEqual(["Rye 10", "Rye 9", "barley"]);
    expect(await violations(page)).toEqual([]);
    expect(ada.problems).toEqual([]);
  });

  test("sorts by size, and does not mix up recent documents", async () => {
    const [home] = await listed(ada);
    const barley = home?.docs.find(({ name }) => name === "barley")?.uuid ?? "";
    const columns = [{ id: "A", fields: { type: "Text" } }];
    const rows = Array.from({ length: 100 }, () => ({ A: "x".repeat(2000) }));
    await makeTable(ada, barley, { id: "T", columns, rows });
    for (const { uuid } of home?.docs ?? []) await page.goto(`/docs/${uuid}/settings`);
    await page.goto("/");
    const recent = await shortcuts(page, "recent");
    await chooseView("Sort by size");
    await expectPoll(async () => (await names(page))[0]).toBe("barley");
    await expectPoll(() => header("Size").getAttribute("aria-sort")).toBe("descending");
    expect(await shortcuts(page, "recent")).toEqual(recent);
    expect(ada.problems).toEqual([]);
  });

  test("sees a grid at every width, with hostile names, and acts in it", async () => {
    for (const name of HOSTILE_LINES) await makeDocument(ada, name);
    await page.goto("/");
    await chooseView("Grid");
    await expectPoll(() => page.locator("#home").getAttribute("data-view")).toBe("grid");
    // The button shows the choice, and has the focus again.
    const icon = "document.activeElement.querySelector('use')?.href.baseVal ?? ''";
    await expectPoll(() => page.evaluate<string>(icon)).toMatch(/#layout-grid$/);
    for (const width of [390, 820, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      expect([width, await page.evaluate<number>("document.documentElement.scrollWidth")]).toEqual([width, width]);
      expect(await violations(page)).toEqual([]);
      // Side by side, where there is room.
      const tops = `new Set([...document.querySelectorAll("[data-workspace] tbody tr")].slice(0, 2)
        .map((row) => Math.round(row.getBoundingClientRect().top))).size`;
      expect([width, await page.evaluate<number>(tops)]).toEqual([width, width === 390 ? 2 : 1]);
    }
    await expectHarmless(page);
    await page.reload();
    await expectPoll(() => page.locator("#home").getAttribute("data-view")).toBe("grid");
    await choose(page, "barley", "Rename");
    await page.keyboard.type("Oats");
    await press(page, "Enter");
    await expectPoll(() => names(page)).toContain("Oats");
    // The search hides cards.
    await page.getByLabel("Search documents and rows").fill("oats");
    await expectPoll(() => page.locator("[data-workspace] tbody tr:visible").count()).toBe(1);
    await chooseView("List");
    await expectPoll(() => header("Name").isVisible()).toBe(true);
    expect(ada.problems).toEqual([]);
  });

  test("sorts on a phone by the menu", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/");
    await expectPoll(() => page.locator(".sort:visible").count()).toBe(0);
    await chooseView("Sort by name");
    await expectPoll(() => names(page)).toEqual(["barley", "Rye 9", "Rye 10"]);
    expect(ada.problems).toEqual([]);
  });
});

describe("the choice of a list", () => {
  test.each(["list.", "grid.", "list.name", "grid.-changed", "list.-size", "grid.workspace"])(
    "is kept as %s",
    (text) => {
      expect(formatListChoice(parseListChoice(text))).toBe(text);
    },
  );

  test.each(["", "grid", "list.-", "list.constructor", "table.name", "grid.name.size"])("ignores %p", (text) => {
    expect(parseListChoice(text).sort).toBe(null);
  });

  test("sorts documents without a size first, and keeps the order of equal ones", () => {
    const row = (name: string, sizeBytes?: number) => ({ name, sizeBytes, updatedAt: "", workspace: { name: "" } });
    const rows = [row("b", 2), row("a", 2), row("c"), row("d", 1)];
    const sorted = (text: string) => sortRows(rows, parseListChoice(text), "en").map(({ name }) => name);
    expect(sorted("list.size")).toEqual(["c", "d", "b", "a"]);
    expect(sorted("list.-size")).toEqual(["b", "a", "d", "c"]);
    expect(sorted("list.changed")).toEqual(["b", "a", "c", "d"]);
  });
});
