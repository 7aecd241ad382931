import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, listed, makeDocument } from "./calls.ts";
import { button, item } from "./controls.ts";
import { choose, shortcuts } from "./home-page.ts";
import { expectHarmless, HOSTILE_LINES } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person who returns to their documents"), () => {
  let ada: Visit;
  let page: Page;
  let invite: Story["invite"];
  eachStory((story) => {
    ({ ada, page, invite } = story);
  });

  const focused = () => page.evaluate<string>("document.activeElement.textContent");

  async function visit(...docs: readonly string[]): Promise<void> {
    for (const doc of docs) await page.goto(`/docs/${doc}/settings`);
  }

  test("finds the documents that they opened last, and acts on them", async () => {
    const [first, second] = [await makeDocument(ada, "First"), await makeDocument(ada, "Second")];
    await makeDocument(ada, "Never opened");
    await page.goto("/");
    await expectPoll(() => page.locator("#recent").count()).toBe(0);
    await visit(first, second, first);
    await page.goto("/");
    await expectPoll(() => shortcuts(page, "recent")).toEqual(["First", "Second"]);
    const row = page.locator(`#recent-doc-${first}`);
    expect(await row.getByRole("cell").first().textContent()).toBe("Home");
    await button(row, "Actions for First").click();
    await item(page, "Rename").click();
    await page.keyboard.type("Renamed");
    await page.keyboard.press("Enter");
    await expectPoll(() => shortcuts(page, "recent")).toEqual(["Renamed", "Second"]);
    await button(page.locator(`#recent-doc-${second}`), "Actions for Second").click();
    await item(page, "Move to trash").click();
    await expectPoll(() => shortcuts(page, "recent")).toEqual(["Renamed"]);
    await page.locator("#recent").getByRole("link", { name: "Renamed" }).click();
    await page.waitForURL(`/docs/${first}**`);
    expect(ada.problems).toEqual([]);
  });

  test("sees five recent documents first, and all by keyboard", async () => {
    const docs: string[] = [];
    for (const number of [1, 2, 3, 4, 5, 6, 7]) docs.push(await makeDocument(ada, `Book ${number}`));
    await visit(...docs);
    await page.goto("/");
    const names = [7, 6, 5, 4, 3, 2, 1].map((number) => `Book ${number}`);
    await expectPoll(() => shortcuts(page, "recent")).toEqual(names.slice(0, 5));
    await button(page, "Show all recent documents").focus();
    await page.keyboard.press("Enter");
    await expectPoll(() => shortcuts(page, "recent")).toEqual(names);
    await expectPoll(focused).toBe("Book 2");
    // The search looks through the sites.
    await page.getByLabel("Search documents and rows").fill("book");
    await expectPoll(() => page.locator("#recent").isVisible()).toBe(false);
    expect(ada.problems).toEqual([]);
  });

  test("has pinned documents of all sites at the top, on a phone as well", async () => {
    const site = await call<number>(ada, "POST", "/api/orgs", { name: "Bakery" });
    const workspace = await call<number>(ada, "POST", `/api/orgs/${site}/workspaces`, { name: "Daily work" });
    await call(ada, "POST", `/api/workspaces/${workspace}/docs`, { name: "Oven", isPinned: true });
    for (const name of HOSTILE_LINES) await makeDocument(ada, name);
    const doc = await makeDocument(ada, "Flour");
    await visit(doc);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/");
    await choose(page, "Flour", "Pin");
    await expectPoll(() => shortcuts(page, "pinned")).toEqual(["Flour", "Oven"]);
    await expectPoll(() => page.locator("#pinned .in-workspace").allTextContents()).toEqual(["Home", "Daily work"]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    await expectHarmless(page);
    expect(await violations(page)).toEqual([]);
    await choose(page, "Oven", "Unpin");
    await expectPoll(() => shortcuts(page, "pinned")).toEqual(["Flour"]);
    expect(ada.problems).toEqual([]);
  });

  test("does not see a document any more that is not shared with them", async () => {
    const doc = await makeDocument(ada, "Our flour");
    await using ben = await invite(doc, "viewers");
    await ben.page.goto(`/docs/${doc}/history`);
    await ben.page.goto("/");
    await expectPoll(() => shortcuts(ben.page, "recent")).toEqual(["Our flour"]);
    // Pinning is for editors of the site.
    await button(ben.page.locator("#recent"), "Actions for Our flour").click();
    await expectPoll(() => ben.page.getByRole("menuitem").allTextContents()).toEqual([
      "Duplicate",
      "Download",
      "Sharing",
    ]);
    const { users } = await call<{ users: { email: string }[] }>(ada, "GET", `/api/docs/${doc}/access`);
    const [email] = users.map((user) => user.email).filter((each) => each.startsWith("ben"));
    await call(ada, "PATCH", `/api/docs/${doc}/access`, { delta: { users: { [email ?? ""]: null } } });
    await ben.page.goto("/");
    await expectPoll(() => ben.page.locator("#home").textContent()).not.toContain("Our flour");
    expect((await listed(ada)).flatMap(({ docs }) => docs.map(({ name }) => name))).toEqual(["Our flour"]);
    expect([...ada.problems, ...ben.problems]).toEqual([]);
  });
});
