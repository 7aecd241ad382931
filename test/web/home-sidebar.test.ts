import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument } from "./calls.ts";
import { button, press, shownText } from "./controls.ts";
import { choose, names } from "./home-page.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory } from "./scene.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person with several sites"), () => {
  let ada: Visit;
  let page: Page;
  let archive: number;
  let site: number;
  eachStory(async (story) => {
    ({ ada, page } = story);
    site = await call<number>(ada, "POST", "/api/orgs", { name: "Bakery" });
    archive = await call<number>(ada, "POST", `/api/orgs/${site}/workspaces`, { name: "Archive" });
    await call(ada, "POST", `/api/workspaces/${archive}/docs`, { name: "Old prices" });
    await makeDocument(ada, "New prices");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto("/");
  });

  const tree = () => page.getByRole("tree");
  const entry = (name: string) => tree().getByRole("treeitem", { name, exact: true });
  const shownEntries = () => tree().locator("[role=treeitem]:visible").allInnerTexts();
  const focused = () => page.evaluate<string>("document.activeElement.innerText.trim()");

  test("opens a workspace, whose page lists its documents only", async () => {
    await entry("Archive").getByRole("link").click();
    await page.waitForURL(`/workspaces/${archive}`);
    await expectPoll(() => names(page)).toEqual(["Old prices"]);
    await expectPoll(() => page.title()).toBe("Archive · Quern");
    await expectPoll(() => page.getByRole("heading", { level: 1 }).textContent()).toBe("Archive");
    await expectPoll(() => tree().locator("[aria-current=page][role=treeitem]").allInnerTexts()).toEqual(["Archive"]);
    await expectPoll(() => page.locator(".crumbs a").allTextContents()).toEqual(["Documents", "Bakery"]);
    await choose(page, "Old prices", "Move to…");
    // All workspaces, not only those of the page.
    const options = page.getByRole("dialog").locator("option");
    await expectPoll(async () => (await options.allTextContents()).toSorted()).toEqual([
      "Home – Bakery",
      "Home – Personal",
    ]);
    await page.keyboard.press("Escape");
    await choose(page, "the workspace Archive", "Rename");
    await page.keyboard.type("Years ago");
    await page.keyboard.press("Enter");
    await expectPoll(() => page.getByRole("heading", { level: 1 }).textContent()).toBe("Years ago");
    // The sidebar follows, and stays a tree.
    await expectPoll(() => entry("Years ago").getAttribute("aria-current")).toBe("page");
    expect(await violations(page)).toEqual([]);
    expect(ada.problems).toEqual([]);
  });

  test("folds a site, which stays folded on all pages", async () => {
    const all = ["Documents", "Personal", "Home", "Bakery", "Archive", "Home", "Trash"];
    await expectPoll(shownEntries).toEqual(all);
    await entry("Bakery").locator("[data-fold]").click();
    await expectPoll(() => entry("Bakery").getAttribute("aria-expanded")).toBe("false");
    const folded = ["Documents", "Personal", "Home", "Bakery", "Trash"];
    await expectPoll(shownEntries).toEqual(folded);
    await page.goto("/trash");
    await expectPoll(shownEntries).toEqual(folded);
    // The current workspace is not hidden.
    await page.goto(`/workspaces/${archive}`);
    await expectPoll(shownEntries).toEqual(all);
    await page.goto("/");
    await entry("Bakery").locator("[data-fold]").click();
    await expectPoll(shownEntries).toEqual(all);
    await page.reload();
    await expectPoll(shownEntries).toEqual(all);
    expect(ada.problems).toEqual([]);
  });

  test("reaches a workspace and folds a site by keys alone", async () => {
    await entry("Documents").focus();
    await press(page, "b");
    await expectPoll(focused).toBe("Bakery");
    await press(page, "ArrowLeft");
    await expectPoll(shownEntries).toEqual(["Documents", "Personal", "Home", "Bakery", "Trash"]);
    await page.reload();
    await expectPoll(shownEntries).toEqual(["Documents", "Personal", "Home", "Bakery", "Trash"]);
    await entry("Documents").focus();
    await press(page, "b", "ArrowRight", "ArrowRight");
    await expectPoll(focused).toBe("Archive");
    await press(page, "Enter");
    await page.waitForURL(`/workspaces/${archive}`);
    await expectPoll(() => names(page)).toEqual(["Old prices"]);
    expect(ada.problems).toEqual([]);
  });

  test("opens a workspace from the drawer of a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await button(page, "Open sidebar").click();
    await entry("Archive").getByRole("link").click();
    await page.waitForURL(`/workspaces/${archive}`);
    await expectPoll(() => names(page)).toEqual(["Old prices"]);
    await button(page.getByRole("banner"), "Archive").click();
    await expectPoll(() => entry("Archive").isVisible()).toBe(true);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    expect(await violations(page)).toEqual([]);
    expect(ada.problems).toEqual([]);
  });

  test("sees an empty workspace, and hostile names", async () => {
    const id = await call<number>(ada, "POST", "/api/orgs/current/workspaces", { name: HOSTILE_NAME });
    await page.goto(`/workspaces/${id}`);
    await expectPoll(() => page.getByRole("heading", { level: 1 }).textContent()).toBe(HOSTILE_NAME);
    await shownText(page, "Create your first document").waitFor();
    await expectHarmless(page);
    await call(ada, "POST", `/api/workspaces/${id}/remove`, {});
    await page.goto(`/workspaces/${id}`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    expect(ada.problems.filter((each) => !each.includes("404"))).toEqual([]);
  });
});
